import { lstat, mkdir, realpath, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PathError } from './pathError';
import { phrase } from '../../utils/l10n';

/**
 * Makes the missing folders of `path` (a real path as `WorkspacePaths` gives it), one at a time and through no link, and what stands in
 * them. None of them stays when the work fails, as far as nobody has put anything there. `note`, which never rejects, is told of those it
 * made, from the outermost in, before anything is in them. Rejects with `taken()` when the work finds something at the path, with a
 * `PathError` when a link has been put in the way.
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

/** Rejects when the way to a folder leads through a link by now. */
export async function assertReal(folder: string): Promise<void> {
  if ((await realpath(folder)) !== folder) throw movedAway(folder);
}

/** Rejects when a path is a link by now, or a folder on the way to it; of folders that are gone those above them are looked at. */
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
  return new PathError(
    'outside',
    phrase('{0} was replaced by a link while the file was being written, so it was not written.', path),
  );
}
