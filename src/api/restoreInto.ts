import { lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { inNewFolders } from '../services/files/newFolders';
import { PathError } from '../services/files/pathError';
import { foldedName } from '../utils/files/foldedName';
import { retryWhileInUse } from '../utils/files/retryWhileInUse';
import { temporaryName } from '../utils/files/temporaryName';
import type { ApiServices } from './apiPorts';

/** Value of `kind` for a regular file in a checkpoint. */
const regularFile = 1;
/** Error codes for a path that is already in use by something else. */
const taking = new Set(['EEXIST', 'EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'ELOOP']);

export interface RestoredFiles {
  restoredFiles: string[];
  skippedFiles: string[];
}

/**
 * Writes files of a checkpoint to a folder outside the workspace. Keeps all other files in the folder. Files of several
 * workspace folders go to subfolders with the names of these folders. Skips files that are not stored or would be written
 * through a symbolic link. Also skips a file if its path or a parent folder is in use by something else.
 */
export async function restoreInto(
  { engine }: Pick<ApiServices, 'engine'>,
  checkpointId: string,
  { targetDir, files, dryRun }: { targetDir: string; files?: readonly string[] | undefined; dryRun: boolean },
): Promise<RestoredFiles> {
  const result: RestoredFiles = { restoredFiles: [], skippedFiles: [] };
  const stored = await engine.checkpoints.files(checkpointId);
  const names = createNames(stored.map(({ root }) => root));
  for (const { root, path: inside, state } of stored) {
    const relative = names.size > 1 ? `${names.get(root)}/${inside}` : inside;
    if (files !== undefined && files.length > 0 && ![inside, relative].some((name) => files.includes(name))) continue;
    const read = () => engine.checkpoints.fileAt(checkpointId, root, inside);
    const isDone =
      state.kind === regularFile &&
      (await hasRoom(targetDir, relative)) &&
      (dryRun || (await writeOne(relative, read, targetDir, state.mode)));
    (isDone ? result.restoredFiles : result.skippedFiles).push(relative);
  }
  return result;
}

/** Returns a unique name for each folder: its own name, if necessary with a number. Ignores case, as some file systems do. */
function createNames(roots: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const root of new Set(roots)) {
    let name = path.basename(root);
    for (let number = 2; taken.has(foldedName(name)); number += 1) name = `${path.basename(root)}-${number}`;
    taken.add(foldedName(name));
    names.set(root, name);
  }
  return names;
}

async function writeOne(
  relative: string,
  read: () => Promise<Uint8Array | null>,
  targetDir: string,
  mode: number,
): Promise<boolean> {
  const content = await read().catch(() => null);
  if (content === null) return false;
  await mkdir(targetDir, { recursive: true });
  const target = path.join(await realpath(targetDir), relative);
  const note = () => Promise.resolve();
  const taken = () => Object.assign(new Error(`${target} already exists`), { code: 'EEXIST' });
  try {
    // Also fails for folders that have become symbolic links in the meantime. Nothing is written through them.
    await inNewFolders(target, () => replace(target, content, mode), { note, taken });
    return true;
  } catch (error) {
    if (error instanceof PathError || taking.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Returns true if the path is unused or a file, and its parents below `targetDir` are unused or folders. */
async function hasRoom(targetDir: string, relative: string): Promise<boolean> {
  const names = relative.split('/');
  for (let index = 1; index <= names.length; index += 1) {
    const found = await lstat(path.join(targetDir, ...names.slice(0, index))).catch(() => null);
    if (found === null) return true;
    if (index === names.length ? !found.isFile() : !found.isDirectory()) return false;
  }
  return true;
}

async function replace(target: string, content: Uint8Array, mode: number): Promise<void> {
  const temporary = path.join(path.dirname(target), temporaryName());
  try {
    const file = await open(temporary, 'wx', mode & 0o777);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await retryWhileInUse(() => rename(temporary, target));
  } finally {
    await rm(temporary, { force: true });
  }
}
