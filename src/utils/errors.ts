import type { Phrase } from './l10n';

/**
 * Base class of all expected errors. Callers check the stable `code`. `userMessage` is the localized message with the next
 * step for the user. `modelMessage` is the English message for the model. `message` is for the log.
 */
export abstract class AppError extends Error {
  abstract readonly code: string;
  readonly userMessage: string;
  readonly modelMessage: string;

  /** Creates the error. If `words` is a string, only the user sees it, and the model receives `message`. */
  constructor(message: string, words: string | Phrase, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.userMessage = typeof words === 'string' ? words : words.local;
    this.modelMessage = typeof words === 'string' ? message : words.english;
  }
}

/** Error for cancelled work. Do not show it as an error. */
export class CancelledError extends AppError {
  readonly code = 'cancelled';

  constructor(message = 'Cancelled') {
    super(message, message);
  }
}

export function isCancelled(error: unknown): boolean {
  return error instanceof CancelledError || (error instanceof Error && error.name === 'AbortError');
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CancelledError();
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns true if a system error has one of these codes, such as `ENOENT`. Without codes, any system error matches. */
export function isSystemError(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return false;
  return codes.length === 0 || codes.includes(String(error.code));
}
