import type { FileStamp } from '../../../../utils/files/fileStamp';
import type { TrackedNames } from '../../../git/gitIndex';
import type { FolderRules } from '../../../git/ignoreRules';
import type { FileState, ScanProblem } from './scannedFile';

/** Options of a scan. */

export interface ScanOptions {
  /** Only hash and size are stored for larger files. */
  maxFileBytes: number;
  /** Setting `checkpoints.exclude`. */
  exclude: readonly string[];
  /** Paths that are stored although they are ignored. */
  kept: ReadonlySet<string>;
  /** Largest number of left-out names. */
  mostNames?: number;
  /** Polled during the scan, which throws `CancelledError` on true. */
  isCancelled: () => boolean;
  /** True to disable the built-in list. */
  isBare?: boolean;
  /** True if this process alone changed the given paths, so folders came and went only with them. */
  isOwn?: boolean;
}

/** A file as last seen, with the data to detect changes. */
export interface SeenFile extends FileState {
  stamp: FileStamp;
  /** Start of the scan that read it, in milliseconds. */
  readAt: number;
  /** Number of the last scan that met it. */
  scan: number;
}

export interface ScanResult {
  /** Changes since the previous scan; null: deleted. */
  changes: Map<string, SeenFile | null>;
  problems: ScanProblem[];
}

export interface Found {
  /** Path of its folder from the root; ends with `/` unless empty. */
  prefix: string;
  name: string;
  /** Absolute path. */
  file: string;
  /** Bits of `manifest_entries.flags`. */
  flags: number;
  isFile: boolean;
}

export interface ClassifiedPath extends Found {
  /** True if the rules include it, should it exist. */
  isTaken: boolean;
  /** True if it exists and the rules leave it out. */
  isLeftOut: boolean;
}

/** A folder to scan. */
export interface Frame {
  folder: string;
  /** Path from the root; ends with `/` unless empty. */
  prefix: string;
  /** Empty for the root. */
  name: string;
  /** Rules of the parent folder; for the root its own. */
  rules: FolderRules;
  /** True if all its content is ignored, unless tracked or kept. */
  isIgnored: boolean;
  /** True if only the built-in list ignores it, so that small text files in it are stored. */
  isSpared: boolean;
}

/** A folder as last seen: the rules for its files, and the files that are stored or left out. */
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
  { prefix, name }: Pick<Found, 'prefix' | 'name'>,
  keptFolders: ReadonlySet<string>,
): boolean {
  return isIgnored && !keptFolders.has(prefix + name) && !rules.isTracked(name, true);
}

/** Splits a path into its folder, which ends with `/` unless it is the root, and its name. */
export function partsOf(relative: string): { prefix: string; name: string } {
  const start = relative.lastIndexOf('/') + 1;
  return { prefix: relative.slice(0, start), name: relative.slice(start) };
}

export function foldersOf(paths: ReadonlySet<string>): Set<string> {
  const folders = new Set<string>();
  for (const file of paths) {
    for (let slash = file.lastIndexOf('/'); slash > 0; slash = file.lastIndexOf('/', slash - 1))
      folders.add(file.slice(0, slash));
  }
  return folders;
}
