import { AppError, messageOf } from '../../../utils/errors';
import { phrase } from '../../../utils/l10n';

/**
 * Reason for a failure:
 * - `corrupt`: the file is damaged
 * - `foreign`: the database belongs to another program
 * - `newer`: a newer version wrote the database
 * - `locked`: another program holds a lock
 * - `full`: there is no disk space
 * - `readonly`: the file is not writable
 * - `io`: another system error
 * - `notFound`: there is no such session
 * - `takenOver`: another window closed the entry
 * - `invalid`: the entry does not match its schema
 * - `closed`: the store is not open
 * - `inUse`: another window has the database open
 * - `replaced`: another program replaced or removed the open database
 * - `incomplete`: the database file is missing or empty, but other parts of the storage exist
 * - `changed`: the file was replaced in the meantime
 * - `ownFile`: a backup would overwrite the database
 * - `notStored`: a needed content is not in the object store
 * - `underWay`: an undo or restore is unfinished
 */
export type StorageErrorCode =
  | 'corrupt'
  | 'foreign'
  | 'newer'
  | 'locked'
  | 'full'
  | 'readonly'
  | 'io'
  | 'notFound'
  | 'takenOver'
  | 'invalid'
  | 'closed'
  | 'inUse'
  | 'incomplete'
  | 'replaced'
  | 'changed'
  | 'ownFile'
  | 'notStored'
  | 'underWay';

const userMessages: Record<StorageErrorCode, string> = {
  corrupt:
    'The chat history file is damaged. It was left unchanged and is not used. Set the file aside and start fresh, or ' +
    'close all windows and restore sessions.sqlite from a backup.',
  foreign:
    'The storage folder contains a sessions.sqlite file from another program. The file was left unchanged. ' +
    'Choose another storage folder in the settings.',
  newer:
    'The chat history was written by a newer version of Ollama Copilot, so it is read-only here. ' +
    'Update the extension to continue.',
  locked: 'Another program is blocking the chat history. Close other windows or programs that have it open, then try again.',
  full: 'The disk with the chat history is full. Free up disk space, then try again.',
  readonly: 'Could not write to the chat history. Check the permissions of the storage folder, then try again.',
  io: 'Could not read or write the chat history. Check the disk and the storage folder. See the log for details.',
  notFound: 'This chat no longer exists. It may have been deleted in another window.',
  takenOver: 'This chat is in use in another window. Continue there, or send a new message to continue here.',
  invalid: 'Could not store an entry because its format is unknown. Please report this problem. See the log for details.',
  closed: 'The chat history is not available. Reload the window, then try again.',
  inUse: 'The chat history is open in another window, so nothing was moved. Close the other windows, then try again.',
  incomplete:
    'The chat history file sessions.sqlite is missing or empty, but its related files exist. Nothing was changed. ' +
    'Reconnect the disk or restore the file from a backup, then try again.',
  replaced:
    'Another program replaced or removed the chat history file sessions.sqlite. What was stored until then is copied to the folder ' +
    '“backups” of the storage. Check both files, then try again.',
  changed: 'The chat history file changed in the meantime, so nothing was moved. The file is being reopened.',
  ownFile: 'This file belongs to the chat history itself. Choose another file for the backup.',
  notStored: 'The stored content of a file was deleted in the meantime, so nothing was changed. Try again.',
  underWay: 'An undo or a restore is still in progress, possibly in another window. Try again in a moment.',
};

/** Failure of the store. Data that was already confirmed as stored is not affected. */
export class StorageError extends AppError {
  constructor(
    readonly code: StorageErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, phrase(userMessages[code]), options);
  }
}

/** SQLite's primary result codes: https://www.sqlite.org/rescode.html. */
const sqliteCodes: Partial<Record<number, StorageErrorCode>> = {
  3: 'readonly',
  5: 'locked',
  6: 'locked',
  8: 'readonly',
  10: 'io',
  11: 'corrupt',
  13: 'full',
  14: 'io',
  15: 'locked',
  23: 'readonly',
  26: 'corrupt',
};

const systemCodes: Partial<Record<string, StorageErrorCode>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EACCES: 'readonly',
  EPERM: 'readonly',
  EROFS: 'readonly',
};

/** Converts an error of SQLite or the file system to a `StorageError`. Returns other errors unchanged, because they are bugs. */
export function toStorageError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const details: Error & { code?: unknown; errcode?: unknown } = error;
  if (typeof details.errcode === 'number') {
    // The lowest byte of an extended code is the primary code.
    return new StorageError(sqliteCodes[details.errcode & 0xff] ?? 'io', `${messageOf(error)} (SQLite ${details.errcode})`, {
      cause: error,
    });
  }
  if (typeof details.code === 'string' && 'syscall' in details) {
    return new StorageError(systemCodes[details.code] ?? 'io', messageOf(error), { cause: error });
  }
  return error;
}
