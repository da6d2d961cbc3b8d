import * as fs from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { retryWhileInUseSync } from './retryWhileInUse';

/**
 * The only disk access of the snapshot store, its scanner and restores. Calls are synchronous, which is three times as fast and
 * possible because they run in a worker. Tests inject failures and lost writes.
 */
export interface FileSystem {
  /**
   * Opens a file. `wx` creates a new file, and `r+` opens an existing one. `r` does not follow a
   * symbolic link in the last part of the path.
   */
  open(path: string, flags: 'r' | 'r+' | 'wx', mode?: number): number;
  close(file: number): void;
  /** Returns the number of bytes read. It can be lower than requested. 0 means the end of the file. */
  read(file: number, into: Uint8Array, offset: number, length: number, position: number): number;
  /** Returns the number of bytes written. It can be lower than requested. */
  write(file: number, from: Uint8Array, offset: number, length: number, position: number): number;
  truncate(file: number, length: number): void;
  /** Makes the content and mode of a file durable. */
  sync(file: number): void;
  /** Makes the entries of a folder durable if the operating system supports this. */
  syncFolder(path: string): void;
  stat(file: number): Stats;
  /** Returns undefined if the path does not exist. */
  lstat(path: string): Stats | undefined;
  /** Returns the path with all symbolic links resolved. */
  realPath(path: string): string;
  list(path: string): Dirent[];
  listRaw(path: string): Dirent<Buffer>[];
  readLink(path: string): Buffer;
  makeLink(target: Buffer, path: string): void;
  makeFolder(path: string): void;
  removeFolder(path: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  setMode(file: number, mode: number): void;
  /** Sets the owner and group of an open file. -1 leaves the value unchanged. */
  setOwner(file: number, uid: number, gid: number): void;
}

export const nodeFileSystem: FileSystem = {
  open: (path, flags, mode) => {
    const access = flags === 'r' ? fs.constants.O_RDONLY : fs.constants.O_RDWR;
    const creation = flags === 'wx' ? fs.constants.O_CREAT | fs.constants.O_EXCL : 0;
    // Windows supports neither flag.
    const care = (fs.constants.O_NOFOLLOW ?? 0) | (flags === 'r' ? (fs.constants.O_NONBLOCK ?? 0) : 0);
    return fs.openSync(path, access | creation | care, mode);
  },
  close: (file) => fs.closeSync(file),
  read: (file, into, offset, length, position) => fs.readSync(file, into, offset, length, position),
  write: (file, from, offset, length, position) => fs.writeSync(file, from, offset, length, position),
  truncate: (file, length) => fs.ftruncateSync(file, length),
  sync: (file) => fs.fsyncSync(file),
  syncFolder,
  stat: (file) => fs.fstatSync(file),
  lstat: (path) => fs.lstatSync(path, { throwIfNoEntry: false }),
  realPath: (path) => fs.realpathSync.native(path),
  list: (path) => fs.readdirSync(path, { withFileTypes: true }),
  listRaw: (path) => fs.readdirSync(path, { withFileTypes: true, encoding: 'buffer' }),
  readLink: (path) => fs.readlinkSync(path, { encoding: 'buffer' }),
  makeLink: (target, path) => fs.symlinkSync(target, path),
  makeFolder: (path) => fs.mkdirSync(path),
  removeFolder: (path) => fs.rmdirSync(path),
  rename: (from, to) => retryWhileInUseSync(() => fs.renameSync(from, to)),
  remove: (path) => retryWhileInUseSync(() => fs.unlinkSync(path)),
  setMode: (file, mode) => fs.fchmodSync(file, mode),
  setOwner: (file, uid, gid) => fs.fchownSync(file, uid, gid),
};

function syncFolder(path: string): void {
  // Windows cannot open a folder, and makes names durable itself.
  if (process.platform === 'win32') return;
  const folder = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}

/** Writes all bytes. Continues after partial writes. */
export function writeAll(fileSystem: FileSystem, file: number, bytes: Uint8Array, position: number): void {
  for (let offset = 0; offset < bytes.length;) {
    const written = fileSystem.write(file, bytes, offset, bytes.length - offset, position + offset);
    if (written <= 0) throw Object.assign(new Error('The disk takes no more bytes'), { code: 'EIO', syscall: 'write' });
    offset += written;
  }
}

/** Reads the first `most` bytes of a file, or the whole file if it is shorter. */
export function readBeginning(fileSystem: FileSystem, file: string, most: number): Buffer {
  const opened = fileSystem.open(file, 'r');
  try {
    const content = Buffer.alloc(most);
    return content.subarray(0, readFully(fileSystem, opened, content, 0));
  } finally {
    fileSystem.close(opened);
  }
}

/** Fills `into` from `position`, or up to the end of the file. Returns the number of bytes. */
export function readFully(fileSystem: FileSystem, file: number, into: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < into.length) {
    const count = fileSystem.read(file, into, filled, into.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}
