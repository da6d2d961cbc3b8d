import path from 'node:path';
import { readBeginning, writeAll, type FileSystem } from '../../../../utils/files/fileSystem';
import type { FileKind } from './scannedFile';
import type { SeenFile } from './seen';
import { sha256Hex } from '../../../../utils/sha256';

/** Maximum number of files in a saved list. Longer lists would take too long to load. */
const mostFiles = 200_000;
const version = 1;

/** Values: `path, kind, permission bits, hash, size`, then the stamp (`ino, size, mode, mtime, ctime`) and the reading time. */
type Row = [string, FileKind, number, string, number, number, number, number, number, number, number];

interface List {
  version: number;
  root: string;
  files: Row[];
}

/**
 * Saves the results of scans, so that the next start need not read the workspace again. See docs/storage/snapshots.md, *Scan
 * cache*. If the files are missing, old or damaged, the workspace is read again.
 */
export class SeenStore {
  constructor(
    private readonly directory: string,
    private readonly fileSystem: FileSystem,
  ) {}

  /** Loads the list of a folder. The list is empty if it is missing or damaged. */
  load(root: string): Map<string, SeenFile> {
    const seen = new Map<string, SeenFile>();
    try {
      const file = this.filePath(root);
      const content = readBeginning(this.fileSystem, file, this.fileSystem.lstat(file)?.size ?? 0);
      const body = content.subarray(65);
      if (sha256Hex(body) !== content.toString('latin1', 0, 64)) return seen;
      const list = JSON.parse(body.toString('utf8')) as List;
      if (list.version !== version || list.root !== root) return seen;
      for (const [name, kind, mode, hash, size, ino, fileSize, fileMode, mtimeMs, ctimeMs, readAt] of list.files) {
        const stamp = { ino, size: fileSize, mode: fileMode, mtimeMs, ctimeMs };
        seen.set(name, { kind, mode, hash, size, flags: 0, stamp, readAt, scan: 0 });
      }
    } catch {
      // Without the cache, the workspace is read again.
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
      this.write(this.filePath(root), Buffer.concat([Buffer.from(`${sha256Hex(body)}\n`, 'latin1'), body]));
    } catch {
      // Ignore the error, because this is only a cache.
    }
  }

  private filePath(root: string): string {
    return path.join(this.directory, `${sha256Hex(Buffer.from(root)).slice(0, 32)}.json`);
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
