import type { FileSnapshot } from '../database/sessions/fileSnapshots';
import type { SnapshotObjects } from '../../types/checkpoint';
import { standingChanges } from '../../utils/text/standingChanges';
import { comparableLines, type FileHunk } from './fileHunks';

/**
 * Returns the message (its `seq`) that each hunk answers, by the hunk's id: the last one in which the agent wrote one of its lines, or deleted
 * lines at its place.
 */
export async function turnsOf(
  hunks: readonly FileHunk[],
  now: readonly string[],
  rows: readonly Pick<FileSnapshot, 'turn' | 'before' | 'left'>[],
  objects: SnapshotObjects,
): Promise<Map<string, number>> {
  const last = rows.at(-1)?.turn ?? 0;
  if (rows.every(({ turn }) => turn === last)) return new Map(hunks.map(({ id }) => [id, last]));
  const ofLine = new Map<number, number>();
  const ofPlace = new Map<number, number>();
  for (const { turn, before, left } of rows) {
    if (!left) continue;
    const contents = [before === null ? null : await objects.get(before.hash), await objects.get(left.hash)];
    const lines = comparableLines(contents);
    if (lines === undefined) continue;
    for (const change of standingChanges(lines[0] ?? [], lines[1] ?? [], now)) {
      for (const line of change.lines) ofLine.set(line, turn);
      if (change.lines.length === 0) ofPlace.set(change.start, turn);
    }
  }
  return new Map(
    hunks.map(({ id, change }) => {
      const turns = change.lines.flatMap((line) => ofLine.get(line) ?? []);
      return [id, turns.length > 0 ? Math.max(...turns) : (ofPlace.get(change.start) ?? last)];
    }),
  );
}
