import type { Resolution, SnapshotState } from '../database/log/answers';
import type { FileSnapshot } from '../database/sessions/fileSnapshots';
import type { SnapshotObjects } from '../../types/checkpoint';
import { baseOf } from './baseOf';

/** All snapshots of one file that wait for an answer, or were given one together. */
export interface PendingFile {
  path: string;
  shown: string;
  before: SnapshotState | null;
  left: SnapshotState | null | undefined;
  /** `path` of the file that the agent made this one of. */
  movedFrom: string | null;
  rows: FileSnapshot[];
}

/** Change that is answered as one: a file, with its former names if the agent moved it. */
export interface PendingChange {
  file: PendingFile;
  /** The newest first; nothing stands there any more. */
  origins: PendingFile[];
}

/** Snapshots by their files, in the order of the first touches: together they say what a file was, the last one what the agent left. */
export async function filesOf(rows: readonly FileSnapshot[], objects: SnapshotObjects): Promise<PendingFile[]> {
  const files = new Map<string, PendingFile>();
  for (const row of rows) {
    const { path, shown, before, left, movedFrom } = row;
    const file = files.get(path) ?? { path, shown, before, left, movedFrom, rows: [] };
    file.rows.push(row);
    file.left = left;
    if (before === null) file.movedFrom = movedFrom;
    files.set(path, file);
  }
  for (const file of files.values()) file.before = await baseOf(file.rows, objects);
  return [...files.values()];
}

/**
 * Joins the ends of renames where the file is at its new end and nothing is at the old one. Where names that differ only in case are one
 * file, one that was there by the other is at its new end only, also where the agent deleted the one and created the other.
 */
export async function joinMoves(
  files: readonly PendingFile[],
  standing: (path: string) => Promise<string | null>,
): Promise<PendingChange[]> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const taken = new Set<PendingFile>();
  const changes: PendingChange[] = [];
  for (const file of files) {
    const origins: PendingFile[] = [];
    const here = file.before === null ? await standing(file.path) : null;
    const isSame = async (path: string) =>
      here !== null && file.left !== null && isCaseOf(path, file.path) && (await standing(path)) === here;
    const otherCase = async () => {
      for (const { path } of files) if (await isSame(path)) return path;
      return null;
    };
    let from = here === null ? null : (file.movedFrom ?? (await otherCase()));
    while (from !== null) {
      const origin = byPath.get(from);
      if (origin === undefined || origin === file || taken.has(origin)) break;
      // An old place that has a file again has its own change; what came from it is one that was created.
      if ((await standing(origin.path)) !== null && !(await isSame(origin.path))) break;
      origins.push(origin);
      taken.add(origin);
      from = origin.before === null ? origin.movedFrom : null;
    }
    changes.push({ file, origins });
  }
  return changes.filter(({ file }) => !taken.has(file));
}

/** Tells whether two paths differ in case alone, so that they are one file if the file system ignores case. */
export function isCaseOf(path: string, other: string): boolean {
  return path !== other && path.toLowerCase() === other.toLowerCase();
}

/** Returns the file that a moved one was, if it was there before the agent. */
export function originOf({ origins }: PendingChange): (PendingFile & { before: SnapshotState }) | undefined {
  const first = origins.at(-1);
  return first === undefined || first.before === null ? undefined : { ...first, before: first.before };
}

/** Returns a file with all names that it had. */
export function filesIn({ file, origins }: PendingChange): PendingFile[] {
  return [file, ...origins];
}

export function scopeOf(paths: readonly string[] | null): 'all' | 'file' {
  return paths === null ? 'all' : 'file';
}

/** Returns what keeping files writes. `paths` null: all that wait. */
export function keepingOf(changes: readonly PendingChange[], paths: readonly string[] | null): Resolution {
  const rows = changes.flatMap((change) => filesIn(change).flatMap((file) => file.rows.map(({ id }) => ({ id }))));
  const data = { action: 'keep' as const, scope: scopeOf(paths), paths: changes.map(({ file }) => file.shown) };
  return { status: 'kept', rows, entry: { type: 'review', data } };
}
