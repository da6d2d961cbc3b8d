import path from 'node:path';
import { readBeginning, writeAll, type FileSystem } from '../../../../utils/files/fileSystem';
import { hashOf } from '../objects/packFormat';
import type { FileKind } from './scannedFile';
import type { SeenFile } from './seen';

/** A list of more is not worth its time. */
const mostFiles = 200_000;
const version = 1;

/** `path, kind, permission bits, hash, size`, then `ino, size, mode, mtime, ctime` as they were, and when that was. */
type Row = [string, FileKind, number, string, number, number, number, number, number, number, number];

interface List {
  version: number;
  root: string;
  files: Row[];
}

/**
 * Keeps what scanners have seen for the next start, so that a workspace is not read again: docs/storage-format.md, *What was seen*. The
 * files may be missing, old or damaged at any time; the workspace is read again then, and nothing ever depends on them.
 */
export class SeenStore {
  constructor(
    private readonly directory: string,
    private readonly fileSystem: FileSystem,
  ) {}

  /** Loads the list of a folder; empty if there is none, or none that is whole. */
  load(root: string): Map<string, SeenFile> {
    const seen = new Map<string, SeenFile>();
    try {
      const file = this.fileOf(root);
      const content = readBeginning(this.fileSystem, file, this.fileSystem.lstat(file)?.size ?? 0);
      const body = content.subarray(65);
      if (hashOf(body) !== content.toString('latin1', 0, 64)) return seen;
      const list = JSON.parse(body.toString('utf8')) as List;
      if (list.version !== version || list.root !== root) return seen;
      for (const [name, kind, mode, hash, size, ino, fileSize, fileMode, mtimeMs, ctimeMs, readAt] of list.files) {
        const stamp = { ino, size: fileSize, mode: fileMode, mtimeMs, ctimeMs };
        seen.set(name, { kind, mode, hash, size, flags: 0, stamp, readAt, scan: 0 });
      }
    } catch {
      // Then all of it is read again.
    }
    return seen;
  }

  save(root: string, seen: ReadonlyMap<string, SeenFile>): void {
    if (seen.size > mostFiles) return;
    const files: Row[] = [];
    for (const [name, { kind, mode, hash, size, flags, stamp, readAt }] of seen) {
      if (hash === null || flags !== 0) continue;
      files.push([name, kind, mode, hash, size, stamp.ino, stamp.size, stamp.mode, stamp.mtimeMs, stamp.ctimeMs, readAt]);
    }
    const list: List = { version, root, files };
    const body = Buffer.from(JSON.stringify(list), 'utf8');
    try {
      this.write(this.fileOf(root), Buffer.concat([Buffer.from(`${hashOf(body)}\n`, 'latin1'), body]));
    } catch {
      // It was only to be faster.
    }
  }

  private fileOf(root: string): string {
    return path.join(this.directory, `${hashOf(Buffer.from(root)).slice(0, 32)}.json`);
  }

  private write(file: string, content: Buffer): void {
    const { fileSystem, directory } = this;
    if (fileSystem.lstat(directory) === undefined) fileSystem.makeFolder(directory);
    const temporary = `${file}.new`;
    if (fileSystem.lstat(temporary) !== undefined) fileSystem.remove(temporary);
    const opened = fileSystem.open(temporary, 'wx', 0o600);
    try {
      writeAll(fileSystem, opened, content, 0);
    } finally {
      fileSystem.close(opened);
    }
    fileSystem.rename(temporary, file);
  }
}
