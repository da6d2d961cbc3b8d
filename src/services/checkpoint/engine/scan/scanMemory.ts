import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { ReadFile } from './fileReader';
import { fileFlags, isNameOnly, nameOnly } from './scannedFile';
import { partsOf, type SeenFile, type SeenFolder } from './seen';
import { isSystemError } from '../../../../utils/errors';

/** Names of what is left out of one workspace folder; of more, the folders that they are in are named. */
const mostNames = 50_000;
const noStamp = { ino: 0, size: 0, mode: 0, mtimeMs: 0, ctimeMs: 0 };

/** Remembers from scan to scan what is in one workspace folder, and tells how it has changed. */
export class ScanMemory {
  /** Files that are taken, and names of what is left out. */
  readonly files = new Map<string, SeenFile>();
  /** Paths that are taken although they are ignored. */
  readonly kept = new Set<string>();
  readonly folders = new Map<string, SeenFolder>();
  /** Differences since the last scan or look, null for what is gone. */
  changes = new Map<string, SeenFile | null>();
  scanNumber = 0;
  /** Start of the last scan or look, in milliseconds. */
  startedAt = 0;
  /** True if anything is known that was not in `adopt`. */
  hasNews = false;
  private met = 0;
  /** Number of met files of which only the name is noted. */
  private named = 0;

  constructor(
    private readonly root: string,
    private readonly fileSystem: FileSystem,
  ) {}

  /** Takes over what an earlier memory held. Call it before the first scan. */
  adopt(files: ReadonlyMap<string, SeenFile>): void {
    for (const [relative, seen] of files) this.files.set(relative, seen);
  }

  /** Begins to meet all that is there. */
  beginScan(now: number): void {
    this.scanNumber += 1;
    this.met = 0;
    this.named = 0;
    this.beginLook(now);
  }

  /** Begins to meet single paths. */
  beginLook(now: number): void {
    this.startedAt = now;
    this.changes = new Map();
  }

  meetFolder(prefix: string): SeenFolder {
    let seen = this.folders.get(prefix);
    if (seen === undefined) this.folders.set(prefix, (seen = { judged: null, files: new Map(), scan: 0, isStorage: false }));
    seen.scan = this.scanNumber;
    return seen;
  }

  /** Tells whether one more name can be noted by itself. */
  hasRoomForNames(most = mostNames): boolean {
    return this.named < most;
  }

  /** Notes the state of a file that is taken. */
  meet(relative: string, state: ReadFile): void {
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
   * Notes that a file is left out, or, without a name, the folder. Where there are too many, the folder that they are in is said to be so: it stands
   * for what is in it and has no state of its own.
   */
  nameLeftOut(prefix: string, name: string, most = mostNames): void {
    const isFolder = name === '';
    if (!this.hasRoomForNames(most)) {
      this.folders.get(prefix)?.files.delete(name);
      const around = isFolder ? partsOf(prefix.slice(0, -1)).prefix : prefix;
      this.note(around.slice(0, -1));
      return;
    }
    const relative = isFolder ? prefix.slice(0, -1) : prefix + name;
    const seen = this.note(relative);
    // A folder is no file of the one that it is in: a file of its name is judged by itself.
    if (!isFolder) this.folders.get(prefix)?.files.set(name, seen);
  }

  /** Notes the Git history in a folder: no checkpoint holds it. It has its name whatever the limit of names, as there are few of them. */
  noteHistory(prefix: string): void {
    this.note(`${prefix}.git`);
  }

  private note(relative: string): SeenFile {
    const known = this.files.get(relative);
    if (known !== undefined && isNameOnly(known)) return this.meetName(known);
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

  /** Notes that a name that was left out before is so still. */
  meetName(known: SeenFile): SeenFile {
    if (known.scan !== this.scanNumber) {
      this.met += 1;
      this.named += 1;
      known.scan = this.scanNumber;
    }
    return known;
  }

  /** Notes that a file is as it was. */
  meetAgain(known: SeenFile, { prefix, name }: { prefix: string; name: string }): void {
    if (known.scan !== this.scanNumber) this.met += 1;
    known.scan = this.scanNumber;
    this.folders.get(prefix)?.files.set(name, known);
  }

  /** Drops a path that is gone, and notes so. */
  forget(relative: string): void {
    this.hasNews = true;
    this.files.delete(relative);
    this.kept.delete(relative);
    const { prefix, name } = partsOf(relative);
    this.folders.get(prefix)?.files.delete(name);
  }

  /** Drops what this scan has not met, unless it is there nevertheless. */
  dropUnmet(): void {
    if (this.met >= this.files.size) return;
    for (const [relative, { scan }] of this.files) {
      if (scan === this.scanNumber || this.isStillThere(relative)) continue;
      this.forget(relative);
      this.changes.set(relative, null);
    }
  }

  /** Tells whether a file that no scan meets now is there nevertheless, in a folder that is left out; it is noted so then. */
  isStillThere(relative: string): boolean {
    if (!this.isInLeftOut(relative) || !this.hasRoomForNames()) return false;
    try {
      const stats = this.fileSystem.lstat(path.join(this.root, relative));
      if (stats === undefined || stats.isDirectory()) return false;
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false;
      // What cannot be looked at is not gone.
      if (!isSystemError(error)) throw error;
    }
    this.note(relative);
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
