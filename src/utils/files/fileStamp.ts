import type { Stats } from 'node:fs';

/**
 * Mark that differs once a file has changed. Times are milliseconds with a fraction of a quarter of a microsecond, finer than the stamps
 * themselves: what is written within some milliseconds may have the same stamp, which `isRacy` is about.
 */
export interface FileStamp {
  ino: number;
  size: number;
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
}

/** Returns the mark of a file as a look at it found it. */
export function stampOf({ ino, size, mode, mtimeMs, ctimeMs }: Stats): FileStamp {
  return { ino, size, mode, mtimeMs, ctimeMs };
}

/** Tells whether a file is the same in two looks. */
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
 * Lag of a file system's time stamps: what was written this long before a scan may be written again with the same stamp. Two seconds if
 * stamps have no fraction at all, as on FAT.
 */
const fineTickMs = 50;
const coarseTickMs = 2_100;

/** Tells whether a file was written so shortly before it was read, at `readAt`, that a later write may bear the same stamp. */
export function isRacy({ mtimeMs, ctimeMs }: FileStamp, readAt: number): boolean {
  const writtenAt = Math.max(mtimeMs, ctimeMs);
  const tick = writtenAt % 1_000 === 0 ? coarseTickMs : fineTickMs;
  return writtenAt + tick >= readAt;
}
