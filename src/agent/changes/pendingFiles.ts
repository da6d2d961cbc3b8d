import type { SnapshotState } from '../../services/database/answers';
import type { FileSnapshot } from '../../services/database/fileSnapshots';
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

/** What is answered as one: a file, with the names that it had before where the agent moved it. */
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

/** Joins the ends of renames where the file is at its new end and nothing is at the old one. */
export async function joinMoves(
  files: readonly PendingFile[],
  isThere: (path: string) => Promise<boolean>,
): Promise<PendingChange[]> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const taken = new Set<PendingFile>();
  const changes: PendingChange[] = [];
  for (const file of files) {
    const origins: PendingFile[] = [];
    let from = file.before === null && file.movedFrom !== null && (await isThere(file.path)) ? file.movedFrom : null;
    while (from !== null) {
      const origin = byPath.get(from);
      // An old place that has a file again has its own change; what came from it is one that was created.
      if (origin === undefined || origin === file || taken.has(origin) || (await isThere(origin.path))) break;
      origins.push(origin);
      taken.add(origin);
      from = origin.before === null ? origin.movedFrom : null;
    }
    changes.push({ file, origins });
  }
  return changes.filter(({ file }) => !taken.has(file));
}

/** The file that a moved one was, if it was there before the agent. */
export function originOf({ origins }: PendingChange): (PendingFile & { before: SnapshotState }) | undefined {
  const first = origins.at(-1);
  return first === undefined || first.before === null ? undefined : { ...first, before: first.before };
}
