import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { ReadFile } from './fileReader';
import { fileFlags, isNameOnly, nameOnly } from './scannedFile';
import { splitPath, type SeenFile, type SeenFolder } from './seen';
import { isSystemError } from '../../../../utils/errors';

/** Maximum number of names of excluded files per workspace folder. Above this number, only their folders are recorded. */
const mostNames = 50_000;
const noStamp = { ino: 0, size: 0, mode: 0, mtimeMs: 0, ctimeMs: 0 };

/** Caches the content of one workspace folder between scans, and collects the changes. */
export class ScanMemory {
  /** Stored files, and the names of excluded files. */
  readonly files = new Map<string, SeenFile>();
  /** Paths that are stored although they are ignored. */
  readonly kept = new Set<string>();
  readonly folders = new Map<string, SeenFolder>();
  /** Changes since the last scan of the folder or of paths; null means deleted. */
  changes = new Map<string, SeenFile | null>();
  scanNumber = 0;
  /** Start of the last scan of the folder or of paths, in milliseconds. */
  startedAt = 0;
  /** True if something has changed since `adopt` loaded the files. */
  hasNews = false;
  private met = 0;
  /** Number of files recorded by name only. */
  private named = 0;

  constructor(
    private readonly root: string,
    private readonly fileSystem: FileSystem,
  ) {}

  /** Loads files from a saved cache. Call this before the first scan. */
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

  /** Starts a scan of single paths. */
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

  /** Returns true if another name of an excluded file can be recorded. */
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
    const { prefix, name } = splitPath(relative);
    this.folders.get(prefix)?.files.set(name, seen);
    if (state.flags & fileFlags.kept) this.kept.add(relative);
    else this.kept.delete(relative);
    if (!isUnchanged) this.changes.set(relative, seen);
  }

  /**
   * Records that a file is excluded, or the folder if `name` is empty. Above the
   * limit, records the containing folder instead, which then represents its content.
   */
  recordLeftOut(prefix: string, name: string, most = mostNames): void {
    const isFolder = name === '';
    if (!this.hasRoomForNames(most)) {
      this.folders.get(prefix)?.files.delete(name);
      const parent = isFolder ? splitPath(prefix.slice(0, -1)).prefix : prefix;
      this.recordName(parent.slice(0, -1));
      return;
    }
    const relative = isFolder ? prefix.slice(0, -1) : prefix + name;
    const seen = this.recordName(relative);
    // Do not add a folder to its parent's files: a file with the same name is checked separately.
    if (!isFolder) this.folders.get(prefix)?.files.set(name, seen);
  }

  /** Records that a folder has a Git history, which no checkpoint contains. The limit does not apply to these few names. */
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

  /** Records that an excluded file or folder still exists. */
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

  /** Removes a deleted path. */
  drop(relative: string): void {
    this.hasNews = true;
    this.files.delete(relative);
    this.kept.delete(relative);
    const { prefix, name } = splitPath(relative);
    this.folders.get(prefix)?.files.delete(name);
  }

  /** Removes a deleted folder with everything in it. */
  dropFolder(prefix: string): void {
    for (const relative of [...this.files.keys()]) {
      if (!relative.startsWith(prefix)) continue;
      this.drop(relative);
      this.changes.set(relative, null);
    }
    for (const known of [...this.folders.keys()]) if (known.startsWith(prefix)) this.folders.delete(known);
  }

  /** Removes the paths that this scan did not find, except existing files in excluded folders. */
  dropMissing(): void {
    if (this.met >= this.files.size) return;
    for (const [relative, { scan }] of this.files) {
      if (scan === this.scanNumber || this.isStillThere(relative)) continue;
      this.drop(relative);
      this.changes.set(relative, null);
    }
  }

  /** Returns true if a file exists in an excluded folder, which scans do not enter. In this case, records its name. */
  isStillThere(relative: string): boolean {
    if (!this.isInLeftOut(relative) || !this.hasRoomForNames()) return false;
    try {
      const stats = this.fileSystem.lstat(path.join(this.root, relative));
      if (stats === undefined || stats.isDirectory()) return false;
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false;
      // If a file cannot be checked, do not treat it as deleted.
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
