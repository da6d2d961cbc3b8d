import path from 'node:path';

/** Converts a path from the conversation (see `shownPath`) to an absolute path. */
export function absolutePath(folders: readonly { name: string; path: string }[], shown: string): string {
  if (path.isAbsolute(shown)) return shown;
  const [first] = folders;
  if (folders.length <= 1) return first === undefined ? shown : path.join(first.path, shown);
  const folder = folders.find(({ name }) => shown.startsWith(`${name}/`));
  return folder === undefined ? shown : path.join(folder.path, shown.slice(folder.name.length + 1));
}
