import path from 'node:path';
import type { Dirent } from 'node:fs';
import type { Clock } from '../../../../utils/clock';
import { CancelledError, isSystemError } from '../../../../utils/errors';
import { isTemporaryName } from '../../../../utils/files/temporaryName';
import { isStorage } from '../../../database/sqlite/databaseFile';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { ObjectBatch } from '../objects/objectBatch';
import { isLeftOut, mayBeMapped, modeBits, readFile } from './fileReader';
import { isRacy, isSameFile, toStamp } from '../../../../utils/files/fileStamp';
import { writtenFolders } from '../../../git/builtInExcludes';
import { FolderRules } from '../../../git/ignoreRules';
import { findOwnFolders } from './ownFolders';
import { PathClassifier } from './pathClassifier';
import { readRules, repositoryAt, TrackedMemory, type GitEnvironment, type Repository } from '../../../git/repository';
import type { TrackedNames } from '../../../git/gitIndex';
import { fileFlags, isNameOnly, type ScanProblem } from './scannedFile';
import { ScanMemory } from './scanMemory';
import { SmallTextSelector } from './smallTextSelector';
import { collectFolders, isSkipped, type FileEntry, type Frame, type ScanOptions, type ScanResult, type SeenFile } from './seen';

/**
 * Scans one workspace folder. Reads only files that may have changed since the last scan. Does not follow links, and does not
 * enter `.git` or checkpoint storage. Treats nested repositories as ordinary folders.
 */
export class WorkspaceScanner {
  private readonly tracked = new TrackedMemory();
  /** Tracked names of nested repositories, by folder prefix. */
  private readonly inner = new Map<string, { memory: TrackedMemory; names: TrackedNames; scan: number }>();
  private rules: FolderRules | null = null;
  private problems: ScanProblem[] = [];
  private smallTexts: SmallTextSelector;
  /** Start of the last scan, in milliseconds. */
  scannedAt = 0;
  readonly memory: ScanMemory;

  constructor(
    readonly root: string,
    private readonly fileSystem: FileSystem,
    private readonly environment: GitEnvironment,
    private readonly clock: Clock,
  ) {
    this.memory = new ScanMemory(root, fileSystem);
    this.smallTexts = new SmallTextSelector(fileSystem);
  }

  /** Stored files, and the names of excluded files. */
  get files(): Map<string, SeenFile> {
    return this.memory.files;
  }

  /**
   * Updates `files`. In `changes`, null means deleted. If it throws `CancelledError` or a batch error, earlier results remain.
   */
  scan(batch: ObjectBatch, options: ScanOptions): ScanResult {
    const { memory } = this;
    this.scannedAt = this.clock.now();
    memory.beginScan(this.scannedAt);
    this.problems = [];
    this.smallTexts = new SmallTextSelector(this.fileSystem);
    this.rules = this.rulesNow(options);
    const top = { folder: this.root, prefix: '', name: '', rules: this.rules, isIgnored: false, isSpared: false };
    this.scanFolders([top], batch, options);
    memory.dropMissing();
    for (const known of [memory.folders, this.inner]) {
      for (const [prefix, { scan }] of known) if (scan !== memory.scanNumber) known.delete(prefix);
    }
    return { changes: memory.changes, problems: this.problems };
  }

  /** Updates `files` for these paths only. Returns null if a scan is needed: rules or the folder tree may have changed. */
  scanPaths(paths: ReadonlySet<string>, batch: ObjectBatch, options: ScanOptions): ScanResult | null {
    const { memory } = this;
    memory.beginPathScan(this.clock.now());
    if (this.rules === null || this.rulesNow(options) !== this.rules) return null;
    for (const [prefix, { names }] of this.inner) if (this.trackedIn(prefix) !== names) return null;
    const { files, folders, scanNumber } = memory;
    const last = { root: this.root, files, folders, scanNumber };
    const classifier = new PathClassifier(last, this.fileSystem, options.kept);
    const list = (prefix: string) => classifier.list(prefix);
    const own = options.isOwn === true ? findOwnFolders(paths, last, list) : { came: [], gone: [], others: paths };
    // When a repository is deleted, its rules no longer apply.
    if (own === null || own.gone.some((gone) => [...this.inner.keys()].some((prefix) => prefix.startsWith(gone)))) return null;
    // Check everything before a change: a scan that follows must report only its own changes.
    const found = classifier.classify(own.others);
    if (found === null) return null;
    this.problems = this.problems.filter(
      ({ path: relative }) => !paths.has(relative) && !own.gone.some((gone) => `${relative}/`.startsWith(gone)),
    );
    for (const prefix of own.gone) memory.dropFolder(prefix);
    this.scanFolders(own.came, batch, options);
    for (const one of found) {
      const relative = one.prefix + one.name;
      const known = this.files.get(relative);
      if (one.isTaken && this.readIfChanged(known, one, batch, options.maxFileBytes)) continue;
      if (one.isLeftOut) {
        memory.recordLeftOut(one.prefix, one.name);
        continue;
      }
      if (known === undefined) continue;
      memory.drop(relative);
      memory.changes.set(relative, null);
    }
    return { changes: memory.changes, problems: this.problems };
  }

  /** Reads a file into this batch, even if it seems unchanged. */
  reread(relative: string, batch: ObjectBatch, maxFileBytes: number): void {
    const file = path.join(this.root, relative);
    this.read(relative, { file, flags: this.files.get(relative)?.flags ?? 0, isFile: false }, batch, maxFileBytes);
    if (this.fileSystem.lstat(file) === undefined) this.memory.drop(relative);
  }

  private scanFolders(frames: Frame[], batch: ObjectBatch, options: ScanOptions): void {
    const keptFolders = collectFolders(options.kept);
    for (let frame = frames.pop(); frame !== undefined; frame = frames.pop()) {
      if (options.isCancelled()) throw new CancelledError();
      this.scanFolder(frame, frames, batch, options, keptFolders);
    }
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
    const seen = memory.recordFolder(prefix);
    seen.isStorage = isStorage(folder, entries);
    if (seen.isStorage) {
      memory.recordLeftOut(prefix, '', options.mostNames);
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
      // The rules are unchanged. Check only the stamp, and nothing for the name of an excluded file.
      if (known !== undefined && isNameOnly(known) && !isInSpared && rules.ignoredBy(name, false) !== 'builtIn') {
        if (options.kept.size === 0 || !options.kept.has(prefix + name)) {
          if (memory.hasRoomForNames(options.mostNames)) memory.recordKnownName(known);
          else memory.recordLeftOut(prefix, name, options.mostNames);
          continue;
        }
      } else if (known !== undefined && (known.flags & (fileFlags.kept | fileFlags.spared | fileFlags.nameOnly)) === 0) {
        this.readIfChanged(
          known,
          { prefix, name, file: `${folder}${path.sep}${name}`, flags: 0, isFile: entry.isFile() },
          batch,
          options.maxFileBytes,
        );
        continue;
      }
      if (name === '.git') memory.recordHistory(prefix);
      if (name === '.git' || isTemporaryName(name) || (!isFolder && !isTakeable)) continue;
      const relative = prefix + name;
      const inside = `${folder}${path.sep}${name}`;
      const by = rules.ignoredBy(name, isFolder);
      const isIgnored = (isInIgnored || by !== null) && (isFolder || !rules.isTracked(name, false));
      // True if only the built-in list ignores the path, here or in a parent.
      const isSpared = isIgnored && (isInIgnored ? isInSpared && by !== 'rules' : by === 'builtIn');
      if (isFolder) {
        const mayBeWritten = isSpared && (by === null || writtenFolders.has(name.toLowerCase())) && this.smallTexts.hasRoom;
        if (!mayBeWritten && isSkipped(isIgnored, rules, { prefix, name }, keptFolders)) {
          memory.recordLeftOut(`${relative}/`, '', options.mostNames);
        } else frames.push({ folder: inside, prefix: `${relative}/`, name, rules, isIgnored, isSpared: mayBeWritten });
      } else if (isIgnored && !options.kept.has(relative)) {
        const found = { prefix, name, file: inside, flags: fileFlags.spared, isFile: entry.isFile() };
        if (isSpared && this.selectsSmallText(found))
          this.readIfChanged(this.files.get(relative), found, batch, options.maxFileBytes);
        else if (isInSpared && !this.smallTexts.hasRoom) memory.recordLeftOut(prefix, '', options.mostNames);
        else memory.recordLeftOut(prefix, name, options.mostNames);
      } else {
        const found = { prefix, name, file: inside, flags: isIgnored ? fileFlags.kept : 0, isFile: entry.isFile() };
        this.readIfChanged(this.files.get(relative), found, batch, options.maxFileBytes);
      }
    }
    if (!isJudged) seen.judged = { outer: frame.rules, isIgnored: isInIgnored, isSpared: isInSpared, text, inner, rules };
  }

  /** Returns true if a file that only the built-in list ignores is stored. */
  private selectsSmallText(found: FileEntry): boolean {
    const known = this.files.get(found.prefix + found.name);
    const isText = known !== undefined && (known.flags & fileFlags.spared) !== 0 && this.isAsBefore(known, found);
    return found.isFile && this.smallTexts.selects(found.file, isText);
  }

  private rulesIn({ prefix, name, rules }: Frame, text: string | null, inner: TrackedNames | null): FolderRules {
    return prefix === '' ? rules : rules.into(name).withFile(text).withRepository(inner);
  }

  /** Returns the tracked names of a folder's repository, or null. Returns the same object as long as the names do not change. */
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
      const isMissing = isSystemError(error, 'ENOENT', 'ENOTDIR');
      // Treat a missing folder as empty. If the parent of the workspace folder is missing too, a disk may be disconnected.
      if (isMissing && (prefix !== '' || this.fileSystem.lstat(path.dirname(this.root))?.isDirectory() === true)) return [];
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

  /** Records a folder as unreadable, so that its content is unknown and not deleted. */
  private keepUnreadable(relative: string): void {
    const stats = this.fileSystem.lstat(path.join(this.root, relative));
    if (stats === undefined) return;
    this.memory.recordFile(relative, { kind: 3, mode: modeBits(stats), hash: null, size: 0, flags: 0, stamp: toStamp(stats) });
  }

  /** Reads a file if it may have changed. Returns true if it exists. */
  private readIfChanged(known: SeenFile | undefined, found: FileEntry, batch: ObjectBatch, maxBytes: number): boolean {
    const { prefix, name } = found;
    if (known === undefined || !this.isAsBefore(known, found) || isLeftOut(known, batch, maxBytes)) {
      return this.read(prefix + name, found, batch, maxBytes);
    }
    this.memory.recordUnchanged(known, found);
    if (known.size > maxBytes && known.kind === 1) this.problems.push({ path: prefix + name, reason: 'tooLarge' });
    return true;
  }

  private isAsBefore(known: SeenFile, { file, flags }: FileEntry): boolean {
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
    { file, flags, isFile }: Omit<FileEntry, 'prefix' | 'name'>,
    batch: ObjectBatch,
    maxBytes: number,
  ): boolean {
    const read = readFile(file, this.fileSystem, batch, maxBytes, isFile);
    if (read === null) return false;
    if (read.kind === 3) this.problems.push({ path: relative, reason: 'unreadable' });
    if (read.size > maxBytes && read.kind === 1) this.problems.push({ path: relative, reason: 'tooLarge' });
    if (read.flags & fileFlags.unstable) this.problems.push({ path: relative, reason: 'unstable' });
    this.memory.recordFile(relative, { ...read, flags: read.flags | (flags & (fileFlags.kept | fileFlags.spared)) });
    return true;
  }
}
