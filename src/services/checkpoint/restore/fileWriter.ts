import path from 'node:path';
import { isSystemError, readBeginning, writeAll, type FileSystem } from '../fileSystem';
import { hashOf } from '../packFormat';
import { modeOf } from '../scan/fileReader';
import type { FileState } from '../scan/scannedFile';

/** Where a network share, or the rights of a folder, let nobody make its names durable; the files themselves are. */
const unsyncable = ['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EPERM'];
/** What one read takes; nothing that is stored comes near it. */
const readableBytes = 2 ** 31 - 1;

/** `blocked`: a file, a link or a folder that is not empty is where a folder or file should be, or a file that nobody can compare. */
export class BlockedError extends Error {}

/** Puts files into a state, each at once: what was there before or what should be there, never anything between. */
export class FileWriter {
  /** Folders whose names are not durable yet. */
  private readonly dirty = new Set<string>();
  /** Files whose content is written beside them, open, and durable once `settle` was called. */
  private readonly prepared = new Map<string, number>();

  constructor(
    private readonly fileSystem: FileSystem,
    /** What temporary files of this writer are called. */
    private readonly mark: string,
  ) {}

  isThere(place: string): boolean {
    return this.lstat(place) !== undefined;
  }

  /** What is at a place now; null where there is nothing, undefined for what is neither file nor link. */
  stateOf(file: string): FileState | null | undefined {
    const stats = this.lstat(file);
    if (stats === undefined) return null;
    if (stats.isSymbolicLink()) {
      const target = this.fileSystem.readLink(file);
      return { kind: 2, mode: 0, hash: hashOf(target), size: target.length, flags: 0 };
    }
    if (!stats.isFile()) return undefined;
    const content = this.contentOf(file, Number(stats.size));
    return { kind: 1, mode: modeOf(stats), hash: hashOf(content), size: content.length, flags: 0 };
  }

  /** Writes the content of a file that `write` is called for after `settle`. `root` is the folder above which nothing is made. */
  prepare(root: string, file: string, state: FileState, content: Buffer): void {
    const temporary = this.makeRoom(root, file);
    this.prepared.set(file, this.writeFile(temporary, content, state.mode));
  }

  isPrepared(file: string): boolean {
    return this.prepared.has(file);
  }

  /** Makes all that was prepared durable. What cannot be is not prepared any more. */
  settle(): void {
    for (const file of this.prepared.keys()) this.fileSystem.syncSoon(this.temporaryOf(file));
    for (const [file, opened] of this.prepared) {
      try {
        this.closeDurable(this.temporaryOf(file), opened);
      } catch (error) {
        this.prepared.delete(file);
        if (!isSystemError(error)) throw error;
      }
    }
  }

  /** Of what was prepared nothing stays. */
  drop(file: string): void {
    if (this.prepared.delete(file)) this.removeIfThere(this.temporaryOf(file));
  }

  /** What was not prepared is written now. `root` and `state` as of `prepare`. */
  write(root: string, file: string, state: FileState, content: () => Buffer): void {
    const temporary = this.temporaryOf(file);
    if (!this.prepared.delete(file)) {
      this.makeRoom(root, file);
      if (state.kind === 2) this.fileSystem.makeLink(content(), temporary);
      else this.closeDurable(temporary, this.writeFile(temporary, content(), state.mode));
    }
    try {
      if (this.lstat(file)?.isDirectory()) this.removeEmptyFolders(file);
      this.fileSystem.rename(temporary, file);
    } catch (error) {
      this.removeIfThere(temporary);
      throw error;
    }
    this.dirty.add(path.dirname(file));
  }

  setMode(file: string, mode: number): void {
    const opened = this.fileSystem.open(file, 'r');
    try {
      this.fileSystem.setMode(opened, mode);
      this.syncMode(opened);
    } finally {
      this.fileSystem.close(opened);
    }
  }

  remove(file: string): void {
    this.fileSystem.remove(file);
    this.dirty.add(path.dirname(file));
  }

  /** Removes these folders, the inner ones first, where they are empty. */
  tidy(folders: readonly string[]): void {
    for (const folder of [...folders].sort((one, other) => other.length - one.length)) {
      try {
        this.fileSystem.removeFolder(folder);
        this.dirty.add(path.dirname(folder));
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
    }
  }

  /** Removes what a writer of the same mark left when it was interrupted. */
  sweep(file: string): void {
    if (this.lstat(this.temporaryOf(file)) !== undefined) this.fileSystem.remove(this.temporaryOf(file));
  }

  /** Makes the names durable, where the system can. */
  finish(): void {
    for (const folder of this.dirty) this.syncFolder(folder);
    this.dirty.clear();
  }

  private syncMode(opened: number): void {
    try {
      this.fileSystem.sync(opened);
    } catch (error) {
      // Windows syncs only what is open for writing.
      if (!isSystemError(error, ...unsyncable)) throw error;
    }
  }

  private syncFolder(folder: string): void {
    try {
      if (this.lstat(folder)?.isDirectory()) this.fileSystem.syncFolder(folder);
    } catch (error) {
      if (!isSystemError(error, ...unsyncable)) throw error;
    }
  }

  private temporaryOf(file: string): string {
    return path.join(path.dirname(file), `.ollama-copilot-${this.mark}-${hashOf(Buffer.from(path.basename(file))).slice(0, 12)}`);
  }

  /** Makes the folders of a file; answers where its content is written. */
  private makeRoom(root: string, file: string): string {
    this.makeFolders(root, path.dirname(file));
    const temporary = this.temporaryOf(file);
    this.removeIfThere(temporary);
    return temporary;
  }

  /** Answers the open file. */
  private writeFile(file: string, content: Buffer, mode: number): number {
    const opened = this.fileSystem.open(file, 'wx', 0o600);
    try {
      writeAll(this.fileSystem, opened, content, 0);
      this.fileSystem.setMode(opened, mode);
      return opened;
    } catch (error) {
      this.fileSystem.close(opened);
      this.removeIfThere(file);
      throw error;
    }
  }

  private closeDurable(file: string, opened: number): void {
    try {
      this.fileSystem.sync(opened);
    } catch (error) {
      this.removeIfThere(file);
      throw error;
    } finally {
      this.fileSystem.close(opened);
    }
  }

  private makeFolders(root: string, folder: string): void {
    const stats = this.lstat(folder);
    // A link on the way may lead anywhere.
    if (stats?.isDirectory()) {
      if (folder !== root) this.makeFolders(root, path.dirname(folder));
      return;
    }
    if (stats !== undefined || folder === root) throw new BlockedError(`${folder} is not a folder`);
    this.makeFolders(root, path.dirname(folder));
    this.fileSystem.makeFolder(folder);
    this.dirty.add(path.dirname(folder));
  }

  private removeEmptyFolders(folder: string): void {
    for (const entry of this.fileSystem.list(folder)) {
      if (!entry.isDirectory()) throw new BlockedError(`${folder} is not empty`);
      this.removeEmptyFolders(path.join(folder, entry.name));
    }
    this.fileSystem.removeFolder(folder);
  }

  private contentOf(file: string, size: number): Buffer {
    if (size >= readableBytes) throw new BlockedError(`${file} is too large to be compared`);
    return readBeginning(this.fileSystem, file, size + 1);
  }

  private lstat(file: string) {
    try {
      return this.fileSystem.lstat(file);
    } catch (error) {
      if (isSystemError(error, 'ENOTDIR')) return undefined;
      throw error;
    }
  }

  private removeIfThere(file: string): void {
    try {
      if (this.lstat(file) !== undefined) this.fileSystem.remove(file);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }
}
