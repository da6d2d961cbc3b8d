import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import { mayBeSameName } from '../../utils/files/foldedName';
import { phrase, withAdvice } from '../../utils/l10n';
import { FileError } from './fileError';

/** Identity of a path's content when the user was asked for approval, or when no approval was needed. */
export interface FileIdentity {
  readonly kind: 'file' | 'folder' | 'other';
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Read flags that do not follow a link at the end of the path and do not wait for a pipe's writer. Windows has neither flag. */
const flags =
  constants.O_RDONLY | ((constants.O_NOFOLLOW as number | undefined) ?? 0) | ((constants.O_NONBLOCK as number | undefined) ?? 0);

/**
 * Resolves with the identity of a real path. Resolves with null if nothing
 * exists, or if the path is a link, because a real path never ends in a link.
 */
export async function identify(real: string): Promise<FileIdentity | null> {
  return lstat(real, { bigint: true }).then(toIdentity, () => null);
}

/**
 * Opens a file for reading if it has the recorded identity. Rejects with `FileError` if the file was replaced or is not regular,
 * or a parent is a link. Rejects with system errors.
 */
export async function openVerified(real: string, shown: string, expected: FileIdentity | null): Promise<FileHandle> {
  const file = await open(real, flags).catch((error: NodeJS.ErrnoException) => {
    // These errors are caused by a link, a socket, or a FIFO without a reader.
    if (error.code === 'ELOOP' || error.code === 'EMLINK') throw replaced(shown);
    if (error.code === 'ENXIO') throw notRegular(shown);
    throw error;
  });
  try {
    const opened = toIdentity(await file.stat({ bigint: true }));
    if (opened.kind !== 'file') throw notRegular(shown);
    if (expected !== null && !isSame(opened, expected)) throw replaced(shown);
    if (!mayBeSameName(await realpath(real).catch(() => ''), real)) throw replaced(shown);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function toIdentity(stats: BigIntStats): FileIdentity {
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  return { kind, dev: stats.dev, ino: stats.ino };
}

/** Compares two identities. Some network file systems have no inode numbers. */
function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return one.dev === other.dev && (one.ino === other.ino || one.ino === 0n || other.ino === 0n);
}

function notRegular(shown: string): FileError {
  return new FileError('notAFile', phrase('{0} is not a regular file.', shown));
}

function replaced(shown: string): FileError {
  return new FileError(
    'changed',
    withAdvice(phrase('{0} was replaced by another file in the meantime, so it was not read.', shown), 'Read the file again.'),
  );
}
