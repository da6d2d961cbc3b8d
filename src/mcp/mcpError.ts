import { AppError } from '../utils/errors';
import type { Phrase } from '../utils/l10n';

/** Failure of a server that somebody else has written: it ends the call that met it, and nothing else. */
export class McpError extends AppError {
  constructor(
    readonly code: 'variable' | 'start' | 'ended' | 'call' | 'denied',
    words: Phrase,
    options?: { cause?: unknown },
  ) {
    super(words.english, words, options);
  }
}
