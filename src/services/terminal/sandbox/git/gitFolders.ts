import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** Folders in which Git stores repositories. Each contains settings, hooks or a reference to another folder. */
export interface GitFolders {
  /** `.git` folders, bare repositories, and the folders of submodules. */
  repositories: readonly string[];
  /** Folders in `.git/worktrees`. They contain no hooks. */
  worktrees: readonly string[];
}

/** Returns these Git folders and the submodules and worktrees inside them. Does not follow links. */
export async function gitFoldersIn(gitFolders: readonly string[]): Promise<GitFolders> {
  const repositories = (await Promise.all(gitFolders.map(withSubmodules))).flat();
  const worktrees = await Promise.all(repositories.map((folder) => findFolders(join(folder, 'worktrees'))));
  return { repositories, worktrees: worktrees.flat() };
}

/**
 * Returns whether a folder with these entries is a Git folder, regardless
 * of its name. Git started in such a folder uses it as a repository.
 */
export function hasRepositoryEntries(entries: readonly { name: string; isDirectory(): boolean }[]): boolean {
  const has = (name: string, isFolder: boolean) =>
    entries.some((entry) => entry.name === name && (!isFolder || entry.isDirectory()));
  return has('HEAD', false) && has('refs', true) && (has('objects', true) || has('commondir', false));
}

/** Returns the real path of the folder that a `.git` file names; null if it names none. */
export async function folderNamedBy(gitFile: string): Promise<string | null> {
  const stats = await lstat(gitFile).catch(() => null);
  if (stats?.isFile() !== true || stats.size > 10_000) return null;
  const [, path] = /^gitdir: ?(.+?)\s*$/s.exec(await readFile(gitFile, 'utf8').catch(() => '')) ?? [];
  if (path === undefined) return null;
  return realpath(isAbsolute(path) ? path : resolve(dirname(gitFile), path)).catch(() => null);
}

async function withSubmodules(gitFolder: string): Promise<string[]> {
  const found = [gitFolder];
  const waiting = await realFolder(join(gitFolder, 'modules'));
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const isRepository = entries.some(({ name }) => name === 'HEAD');
    if (isRepository) found.push(folder);
    for (const entry of entries) {
      if (entry.isDirectory() && (!isRepository || entry.name === 'modules')) waiting.push(join(folder, entry.name));
    }
  }
  return found;
}

async function findFolders(folder: string): Promise<string[]> {
  if ((await realFolder(folder)).length === 0) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

async function realFolder(path: string): Promise<string[]> {
  return (await lstat(path).catch(() => null))?.isDirectory() === true ? [path] : [];
}
