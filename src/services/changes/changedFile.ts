import { decodeText, plainLineEnds } from '../../utils/text/textFile';
import { diffLines } from '../../utils/text/lineDiff';
import { splitLines } from '../../utils/text/unifiedDiff';

/** A file that differs from what it was before the agent first touched it. */
export interface ChangedFile {
  /** Absolute. */
  path: string;
  shown: string;
  /** Former name of a renamed file. */
  from?: string;
  status: 'created' | 'modified' | 'deleted' | 'renamed';
  /** Null where it is not text, or too much of it. */
  lines: { additions: number; deletions: number } | null;
  /** Lines, from 1, at which the changes begin in the file as it is now. A file whose lines are not compared has one. */
  places: number[];
}

/** Beyond this, lines are not compared: characters of both sides together. */
const maxCompared = 4_000_000;

/** Undefined where nothing differs. */
export function compareFile(
  file: Pick<ChangedFile, 'path' | 'shown' | 'from'>,
  before: Uint8Array | null,
  now: Uint8Array | null,
): ChangedFile | undefined {
  if (before === null && now === null) return undefined;
  const isSame = before !== null && now !== null && Buffer.compare(before, now) === 0;
  if (isSame && file.from === undefined) return undefined;
  const status = file.from !== undefined ? 'renamed' : before === null ? 'created' : now === null ? 'deleted' : 'modified';
  const sides = [before, now].map((side) => (side === null ? '' : textOf(side)));
  const [old, current] = sides;
  if (
    old === undefined ||
    current === undefined ||
    old === null ||
    current === null ||
    old.length + current.length > maxCompared
  ) {
    return { ...file, status, lines: null, places: [1] };
  }
  const [a, b] = [splitLines(old), splitLines(current)];
  const hunks = diffLines(a, b);
  const additions = hunks.reduce((sum, { afterStart, afterEnd }) => sum + afterEnd - afterStart, 0);
  const deletions = hunks.reduce((sum, { beforeStart, beforeEnd }) => sum + beforeEnd - beforeStart, 0);
  const places = hunks.map(({ afterStart }) => Math.min(afterStart + 1, Math.max(b.length, 1)));
  return { ...file, status, lines: { additions, deletions }, places: places.length === 0 ? [1] : places };
}

function textOf(bytes: Uint8Array): string | null {
  const text = decodeText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))?.text;
  return text === undefined ? null : plainLineEnds(text);
}
