import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isTemporaryName } from '../../utils/files/temporaryName';
import { isDatabase, isStorage } from '../database/sqlite/databaseFile';
import { IgnoreRules } from './searchRules';

export interface WalkEntry {
  /** Path relative to the walked folder, with `/`. */
  path: string;
  /** Links are listed but never followed. */
  kind: 'file' | 'folder' | 'link';
  /** True if Git ignores the entry. The content of an ignored folder is not walked. */
  isIgnored: boolean;
}

export interface WalkOptions {
  root: string;
  isRecursive: boolean;
  signal: AbortSignal;
}

/** Number of entries before other events are processed. */
const sliceSize = 500;

/**
 * Lists the content of a folder in slices, breadth-first and sorted by name. Skips unreadable folders. To stop the walk, the
 * caller ends the iteration.
 */
export async function* walkFolder(folder: string, options: WalkOptions): AsyncGenerator<WalkEntry[], void, void> {
  const { root, isRecursive, signal } = options;
  const rules = IgnoreRules.of(folder, root);
  const waiting: { path: string; inside: string; rules: IgnoreRules }[] = [{ path: folder, inside: '', rules }];
  for (let index = 0; index < waiting.length; index += 1) {
    const current = waiting[index];
    if (current === undefined) break;
    signal.throwIfAborted();
    const names = await readdir(current.path, { withFileTypes: true }).catch(() => []);
    if (current.inside !== '' && isStorage(current.path, names)) continue;
    const here = current.inside === '' ? current.rules : current.rules.into(current.path);
    if (here === null) continue;
    names.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (let from = 0; from < names.length; from += sliceSize) {
      if (from > 0) await setImmediate();
      signal.throwIfAborted();
      const entries: WalkEntry[] = [];
      for (const name of names.slice(from, from + sliceSize)) {
        const kind = name.isSymbolicLink() ? 'link' : name.isDirectory() ? 'folder' : name.isFile() ? 'file' : null;
        if (kind === null || isTemporaryName(name.name) || isDatabase(join(current.path, name.name))) continue;
        if (here.isClosed(name.name, kind === 'folder')) continue;
        const inside = current.inside === '' ? name.name : `${current.inside}/${name.name}`;
        const isIgnored = here.isIgnored(name.name, kind === 'folder');
        entries.push({ path: inside, kind, isIgnored });
        if (kind === 'folder' && isRecursive && !isIgnored)
          waiting.push({ path: join(current.path, name.name), inside, rules: here });
      }
      yield entries;
    }
  }
}
