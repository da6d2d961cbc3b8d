import { AppError } from '../../utils/errors';
import type { Phrase } from '../../utils/l10n';

export type ChangesErrorCode = 'reviewGone' | 'hunkGone' | 'conflict' | 'noFolder';

/** Says why an answer to pending changes is not possible right now. */
export class ChangesError extends AppError {
  constructor(
    readonly code: ChangesErrorCode,
    words: string | Phrase,
  ) {
    super(`${code}: ${typeof words === 'string' ? words : words.english}`, words);
  }
}
