import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';

/** Returns the mode, kind and content of every file in a folder. */
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
