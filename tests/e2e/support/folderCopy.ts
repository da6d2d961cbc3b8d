import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';

/** Returns every file of a folder with its mode, kind and content. */
export async function copyOf(folder: string): Promise<Record<string, string>> {
  const copy: Record<string, string> = {};
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const file = path.join(folder, name);
    const stats = await lstat(file);
    if (stats.isDirectory()) continue;
    const content = stats.isSymbolicLink() ? `-> ${await readlink(file)}` : (await readFile(file)).toString('base64');
    copy[name] = `${(stats.mode & 0o777).toString(8)} ${content}`;
  }
  return copy;
}
