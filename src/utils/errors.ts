import type { Phrase } from './l10n';

/**
 * The base of every expected failure. `code` is stable and what callers match on; `userMessage` says what happened and
 * what to do next, for a person in their language; `modelMessage` tells it to the model, in English; `message` is for the log.
 */
export abstract class AppError extends Error {
  abstract readonly code: string;
  readonly userMessage: string;
  readonly modelMessage: string;

  /** `words` that are no phrase are for the person alone: the model reads what the log does. */
  constructor(message: string, words: string | Phrase, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.userMessage = typeof words === 'string' ? words : words.local;
    this.modelMessage = typeof words === 'string' ? message : words.english;
  }
}

/** Thrown when work is cancelled, which is not an error to show. */
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

/**
 * Tells whether an error is from the system with one of these codes, e.g. `ENOENT`; without codes, whether it is from the system at all.
 */
export function isSystemError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return false;
  return codes.length === 0 || codes.includes(String(error.code));
}
