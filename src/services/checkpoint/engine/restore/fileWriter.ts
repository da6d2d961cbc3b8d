import path from 'node:path';
import { isBelow } from '../../../../utils/files/isInside';
import { readBeginning, writeAll, type FileSystem } from '../../../../utils/files/fileSystem';
import { modeBits } from '../scan/fileReader';
import type { FileState } from '../scan/scannedFile';
import { isSpecial, specialBits } from './stepLosses';
import { isSpelled, respellFolders } from './folderSpelling';
import type { RestoreStep } from './restoreStep';
import { blockedBy, BlockedError, isClear, statsAt, readPathState, type Obstacle } from './pathState';
import { isSystemError } from '../../../../utils/errors';
import { sha256Hex } from '../../../../utils/sha256';

/** Error codes of folders that cannot be synced, on network shares or without permission. The files in them are still durable. */
const unsyncable = ['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EPERM'];
/** Error codes of folders that were replaced concurrently and no longer contain our files. */
const replaced = ['ENOENT', 'ENOTDIR', 'ELOOP'];
/** Maximum bytes per read. Stored files are much smaller. */
const readableBytes = 2 ** 31 - 1;

/** State of a path; null if nothing exists. `other` means that the path is not a file, link or folder. */
export type Place = { kind: 'state'; state: FileState | null } | { kind: 'folder' | 'other' } | { kind: 'blocked'; by: Obstacle };

/**
 * Writes, changes and deletes files atomically. Before it changes a path, each method checks all parents from the workspace
 * folder `root` on. If a parent is not a real folder, the path is not changed.
 */
export class FileWriter {
  /** Folders to sync, each with its workspace folder. */
  private readonly unsyncedFolders = new Map<string, string>();
  /** Temporary files that are open and have their content. `syncPrepared` makes them durable. */
  private readonly prepared = new Map<string, { root: string; opened: number }>();

  constructor(
    private readonly fileSystem: FileSystem,
    /** Mark in the names of this writer's temporary files. */
    private readonly mark: string,
    /** Starts to sync these files and folders in the background, because concurrent syncs take little longer than a single sync. */
    private readonly syncSoon: (paths: string[]) => void = () => undefined,
  ) {}

  /** Throws `BlockedError` if the workspace folder is missing or a link. */
  readPlace(root: string, file: string): Place {
    const way = readPathState(this.fileSystem, root, file);
    if (way === 'missing' && this.lstat(root) === undefined) throw new BlockedError(`${root} is not there`);
    if (way === 'missing') return { kind: 'state', state: null };
    if (way !== 'clear' && way.at === root) throw blockedBy(way);
    if (way !== 'clear') return { kind: 'blocked', by: way };
    const stats = this.lstat(file);
    if (stats === undefined) return { kind: 'state', state: null };
    if (stats.isSymbolicLink()) {
      const target = this.fileSystem.readLink(file);
      return { kind: 'state', state: { kind: 2, mode: 0, hash: sha256Hex(target), size: target.length, flags: 0 } };
    }
    if (!stats.isFile()) return { kind: stats.isDirectory() ? 'folder' : 'other' };
    const content = this.readContent(file, Number(stats.size));
    return { kind: 'state', state: { kind: 1, mode: modeBits(stats), hash: sha256Hex(content), size: content.length, flags: 0 } };
  }

  /** Returns false if a path is certainly not in this state. Reads no content. A folder is acceptable if no file is expected. */
  maybe(root: string, file: string, state: FileState | null): boolean {
    const way = readPathState(this.fileSystem, root, file);
    if (way === 'missing') return state === null;
    const stats = way === 'clear' ? this.lstat(file) : undefined;
    if (way !== 'clear' || stats?.isDirectory() !== false) return way === 'clear' && state === null;
    if (state === null || !stats.isFile()) return stats.isSymbolicLink() && state?.kind === 2;
    return state.kind === 1 && Number(stats.size) === state.size && modeBits(stats) === state.mode;
  }

  /** Writes the content to a temporary file. Call `syncPrepared` next, then `write`. */
  prepare(root: string, file: string, state: FileState, content: Buffer): void {
    const temporary = this.prepareTarget(root, file);
    this.prepared.set(file, { root, opened: this.writeFile(root, temporary, content, { file, mode: state.mode }) });
  }

  isPrepared(file: string): boolean {
    return this.prepared.has(file);
  }

  /** Makes the prepared files durable. Discards files that cannot be synced. */
  syncPrepared(): void {
    this.syncSoon([...this.prepared.keys()].map((file) => this.temporaryName(file)));
    for (const [file, { root, opened }] of this.prepared) {
      try {
        this.closeDurable(root, this.temporaryName(file), opened);
      } catch (error) {
        this.prepared.delete(file);
        if (!isSystemError(error)) throw error;
      }
    }
  }

  /** Discards the prepared content of a file. */
  drop(root: string, file: string): void {
    if (this.prepared.delete(file)) this.removeIfThere(root, this.temporaryName(file));
  }

  /** Moves the prepared content to its final path. Prepares it first if necessary. */
  write(root: string, file: string, state: FileState, content: () => Buffer): void {
    const temporary = this.temporaryName(file);
    if (!this.prepared.delete(file)) {
      const bytes = content();
      this.prepareTarget(root, file);
      if (state.kind === 2) this.fileSystem.makeLink(bytes, temporary);
      else this.closeDurable(root, temporary, this.writeFile(root, temporary, bytes, { file, mode: state.mode }));
    }
    try {
      const there = this.lstat(file);
      if (there !== undefined && isSpecial(there)) throw new BlockedError(`${file} is no regular file`);
      if (there?.isDirectory()) this.removeEmptyFolders(root, file);
      this.assertClear(root, file);
      this.fileSystem.rename(temporary, file);
    } catch (error) {
      this.removeIfThere(root, temporary);
      throw error;
    }
    this.unsyncedFolders.set(path.dirname(file), root);
  }

  /**
   * Changes the mode of a file if its content matches the state. A file with
   * several hard links is copied first, so that the other links keep their mode.
   */
  setMode(root: string, file: string, state: FileState): void {
    this.assertClear(root, file);
    const { nlink = 1, size } = this.lstat(file) ?? {};
    if (nlink > 1) {
      const content = this.readContent(file, Number(size));
      if (sha256Hex(content) !== state.hash) throw new BlockedError(`${file} was changed at this very moment`);
      this.write(root, file, state, () => content);
      return;
    }
    const opened = this.fileSystem.open(file, 'r');
    try {
      this.fileSystem.setMode(opened, state.mode | (this.fileSystem.stat(opened).mode & specialBits));
      this.syncMode(opened);
    } finally {
      this.fileSystem.close(opened);
    }
  }

  remove(root: string, file: string): void {
    this.assertClear(root, file);
    this.fileSystem.remove(file);
    this.unsyncedFolders.set(path.dirname(file), root);
  }

  /** Renames folders whose spelling differs between the steps, if possible. See `respellFolders`. */
  respellFolders(leaving: readonly RestoreStep[], coming: readonly RestoreStep[]): void {
    for (const { root, folder } of respellFolders(this.fileSystem, leaving, coming))
      this.unsyncedFolders.set(path.dirname(folder), root);
  }

  /** Returns true if the file exists in exactly this spelling. */
  isSpelled(root: string, relative: string): boolean {
    return isSpelled(this.fileSystem, root, relative);
  }

  /** Removes those folders that are empty and below `roots`, inner folders first. */
  tidy(folders: readonly string[], roots: readonly string[]): void {
    for (const folder of [...folders].sort((one, other) => other.length - one.length)) {
      const root = roots.find((one) => isBelow(folder, one));
      try {
        if (root === undefined || !isClear(this.fileSystem, root, folder)) continue;
        this.fileSystem.removeFolder(folder);
        this.unsyncedFolders.set(path.dirname(folder), root);
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
    }
  }

  /** Removes a temporary file that an interrupted writer with the same mark did not delete. */
  sweep(root: string, file: string): void {
    const temporary = this.temporaryName(file);
    if (this.lstat(temporary) !== undefined && isClear(this.fileSystem, root, file)) this.fileSystem.remove(temporary);
  }

  /** Syncs the changed folders, if the system supports it. */
  syncFolders(): void {
    this.syncSoon([...this.unsyncedFolders.keys()]);
    for (const [folder, root] of this.unsyncedFolders) this.syncFolder(root, folder);
    this.unsyncedFolders.clear();
  }

  private assertClear(root: string, file: string): void {
    const way = readPathState(this.fileSystem, root, file);
    if (way === 'missing') throw new BlockedError(`${path.dirname(file)} is not there`);
    if (way !== 'clear') throw blockedBy(way);
  }

  private syncMode(opened: number): void {
    try {
      this.fileSystem.sync(opened);
    } catch (error) {
      // Windows can only sync files that are open for writing.
      if (!isSystemError(error, ...unsyncable)) throw error;
    }
  }

  private syncFolder(root: string, folder: string): void {
    try {
      if (isClear(this.fileSystem, root, path.join(folder, 'any'))) this.fileSystem.syncFolder(folder);
    } catch (error) {
      if (!isSystemError(error, ...unsyncable, ...replaced)) throw error;
    }
  }

  private temporaryName(file: string): string {
    const name = sha256Hex(Buffer.from(path.basename(file))).slice(0, 12);
    return path.join(path.dirname(file), `.ollama-copilot-${this.mark}-${name}`);
  }

  /** Creates the parent folders. Returns the path of the temporary file. */
  private prepareTarget(root: string, file: string): string {
    this.makeFolders(root, path.dirname(file));
    const temporary = this.temporaryName(file);
    this.removeIfThere(root, temporary);
    return temporary;
  }

  /** Writes the temporary file with owner, group and special mode bits of the replaced `file`. Returns its open descriptor. */
  private writeFile(root: string, temporary: string, content: Buffer, { file, mode }: { file: string; mode: number }): number {
    const opened = this.fileSystem.open(temporary, 'wx', 0o600);
    try {
      writeAll(this.fileSystem, opened, content, 0);
      this.fileSystem.setMode(opened, mode | this.keepOwner(file, opened));
      return opened;
    } catch (error) {
      this.fileSystem.close(opened);
      this.removeIfThere(root, temporary);
      throw error;
    }
  }

  /** Sets the owner and group of the replaced file, if permitted. Returns the special mode bits that are then allowed. */
  private keepOwner(file: string, opened: number): number {
    const was = this.lstat(file);
    if (was?.isFile() !== true) return 0;
    const { uid, gid } = this.fileSystem.stat(opened);
    if (was.uid === uid && was.gid === gid) return was.mode & specialBits;
    for (const owner of [was.uid, -1]) {
      try {
        this.fileSystem.setOwner(opened, owner, was.gid);
        return owner === -1 ? 0 : was.mode & specialBits;
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
    }
    return 0;
  }

  private closeDurable(root: string, file: string, opened: number): void {
    try {
      this.fileSystem.sync(opened);
    } catch (error) {
      this.removeIfThere(root, file);
      throw error;
    } finally {
      this.fileSystem.close(opened);
    }
  }

  private makeFolders(root: string, folder: string): void {
    if (folder !== root) this.makeFolders(root, path.dirname(folder));
    const stats = this.lstat(folder);
    if (stats?.isDirectory()) return;
    // Never write through a link.
    if (stats !== undefined) throw blockedBy({ at: folder, isLink: stats.isSymbolicLink() });
    if (folder === root) throw new BlockedError(`${root} is not there`);
    this.fileSystem.makeFolder(folder);
    this.unsyncedFolders.set(path.dirname(folder), root);
  }

  private removeEmptyFolders(root: string, folder: string): void {
    for (const entry of this.fileSystem.list(folder)) {
      if (!entry.isDirectory()) throw new BlockedError(`${folder} is not empty`);
      this.removeEmptyFolders(root, path.join(folder, entry.name));
    }
    this.assertClear(root, folder);
    this.fileSystem.removeFolder(folder);
  }

  private readContent(file: string, size: number): Buffer {
    if (size >= readableBytes) throw new BlockedError(`${file} is too large to be compared`);
    return readBeginning(this.fileSystem, file, size + 1);
  }

  private lstat(file: string) {
    return statsAt(this.fileSystem, file);
  }

  private removeIfThere(root: string, file: string): void {
    try {
      if (this.lstat(file) !== undefined && isClear(this.fileSystem, root, file)) this.fileSystem.remove(file);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }
}
