import { readdir } from 'node:fs/promises';
import { join, parse, sep } from 'node:path';
import { exists } from '../../utils/files/exists';
import { isSameName } from '../../utils/files/foldedName';

/**
 * Returns an absolute path with the spelling of its names on disk. If a name does not exist, uses an existing name in the other
 * Unicode form. An exact match takes precedence. The file system itself handles case.
 */
export async function asOnDisk(path: string): Promise<string> {
  if (/^[\x00-\x7f]*$/.test(path) || (await exists(path))) return path;
  const { root } = parse(path);
  let found = root;
  for (const name of path.slice(root.length).split(sep)) found = join(found, await nameIn(found, name));
  return found;
}

async function nameIn(folder: string, name: string): Promise<string> {
  if (/^[\x00-\x7f]*$/.test(name) || (await exists(join(folder, name)))) return name;
  const names = await readdir(folder).catch(() => []);
  return names.sort().find((other) => isSameName(other, name)) ?? name;
}
