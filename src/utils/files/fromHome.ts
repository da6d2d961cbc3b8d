import { join } from 'node:path';

/** Returns a path that begins with `~/` as a path in the home folder, and any other path as it is. */
export function fromHome(path: string, home: string): string {
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
