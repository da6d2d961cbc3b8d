import { join } from 'node:path';

/** Resolves a path that starts with `~/` against the home folder. Returns other paths unchanged. */
export function fromHome(path: string, home: string): string {
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
