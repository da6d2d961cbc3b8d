import { link, lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { WriteNotes } from './unfinishedWrites';
import { temporaryName } from '../../utils/files/temporaryName';

/** File systems without hard links answer the attempt with one of these. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES', 'EINVAL', 'EMLINK']);

/**
 * Writes a new file, whole or not at all, in an existing folder. Rejects with code `EEXIST` when the path is taken, also by
 * someone who was quicker: an existing file is never overwritten. `begin` is called last and may still throw. `mode`: the permission
 * bits that it has from its first moment on; else those of any new file.
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
    await takeAway(temporary, () => notes.end(temporary));
  }
  await syncFolder(dirname(path));
}

/** Attributes that a file keeps when it gets other content. */
export interface FileOwner {
  mode: number;
  uid: number;
  gid: number;
}

/**
 * Gives an existing file other content, whole or not at all; `path` must not be a link. `isStillMine` is asked last: when it
 * says no, nothing is changed and the answer is false.
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
    await renameInUse(temporary, path);
  } finally {
    await takeAway(temporary, () => notes.end(temporary));
  }
  await syncFolder(dirname(path));
  return true;
}

/** Takes a file away, durably. */
export async function removeDurably(path: string): Promise<void> {
  await unlink(path);
  await syncFolder(dirname(path));
}

/** Moves a file to a path that is free. Rejects with code `EEXIST` when it is not. */
export async function moveAtomically(from: string, to: string, notes: WriteNotes): Promise<void> {
  await assertFree(to);
  // Between the two steps the file has both names.
  const claim = await notes.claim(to, from, 'link');
  try {
    await link(from, to).catch(async (failure: unknown) => {
      await claim.end();
      throw failure;
    });
    await unlink(from).catch(async (failure: unknown) => {
      await takeAway(to, () => claim.end());
      throw failure;
    });
    await claim.end();
  } catch (error) {
    await moveWithoutLink(error, from, to, notes);
  }
  await syncFolder(dirname(to));
  if (dirname(from) !== dirname(to)) await syncFolder(dirname(from));
}

/** Renames a file, retrying for a moment: on Windows a file that somebody reads, such as a virus scanner, cannot be replaced. */
async function renameInUse(from: string, to: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const isInUse = ['EPERM', 'EACCES', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (process.platform !== 'win32' || !isInUse || attempt === 5) throw error;
      await wait(20 * 2 ** attempt);
    }
  }
}

/** Removes a file and its note. If it cannot be removed now, the note stays and a later start tries again. */
async function takeAway(path: string, endNote: () => Promise<void>): Promise<void> {
  const isGone = await unlink(path).then(
    () => true,
    (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
  );
  if (isGone) await endNote();
}

/**
 * Moves a file after `link` failed because the file system has no links: takes the name with an empty file, then
 * replaces that.
 */
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
    await renameInUse(from, to);
  } catch (failure) {
    await takeAway(to, () => claim.end());
    throw failure;
  }
  await claim.end();
}

/** Throws `EEXIST` if the path is taken, so that a file already there is never noted as ours. */
async function assertFree(path: string): Promise<void> {
  const isTaken = await lstat(path).then(
    () => true,
    () => false,
  );
  if (isTaken) throw Object.assign(new Error(`EEXIST: ${path} exists already`), { code: 'EEXIST' });
}

async function writeDurably(path: string, content: Buffer, owner: Pick<FileOwner, 'mode'> | FileOwner | null): Promise<void> {
  // Not readable for others before it has the bits of the file it stands for.
  const file = await open(path, 'wx', owner === null ? 0o666 : 0o600);
  try {
    await file.writeFile(content);
    if (owner !== null) {
      const isSame = !('uid' in owner) || (await giveTo(file, owner));
      // A new owner or group is not to get rights that were meant for another.
      await file.chmod(owner.mode & (isSame ? 0o7777 : 0o777));
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Gives a file its owner and group, or the group alone: only root may give files away. False where not both could be kept. */
async function giveTo(file: FileHandle, { uid, gid }: FileOwner): Promise<boolean> {
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
  // Not every system lets a folder be opened; the file itself is on the disk.
  const folder = await open(path, 'r').catch(() => null);
  if (!folder) return;
  await folder.sync().catch(() => undefined);
  await folder.close();
}
