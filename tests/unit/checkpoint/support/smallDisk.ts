import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../../src/utils/files/fileSystem';
import type { DatabaseSync } from '../../../../src/services/database/sqlite/sqlite';

/** Folder on a disk that can be filled and freed. */
export interface SmallDisk {
  folder: string;
  fileSystem: FileSystem;
  fill(): void;
  free(): void;
  clean(): void;
}

const run = (command: string, ...given: string[]) => execFileSync(command, given, { stdio: 'ignore' });

/** Mounts a 2 MB file system. Returns null if mounting is not permitted. */
export function mountSmallDisk(): SmallDisk | null {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-disk-'));
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=2m', 'none', folder);
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  const ballast = path.join(folder, 'ballast');
  return {
    folder,
    fileSystem: nodeFileSystem,
    fill: () => {
      for (const size of [100_000, 4_096, 1]) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
        } catch {
          // There is no space left for a write of this size.
        }
      }
    },
    free: () => rmSync(ballast),
    clean: () => {
      run('umount', '-l', folder);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Returns true if mounting is permitted. */
export function canMount(): boolean {
  const disk = mountSmallDisk();
  disk?.clean();
  return disk !== null;
}

/** Limits databases in a folder to their current number of pages. SQLite reports this limit like a full disk. */
export function pageLimit(databases: () => DatabaseSync[]): SmallDisk {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-pages-'));
  const limit = (pages: number) => databases().forEach((database) => database.exec(`PRAGMA max_page_count = ${pages}`));
  return {
    folder,
    fileSystem: nodeFileSystem,
    fill: () => limit(1),
    free: () => limit(1_000_000),
    clean: () => rmSync(folder, { recursive: true }),
  };
}

/** Like `pageLimit`, but writes to files fail as well. */
export function byteLimit(databases: () => DatabaseSync[]): SmallDisk {
  const pages = pageLimit(databases);
  let isFull = false;
  const refusing = (['write', 'makeFolder', 'makeLink', 'truncate'] as const).map((name) => [
    name,
    (...given: unknown[]) => {
      if (isFull) throw Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), { code: 'ENOSPC', syscall: name });
      return (nodeFileSystem[name] as (...all: unknown[]) => unknown)(...given);
    },
  ]);
  return {
    ...pages,
    fileSystem: { ...nodeFileSystem, ...(Object.fromEntries(refusing) as Partial<FileSystem>) },
    fill: () => {
      isFull = true;
      pages.fill();
    },
    free: () => {
      isFull = false;
      pages.free();
    },
  };
}
