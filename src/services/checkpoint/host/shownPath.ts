import path from 'node:path';

/** As the conversation names files: from their workspace folder, with the folder first where there are several; absolute where that is not open. */
export function shownPath(folders: readonly { name: string; path: string }[], file: { root: string; path: string }): string {
  const folder = folders.find(({ path: root }) => root === file.root);
  if (folder === undefined) return path.join(file.root, file.path);
  return folders.length > 1 ? `${folder.name}/${file.path}` : file.path;
}
