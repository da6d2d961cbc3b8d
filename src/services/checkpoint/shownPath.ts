/** As the conversation names files: from their workspace folder, with the folder first where there are several. */
export function shownPath(folders: readonly { name: string; path: string }[], file: { root: string; path: string }): string {
  const folder = folders.find(({ path }) => path === file.root);
  return folders.length > 1 && folder !== undefined ? `${folder.name}/${file.path}` : file.path;
}
