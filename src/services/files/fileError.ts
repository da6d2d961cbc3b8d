import { AppError } from '../../utils/errors';
import type { Phrase } from '../../utils/l10n';

export type FileErrorReason =
  'missing' | 'exists' | 'notAFile' | 'tooLarge' | 'notText' | 'readOnly' | 'changed' | 'held' | 'notSaved';

/** Thrown for a file that cannot be read or changed as asked. Both the model and the person may be told. */
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
