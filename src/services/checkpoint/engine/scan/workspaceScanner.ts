import path from 'node:path';
import type { Dirent } from 'node:fs';
import type { Clock } from '../../../../utils/clock';
import { CancelledError } from '../../../../utils/errors';
import { isTemporaryName } from '../../../../utils/temporaryName';
import { isStorage } from '../../../database/sqlite/databaseFile';
import { isSystemError, type FileSystem } from '../../fileSystem';
import type { ObjectBatch } from '../objects/objectBatch';
import { isLeftOut, isRacy, isSameFile, modeOf, readFile, stampOf, type ReadFile } from './fileReader';
import { FolderRules } from '../../../git/ignoreRules';
import { PathJudge } from './pathJudge';
import { readRules, repositoryAt, TrackedMemory, type GitEnvironment, type Repository } from '../../../git/repository';
import type { TrackedNames } from '../../../git/gitIndex';
import { fileFlags, isNameOnly, nameOnly, type ScanProblem } from './scannedFile';
import {
  foldersOf,
  isAside,
  partsOf,
  type Found,
  type Frame,
  type ScanOptions,
  type ScanResult,
  type SeenFile,
  type SeenFolder,
} from './seen';

/** Names of what is left out of one workspace folder; of more, the folders that they are in are named. */
const mostNames = 50_000;
const noStamp = { ino: 0, size: 0, mode: 0, mtimeMs: 0, ctimeMs: 0 };

/**
 * Scans one workspace folder. Remembers it from scan to scan, so that only files which may have changed are read again. Links are never
 * followed, `.git` and storages of ours are never entered, nested repositories are ordinary folders.
 */
export class WorkspaceScanner {
  /** Files that are taken, and names of what is left out. */
  readonly files = new Map<string, SeenFile>();
  /** Paths that are taken although they are ignored. */
  readonly kept = new Set<string>();
  readonly folders = new Map<string, SeenFolder>();
  private readonly tracked = new TrackedMemory();
  /** Names that nested repositories track, by their folders. */
  private readonly inner = new Map<string, { memory: TrackedMemory; names: TrackedNames; scan: number }>();
  private rules: FolderRules | null = null;
  private problems: ScanProblem[] = [];
  private changes = new Map<string, SeenFile | null>();
  scanNumber = 0;
  private met = 0;
  /** Number of met files of which only the name is noted. */
  private named = 0;
  /** True if anything is known that was not in `adopt`. */
  hasNews = false;
  /** Start of the last scan, in milliseconds. */
  walkedAt = 0;
  private startedAt = 0;

  constructor(
    readonly root: string,
    private readonly fileSystem: FileSystem,
    private readonly environment: GitEnvironment,
    private readonly clock: Clock,
  ) {}

  /** Takes over what an earlier scanner has seen. Call it before the first scan. */
  adopt(files: ReadonlyMap<string, SeenFile>): void {
    for (const [relative, seen] of files) this.files.set(relative, seen);
  }

  /**
   * Brings `files` up to date. `changes` is what differs from before, null what is gone. Throws `CancelledError` and what the batch
   * throws; what it has seen until then stays known.
   */
  scan(batch: ObjectBatch, options: ScanOptions): ScanResult {
    this.scanNumber += 1;
    this.met = 0;
    this.named = 0;
    this.startedAt = this.clock.now();
    this.problems = [];
    this.changes = new Map();
    this.walkedAt = this.startedAt;
    this.rules = this.rulesNow(options);
    const keptFolders = foldersOf(options.kept);
    const frames: Frame[] = [{ folder: this.root, prefix: '', name: '', rules: this.rules, isIgnored: false }];
    for (let frame = frames.pop(); frame !== undefined; frame = frames.pop()) {
      if (options.isCancelled()) throw new CancelledError();
      this.scanFolder(frame, frames, batch, options, keptFolders);
    }
    if (this.met < this.files.size) this.dropUnmet();
    for (const known of [this.folders, this.inner]) {
      for (const [prefix, { scan }] of known) if (scan !== this.scanNumber) known.delete(prefix);
    }
    return { changes: this.changes, problems: this.problems };
  }

  /**
   * Brings `files` up to date where all that changed since the last scan or look is these paths. Null where that takes another scan: rules
   * may have changed, or folders came or went.
   */
  look(paths: ReadonlySet<string>, batch: ObjectBatch, options: ScanOptions): ScanResult | null {
    this.startedAt = this.clock.now();
    if (this.rules === null || this.rulesNow(options) !== this.rules) return null;
    for (const [prefix, { names }] of this.inner) if (this.trackedIn(prefix) !== names) return null;
    const found = new PathJudge(this, this.fileSystem, options.kept).judge(paths);
    if (found === null) return null;
    this.problems = this.problems.filter(({ path: relative }) => !paths.has(relative));
    this.changes = new Map();
    for (const one of found) {
      const relative = one.prefix + one.name;
      const known = this.files.get(relative);
      if (one.isTaken && this.lookAgain(known, one, batch, options.maxFileBytes)) continue;
      if (one.isLeftOut) {
        this.nameLeftOut(one.prefix, one.name);
        continue;
      }
      if (known === undefined) continue;
      this.forget(relative);
      this.changes.set(relative, null);
    }
    return { changes: this.changes, problems: this.problems };
  }

  /** Reads a file again, into this batch, whatever is known of it. */
  reread(relative: string, batch: ObjectBatch, maxFileBytes: number): void {
    const file = path.join(this.root, relative);
    this.read(relative, { file, flags: this.files.get(relative)?.flags ?? 0, isFile: false }, batch, maxFileBytes);
    if (this.fileSystem.lstat(file) === undefined) this.forget(relative);
  }

  private rulesNow({ exclude, isBare = false }: ScanOptions): FolderRules {
    const { fileSystem, environment, startedAt } = this;
    const trackedNames = (repository: Repository) => this.tracked.of(repository, fileSystem, startedAt);
    return FolderRules.of(this.root, { fileSystem, environment, exclude, isBare, trackedNames, before: this.rules });
  }

  private scanFolder(
    frame: Frame,
    frames: Frame[],
    batch: ObjectBatch,
    options: ScanOptions,
    keptFolders: ReadonlySet<string>,
  ): void {
    const entries = this.list(frame);
    const { folder, prefix, isIgnored: isInIgnored } = frame;
    const seen = this.meetFolder(prefix);
    seen.isStorage = isStorage(entries);
    if (seen.isStorage) {
      this.nameLeftOut(prefix, '', options);
      return;
    }
    const hasFile = prefix !== '' && !isInIgnored && entries.some(({ name }) => name === '.gitignore');
    const text = hasFile ? readRules(path.join(folder, '.gitignore'), this.fileSystem, 'refused') : null;
    const inner = prefix !== '' && entries.some(({ name }) => name === '.git') ? this.trackedIn(prefix) : null;
    const { judged } = seen;
    const isJudged =
      judged !== null &&
      judged.outer === frame.rules &&
      judged.isIgnored === isInIgnored &&
      judged.text === text &&
      judged.inner === inner;
    const rules = isJudged ? judged.rules : this.rulesIn(frame, text, inner);
    for (const entry of entries) {
      const { name } = entry;
      const isFolder = entry.isDirectory();
      const known = isFolder || !isJudged ? undefined : seen.files.get(name);
      // Judged by the same rules before: nothing but its stamp needs a look, of a name not even that.
      if (known !== undefined && isNameOnly(known)) {
        if (options.kept.size === 0 || !options.kept.has(prefix + name)) {
          if (this.named < (options.mostNames ?? mostNames)) this.meetName(known);
          else this.nameLeftOut(prefix, name, options);
          continue;
        }
      } else if (known !== undefined && (known.flags & fileFlags.kept) === 0) {
        this.lookAgain(
          known,
          { prefix, name, file: `${folder}${path.sep}${name}`, flags: 0, isFile: entry.isFile() },
          batch,
          options.maxFileBytes,
        );
        continue;
      }
      if (name === '.git' || isTemporaryName(name) || (!isFolder && !entry.isFile() && !entry.isSymbolicLink())) continue;
      const [relative, inside] = [prefix + name, `${folder}${path.sep}${name}`];
      const isIgnored = (isInIgnored || rules.isIgnored(name, isFolder)) && (isFolder || !rules.isTracked(name, false));
      if (isFolder) {
        if (isAside(isIgnored, rules, { prefix, name }, keptFolders)) this.nameLeftOut(`${relative}/`, '', options);
        else frames.push({ folder: inside, prefix: `${relative}/`, name, rules, isIgnored });
      } else if (isIgnored && !options.kept.has(relative)) {
        this.nameLeftOut(prefix, name, options);
      } else {
        const found = { prefix, name, file: inside, flags: isIgnored ? fileFlags.kept : 0, isFile: entry.isFile() };
        this.lookAgain(this.files.get(relative), found, batch, options.maxFileBytes);
      }
    }
    if (!isJudged) seen.judged = { outer: frame.rules, isIgnored: isInIgnored, text, inner, rules };
  }

  private rulesIn({ prefix, name, rules }: Frame, text: string | null, inner: TrackedNames | null): FolderRules {
    return prefix === '' ? rules : rules.into(name).withFile(text).withRepository(inner);
  }

  /** Returns the names tracked by the repository in a folder, the same object while nothing changes; null without a repository. */
  private trackedIn(prefix: string): TrackedNames | null {
    const { fileSystem, environment, startedAt: now, scanNumber: scan } = this;
    const repository = repositoryAt(path.join(this.root, prefix), fileSystem, environment);
    if (repository === null) return null;
    const memory = this.inner.get(prefix)?.memory ?? new TrackedMemory();
    const names = memory.of(repository, fileSystem, now);
    this.inner.set(prefix, { memory, names, scan });
    return names;
  }

  private meetFolder(prefix: string): SeenFolder {
    let seen = this.folders.get(prefix);
    if (seen === undefined) this.folders.set(prefix, (seen = { judged: null, files: new Map(), scan: 0, isStorage: false }));
    seen.scan = this.scanNumber;
    return seen;
  }

  private list({ folder, prefix }: Frame): Dirent[] {
    try {
      const entries = this.fileSystem.list(folder);
      if (!entries.some(({ name }) => name.includes('\uFFFD'))) return entries;
      return this.withoutUnreadableNames(folder, prefix, entries);
    } catch (error) {
      // A folder that went away is one that is not there; the root itself must be.
      if (prefix !== '' && isSystemError(error, 'ENOENT', 'ENOTDIR')) return [];
      if (prefix === '' || !isSystemError(error)) throw error;
      this.problems.push({ path: prefix.slice(0, -1), reason: 'unreadable' });
      this.keepUnreadable(prefix.slice(0, -1));
      return [];
    }
  }

  private withoutUnreadableNames(folder: string, prefix: string, entries: Dirent[]): Dirent[] {
    const good = new Set<string>();
    for (const { name } of this.fileSystem.listRaw(folder)) {
      const text = name.toString('utf8');
      if (Buffer.from(text, 'utf8').equals(name)) good.add(text);
      else this.problems.push({ path: prefix + text, reason: 'name' });
    }
    return entries.filter(({ name }) => good.has(name));
  }

  /** Keeps a folder that may not be listed: what is in it is unknown, which is not the same as gone. */
  private keepUnreadable(relative: string): void {
    const stats = this.fileSystem.lstat(path.join(this.root, relative));
    if (stats === undefined) return;
    this.meet(relative, { kind: 3, mode: modeOf(stats), hash: null, size: 0, flags: 0, stamp: stampOf(stats) });
  }

  /** Looks at a known file again; returns whether it exists. */
  private lookAgain(known: SeenFile | undefined, found: Found, batch: ObjectBatch, maxBytes: number): boolean {
    const { prefix, name } = found;
    if (known === undefined || !this.isAsBefore(known, found) || isLeftOut(known, batch, maxBytes)) {
      return this.read(prefix + name, found, batch, maxBytes);
    }
    this.meetAgain(known, prefix, name, maxBytes);
    this.folders.get(prefix)?.files.set(name, known);
    return true;
  }

  private isAsBefore(known: SeenFile, { file, flags }: Found): boolean {
    if (known.kind === 3 || (known.flags & fileFlags.kept) !== flags || known.flags & fileFlags.unstable) return false;
    const stats = this.fileSystem.lstat(file);
    return stats !== undefined && isSameFile(stats, known.stamp) && !isRacy(known.stamp, known.readAt);
  }

  private read(
    relative: string,
    { file, flags, isFile }: Omit<Found, 'prefix' | 'name'>,
    batch: ObjectBatch,
    maxBytes: number,
  ): boolean {
    const read = readFile(file, this.fileSystem, batch, maxBytes, isFile);
    if (read === null) return false;
    if (read.kind === 3) this.problems.push({ path: relative, reason: 'unreadable' });
    if (read.size > maxBytes && read.kind === 1) this.problems.push({ path: relative, reason: 'tooLarge' });
    if (read.flags & fileFlags.unstable) this.problems.push({ path: relative, reason: 'unstable' });
    this.meet(relative, { ...read, flags: read.flags | (flags & fileFlags.kept) });
    return true;
  }

  private meet(relative: string, state: ReadFile): void {
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
  private nameLeftOut(prefix: string, name: string, { mostNames: most = mostNames }: Partial<ScanOptions> = {}): void {
    const isFolder = name === '';
    if (this.named >= most) {
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

  private meetName(known: SeenFile): SeenFile {
    if (known.scan !== this.scanNumber) {
      this.met += 1;
      this.named += 1;
      known.scan = this.scanNumber;
    }
    return known;
  }

  private meetAgain(known: SeenFile, prefix: string, name: string, maxBytes: number): void {
    if (known.scan !== this.scanNumber) this.met += 1;
    known.scan = this.scanNumber;
    if (known.size > maxBytes && known.kind === 1) this.problems.push({ path: prefix + name, reason: 'tooLarge' });
  }

  private forget(relative: string): void {
    this.hasNews = true;
    this.files.delete(relative);
    this.kept.delete(relative);
    const { prefix, name } = partsOf(relative);
    this.folders.get(prefix)?.files.delete(name);
  }

  private dropUnmet(): void {
    for (const [relative, { scan }] of this.files) {
      if (scan === this.scanNumber || this.isStillThere(relative)) continue;
      this.forget(relative);
      this.changes.set(relative, null);
    }
  }

  /** Tells whether a file that no scan meets now is there nevertheless, in a folder that is left out; it is noted so then. */
  isStillThere(relative: string): boolean {
    if (!this.isInLeftOut(relative) || this.named >= mostNames) return false;
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
