import type { SnapshotState } from '../database/log/answers';
import type { FileSnapshot } from '../database/sessions/fileSnapshots';
import type { SnapshotObjects } from '../../types/checkpoint';
import { mergeTexts } from './undoPlan';

/**
 * Returns the state of a file without the agent's changes: its first snapshot, with what a person changed between two
 * changes of the
 * agent. If both worked on the same lines, the person's lines stay. `rows` are those of one file, the oldest first.
 */
export async function baseOf(rows: readonly FileSnapshot[], objects: SnapshotObjects): Promise<SnapshotState | null> {
  let base = rows.at(-1)?.before ?? null;
  for (let index = rows.length - 2; index >= 0; index -= 1) {
    const [row, next] = [rows[index] as FileSnapshot, rows[index + 1] as FileSnapshot];
    if (row.left === undefined || row.left?.hash === next.before?.hash) {
      const isUntouched = base?.hash === next.before?.hash;
      if (isUntouched) {
        base = row.before;
        continue;
      }
    }
    const merged = await without(row, base, objects);
    if (merged === undefined) return base;
    base = merged;
  }
  return base;
}

/** `base` without what the agent did between the two states of a row; undefined where that cannot be told apart. */
async function without(
  { before, left }: FileSnapshot,
  base: SnapshotState | null,
  objects: SnapshotObjects,
): Promise<SnapshotState | undefined> {
  if (before === null || !left || base === null) return undefined;
  const [was, is, now] = await Promise.all([before, left, base].map(({ hash }) => objects.get(hash)));
  const merged = was && is && now ? mergeTexts({ base: is, now, before: was }) : undefined;
  if (merged?.kind !== 'merged') return undefined;
  const [hash] = await objects.put([merged.bytes]);
  return hash === undefined ? undefined : { hash, mode: before.mode };
}
