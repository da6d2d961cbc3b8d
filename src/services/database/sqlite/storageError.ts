import { AppError, messageOf } from '../../../utils/errors';
import { phrase } from '../../../utils/l10n';

/**
 * `corrupt` the file is damaged · `foreign` a database, but not ours · `newer` written by a newer version · `locked` another
 * program kept it busy · `full` no space · `readonly` may not be written · `io` the system refused · `notFound` no such session
 * · `takenOver` another window closed the entry · `invalid` the entry does not fit its schema · `closed` the store is not open
 * · `inUse` another window has the database open · `changed` it is not the file any more that was looked at
 * · `notStored` a content that is needed is not in the object store · `underWay` an undo or a restore is not over.
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
  | 'changed'
  | 'notStored'
  | 'underWay';

const userMessages: Record<StorageErrorCode, string> = {
  corrupt:
    'The chat history file is damaged. It was left exactly as it is and is not used. Set it aside and start fresh, or ' +
    'restore sessions.sqlite from a backup while all windows are closed.',
  foreign:
    'The storage folder holds a sessions.sqlite that Ollama Copilot did not write. It was left as it is. ' +
    'Choose another storage folder in the settings.',
  newer:
    'The chat history was written by a newer version of Ollama Copilot, so nothing is written to it here. ' +
    'Update the extension to go on with it.',
  locked:
    'The chat history is being used by another program for too long. Close other windows or tools that have it open, then try again.',
  full: 'The disk that holds the chat history is full. Free some space, then try again.',
  readonly: 'The chat history cannot be written to. Check the permissions of the storage folder, then try again.',
  io: 'The chat history could not be read or written. Check the disk and the storage folder; the log has the details.',
  notFound: 'This session no longer exists. It may have been deleted in another window.',
  takenOver: 'Another window has taken over this session. Open it there, or send a new message to go on here.',
  invalid: 'Something could not be stored because its form is unknown. Please report this; the log has the details.',
  closed: 'The chat history is not open. Reload the window, then try again.',
  inUse: 'Another window still has the chat history open, so nothing was moved. Close the other windows, then try again.',
  changed: 'The chat history file has changed meanwhile, so nothing was moved. It is being opened again.',
  notStored: 'A state of a file that is needed later was cleared away meanwhile, so nothing was changed. Try again.',
  underWay: 'An undo or a restore is not over yet, perhaps in another window. Try again in a moment.',
};

/** A failure of the store. What was acknowledged before it is not affected. */
export class StorageError extends AppError {
  constructor(
    readonly code: StorageErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, phrase(userMessages[code]), options);
  }
}

/** SQLite's primary result codes, https://www.sqlite.org/rescode.html. */
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

/** Returns the `StorageError` for an error of SQLite or the file system; another one (a mistake in our code) comes back as it is. */
export function toStorageError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const details: Error & { code?: unknown; errcode?: unknown } = error;
  if (typeof details.errcode === 'number') {
    // Extended codes keep the primary one in their lowest byte.
    return new StorageError(sqliteCodes[details.errcode & 0xff] ?? 'io', `${messageOf(error)} (SQLite ${details.errcode})`, {
      cause: error,
    });
  }
  if (typeof details.code === 'string' && 'syscall' in details) {
    return new StorageError(systemCodes[details.code] ?? 'io', messageOf(error), { cause: error });
  }
  return error;
}
