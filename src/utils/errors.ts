/**
 * The base of every expected failure. `code` is stable and what callers match on; `userMessage` says what happened and
 * what to do next, for a person; `message` is for the log.
 */
export abstract class AppError extends Error {
  abstract readonly code: string;

  constructor(
    message: string,
    readonly userMessage: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Being cancelled is not an error to show. */
export class CancelledError extends AppError {
  readonly code = 'cancelled';

  constructor(message = 'Cancelled') {
    super(message, message);
  }
}

export function isCancelled(error: unknown): boolean {
  return error instanceof CancelledError || (error instanceof Error && error.name === 'AbortError');
}

/** Throws `CancelledError` if the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CancelledError();
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
