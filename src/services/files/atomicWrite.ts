import { link, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WriteNotes } from './unfinishedWrites';
import { retryWhileInUse } from '../../utils/files/retryWhileInUse';
import { temporaryName } from '../../utils/files/temporaryName';
import { exists } from '../../utils/files/exists';

/** Error codes of `link` on file systems without hard links. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES', 'EINVAL', 'EMLINK']);

/**
 * Creates a file atomically in an existing folder. Never overwrites: rejects with `EEXIST` if the path exists, even if it was
 * just created. `begin` is called last and may throw. The file has the permission bits `mode` from the start. By default, they
 * are the usual bits of a new file.
 */
export async function createAtomically(
  path: string,
  content: Buffer,
  notes: WriteNotes,
  begin?: () => void,
  mode: number | null = null,
): Promise<void> {
  const temporary = join(dirname(path), temporaryName());
  await notes.begin(temporary);
  try {
    await writeDurably(temporary, content, mode === null ? null : { mode });
    begin?.();
    await link(temporary, path).catch((error: unknown) => moveWithoutLink(error, temporary, path, notes));
  } finally {
    await removeWithNote(temporary, () => notes.end(temporary));
  }
  await syncFolder(dirname(path));
}

/** Attributes that a file keeps when its content is replaced. */
export interface FileOwner {
  mode: number;
  uid: number;
  gid: number;
}

/**
 * Replaces the content of a file atomically. `path` must not be a link. `isStillMine`
 * is called last. If it returns false, nothing changes and the result is false.
 */
export async function replaceAtomically(
  path: string,
  content: Buffer,
  owner: FileOwner,
  notes: WriteNotes,
  isStillMine: () => Promise<boolean>,
): Promise<boolean> {
  const temporary = join(dirname(path), temporaryName());
  await notes.begin(temporary);
  try {
    await writeDurably(temporary, content, owner);
    if (!(await isStillMine())) return false;
    await retryWhileInUse(() => rename(temporary, path));
  } finally {
    await removeWithNote(temporary, () => notes.end(temporary));
  }
  await syncFolder(dirname(path));
  return true;
}

/** Deletes a file durably. */
export async function removeDurably(path: string): Promise<void> {
  await retryWhileInUse(() => unlink(path));
  await syncFolder(dirname(path));
}

/** Moves a file to an unused path. Rejects with `EEXIST` if the path exists. */
export async function moveAtomically(from: string, to: string, notes: WriteNotes): Promise<void> {
  await assertFree(to);
  // Between link and unlink, the file has both names.
  const claim = await notes.claim(to, from, 'link');
  try {
    await link(from, to).catch(async (failure: unknown) => {
      await claim.end();
      throw failure;
    });
    await retryWhileInUse(() => unlink(from)).catch(async (failure: unknown) => {
      await removeWithNote(to, () => claim.end());
      throw failure;
    });
    await claim.end();
  } catch (error) {
    await moveWithoutLink(error, from, to, notes);
  }
  await syncFolder(dirname(to));
  if (dirname(from) !== dirname(to)) await syncFolder(dirname(from));
}

/** Deletes a file and its note. If deleting the file fails, the note remains, and a later start retries. */
async function removeWithNote(path: string, endNote: () => Promise<void>): Promise<void> {
  const isGone = await retryWhileInUse(() => unlink(path)).then(
    () => true,
    (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
  );
  if (isGone) await endNote();
}

/** Moves a file on a file system without hard links. Claims the name with an empty file, then replaces that file. */
async function moveWithoutLink(error: unknown, from: string, to: string, notes: WriteNotes): Promise<void> {
  if (!noLinks.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  await assertFree(to);
  const claim = await notes.claim(to, from, 'empty');
  const file = await open(to, 'wx').catch(async (failure: unknown) => {
    await claim.end();
    throw failure;
  });
  try {
    await claim.made(await file.stat({ bigint: true }).finally(() => file.close()));
    await retryWhileInUse(() => rename(from, to));
  } catch (failure) {
    await removeWithNote(to, () => claim.end());
    throw failure;
  }
  await claim.end();
}

/** Throws `EEXIST` if the path exists, so that an existing file is never recorded as our own. */
async function assertFree(path: string): Promise<void> {
  if (await exists(path)) throw Object.assign(new Error(`EEXIST: ${path} exists already`), { code: 'EEXIST' });
}

async function writeDurably(path: string, content: Buffer, owner: Pick<FileOwner, 'mode'> | FileOwner | null): Promise<void> {
  // Other users must not read the file before it has its final mode.
  const file = await open(path, 'wx', owner === null ? 0o666 : 0o600);
  try {
    await file.writeFile(content);
    if (owner !== null) {
      const isSame = !('uid' in owner) || (await setOwner(file, owner));
      // If the owner or group is different, the file must not get special mode bits.
      await file.chmod(owner.mode & (isSame ? 0o7777 : 0o777));
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Sets owner and group, or only the group, because only root can change owners. Returns true if both were set. */
async function setOwner(file: FileHandle, { uid, gid }: FileOwner): Promise<boolean> {
  const isGiven = (owner: number) =>
    file.chown(owner, gid).then(
      () => true,
      () => false,
    );
  if (await isGiven(uid)) return true;
  await isGiven(-1);
  return false;
}

async function syncFolder(path: string): Promise<void> {
  // Some systems cannot open folders. The file itself is durable anyway.
  const folder = await open(path, 'r').catch(() => null);
  if (!folder) return;
  await folder.sync().catch(() => undefined);
  await folder.close();
}
