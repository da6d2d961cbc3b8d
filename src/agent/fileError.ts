import { AppError } from '../utils/errors';

export type FileErrorReason =
  'missing' | 'exists' | 'notAFile' | 'tooLarge' | 'notText' | 'readOnly' | 'changed' | 'held' | 'notSaved';

/** A file that cannot be read or changed as asked. The user message is written for the model as well. */
export class FileError extends AppError {
  readonly code = 'file';

  constructor(
    readonly reason: FileErrorReason,
    userMessage: string,
    options?: { cause?: unknown },
  ) {
    super(`${reason}: ${userMessage}`, userMessage, options);
  }
}
