import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { ReadFile } from './fileReader';
import { fileFlags, isNameOnly, nameOnly } from './scannedFile';
import { partsOf, type SeenFile, type SeenFolder } from './seen';
import { isSystemError } from '../../../../utils/errors';

/** Names of left-out files per workspace folder. Beyond this, only their folders are named. */
const mostNames = 50_000;
const noStamp = { ino: 0, size: 0, mode: 0, mtimeMs: 0, ctimeMs: 0 };

/** Remembers the content of one workspace folder between scans, and collects the changes. */
export class ScanMemory {
  /** Stored files, and names of left-out files. */
  readonly files = new Map<string, SeenFile>();
  /** Paths that are stored although they are ignored. */
  readonly kept = new Set<string>();
  readonly folders = new Map<string, SeenFolder>();
  /** Changes since the last scan or look; null: deleted. */
  changes = new Map<string, SeenFile | null>();
  scanNumber = 0;
  /** Start of the last scan or look, in milliseconds. */
  startedAt = 0;
  /** True if something differs from what `adopt` loaded. */
  hasNews = false;
  private met = 0;
  /** Number of files met by name only. */
  private named = 0;

  constructor(
    private readonly root: string,
    private readonly fileSystem: FileSystem,
  ) {}

  /** Loads files from an earlier memory. Call it before the first scan. */
  adopt(files: ReadonlyMap<string, SeenFile>): void {
    for (const [relative, seen] of files) this.files.set(relative, seen);
  }

  /** Starts a scan of the whole folder. */
  beginScan(now: number): void {
    this.scanNumber += 1;
    this.met = 0;
    this.named = 0;
    this.beginPathScan(now);
  }

  /** Starts a look at single paths. */
  beginPathScan(now: number): void {
    this.startedAt = now;
    this.changes = new Map();
  }

  recordFolder(prefix: string): SeenFolder {
    let seen = this.folders.get(prefix);
    if (seen === undefined) this.folders.set(prefix, (seen = { judged: null, files: new Map(), scan: 0, isStorage: false }));
    seen.scan = this.scanNumber;
    return seen;
  }

  /** Returns true if another left-out name can be recorded. */
  hasRoomForNames(most = mostNames): boolean {
    return this.named < most;
  }

  /** Records the state of a stored file. */
  recordFile(relative: string, state: ReadFile): void {
    const known = this.files.get(relative);
    if (known?.scan !== this.scanNumber) this.met += 1;
    const isUnchanged =
      known !== undefined &&
      known.kind === state.kind &&
      known.hash === state.hash &&
      known.mode === state.mode &&
      known.flags === state.flags;
    const seen = { ...state, readAt: this.startedAt, scan: this.scanNumber };
    this.hasNews = true;
    this.files.set(relative, seen);
    const { prefix, name } = partsOf(relative);
    this.folders.get(prefix)?.files.set(name, seen);
    if (state.flags & fileFlags.kept) this.kept.add(relative);
    else this.kept.delete(relative);
    if (!isUnchanged) this.changes.set(relative, seen);
  }

  /**
   * Records that a file, or with an empty name the folder, is left out. Over the limit, records the containing folder instead, which then
   * stands for its content.
   */
  recordLeftOut(prefix: string, name: string, most = mostNames): void {
    const isFolder = name === '';
    if (!this.hasRoomForNames(most)) {
      this.folders.get(prefix)?.files.delete(name);
      const parent = isFolder ? partsOf(prefix.slice(0, -1)).prefix : prefix;
      this.recordName(parent.slice(0, -1));
      return;
    }
    const relative = isFolder ? prefix.slice(0, -1) : prefix + name;
    const seen = this.recordName(relative);
    // A folder is not among the files of its parent: a file with its name is judged separately.
    if (!isFolder) this.folders.get(prefix)?.files.set(name, seen);
  }

  /** Records the Git history in a folder, which no checkpoint holds. The limit does not apply, because histories are few. */
  recordHistory(prefix: string): void {
    this.recordName(`${prefix}.git`);
  }

  private recordName(relative: string): SeenFile {
    const known = this.files.get(relative);
    if (known !== undefined && isNameOnly(known)) return this.recordKnownName(known);
    if (known?.scan !== this.scanNumber) {
      this.met += 1;
      this.named += 1;
    }
    const seen = { ...nameOnly, stamp: noStamp, readAt: this.startedAt, scan: this.scanNumber };
    if (known !== undefined) this.hasNews = true;
    this.files.set(relative, seen);
    this.kept.delete(relative);
    this.changes.set(relative, seen);
    return seen;
  }

  /** Records that a left-out name is still there. */
  recordKnownName(known: SeenFile): SeenFile {
    if (known.scan !== this.scanNumber) {
      this.met += 1;
      this.named += 1;
      known.scan = this.scanNumber;
    }
    return known;
  }

  /** Records that a file is unchanged. */
  recordUnchanged(known: SeenFile, { prefix, name }: { prefix: string; name: string }): void {
    if (known.scan !== this.scanNumber) this.met += 1;
    known.scan = this.scanNumber;
    this.folders.get(prefix)?.files.set(name, known);
  }

  /** Drops a deleted path. */
  drop(relative: string): void {
    this.hasNews = true;
    this.files.delete(relative);
    this.kept.delete(relative);
    const { prefix, name } = partsOf(relative);
    this.folders.get(prefix)?.files.delete(name);
  }

  /** Drops a folder that is gone, with everything in it. */
  dropFolder(prefix: string): void {
    for (const relative of [...this.files.keys()]) {
      if (!relative.startsWith(prefix)) continue;
      this.drop(relative);
      this.changes.set(relative, null);
    }
    for (const known of [...this.folders.keys()]) if (known.startsWith(prefix)) this.folders.delete(known);
  }

  /** Drops the paths that this scan did not meet, except existing files in left-out folders. */
  dropMissing(): void {
    if (this.met >= this.files.size) return;
    for (const [relative, { scan }] of this.files) {
      if (scan === this.scanNumber || this.isStillThere(relative)) continue;
      this.drop(relative);
      this.changes.set(relative, null);
    }
  }

  /** Returns true if a file exists in a left-out folder, which no scan enters. Records its name then. */
  isStillThere(relative: string): boolean {
    if (!this.isInLeftOut(relative) || !this.hasRoomForNames()) return false;
    try {
      const stats = this.fileSystem.lstat(path.join(this.root, relative));
      if (stats === undefined || stats.isDirectory()) return false;
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false;
      // A file that cannot be checked is not treated as deleted.
      if (!isSystemError(error)) throw error;
    }
    this.recordName(relative);
    return true;
  }

  private isInLeftOut(relative: string): boolean {
    for (let slash = relative.lastIndexOf('/'); slash > 0; slash = relative.lastIndexOf('/', slash - 1)) {
      const folder = this.files.get(relative.slice(0, slash));
      if (folder !== undefined && isNameOnly(folder) && folder.scan === this.scanNumber) return true;
    }
    return false;
  }
}
