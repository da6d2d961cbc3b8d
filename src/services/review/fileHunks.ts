import { createHash } from 'node:crypto';
import type { FileSnapshot } from '../database/sessions/fileSnapshots';
import type { SnapshotObjects } from '../../types/checkpoint';
import { decodeText, plainLineEnds } from '../../utils/text/textFile';
import { diffLines } from '../../utils/text/lineDiff';
import { linesOf, standingChanges, type StandingChange } from '../../utils/text/standingChanges';

/**
 * Texts of a file that the agent has changed: `base` is the file without the changes, `left` as the agent left it last. `original` is what it was
 * before all, if that is not `base`: hunks were kept since, or a person has typed between two changes of the agent.
 */
export interface FileTexts {
  original?: readonly string[];
  base: readonly string[];
  left: readonly string[];
}

/** A change of the agent that stands in the present text and waits for an answer. */
export interface FileHunk {
  /** Made of its place in the base and of its lines: the same as long as it is the same change, wherever it stands today. */
  id: string;
  change: StandingChange;
  old: readonly string[];
  written: readonly string[];
}

/** Beyond this, lines are not compared: characters of all texts together. */
const maxCompared = 8_000_000;

/** Returns the hunks that stand in the present lines of a file, in order. */
export function hunksOf({ base, left, original }: FileTexts, now: readonly string[]): FileHunk[] {
  const placeOf = original === undefined ? String : placesIn(original, base);
  return standingChanges(base, left, now).map((change) => {
    const old = base.slice(change.baseStart, change.baseEnd);
    const written = change.lines.map((line) => now[line] ?? '');
    return { id: idOf(placeOf(change.baseStart), old, written), change, old, written };
  });
}

/** Counts lines as they are counted elsewhere: what follows the last line end is none. */
export function countsOf(
  hunks: readonly FileHunk[],
  base: readonly string[],
  now: readonly string[],
): { additions: number; deletions: number } {
  let [additions, deletions] = [0, 0];
  for (const { change } of hunks) {
    additions += change.lines.length;
    deletions += change.baseEnd - change.baseStart;
    if (change.lines.at(-1) === now.length - 1 && now.at(-1) === '') additions -= 1;
    if (change.baseEnd === base.length && change.baseStart < base.length && base.at(-1) === '') deletions -= 1;
  }
  return { additions, deletions };
}

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

/** Returns the lines of each content, null for none (an empty one); undefined where one is no text or all are too much to compare. */
export function comparableLines(contents: readonly (Uint8Array | null)[]): string[][] | undefined {
  let length = 0;
  const all: string[][] = [];
  for (const content of contents) {
    const text = content === null ? '' : decodeText(Buffer.from(content.buffer, content.byteOffset, content.byteLength))?.text;
    if (text === undefined || (length += text.length) > maxCompared) return undefined;
    all.push(linesOf(plainLineEnds(text)));
  }
  return all;
}

/** Returns how to name places of the base so that they stay the same while lines are put into it elsewhere. */
function placesIn(original: readonly string[], base: readonly string[]): (line: number) => string {
  const moves = diffLines(original, base);
  return (line) => {
    const last = moves.findLast(({ afterStart }) => afterStart <= line);
    if (last === undefined) return String(line);
    return line < last.afterEnd ? `${last.beforeStart}+${line - last.afterStart}` : String(line - last.afterEnd + last.beforeEnd);
  };
}

function idOf(place: string, old: readonly string[], written: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([place, old, written]))
    .digest('hex')
    .slice(0, 16);
}
