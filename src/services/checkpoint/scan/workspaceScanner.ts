import path from 'node:path';
import type { BigIntStats, Dirent } from 'node:fs';
import type { Clock } from '../../../utils/clock';
import { CancelledError } from '../../../utils/errors';
import { isSystemError, type FileSystem } from '../fileSystem';
import type { ObjectBatch } from '../objectBatch';
import { isSameFile, modeOf, readFile } from './fileReader';
import { FolderRules } from './ignoreRules';
import type { GitEnvironment } from './repository';
import { fileFlags, type FileState, type ScanProblem } from './scannedFile';

export interface ScanOptions {
  /** Larger files are known by hash and size only. */
  maxFileBytes: number;
  /** `checkpoints.exclude`. */
  exclude: readonly string[];
  /** Paths that are taken although they are ignored. */
  kept: ReadonlySet<string>;
  /** Asked now and then; the scan is given up with `CancelledError` when it says so. */
  isCancelled: () => boolean;
  /** Without the built-in list. */
  isBare?: boolean;
}

/** A file as it was seen last, with what tells whether it has changed since. */
export interface SeenFile extends FileState {
  stats: BigIntStats;
  /** When the scan that read it began, in milliseconds. */
  readAt: number;
  /** Number of the last scan that met it. */
  scan: number;
}

/**
 * How far the time stamps of a file system may lag: what was written within this before a scan may be written again with the same stamp.
 * Two seconds where stamps have no fraction at all, as on FAT.
 */
const fineTickMs = 50;
const coarseTickMs = 2_100;

interface Frame {
  folder: string;
  /** From the root, with a `/` at its end where there is any. */
  prefix: string;
  rules: FolderRules;
  /** Everything in it is ignored but for what is tracked or kept. */
  isIgnored: boolean;
}

/**
 * What is in one workspace folder. Remembers it from scan to scan, so that only files which may have changed are read again. Links are
 * never followed, `.git` is never entered, nested repositories are ordinary folders.
 */
export class WorkspaceScanner {
  readonly files = new Map<string, SeenFile>();
  /** Those of them that are taken although they are ignored. */
  readonly kept = new Set<string>();
  private problems: ScanProblem[] = [];
  private changes = new Map<string, SeenFile | null>();
  private scanNumber = 0;
  private met = 0;
  private startedAt = 0;

  constructor(
    readonly root: string,
    private readonly fileSystem: FileSystem,
    private readonly environment: GitEnvironment,
    private readonly clock: Clock,
  ) {}

  /**
   * Brings `files` up to date. `changes` is what differs from before, null what is gone. Throws `CancelledError` and what the batch
   * throws; what it has seen until then stays known.
   */
  scan(batch: ObjectBatch, options: ScanOptions): { changes: Map<string, SeenFile | null>; problems: ScanProblem[] } {
    this.scanNumber += 1;
    this.met = 0;
    this.startedAt = this.clock.now();
    this.problems = [];
    this.changes = new Map();
    const { fileSystem, environment } = this;
    const rules = FolderRules.of(this.root, {
      fileSystem,
      environment,
      exclude: options.exclude,
      isBare: options.isBare ?? false,
    });
    const keptFolders = foldersOf(options.kept);
    const frames: Frame[] = [{ folder: this.root, prefix: '', rules, isIgnored: false }];
    for (let frame = frames.pop(); frame !== undefined; frame = frames.pop()) {
      if (options.isCancelled()) throw new CancelledError();
      this.scanFolder(frame, frames, batch, options, keptFolders);
    }
    if (this.met < this.files.size) this.dropUnmet();
    return { changes: this.changes, problems: this.problems };
  }

  /** Reads a file again, into this batch, whatever is known of it. */
  reread(relative: string, batch: ObjectBatch, maxFileBytes: number): void {
    const file = path.join(this.root, relative);
    this.take(relative, file, this.files.get(relative)?.flags ?? 0, batch, maxFileBytes, true);
    if (this.fileSystem.lstat(file) === undefined) this.forget(relative);
  }

  private scanFolder(
    frame: Frame,
    frames: Frame[],
    batch: ObjectBatch,
    options: ScanOptions,
    keptFolders: ReadonlySet<string>,
  ): void {
    const entries = this.list(frame);
    const hasRules = frame.prefix !== '' && !frame.isIgnored && entries.some(({ name }) => name === '.gitignore');
    const rules = hasRules ? frame.rules.withFileIn(frame.folder, this.fileSystem) : frame.rules;
    for (const entry of entries) {
      const { name } = entry;
      if (name === '.git') continue;
      const isFolder = entry.isDirectory();
      if (!isFolder && !entry.isFile() && !entry.isSymbolicLink()) continue;
      const relative = frame.prefix + name;
      const inside = `${frame.folder}${path.sep}${name}`;
      const isIgnored = (frame.isIgnored || rules.isIgnored(name, isFolder)) && !(rules.isTracked(name, isFolder) && !isFolder);
      if (isFolder) {
        if (isIgnored && !keptFolders.has(relative) && !rules.isTracked(name, true)) continue;
        frames.push({ folder: inside, prefix: `${relative}/`, rules: rules.into(name), isIgnored });
        continue;
      }
      if (isIgnored && !options.kept.has(relative)) continue;
      this.take(relative, inside, isIgnored ? fileFlags.kept : 0, batch, options.maxFileBytes);
    }
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

  /** A folder that may not be listed: what is in it is unknown, which is not the same as gone. */
  private keepUnreadable(relative: string): void {
    const stats = this.fileSystem.lstat(path.join(this.root, relative));
    if (stats === undefined) return;
    this.meet(relative, { kind: 3, mode: modeOf(stats), hash: null, size: 0, flags: 0, stats });
  }

  private take(relative: string, file: string, flags: number, batch: ObjectBatch, maxBytes: number, isForced = false): void {
    const known = this.files.get(relative);
    if (!isForced && known !== undefined && known.kind !== 3) {
      const stats = this.fileSystem.lstat(file);
      if (stats === undefined) return;
      if (isSameFile(stats, known.stats) && !isRacy(known) && (known.flags & fileFlags.kept) === flags) {
        const isRestorable = known.size <= maxBytes || known.kind === 2;
        if (!isRestorable) this.problems.push({ path: relative, reason: 'tooLarge' });
        this.meetAgain(known);
        return;
      }
    }
    const read = readFile(file, this.fileSystem, batch, maxBytes);
    if (read === null) return;
    if (read.kind === 3) this.problems.push({ path: relative, reason: 'unreadable' });
    if (read.size > maxBytes && read.kind === 1) this.problems.push({ path: relative, reason: 'tooLarge' });
    if (read.flags & fileFlags.unstable) this.problems.push({ path: relative, reason: 'unstable' });
    this.meet(relative, { ...read, flags: read.flags | (flags & fileFlags.kept) });
  }

  private meet(relative: string, state: FileState & { stats: BigIntStats }): void {
    const known = this.files.get(relative);
    if (known?.scan !== this.scanNumber) this.met += 1;
    const isUnchanged =
      known !== undefined &&
      known.kind === state.kind &&
      known.hash === state.hash &&
      known.mode === state.mode &&
      known.flags === state.flags;
    const seen = { ...state, readAt: this.startedAt, scan: this.scanNumber };
    this.files.set(relative, seen);
    if (state.flags & fileFlags.kept) this.kept.add(relative);
    else this.kept.delete(relative);
    if (!isUnchanged) this.changes.set(relative, seen);
  }

  private meetAgain(known: SeenFile): void {
    if (known.scan !== this.scanNumber) this.met += 1;
    known.scan = this.scanNumber;
  }

  private forget(relative: string): void {
    this.files.delete(relative);
    this.kept.delete(relative);
  }

  private dropUnmet(): void {
    for (const [relative, { scan }] of this.files) {
      if (scan === this.scanNumber) continue;
      this.forget(relative);
      this.changes.set(relative, null);
    }
  }
}

/** Written so shortly before it was read that a later write may bear the same stamp. Unstable files are looked at again always. */
function isRacy({ stats, readAt, flags }: SeenFile): boolean {
  if (flags & fileFlags.unstable) return true;
  const stamp = stats.mtimeNs > stats.ctimeNs ? stats.mtimeNs : stats.ctimeNs;
  const tick = stamp % 1_000_000_000n === 0n ? coarseTickMs : fineTickMs;
  return Number(stamp / 1_000_000n) + tick >= readAt;
}

function foldersOf(paths: ReadonlySet<string>): Set<string> {
  const folders = new Set<string>();
  for (const file of paths) {
    for (let slash = file.lastIndexOf('/'); slash > 0; slash = file.lastIndexOf('/', slash - 1))
      folders.add(file.slice(0, slash));
  }
  return folders;
}
