import { lstat, mkdir, realpath, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PathError } from './pathError';
import { phrase } from '../../utils/l10n';

/**
 * Creates the missing parent folders of the real path `path` without following links, then runs
 * `work`. If `work` fails, removes the created folders that are empty. Calls `note` with the created
 * folders, outermost first, before they have content. `note` never rejects. Rejects with `taken()` if
 * the path exists when `work` runs, and with `PathError` if a parent folder was replaced with a link.
 */
export async function inNewFolders(
  path: string,
  work: () => Promise<void>,
  { note, taken }: { note: (made: readonly string[]) => Promise<void>; taken: () => Error },
): Promise<void> {
  const made = await makeFolders(dirname(path));
  try {
    if (made.length > 0) await note(made);
    await work();
  } catch (error) {
    await removeFolders(made);
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? taken() : error;
  }
}

/** Rejects if a folder or one of its parents has become a link. */
export async function assertReal(folder: string): Promise<void> {
  if ((await realpath(folder)) !== folder) throw movedAway(folder);
}

/** Rejects if a path or one of its parents has become a link. Skips missing folders. */
export async function assertNoLink(path: string): Promise<void> {
  if (await isLink(path)) throw movedAway(path);
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const real = await realpath(folder).catch((error: NodeJS.ErrnoException) => error.code);
    if (real === folder) return;
    const isGone = (real === 'ENOENT' || real === 'ENOTDIR') && !(await isLink(folder));
    if (!isGone) throw movedAway(folder);
  }
}

function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

async function makeFolders(folder: string): Promise<string[]> {
  const missing: string[] = [];
  for (let current = folder; !(await isFolder(current)); current = dirname(current)) missing.unshift(current);
  const made: string[] = [];
  try {
    for (const path of missing) {
      const isOurs = await mkdir(path).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false;
          throw error;
        },
      );
      if (isOurs) made.push(path);
      else if (!(await isFolder(path))) throw movedAway(path);
    }
    await assertReal(folder);
  } catch (error) {
    await removeFolders(made);
    throw error;
  }
  return made;
}

async function removeFolders(made: readonly string[]): Promise<void> {
  for (const path of made.toReversed()) await rmdir(path).catch(() => undefined);
}

async function isFolder(path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    if (found.isSymbolicLink()) throw movedAway(path);
    return found.isDirectory();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function movedAway(path: string): PathError {
  return new PathError('outside', phrase('{0} was replaced by a link during the write, so the file was not written.', path));
}
