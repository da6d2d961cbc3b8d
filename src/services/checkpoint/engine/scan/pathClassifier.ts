import path from 'node:path';
import type { Dirent } from 'node:fs';
import { isTemporaryName } from '../../../../utils/files/temporaryName';
import { foldedName } from '../../../../utils/files/foldedName';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import { fileFlags, takenState } from './scannedFile';
import { collectFolders, isSkipped, splitPath, type ClassifiedPath, type SeenFile, type SeenFolder } from './seen';
import { isSystemError } from '../../../../utils/errors';

export interface LastScan {
  root: string;
  files: ReadonlyMap<string, SeenFile>;
  folders: ReadonlyMap<string, SeenFolder>;
  scanNumber: number;
}

/** Applies the rules of the last scan to single paths. No new scan is needed. */
export class PathClassifier {
  private readonly listed = new Map<string, Map<string, Dirent> | null>();
  private readonly keptFolders: ReadonlySet<string>;

  constructor(
    private readonly last: LastScan,
    private readonly fileSystem: FileSystem,
    private readonly kept: ReadonlySet<string>,
  ) {
    this.keptFolders = collectFolders(kept);
  }

  /**
   * Returns the paths that a scan would visit. Returns null if a scan is
   * needed, because rules may have changed, or folders appeared or disappeared.
   */
  classify(paths: ReadonlySet<string>): ClassifiedPath[] | null {
    const found: ClassifiedPath[] = [];
    for (const relative of paths) {
      const judged = this.classifyOne(relative);
      if (judged === null) return null;
      if (judged !== 'skipped') found.push(judged);
    }
    return found;
  }

  private classifyOne(relative: string): ClassifiedPath | 'skipped' | null {
    const { root, files, folders, scanNumber } = this.last;
    const { prefix, name } = splitPath(relative);
    const folder = folders.get(prefix);
    if (folder === undefined) return this.isInSkipped(prefix) ? 'skipped' : null;
    if (name === '.git' || folder.isStorage) return 'skipped';
    if (!folder.judged || folder.scan !== scanNumber || name.toLowerCase() === '.gitignore') return null;
    const entries = this.list(prefix);
    if (entries === null || folders.has(`${relative}/`)) return null;
    const entry = entries.get(name);
    // The editor may report a name in a different Unicode form or case than the file system.
    if (entry === undefined && !files.has(relative) && hasAlike(entries.keys(), name)) return null;
    if (entry?.isDirectory())
      return takenState(files.get(relative)) === null && this.isSkipped(folder, prefix, name) ? 'skipped' : null;
    const { rules, isIgnored: isInIgnored, isSpared } = folder.judged;
    const isBuiltIn = !isInIgnored && rules.ignoredBy(name, false) === 'builtIn';
    const isIgnored = (isInIgnored || rules.isIgnored(name, false)) && !rules.isTracked(name, false);
    // The number of these files is limited, and only a scan counts them.
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

  /** Returns true if scans always skip the outermost unscanned folder above this path. */
  private isInSkipped(prefix: string): boolean {
    let known = '';
    for (const name of prefix.split('/').slice(0, -1)) {
      if (name === '.git') return true;
      const inside = `${known}${name}/`;
      const folder = this.last.folders.get(inside);
      if (folder === undefined) return this.isSkipped(this.last.folders.get(known), known, name);
      if (folder.isStorage) return true;
      known = inside;
    }
    return false;
  }

  private isSkipped(folder: SeenFolder | undefined, prefix: string, name: string): boolean {
    if (!folder?.judged) return false;
    const { rules, isIgnored } = folder.judged;
    return isSkipped(isIgnored || rules.isIgnored(name, true), rules, { prefix, name }, this.keptFolders);
  }

  /** Lists a folder. Returns null if it cannot be read, or has names that are not UTF-8. */
  list(prefix: string): Map<string, Dirent> | null {
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
  const folded = foldedName(name);
  for (const other of names) if (foldedName(other) === folded) return true;
  return false;
}
