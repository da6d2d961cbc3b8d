import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import { phrase } from '../../utils/l10n';
import { FileError } from './fileError';

/** Identity of what lay at a path when a person was asked about it, or when no question was needed. */
export interface SeenFile {
  readonly kind: 'file' | 'folder' | 'other';
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Flags for reading that do not follow a last link and do not wait for the other end of a pipe. Windows knows neither. */
const flags =
  constants.O_RDONLY | ((constants.O_NOFOLLOW as number | undefined) ?? 0) | ((constants.O_NONBLOCK as number | undefined) ?? 0);

/** Resolves with what lies at a real path; null where nothing does. A link is no file: no real path ends in one. */
export async function look(real: string): Promise<SeenFile | null> {
  return lstat(real, { bigint: true }).then(seenOf, () => null);
}

/**
 * Opens for reading the very file that was seen there. Rejects with a `FileError` for what is no regular file or another one by now, also behind
 * a link among its folders, and with the system's own errors.
 */
export async function openSeen(real: string, shown: string, seen: SeenFile | null): Promise<FileHandle> {
  const file = await open(real, flags).catch((error: NodeJS.ErrnoException) => {
    // So a link in its place is told, and a FIFO without a reader or a socket.
    if (error.code === 'ELOOP' || error.code === 'EMLINK') throw replaced(shown);
    if (error.code === 'ENXIO') throw notRegular(shown);
    throw error;
  });
  try {
    const opened = seenOf(await file.stat({ bigint: true }));
    if (opened.kind !== 'file') throw notRegular(shown);
    if (seen !== null && !isSame(opened, seen)) throw replaced(shown);
    if (!isSamePath(await realpath(real).catch(() => ''), real)) throw replaced(shown);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function seenOf(stats: BigIntStats): SeenFile {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  return { kind, dev: stats.dev, ino: stats.ino };
}

/**
 * Compares paths without case and composition of characters: some file systems hold `É` and `é`, composed or not, to be
 * the same,
 * and the first one to write a name decided on its form.
 */
function isSamePath(one: string, other: string): boolean {
  return one === other || one.normalize('NFC').toLowerCase() === other.normalize('NFC').toLowerCase();
}

/** Tells whether two looks found the same file. Some network file systems number no files. */
function isSame(one: SeenFile, other: SeenFile): boolean {
  return one.dev === other.dev && (one.ino === other.ino || one.ino === 0n || other.ino === 0n);
}

function notRegular(shown: string): FileError {
  return new FileError('notAFile', phrase('{0} is not a regular file.', shown));
}

function replaced(shown: string): FileError {
  return new FileError(
    'changed',
    phrase('{0} was replaced by another file meanwhile, so it was not read. Read it again.', shown),
  );
}
