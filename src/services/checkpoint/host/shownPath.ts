import path from 'node:path';

/**
 * Returns a path as the conversation names it: from its workspace folder, with the folder first if there are several; absolute if the
 * folder is not open.
 */
export function shownPath(folders: readonly { name: string; path: string }[], file: { root: string; path: string }): string {
  const folder = folders.find(({ path: root }) => root === file.root);
  if (folder === undefined) return path.join(file.root, file.path);
  return folders.length > 1 ? `${folder.name}/${file.path}` : file.path;
}
