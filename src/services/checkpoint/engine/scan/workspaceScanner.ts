import path from 'node:path';
import type { Dirent } from 'node:fs';
import type { Clock } from '../../../../utils/clock';
import { CancelledError, isSystemError } from '../../../../utils/errors';
import { isTemporaryName } from '../../../../utils/files/temporaryName';
import { isStorage } from '../../../database/sqlite/databaseFile';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { ObjectBatch } from '../objects/objectBatch';
import { isLeftOut, mayBeMapped, modeOf, readFile } from './fileReader';
import { isRacy, isSameFile, stampOf } from '../../../../utils/files/fileStamp';
import { writtenFolders } from '../../../git/builtInExcludes';
import { FolderRules } from '../../../git/ignoreRules';
import { PathJudge } from './pathJudge';
import { readRules, repositoryAt, TrackedMemory, type GitEnvironment, type Repository } from '../../../git/repository';
import type { TrackedNames } from '../../../git/gitIndex';
import { fileFlags, isNameOnly, type ScanProblem } from './scannedFile';
import { ScanMemory } from './scanMemory';
import { SpareTexts } from './spareTexts';
import { foldersOf, isAside, type Found, type Frame, type ScanOptions, type ScanResult, type SeenFile } from './seen';

/**
 * Scans one workspace folder. Remembers it from scan to scan, so that only files which may have changed are read again. Links are never
 * followed, `.git` and storages of ours are never entered, nested repositories are ordinary folders.
 */
export class WorkspaceScanner {
  private readonly tracked = new TrackedMemory();
  /** Names that nested repositories track, by their folders. */
  private readonly inner = new Map<string, { memory: TrackedMemory; names: TrackedNames; scan: number }>();
  private rules: FolderRules | null = null;
  private problems: ScanProblem[] = [];
  private spare: SpareTexts;
  /** Start of the last scan, in milliseconds. */
  walkedAt = 0;
  readonly memory: ScanMemory;

  constructor(
    readonly root: string,
    private readonly fileSystem: FileSystem,
    private readonly environment: GitEnvironment,
    private readonly clock: Clock,
  ) {
    this.memory = new ScanMemory(root, fileSystem);
    this.spare = new SpareTexts(fileSystem);
  }

  /** Files that are taken, and names of what is left out. */
  get files(): Map<string, SeenFile> {
    return this.memory.files;
  }

  /**
   * Brings `files` up to date. `changes` is what differs from before, null what is gone. Throws `CancelledError` and what the batch
   * throws; what it has seen until then stays known.
   */
  scan(batch: ObjectBatch, options: ScanOptions): ScanResult {
    const { memory } = this;
    this.walkedAt = this.clock.now();
    memory.beginScan(this.walkedAt);
    this.problems = [];
    this.spare = new SpareTexts(this.fileSystem);
    this.rules = this.rulesNow(options);
    const keptFolders = foldersOf(options.kept);
    const frames: Frame[] = [{ folder: this.root, prefix: '', name: '', rules: this.rules, isIgnored: false, isSpared: false }];
    for (let frame = frames.pop(); frame !== undefined; frame = frames.pop()) {
      if (options.isCancelled()) throw new CancelledError();
      this.scanFolder(frame, frames, batch, options, keptFolders);
    }
    memory.dropUnmet();
    for (const known of [memory.folders, this.inner]) {
      for (const [prefix, { scan }] of known) if (scan !== memory.scanNumber) known.delete(prefix);
    }
    return { changes: memory.changes, problems: this.problems };
  }

  /**
   * Brings `files` up to date where all that changed since the last scan or look is these paths. Null where that takes another scan: rules
   * may have changed, or folders came or went.
   */
  look(paths: ReadonlySet<string>, batch: ObjectBatch, options: ScanOptions): ScanResult | null {
    const { memory } = this;
    memory.beginLook(this.clock.now());
    if (this.rules === null || this.rulesNow(options) !== this.rules) return null;
    for (const [prefix, { names }] of this.inner) if (this.trackedIn(prefix) !== names) return null;
    const { files, folders, scanNumber } = memory;
    const found = new PathJudge({ root: this.root, files, folders, scanNumber }, this.fileSystem, options.kept).judge(paths);
    if (found === null) return null;
    this.problems = this.problems.filter(({ path: relative }) => !paths.has(relative));
    for (const one of found) {
      const relative = one.prefix + one.name;
      const known = this.files.get(relative);
      if (one.isTaken && this.lookAgain(known, one, batch, options.maxFileBytes)) continue;
      if (one.isLeftOut) {
        memory.nameLeftOut(one.prefix, one.name);
        continue;
      }
      if (known === undefined) continue;
      memory.forget(relative);
      memory.changes.set(relative, null);
    }
    return { changes: memory.changes, problems: this.problems };
  }

  /** Reads a file again, into this batch, whatever is known of it. */
  reread(relative: string, batch: ObjectBatch, maxFileBytes: number): void {
    const file = path.join(this.root, relative);
    this.read(relative, { file, flags: this.files.get(relative)?.flags ?? 0, isFile: false }, batch, maxFileBytes);
    if (this.fileSystem.lstat(file) === undefined) this.memory.forget(relative);
  }

  private rulesNow({ exclude, isBare = false }: ScanOptions): FolderRules {
    const { fileSystem, environment } = this;
    const trackedNames = (repository: Repository) => this.tracked.of(repository, fileSystem, this.memory.startedAt);
    return FolderRules.of(this.root, { fileSystem, environment, exclude, isBare, trackedNames, before: this.rules });
  }

  private scanFolder(
    frame: Frame,
    frames: Frame[],
    batch: ObjectBatch,
    options: ScanOptions,
    keptFolders: ReadonlySet<string>,
  ): void {
    const { memory } = this;
    const entries = this.list(frame);
    const { folder, prefix, isIgnored: isInIgnored, isSpared: isInSpared } = frame;
    const seen = memory.meetFolder(prefix);
    seen.isStorage = isStorage(entries);
    if (seen.isStorage) {
      memory.nameLeftOut(prefix, '', options.mostNames);
      this.problems.push({ path: prefix.slice(0, -1), reason: 'storage' });
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
      judged.isSpared === isInSpared &&
      judged.text === text &&
      judged.inner === inner;
    const rules = isJudged ? judged.rules : this.rulesIn(frame, text, inner);
    for (const entry of entries) {
      const { name } = entry;
      const isFolder = entry.isDirectory();
      const isTakeable = entry.isFile() || entry.isSymbolicLink();
      const known = isTakeable && isJudged ? seen.files.get(name) : undefined;
      // Judged by the same rules before: nothing but its stamp needs a look, of a name not even that.
      if (known !== undefined && isNameOnly(known) && !isInSpared && rules.ignoredBy(name, false) !== 'builtIn') {
        if (options.kept.size === 0 || !options.kept.has(prefix + name)) {
          if (memory.hasRoomForNames(options.mostNames)) memory.meetName(known);
          else memory.nameLeftOut(prefix, name, options.mostNames);
          continue;
        }
      } else if (known !== undefined && (known.flags & (fileFlags.kept | fileFlags.spared | fileFlags.nameOnly)) === 0) {
        this.lookAgain(
          known,
          { prefix, name, file: `${folder}${path.sep}${name}`, flags: 0, isFile: entry.isFile() },
          batch,
          options.maxFileBytes,
        );
        continue;
      }
      if (name === '.git') memory.noteHistory(prefix);
      if (name === '.git' || isTemporaryName(name) || (!isFolder && !isTakeable)) continue;
      const [relative, inside] = [prefix + name, `${folder}${path.sep}${name}`];
      const by = rules.ignoredBy(name, isFolder);
      const isIgnored = (isInIgnored || by !== null) && (isFolder || !rules.isTracked(name, false));
      // By the built-in list alone, here or above.
      const isSpared = isIgnored && (isInIgnored ? isInSpared && by !== 'rules' : by === 'builtIn');
      if (isFolder) {
        const mayBeWritten = isSpared && (by === null || writtenFolders.has(name.toLowerCase())) && this.spare.hasRoom;
        if (!mayBeWritten && isAside(isIgnored, rules, { prefix, name }, keptFolders)) {
          memory.nameLeftOut(`${relative}/`, '', options.mostNames);
        } else frames.push({ folder: inside, prefix: `${relative}/`, name, rules, isIgnored, isSpared: mayBeWritten });
      } else if (isIgnored && !options.kept.has(relative)) {
        const found = { prefix, name, file: inside, flags: fileFlags.spared, isFile: entry.isFile() };
        if (isSpared && this.spares(found)) this.lookAgain(this.files.get(relative), found, batch, options.maxFileBytes);
        else if (isInSpared && !this.spare.hasRoom) memory.nameLeftOut(prefix, '', options.mostNames);
        else memory.nameLeftOut(prefix, name, options.mostNames);
      } else {
        const found = { prefix, name, file: inside, flags: isIgnored ? fileFlags.kept : 0, isFile: entry.isFile() };
        this.lookAgain(this.files.get(relative), found, batch, options.maxFileBytes);
      }
    }
    if (!isJudged) seen.judged = { outer: frame.rules, isIgnored: isInIgnored, isSpared: isInSpared, text, inner, rules };
  }

  /** Tells whether a file that only the built-in list leaves out is taken nevertheless. */
  private spares(found: Found): boolean {
    const known = this.files.get(found.prefix + found.name);
    const isText = known !== undefined && (known.flags & fileFlags.spared) !== 0 && this.isAsBefore(known, found);
    return found.isFile && this.spare.takes(found.file, isText);
  }

  private rulesIn({ prefix, name, rules }: Frame, text: string | null, inner: TrackedNames | null): FolderRules {
    return prefix === '' ? rules : rules.into(name).withFile(text).withRepository(inner);
  }

  /** Returns the names tracked by the repository in a folder, the same object while nothing changes; null without a repository. */
  private trackedIn(prefix: string): TrackedNames | null {
    const { fileSystem, environment } = this;
    const { startedAt: now, scanNumber: scan } = this.memory;
    const repository = repositoryAt(path.join(this.root, prefix), fileSystem, environment);
    if (repository === null) return null;
    const memory = this.inner.get(prefix)?.memory ?? new TrackedMemory();
    const names = memory.of(repository, fileSystem, now);
    this.inner.set(prefix, { memory, names, scan });
    return names;
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
    this.memory.meet(relative, { kind: 3, mode: modeOf(stats), hash: null, size: 0, flags: 0, stamp: stampOf(stats) });
  }

  /** Looks at a known file again; returns whether it exists. */
  private lookAgain(known: SeenFile | undefined, found: Found, batch: ObjectBatch, maxBytes: number): boolean {
    const { prefix, name } = found;
    if (known === undefined || !this.isAsBefore(known, found) || isLeftOut(known, batch, maxBytes)) {
      return this.read(prefix + name, found, batch, maxBytes);
    }
    this.memory.meetAgain(known, found);
    if (known.size > maxBytes && known.kind === 1) this.problems.push({ path: prefix + name, reason: 'tooLarge' });
    return true;
  }

  private isAsBefore(known: SeenFile, { file, flags }: Found): boolean {
    const why = fileFlags.kept | fileFlags.spared;
    if (known.kind === 3 || (known.flags & why) !== flags || known.flags & fileFlags.unstable) return false;
    const stats = this.fileSystem.lstat(file);
    const { stamp, readAt } = known;
    return (
      stats !== undefined &&
      isSameFile(stats, stamp) &&
      !isRacy(stamp, readAt) &&
      !(known.kind === 1 && mayBeMapped(stamp, readAt))
    );
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
    this.memory.meet(relative, { ...read, flags: read.flags | (flags & (fileFlags.kept | fileFlags.spared)) });
    return true;
  }
}
