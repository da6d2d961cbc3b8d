import { AppError } from '../../utils/errors';
import { phrase } from '../../utils/l10n';

/**
 * `missing` nothing is stored under that hash · `tooLarge` known by hash and size only · `damaged` what is stored is not what the hash
 * says · `vanished` was collected meanwhile, worth another try · `notFound` no such checkpoint · `notTaken` the checkpoint has no content
 * · `approved` it is the checkpoint of an approved state · `busy` a run works in the workspace or the session.
 */
export type SnapshotErrorCode = 'missing' | 'tooLarge' | 'damaged' | 'vanished' | 'notFound' | 'notTaken' | 'approved' | 'busy';

const userMessages: Record<SnapshotErrorCode, string> = {
  missing: 'The stored content of this file is missing. Verify the storage to see what else is affected.',
  tooLarge: 'This file was over the size limit of checkpoints, so its content was not stored.',
  damaged: 'The stored content of this file is damaged. Verify the storage to see what else is affected.',
  vanished: 'The checkpoint could not be stored. Try again.',
  notFound: 'This checkpoint no longer exists.',
  notTaken: 'This checkpoint was not completed, so there is nothing to go back to.',
  approved: 'This checkpoint is an approved state and cannot be deleted.',
  busy: 'The agent is working in this workspace. Stop it, or wait until it is done, then try again.',
};

/** Thrown for a failure of the snapshot store that is about its content; those of the disk and the database are `StorageError`. */
export class SnapshotError extends AppError {
  constructor(
    readonly code: SnapshotErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, phrase(userMessages[code]), options);
  }
}
