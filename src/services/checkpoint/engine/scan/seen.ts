import type { FileStamp } from '../../../../utils/files/fileStamp';
import type { TrackedNames } from '../../../git/gitIndex';
import type { FolderRules } from '../../../git/ignoreRules';
import type { FileState, ScanProblem } from './scannedFile';

/** Declares what a scanner works with, and what it remembers. */

export interface ScanOptions {
  /** Larger files are known by hash and size only. */
  maxFileBytes: number;
  /** `checkpoints.exclude`. */
  exclude: readonly string[];
  /** Paths that are taken although they are ignored. */
  kept: ReadonlySet<string>;
  /** Largest number of names of left-out files that are noted. */
  mostNames?: number;
  /** Asked now and then; the scan is given up with `CancelledError` when it says so. */
  isCancelled: () => boolean;
  /** True to leave out the built-in list. */
  isBare?: boolean;
}

/** A file as it was seen last, with what tells whether it has changed since. */
export interface SeenFile extends FileState {
  stamp: FileStamp;
  /** Start of the scan that read it, in milliseconds. */
  readAt: number;
  /** Number of the last scan that met it. */
  scan: number;
}

export interface ScanResult {
  /** Differences from before; null: it is gone. */
  changes: Map<string, SeenFile | null>;
  problems: ScanProblem[];
}

/** A file or link in its folder. */
export interface Found {
  /** Prefix of its folder. */
  prefix: string;
  name: string;
  /** Its whole path. */
  file: string;
  /** Bits of `manifest_entries.flags`. */
  flags: number;
  isFile: boolean;
}

export interface Judged extends Found {
  /** True if it belongs to the stored files, should it exist. */
  isTaken: boolean;
  /** True if it exists and the rules leave it out. */
  isLeftOut: boolean;
}

/** A folder to be looked into. */
export interface Frame {
  folder: string;
  /** Path from the root; ends with `/` unless it is empty. */
  prefix: string;
  /** Empty for the root. */
  name: string;
  /** Rules of the folder that it is in; for the root its own. */
  rules: FolderRules;
  /** True if everything in it is ignored, except what is tracked or kept. */
  isIgnored: boolean;
  /** True if that is by the built-in list alone: small text files in it are taken. */
  isSpared: boolean;
}

/** A folder as it was seen last: what its files were judged by, and the files in it that are taken or left out. */
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
  /** True if it is a storage of ours; see `isStorage`. */
  isStorage: boolean;
}

/** Tells whether no scan enters a folder, by whether it is ignored and what git tracks in it. */
export function isAside(
  isIgnored: boolean,
  rules: FolderRules,
  { prefix, name }: Pick<Found, 'prefix' | 'name'>,
  keptFolders: ReadonlySet<string>,
): boolean {
  return isIgnored && !keptFolders.has(prefix + name) && !rules.isTracked(name, true);
}

/** Splits a path into the folder, with a `/` at its end unless it is the root, and the name in it. */
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
