import type { FileStamp } from '../../../../utils/files/fileStamp';
import type { TrackedNames } from '../../../git/gitIndex';
import type { FolderRules } from '../../../git/ignoreRules';
import type { FileState, ScanProblem } from './scannedFile';

/** Options of a scan. */

export interface ScanOptions {
  /** Size limit in bytes. Only hash and size are stored for larger files. */
  maxFileBytes: number;
  /** Setting `checkpoints.exclude`. */
  exclude: readonly string[];
  /** Paths that are stored although they are ignored. */
  kept: ReadonlySet<string>;
  /** Maximum number of names of excluded files. */
  mostNames?: number;
  /** Polled during the scan. The scan throws `CancelledError` when it returns true. */
  isCancelled: () => boolean;
  /** True to disable the built-in list. */
  isBare?: boolean;
  /** True if only this process changed the given paths. Folders then appeared and disappeared only because of these changes. */
  isOwn?: boolean;
}

/** File as last scanned, with the data that is needed to detect changes. */
export interface SeenFile extends FileState {
  stamp: FileStamp;
  /** Start of the scan that read it, in milliseconds. */
  readAt: number;
  /** Number of the last scan that found the file. */
  scan: number;
}

export interface ScanResult {
  /** Changes since the previous scan; null means deleted. */
  changes: Map<string, SeenFile | null>;
  problems: ScanProblem[];
}

export interface FileEntry {
  /** Path of the file's folder, relative to the root. Ends with `/` unless empty. */
  prefix: string;
  name: string;
  /** Absolute path. */
  file: string;
  /** Bits of `manifest_entries.flags`. */
  flags: number;
  isFile: boolean;
}

export interface ClassifiedPath extends FileEntry {
  /** True if the rules include the path, whether or not it exists. */
  isTaken: boolean;
  /** True if the path exists and the rules exclude it. */
  isLeftOut: boolean;
}

/** Folder to scan. */
export interface Frame {
  folder: string;
  /** Path relative to the root. Ends with `/` unless empty. */
  prefix: string;
  /** Name of the folder; empty for the root. */
  name: string;
  /** Rules of the parent folder. For the root, its own rules. */
  rules: FolderRules;
  /** True if all content of the folder is ignored, except tracked or kept files. */
  isIgnored: boolean;
  /** True if only the built-in list ignores the folder, so that small text files in it are stored. */
  isSpared: boolean;
}

/** Folder as last scanned, with the rules for its files, and the files that are stored or excluded. */
export interface SeenFolder {
  judged: {
    outer: FolderRules;
    isIgnored: boolean;
    isSpared: boolean;
    text: string | null;
    inner: TrackedNames | null;
    rules: FolderRules;
  } | null;
  readonly files: Map<string, SeenFile>;
  scan: number;
  /** See `isStorage`. */
  isStorage: boolean;
}

/** Returns true if scans do not enter a folder. */
export function isSkipped(
  isIgnored: boolean,
  rules: FolderRules,
  { prefix, name }: Pick<FileEntry, 'prefix' | 'name'>,
  keptFolders: ReadonlySet<string>,
): boolean {
  return isIgnored && !keptFolders.has(prefix + name) && !rules.isTracked(name, true);
}

/** Splits a path into its folder, which ends with `/` unless it is the root, and its name. */
export function splitPath(relative: string): { prefix: string; name: string } {
  const start = relative.lastIndexOf('/') + 1;
  return { prefix: relative.slice(0, start), name: relative.slice(start) };
}

export function collectFolders(paths: ReadonlySet<string>): Set<string> {
  const folders = new Set<string>();
  for (const file of paths) {
    for (let slash = file.lastIndexOf('/'); slash > 0; slash = file.lastIndexOf('/', slash - 1))
      folders.add(file.slice(0, slash));
  }
  return folders;
}
