import type { FileStamp } from './fileReader';
import type { TrackedNames } from '../../../git/gitIndex';
import type { FolderRules } from '../../../git/ignoreRules';
import type { FileState, ScanProblem } from './scannedFile';

/** What a scanner works with, and what it remembers. */

export interface ScanOptions {
  /** Larger files are known by hash and size only. */
  maxFileBytes: number;
  /** `checkpoints.exclude`. */
  exclude: readonly string[];
  /** Paths that are taken although they are ignored. */
  kept: ReadonlySet<string>;
  /** How many names of what is left out are noted at the most. */
  mostNames?: number;
  /** Asked now and then; the scan is given up with `CancelledError` when it says so. */
  isCancelled: () => boolean;
  /** Without the built-in list. */
  isBare?: boolean;
}

/** A file as it was seen last, with what tells whether it has changed since. */
export interface SeenFile extends FileState {
  stamp: FileStamp;
  /** When the scan that read it began, in milliseconds. */
  readAt: number;
  /** Number of the last scan that met it. */
  scan: number;
}

export interface ScanResult {
  /** What differs from before; null: it is gone. */
  changes: Map<string, SeenFile | null>;
  problems: ScanProblem[];
}

/** A file or link in its folder. */
export interface Found {
  /** As of its folder. */
  prefix: string;
  name: string;
  /** Its whole path. */
  file: string;
  /** As `manifest_entries.flags`. */
  flags: number;
  isFile: boolean;
}

export interface Judged extends Found {
  /** It belongs to what is stored, where it is there. */
  isTaken: boolean;
  /** It is there, and the rules leave it out. */
  isLeftOut: boolean;
}

/** A folder to be looked into. */
export interface Frame {
  folder: string;
  /** From the root, with a `/` at its end where there is any. */
  prefix: string;
  /** Empty for the root. */
  name: string;
  /** Those of the folder that it is in; of the root its own. */
  rules: FolderRules;
  /** Everything in it is ignored but for what is tracked or kept. */
  isIgnored: boolean;
}

/** A folder as it was seen last: what its files were judged by, and the files in it that are taken or left out. */
export interface SeenFolder {
  judged: { outer: FolderRules; isIgnored: boolean; text: string | null; inner: TrackedNames | null; rules: FolderRules } | null;
  readonly files: Map<string, SeenFile>;
  scan: number;
  /** It is a storage of ours; see `isStorage`. */
  isStorage: boolean;
}

/** Whether no scan enters a folder, by whether it is ignored and what git tracks in it. */
export function isAside(
  isIgnored: boolean,
  rules: FolderRules,
  { prefix, name }: Pick<Found, 'prefix' | 'name'>,
  keptFolders: ReadonlySet<string>,
): boolean {
  return isIgnored && !keptFolders.has(prefix + name) && !rules.isTracked(name, true);
}

/** The folder, with a `/` at its end where it is not the root, and the name in it. */
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
