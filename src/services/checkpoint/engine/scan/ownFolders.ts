import type { Dirent } from 'node:fs';
import path from 'node:path';
import { foldedName } from '../../../../utils/files/foldedName';
import { splitPath, type Frame, type SeenFolder } from './seen';

/** Folders that appeared or disappeared because a restore has just created and deleted files. */
export interface OwnFolders {
  /** Outermost new folders. They must be scanned. */
  came: Frame[];
  /** Prefixes of the outermost deleted folders. */
  gone: string[];
  /** Paths outside these folders. */
  others: Set<string>;
}

interface LastScan {
  root: string;
  folders: ReadonlyMap<string, SeenFolder>;
  scanNumber: number;
}

/**
 * Finds the folders above these paths that appeared or disappeared since the last scan. Returns
 * null if a complete scan is needed: for ignored folders, for folders replaced by something
 * else, and for unreadable paths. `list` returns the entries of a folder by name, or null.
 */
export function findOwnFolders(
  paths: Iterable<string>,
  last: LastScan,
  list: (prefix: string) => ReadonlyMap<string, Dirent> | null,
): OwnFolders | null {
  const states = new Map<string, 'there' | 'changed' | 'nothing'>();
  const found: OwnFolders = { came: [], gone: [], others: new Set() };
  for (const relative of paths) {
    let state: ReturnType<typeof states.get> = 'there';
    for (let slash = relative.indexOf('/'); slash > 0 && state === 'there'; slash = relative.indexOf('/', slash + 1)) {
      const prefix = relative.slice(0, slash + 1);
      state = states.get(prefix);
      if (state !== undefined) continue;
      const known = last.folders.get(prefix);
      const { above, name } = partsOfFolder(prefix);
      const isThere = isFolder(list(above), name);
      if (isThere === null || (known !== undefined && known.scan !== last.scanNumber)) return null;
      if (known === undefined && isThere) {
        const frame = createFrame(prefix, last);
        if (frame === null) return null;
        found.came.push(frame);
      } else if (known !== undefined && !isThere) found.gone.push(prefix);
      state = (known !== undefined) !== isThere ? 'changed' : isThere ? 'there' : 'nothing';
      states.set(prefix, state);
    }
    if (state !== 'changed') found.others.add(relative);
  }
  return found;
}

/** Returns the frame to scan a new folder. Returns null if the rules exclude the folder. */
function createFrame(prefix: string, { root, folders }: LastScan): Frame | null {
  const { above, name } = partsOfFolder(prefix);
  const judged = folders.get(above)?.judged ?? null;
  if (judged === null || judged.isIgnored || name === '.git' || judged.rules.ignoredBy(name, true) !== null) return null;
  const folder = path.join(root, prefix.slice(0, -1));
  return { folder, prefix, name, rules: judged.rules, isIgnored: false, isSpared: false };
}

function partsOfFolder(prefix: string): { above: string; name: string } {
  const { prefix: above, name } = splitPath(prefix.slice(0, -1));
  return { above, name };
}

/** Returns true for a folder and false if nothing exists. Otherwise, returns null, for example if a folder's name differs only in case. */
function isFolder(entries: ReadonlyMap<string, Dirent> | null, name: string): boolean | null {
  const entry = entries?.get(name);
  if (entry !== undefined) return entry.isDirectory() ? true : null;
  // Some file systems ignore case and Unicode form.
  const folded = foldedName(name);
  return entries === null || [...entries.keys()].some((one) => foldedName(one) === folded) ? null : false;
}
