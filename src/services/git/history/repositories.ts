import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../../../utils/errors';

/** Location of Git data: the `.git` of a folder, or a bare repository. */
export interface GitPlace {
  /** Absolute path of the working tree, or of the bare repository. */
  folder: string;
  isBare: boolean;
}

/** Returns the path of a repository's `.git`, or of the bare repository. */
export function gitEntryPath({ folder, isBare }: GitPlace): string {
  return isBare ? folder : path.join(folder, '.git');
}

/** Returns the arguments that make Git use this repository. With `safe.bareRepository`, Git may not find a bare repository by itself. */
export function argumentsFor({ folder, isBare }: GitPlace): string[] {
  return isBare ? argumentsForData(folder) : ['-C', folder];
}

/** Returns the arguments for a folder with a repository's data. Git must not look for the working tree, which may not exist. */
export function argumentsForData(directory: string): string[] {
  return ['--git-dir', directory, '--work-tree', directory];
}

/** Returns true if a folder contains the names that Git requires in its data folder. */
export function looksLikeGit(names: readonly string[]): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => names.includes(name));
}

/** Returns the nearest repository in or above a folder: with a `.git`, or bare. Resolves with null if there is none. */
export async function repositoryAbove(folder: string): Promise<GitPlace | null> {
  for (let at = folder; ; at = path.dirname(at)) {
    if (path.basename(at) === '.git') return { folder: path.dirname(at), isBare: false };
    const names = await namesIn(at);
    if (names.includes('.git')) return { folder: at, isBare: false };
    if (looksLikeGit(names)) return { folder: at, isBare: true };
    if (path.dirname(at) === at) return null;
  }
}

/** Returns the repository whose data contains this path, or null. */
export async function repositoryAround(file: string): Promise<GitPlace | null> {
  const at = file.split(path.sep).indexOf('.git');
  if (at > 0) return { folder: file.split(path.sep).slice(0, at).join(path.sep) || path.sep, isBare: false };
  const above = await repositoryAbove(path.dirname(file));
  return above?.isBare === true ? above : null;
}

/** Number of folders to read at the same time. */
const concurrency = 64;

/**
 * Finds repositories in folders. Does not search below links or inside the data
 * of other repositories. Visits at most `maxFolders`, upper folders first.
 */
export async function repositoriesBelow(
  folders: readonly string[],
  { maxFolders, signal }: { maxFolders: number; signal: AbortSignal },
): Promise<GitPlace[]> {
  const found: GitPlace[] = [];
  const waiting = folders.filter((folder) => !folder.split(path.sep).includes('.git'));
  let read = 0;
  while (read < Math.min(waiting.length, maxFolders) && !signal.aborted) {
    const some = waiting.slice(read, Math.min(read + concurrency, maxFolders));
    read += some.length;
    const lists = await Promise.all(some.map((folder) => readdir(folder, { withFileTypes: true }).catch(() => [])));
    for (const [index, entries] of lists.entries()) {
      const folder = some[index] ?? '';
      const names = entries.map(({ name }) => name);
      const isBare = looksLikeGit(names);
      if (isBare || names.includes('.git')) found.push({ folder, isBare });
      if (isBare) continue;
      for (const entry of entries) if (entry.isDirectory() && entry.name !== '.git') waiting.push(path.join(folder, entry.name));
    }
  }
  return found;
}

/**
 * Returns the folder to which a `.git` file refers, relative to `folder`.
 * Returns null if the path is a folder. Throws if it is neither.
 */
export async function linkedFolder(entry: string, folder = path.dirname(entry)): Promise<string | null> {
  try {
    const target = /^gitdir: (.*)$/m.exec(await readFile(entry, 'utf8'))?.[1]?.trim();
    if (target === undefined) throw new Error(`${entry} names no repository`);
    return path.resolve(folder, target);
  } catch (error) {
    if (isSystemError(error, 'EISDIR')) return null;
    throw error;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
