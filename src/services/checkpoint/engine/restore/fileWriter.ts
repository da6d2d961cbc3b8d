import path from 'node:path';
import { isBelow } from '../../../../utils/files/isInside';
import { readBeginning, writeAll, type FileSystem } from '../../../../utils/files/fileSystem';
import { hashOf } from '../objects/packFormat';
import { modeOf } from '../scan/fileReader';
import type { FileState } from '../scan/scannedFile';
import { isSpecial, specialBits } from './places';
import { blockedBy, BlockedError, isClear, lookAt, wayTo, type Obstacle } from './way';
import { isSystemError } from '../../../../utils/errors';

/** Codes for folders whose names cannot be made durable, on a network share or without the rights; the files themselves are durable. */
const unsyncable = ['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EPERM'];
/** Codes for folders that something else has replaced in this moment, so that they have no names of ours any more. */
const replaced = ['ENOENT', 'ENOTDIR', 'ELOOP'];
/** Limit of one read; no stored file comes near it. */
const readableBytes = 2 ** 31 - 1;

/** Content of a path; null if nothing is there. `other`: neither file, link nor folder. */
export type Place = { kind: 'state'; state: FileState | null } | { kind: 'folder' | 'other' } | { kind: 'blocked'; by: Obstacle };

/**
 * Puts files into a state, each at once: what was there before or what should be there, never anything between. Every method looks right
 * before it touches a path whether the way from its workspace folder, `root`, leads through folders only, and leaves it alone where not.
 */
export class FileWriter {
  /** Folders whose names are not durable yet, with their workspace folders. */
  private readonly dirty = new Map<string, string>();
  /** Files whose content is written beside them, open, and durable once `settle` was called. */
  private readonly prepared = new Map<string, { root: string; opened: number }>();

  constructor(
    private readonly fileSystem: FileSystem,
    /** Mark in the names of this writer's temporary files. */
    private readonly mark: string,
    /** Lets the system begin to make these files durable: many at once take little longer than one. */
    private readonly syncSoon: (files: string[]) => void = () => undefined,
  ) {}

  /** Throws `BlockedError` where the workspace folder is not there, or is a link by now. */
  placeOf(root: string, file: string): Place {
    const way = wayTo(this.fileSystem, root, file);
    if (way === 'missing' && this.lstat(root) === undefined) throw new BlockedError(`${root} is not there`);
    if (way === 'missing') return { kind: 'state', state: null };
    if (way !== 'clear' && way.at === root) throw blockedBy(way);
    if (way !== 'clear') return { kind: 'blocked', by: way };
    const stats = this.lstat(file);
    if (stats === undefined) return { kind: 'state', state: null };
    if (stats.isSymbolicLink()) {
      const target = this.fileSystem.readLink(file);
      return { kind: 'state', state: { kind: 2, mode: 0, hash: hashOf(target), size: target.length, flags: 0 } };
    }
    if (!stats.isFile()) return { kind: stats.isDirectory() ? 'folder' : 'other' };
    const content = this.contentOf(file, Number(stats.size));
    return { kind: 'state', state: { kind: 1, mode: modeOf(stats), hash: hashOf(content), size: content.length, flags: 0 } };
  }

  /** Writes the content of a file that `write` is called for after `settle`. */
  prepare(root: string, file: string, state: FileState, content: Buffer): void {
    const temporary = this.makeRoom(root, file);
    this.prepared.set(file, { root, opened: this.writeFile(root, temporary, content, { file, mode: state.mode }) });
  }

  isPrepared(file: string): boolean {
    return this.prepared.has(file);
  }

  /** Makes all that was prepared durable. What cannot be is not prepared any more. */
  settle(): void {
    this.syncSoon([...this.prepared.keys()].map((file) => this.temporaryOf(file)));
    for (const [file, { root, opened }] of this.prepared) {
      try {
        this.closeDurable(root, this.temporaryOf(file), opened);
      } catch (error) {
        this.prepared.delete(file);
        if (!isSystemError(error)) throw error;
      }
    }
  }

  /** Removes everything that was prepared for a file. */
  drop(root: string, file: string): void {
    if (this.prepared.delete(file)) this.removeIfThere(root, this.temporaryOf(file));
  }

  /** Puts a file in place; writes it first if it was not prepared. */
  write(root: string, file: string, state: FileState, content: () => Buffer): void {
    const temporary = this.temporaryOf(file);
    if (!this.prepared.delete(file)) {
      const bytes = content();
      this.makeRoom(root, file);
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
    this.dirty.set(path.dirname(file), root);
  }

  /** Changes the mode of a file that has the content of the state. Where it has other names it is copied first, as they are of somebody else. */
  setMode(root: string, file: string, state: FileState): void {
    this.assertClear(root, file);
    const { nlink = 1, size } = this.lstat(file) ?? {};
    if (nlink > 1) {
      const content = this.contentOf(file, Number(size));
      if (hashOf(content) !== state.hash) throw new BlockedError(`${file} was changed at this very moment`);
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
    this.dirty.set(path.dirname(file), root);
  }

  /** Removes these folders of the workspace folders `roots`, the inner ones first, where they are empty. */
  tidy(folders: readonly string[], roots: readonly string[]): void {
    for (const folder of [...folders].sort((one, other) => other.length - one.length)) {
      const root = roots.find((one) => isBelow(folder, one));
      try {
        if (root === undefined || !isClear(this.fileSystem, root, folder)) continue;
        this.fileSystem.removeFolder(folder);
        this.dirty.set(path.dirname(folder), root);
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
    }
  }

  /** Removes what a writer of the same mark left when it was interrupted. */
  sweep(root: string, file: string): void {
    const temporary = this.temporaryOf(file);
    if (this.lstat(temporary) !== undefined && isClear(this.fileSystem, root, file)) this.fileSystem.remove(temporary);
  }

  /** Makes the names durable, where the system can. */
  finish(): void {
    for (const [folder, root] of this.dirty) this.syncFolder(root, folder);
    this.dirty.clear();
  }

  private assertClear(root: string, file: string): void {
    const way = wayTo(this.fileSystem, root, file);
    if (way === 'missing') throw new BlockedError(`${path.dirname(file)} is not there`);
    if (way !== 'clear') throw blockedBy(way);
  }

  private syncMode(opened: number): void {
    try {
      this.fileSystem.sync(opened);
    } catch (error) {
      // Windows syncs only what is open for writing.
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

  private temporaryOf(file: string): string {
    return path.join(path.dirname(file), `.ollama-copilot-${this.mark}-${hashOf(Buffer.from(path.basename(file))).slice(0, 12)}`);
  }

  /** Makes the folders of a file; answers where its content is written. */
  private makeRoom(root: string, file: string): string {
    this.makeFolders(root, path.dirname(file));
    const temporary = this.temporaryOf(file);
    this.removeIfThere(root, temporary);
    return temporary;
  }

  /** Writes what is to take the place of `file`, with the owner, group and special bits of that file. Answers the open one. */
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

  /** Gives an open file the owner and group of the one that it replaces, as far as this process may. Returns the special bits it may have then. */
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
    // A link may lead anywhere.
    if (stats !== undefined) throw blockedBy({ at: folder, isLink: stats.isSymbolicLink() });
    if (folder === root) throw new BlockedError(`${root} is not there`);
    this.fileSystem.makeFolder(folder);
    this.dirty.set(path.dirname(folder), root);
  }

  private removeEmptyFolders(root: string, folder: string): void {
    for (const entry of this.fileSystem.list(folder)) {
      if (!entry.isDirectory()) throw new BlockedError(`${folder} is not empty`);
      this.removeEmptyFolders(root, path.join(folder, entry.name));
    }
    this.assertClear(root, folder);
    this.fileSystem.removeFolder(folder);
  }

  private contentOf(file: string, size: number): Buffer {
    if (size >= readableBytes) throw new BlockedError(`${file} is too large to be compared`);
    return readBeginning(this.fileSystem, file, size + 1);
  }

  private lstat(file: string) {
    return lookAt(this.fileSystem, file);
  }

  private removeIfThere(root: string, file: string): void {
    try {
      if (this.lstat(file) !== undefined && isClear(this.fileSystem, root, file)) this.fileSystem.remove(file);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }
}
