import type { Stats } from 'node:fs';

/**
 * File metadata that indicates changes to the file. Times are in milliseconds with a resolution of a quarter of a microsecond.
 * File system timestamps are less precise: two writes within a few milliseconds can have the same stamp (see `isRacy`).
 */
export interface FileStamp {
  ino: number;
  size: number;
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
}

export function toStamp({ ino, size, mode, mtimeMs, ctimeMs }: Stats): FileStamp {
  return { ino, size, mode, mtimeMs, ctimeMs };
}

export function isSameFile(one: FileStamp, other: FileStamp): boolean {
  return (
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs &&
    one.mode === other.mode
  );
}

/**
 * Timestamp granularity of a file system in milliseconds. Later writes within this time can have the same stamp. For
 * timestamps without fractions, as on FAT, it is two seconds.
 */
const fineTickMs = 50;
const coarseTickMs = 2_100;

/** Returns true if a file was written so soon before the read at `readAt` that a later write could have the same stamp. */
export function isRacy({ mtimeMs, ctimeMs }: FileStamp, readAt: number): boolean {
  const writtenAt = Math.max(mtimeMs, ctimeMs);
  const tick = writtenAt % 1_000 === 0 ? coarseTickMs : fineTickMs;
  return writtenAt + tick >= readAt;
}
