import path from 'node:path';
import type { Dirent } from 'node:fs';
import { isTemporaryName } from '../../../../utils/files/temporaryName';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import { fileFlags, takenOf } from './scannedFile';
import { foldersOf, isAside, partsOf, type Judged, type SeenFile, type SeenFolder } from './seen';
import { isSystemError } from '../../../../utils/errors';

/** Result of the last scan. */
export interface LastScan {
  root: string;
  files: ReadonlyMap<string, SeenFile>;
  folders: ReadonlyMap<string, SeenFolder>;
  scanNumber: number;
}

/** Tells what single paths are by the rules of the last scan, without walking again. */
export class PathJudge {
  private readonly listed = new Map<string, Map<string, Dirent> | null>();
  private readonly keptFolders: ReadonlySet<string>;

  constructor(
    private readonly last: LastScan,
    private readonly fileSystem: FileSystem,
    private readonly kept: ReadonlySet<string>,
  ) {
    this.keptFolders = foldersOf(kept);
  }

  /**
   * Returns those of the paths that a scan would meet; null if only a scan can tell, as rules may have changed, or folders came or went.
   */
  judge(paths: ReadonlySet<string>): Judged[] | null {
    const found: Judged[] = [];
    for (const relative of paths) {
      const judged = this.judgeOne(relative);
      if (judged === null) return null;
      if (judged !== 'aside') found.push(judged);
    }
    return found;
  }

  private judgeOne(relative: string): Judged | 'aside' | null {
    const { root, files, folders, scanNumber } = this.last;
    const { prefix, name } = partsOf(relative);
    const folder = folders.get(prefix);
    if (folder === undefined) return this.isInAside(prefix) ? 'aside' : null;
    if (name === '.git' || folder.isStorage) return 'aside';
    if (!folder.judged || folder.scan !== scanNumber || name.toLowerCase() === '.gitignore') return null;
    const entries = this.list(prefix);
    if (entries === null || folders.has(`${relative}/`)) return null;
    const entry = entries.get(name);
    // The editor may tell of a name in another Unicode form or case than the folder has it.
    if (entry === undefined && !files.has(relative) && hasAlike(entries.keys(), name)) return null;
    if (entry?.isDirectory()) return takenOf(files.get(relative)) === null && this.isAside(folder, prefix, name) ? 'aside' : null;
    const { rules, isIgnored: isInIgnored, isSpared } = folder.judged;
    const isBuiltIn = !isInIgnored && rules.ignoredBy(name, false) === 'builtIn';
    const isIgnored = (isInIgnored || rules.isIgnored(name, false)) && !rules.isTracked(name, false);
    // How many of these are taken is for a scan to count.
    if (isIgnored && !this.kept.has(relative) && (isSpared ? rules.ignoredBy(name, false) !== 'rules' : isBuiltIn)) return null;
    const isThere = entry !== undefined && !isTemporaryName(name);
    const isLeftOut = isIgnored && !this.kept.has(relative);
    return {
      prefix,
      name,
      file: path.join(root, relative),
      flags: isIgnored ? fileFlags.kept : 0,
      isFile: entry?.isFile() ?? false,
      isTaken: isThere && !isLeftOut,
      isLeftOut: isThere && isLeftOut && (entry.isFile() || entry.isSymbolicLink()),
    };
  }

  /** Tells whether no scan enters the outermost folder on the way that the last scan has not entered. */
  private isInAside(prefix: string): boolean {
    let known = '';
    for (const name of prefix.split('/').slice(0, -1)) {
      if (name === '.git') return true;
      const inside = `${known}${name}/`;
      const folder = this.last.folders.get(inside);
      if (folder === undefined) return this.isAside(this.last.folders.get(known), known, name);
      if (folder.isStorage) return true;
      known = inside;
    }
    return false;
  }

  private isAside(folder: SeenFolder | undefined, prefix: string, name: string): boolean {
    if (!folder?.judged) return false;
    const { rules, isIgnored } = folder.judged;
    return isAside(isIgnored || rules.isIgnored(name, true), rules, { prefix, name }, this.keptFolders);
  }

  /** Lists a folder; null if it cannot be listed as it is. */
  private list(prefix: string): Map<string, Dirent> | null {
    let entries = this.listed.get(prefix);
    if (entries === undefined) this.listed.set(prefix, (entries = this.read(prefix)));
    return entries;
  }

  private read(prefix: string): Map<string, Dirent> | null {
    try {
      const entries = new Map(this.fileSystem.list(path.join(this.last.root, prefix)).map((entry) => [entry.name, entry]));
      return [...entries.keys()].some((name) => name.includes('\uFFFD')) ? null : entries;
    } catch (error) {
      if (isSystemError(error)) return null;
      throw error;
    }
  }
}

function hasAlike(names: Iterable<string>, name: string): boolean {
  const folded = fold(name);
  for (const other of names) if (fold(other) === folded) return true;
  return false;
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
