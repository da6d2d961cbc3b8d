export const pathAliases = {
  file: 'path',
  filePath: 'path',
  fileName: 'path',
  filename: 'path',
  relativePath: 'path',
  targetFile: 'path',
  name: 'path',
} as const;

export const folderAliases = {
  dir: 'path',
  directory: 'path',
  directoryPath: 'path',
  dirPath: 'path',
  folder: 'path',
  folderPath: 'path',
  relativePath: 'path',
  relativeWorkspacePath: 'path',
} as const;

export const contentAliases = {
  text: 'content',
  contents: 'content',
  fileContent: 'content',
  newContent: 'content',
  body: 'content',
  data: 'content',
  code: 'content',
} as const;
