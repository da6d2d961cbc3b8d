import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Sums the sizes of all files below a folder, in bytes. Unreadable or deleted files are ignored. Links are not followed. */
export async function folderSize(folder: string): Promise<number> {
  let size = 0;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of await readEntries(next)) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) size += await fileSize(path);
    }
  }
  return size;
}

async function readEntries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

async function fileSize(path: string): Promise<number> {
  try {
    return (await lstat(path)).size;
  } catch {
    return 0;
  }
}
