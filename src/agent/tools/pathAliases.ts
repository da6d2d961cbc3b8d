/** What models call a path. */
export const pathAliases = {
  file: 'path',
  filePath: 'path',
  fileName: 'path',
  filename: 'path',
  relativePath: 'path',
  targetFile: 'path',
  name: 'path',
} as const;
