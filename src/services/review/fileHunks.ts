import { createHash } from 'node:crypto';
import { decodeText, plainLineEnds } from '../../utils/text/textFile';
import { diffLines } from '../../utils/text/lineDiff';
import { splitEditorLines } from '../../utils/text/lineEdits';
import type { StandingChange } from '../../utils/text/weave/standingChanges';
import type { Weave } from '../../utils/text/weave/weave';

/** Lines of a changed file. */
export interface FileTexts {
  /** Lines of the first state, if they differ from `base` after kept hunks or the user's edits between the agent's changes. */
  original?: readonly string[];
  /** Lines without the changes of the chat. */
  base: readonly string[];
  /** All lines up to the last known state, with the chat that changed them. */
  weave: Weave;
  author: string;
}

/** Pending change by the agent in the current text. */
export interface FileHunk {
  /** Hash of the hunk's position in the base and its lines. It does not change when the hunk moves in the text. */
  id: string;
  change: StandingChange;
  old: readonly string[];
  written: readonly string[];
}

/** Maximum total number of characters for a line comparison. */
const maxCompared = 8_000_000;

/** Returns the hunks in the current lines of a file, in order. */
export function computeHunks({ base, weave, author, original }: FileTexts, now: readonly string[]): FileHunk[] {
  const placeOf = original === undefined ? String : placesIn(original, base);
  return weave.standing(author, now).changes.map((change) => {
    const old = base.slice(change.baseStart, change.baseEnd);
    const written = change.lines.map((line) => now[line] ?? '');
    return { id: createHunkId(placeOf(change.baseStart), old, written), change, old, written };
  });
}

/** Counts changed lines. Text after the last line ending is not counted if it is empty. */
export function countChangedLines(
  hunks: readonly FileHunk[],
  base: readonly string[],
  now: readonly string[],
): { additions: number; deletions: number } {
  let additions = 0;
  let deletions = 0;
  for (const { change } of hunks) {
    additions += change.lines.length;
    deletions += change.baseEnd - change.baseStart;
    if (change.lines.at(-1) === now.length - 1 && now.at(-1) === '') additions -= 1;
    if (change.baseEnd === base.length && change.baseStart < base.length && base.at(-1) === '') deletions -= 1;
  }
  return { additions, deletions };
}

/**
 * Returns the lines of each content; empty for null. Returns undefined
 * if a content is not text, or if their total size is too large.
 */
export function comparableLines(contents: readonly (Uint8Array | null)[]): string[][] | undefined {
  let length = 0;
  const all: string[][] = [];
  for (const content of contents) {
    const text = content === null ? '' : decodeText(Buffer.from(content.buffer, content.byteOffset, content.byteLength))?.text;
    if (text === undefined || (length += text.length) > maxCompared) return undefined;
    all.push(splitEditorLines(plainLineEnds(text)));
  }
  return all;
}

/** Returns a function that gives names to positions in the base. Names do not change when lines are inserted elsewhere. */
function placesIn(original: readonly string[], base: readonly string[]): (line: number) => string {
  const moves = diffLines(original, base);
  return (line) => {
    const last = moves.findLast(({ afterStart }) => afterStart <= line);
    if (last === undefined) return String(line);
    return line < last.afterEnd ? `${last.beforeStart}+${line - last.afterStart}` : String(line - last.afterEnd + last.beforeEnd);
  };
}

function createHunkId(place: string, old: readonly string[], written: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([place, old, written]))
    .digest('hex')
    .slice(0, 16);
}
