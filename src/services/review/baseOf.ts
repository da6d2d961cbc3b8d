import type { SnapshotState } from '../database/log/answers';
import type { FileSnapshot } from '../database/sessions/fileSnapshots';
import type { SnapshotObjects } from '../../types/checkpoint';
import { survivingChanges, undoEdits } from '../../utils/text/survivingChanges';
import { editedBytes, isSameForm, undoneBytes } from '../../utils/text/editedBytes';
import { comparableLines } from './fileHunks';

/**
 * Returns the file without the agent's pending changes: its first snapshot plus kept hunks and the user's edits between the agent's
 * changes. On a conflict, the user's version wins. `rows` are of one file, oldest first; `start` replaces the original of the first row.
 */
export async function baseOf(
  rows: readonly FileSnapshot[],
  objects: SnapshotObjects,
  start: SnapshotState | null = rows[0]?.before ?? null,
): Promise<SnapshotState | null> {
  let base = start;
  for (const [index, { left, kept }] of rows.entries()) {
    for (const { from, to } of kept) base = isSame(base, from) ? to : await merged(to, from, base, objects);
    const next = rows[index + 1];
    if (next === undefined || left === undefined) continue;
    if (isSame(left, next.before)) base = base && { ...base, mode: undoneMode(base, left, next.before?.mode ?? null) };
    else base = await merged(base, left, next.before, objects);
  }
  return base;
}

/**
 * Returns `now` without the changes from `base` to `left` that nobody edited since, or `now` if they cannot be separated. For a new file,
 * only content of others remains, or null.
 */
async function merged(
  base: SnapshotState | null,
  left: SnapshotState | null,
  now: SnapshotState | null,
  objects: SnapshotObjects,
): Promise<SnapshotState | null> {
  if (now === null || left === null) return now;
  const load = async (state: SnapshotState | null) => (state === null ? null : objects.get(state.hash));
  const [before, written, present] = await Promise.all([load(base), load(left), load(now)]);
  const lines = comparableLines([before, written, present]);
  if (lines === undefined || present === null) return now;
  const [a, b, c] = lines as [string[], string[], string[]];
  const changes = survivingChanges(a, b, c).filter(({ isContested }) => !isContested);
  const edits = undoEdits(a, changes);
  const sides = before && written && { before: Buffer.from(before), left: Buffer.from(written), now: Buffer.from(present) };
  const mode = undoneMode(base, left, now.mode);
  if (changes.length === 0 && (sides === null || isSameForm(sides.before, sides.left))) return { ...now, mode };
  const bytes = sides ? undoneBytes(sides, edits) : editedBytes(Buffer.from(present), edits, before);
  if (base === null && bytes.length === 0) return null;
  const [hash] = await objects.put([bytes]);
  return hash === undefined ? now : { hash, mode };
}

function isSame(one: SnapshotState | null, other: SnapshotState | null): boolean {
  return one?.hash === other?.hash;
}

/** Returns the permission bits after an undo: the original ones, unless they were changed after the agent's change. */
export function undoneMode(
  before: { mode: number | null } | null,
  left: { mode: number | null } | null | undefined,
  now: number | null,
): number | null {
  const isOthers = now !== null && left != null && left.mode !== null && left.mode !== now;
  return isOthers ? now : (before?.mode ?? now);
}

interface Sides<T> {
  base: T;
  now: T;
  before: T;
}

/** Undoes in `now` the change from `before` to `base`; undefined if one is not text. Encoding and line endings as in `undoneBytes`. */
export function mergeTexts(
  sides: Sides<Buffer>,
): { kind: 'merged'; bytes: Buffer } | { kind: 'conflict'; texts: Sides<string> } | undefined {
  const lines = comparableLines([sides.base, sides.now, sides.before]);
  if (lines === undefined) return undefined;
  const [base, now, before] = lines as [string[], string[], string[]];
  const changes = survivingChanges(before, base, now);
  if (changes.some(({ isContested }) => isContested)) {
    return { kind: 'conflict', texts: { base: base.join('\n'), now: now.join('\n'), before: before.join('\n') } };
  }
  const bytes = undoneBytes({ before: sides.before, left: sides.base, now: sides.now }, undoEdits(before, changes));
  return { kind: 'merged', bytes };
}
