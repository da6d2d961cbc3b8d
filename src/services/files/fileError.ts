import { AppError } from '../../utils/errors';
import type { Phrase } from '../../utils/l10n';

export type FileErrorReason =
  | 'missing'
  | 'exists'
  | 'notAFile'
  | 'tooLarge'
  | 'notText'
  | 'readOnly'
  | 'changed'
  | 'held'
  | 'notSaved'
  | 'unsaved'
  | 'notEncodable';

/**
 * Thrown if a file cannot be read or changed. `unsaved` means that it was changed
 * in its editor, but not saved. The message may be shown to the model and the user.
 */
export class FileError extends AppError {
  readonly code = 'file';

  constructor(
    readonly reason: FileErrorReason,
    words: Phrase,
    options?: { cause?: unknown },
  ) {
    super(`${reason}: ${words.english}`, words, options);
  }
}
