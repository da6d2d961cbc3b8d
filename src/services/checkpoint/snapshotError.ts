import { AppError } from '../../utils/errors';
import { phrase } from '../../utils/l10n';

/**
 * Reason for a failure. `missing`: no object has this hash. `tooLarge`: only hash and size are stored. `damaged`: the stored
 * content does not match the hash. `vanished`: garbage collection has just removed the content; retry. `notFound`: the checkpoint
 * does not exist. `notTaken`: the checkpoint has no content. `approved`: the checkpoint is an approved state. `busy`: an agent
 * run is active in the workspace or session.
 */
export type SnapshotErrorCode = 'missing' | 'tooLarge' | 'damaged' | 'vanished' | 'notFound' | 'notTaken' | 'approved' | 'busy';

const userMessages: Record<SnapshotErrorCode, string> = {
  missing: 'The stored content of this file is missing. Verify the checkpoints to see which other files are affected.',
  tooLarge: 'This file exceeded the size limit of checkpoints, so its content was not stored.',
  damaged: 'The stored content of this file is damaged. Verify the checkpoints to see which other files are affected.',
  vanished: 'Could not store the checkpoint. Try again.',
  notFound: 'This checkpoint no longer exists.',
  notTaken: 'This checkpoint is incomplete, so it cannot be restored.',
  approved: 'This checkpoint is an approved state and cannot be deleted.',
  busy: 'The agent is working in this workspace. Stop it or wait until it finishes, then try again.',
};

/** Thrown for failures related to stored content. Failures of the disk or the database are `StorageError`. */
export class SnapshotError extends AppError {
  constructor(
    readonly code: SnapshotErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, phrase(userMessages[code]), options);
  }
}
