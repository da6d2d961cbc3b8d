import { plainLineEnds } from '../../../utils/text/textFile';
import type { EditAids } from '../../kernel/modelAids';
import { withTabs } from './healing/escapes';
import { findFragment } from './healing/fragments';
import { findHealed, linePlaces } from './healing/healedLines';
import { indentAt } from './healing/indents';
import { rewritten } from './healing/rewriting';
import type { Slip } from './healing/reading';
import { readIndent } from '../../../utils/text/codePlace';

/** Part of a text and its replacement. `end` is exclusive. */
export interface Match {
  start: number;
  end: number;
  text: string;
}

/** Result of a search. `slip` is the copying error that was tolerated. */
export type FoundText =
  | { kind: 'found'; matches: Match[]; slip?: Slip }
  | { kind: 'several'; lines: number[] }
  | { kind: 'none'; nearest: { line: number; text: string }[] };

const maxNearest = 8;

/**
 * Finds a text exactly, with any line endings. Otherwise finds a unique match that differs only in trailing space, common
 * indentation or a copying error. `several` means that more than one position matches, but only one was requested.
 */
export function findText(text: string, oldText: string, newText: string, isAll: boolean, aids: EditAids): FoundText {
  const { plain, placeOf } = withoutReturns(text);
  const [target, given] = [oldText, newText].map(plainLineEnds) as [string, string];
  const made = !aids.healing || /\\[tn]/.test(target) ? given : withTabs(given.split('\n'), plain).join('\n');
  const slip = made === given ? {} : { slip: 'escapes' as const };
  const all = findPlaces(plain, target);
  if (all.length > 1 && !isAll) return { kind: 'several', lines: linesAt(plain, all) };
  const places = withoutOverlaps(all, target.length);
  if (places.length > 0) {
    const isJoined = aids.healing && places.some((at) => joinsLines(plain, at, target, made));
    const put = isJoined ? `\n${made}` : made === given ? newText : made;
    const matches = places.map((at) => ({ start: placeOf(at), end: placeOf(at + target.length), text: put }));
    return { kind: 'found', matches, ...(isJoined ? { slip: 'blankLine' as const } : slip) };
  }
  const found = findInLines(plain, target, made, isAll, aids);
  if (found.kind !== 'found') return found;
  const matches = found.matches.map((match) => ({ ...match, start: placeOf(match.start), end: placeOf(match.end) }));
  return { ...slip, ...found, matches };
}

/**
 * Returns whether removing the leading line break of the old text would join two lines by mistake. This is a mistake
 * if the new text looks like a separate line. If the edit changes nothing else, it is meant to join the lines.
 */
function joinsLines(plain: string, at: number, target: string, made: string): boolean {
  if (
    !target.startsWith('\n') ||
    target === `\n${made}` ||
    made === '' ||
    made.startsWith('\n') ||
    at === 0 ||
    plain[at - 1] === '\n'
  )
    return false;
  const [first = ''] = made.split('\n', 1);
  return target.split('\n').includes(first) || readIndent(target.replace(/^\n+/, '')) === readIndent(first);
}

/** Requested lines without blank lines around them, and the number of these blank lines above and below. */
interface Asked {
  lines: string[];
  above: number;
  below: number;
  /** True if the request includes the line break after the last line. */
  hasEnd: boolean;
}

function askedLines(target: string): Asked[] {
  const lines = target.split('\n');
  const hasEnd = lines.length > 1 && lines.at(-1)?.trim() === '';
  if (hasEnd) lines.pop();
  const above = lines.findIndex((line) => line.trim() !== '');
  if (above < 0) return [];
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const below = lines.length - 1 - last;
  const whole = { lines, above: 0, below: 0, hasEnd };
  return above + below === 0 ? [whole] : [whole, { lines: lines.slice(above, last + 1), above, below, hasEnd }];
}

function findInLines(plain: string, target: string, made: string, isAll: boolean, aids: EditAids): FoundText {
  const lines = plain.split('\n');
  const asked = askedLines(target);
  const bare = asked.at(-1);
  if (bare === undefined) return { kind: 'none', nearest: [] };
  const none = (): FoundText => ({ kind: 'none', nearest: aids.nearestLines ? nearestLines(lines, bare.lines) : [] });
  if (!aids.healing) return none();
  const starts = findStarts(lines);
  const place = (first: number, one: Asked, said: readonly string[], undo: Undo): Match => {
    const there = lines.slice(first, first + said.length);
    const start = starts[first] as number;
    const end = start + there.join('\n').length;
    // If lines are deleted, their last line break is deleted too.
    if (made === '' && one.hasEnd) return { start, end: Math.min(end + 1, plain.length), text: '' };
    return { start, end, text: rewritten(said, there, undo(madeLines(made, one), there), indentAt(there, said)).join('\n') };
  };

  for (const [index, one] of asked.entries()) {
    const found = linePlaces(lines, one.lines, (line) => line.trim());
    if (found.length > 1 && !isAll) return { kind: 'several', lines: found.map((first) => first + 1) };
    if (found.length === 0) continue;
    const matches = withoutOverlaps(found, one.lines.length).map((first) => place(first, one, one.lines, (made) => [...made]));
    return { kind: 'found', matches, slip: index === 0 ? 'indentation' : 'blankLine' };
  }
  const healed = findHealed(lines, bare.lines, plain);
  if (healed !== undefined && 'start' in healed) {
    return { kind: 'found', matches: [place(healed.start, bare, healed.asked, healed.undo)], slip: healed.slip };
  }
  const several = healed ?? [];
  const fragment = several.length > 0 ? undefined : findFragment(plain, bare.lines, madeLines(made, bare));
  if (fragment !== undefined && 'text' in fragment) return { kind: 'found', matches: [fragment], slip: fragment.slip };
  const all = fragment === undefined ? several.map((first) => first + 1) : linesAt(plain, fragment);
  return all.length > 0 && !isAll ? { kind: 'several', lines: all } : none();
}

type Undo = (lines: readonly string[], there: readonly string[]) => string[];

/** Returns the lines of a new text without the line break and the blank lines that surrounded the old text. */
function madeLines(made: string, { above, below, hasEnd }: Asked): string[] {
  const lines = made.split('\n');
  if (hasEnd && lines.length > 1 && lines.at(-1) === '') lines.pop();
  for (let left = below; left > 0 && lines.length > 1 && lines.at(-1)?.trim() === ''; left -= 1) lines.pop();
  for (let left = above; left > 0 && lines.length > 1 && lines[0]?.trim() === ''; left -= 1) lines.shift();
  return lines;
}

/** Returns all matches of a text, including overlapping matches. */
function findPlaces(text: string, target: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(target); at >= 0; at = text.indexOf(target, at + 1)) places.push(at);
  return places;
}

/** Removes matches that overlap an earlier match. `length` is their number of lines or characters. */
function withoutOverlaps(places: readonly number[], length: number): number[] {
  let free = 0;
  return places.filter((place) => {
    if (place < free) return false;
    free = place + length;
    return true;
  });
}

/** Returns the parts of the file that are most similar to the requested lines, so that the model can copy them. */
export function nearestLines(lines: readonly string[], asked: readonly string[]): { line: number; text: string }[] {
  const wanted = new Set(asked.map((line) => line.trim()).filter((line) => line !== ''));
  const span = Math.min(Math.max(asked.length, 3), maxNearest);
  const words = new Set([...wanted].flatMap(splitWords));
  const scores = lines.map((line) => likeness(line, wanted, words));
  let sum = 0;
  let best = 0;
  let bestAt = -1;
  for (let index = 0; index < scores.length; index += 1) {
    sum += (scores[index] as number) - (index >= span ? (scores[index - span] as number) : 0);
    if (sum > best + 1e-9) {
      best = sum;
      bestAt = Math.max(0, index - span + 1);
    }
  }
  if (bestAt < 0 || best < 0.5) return [];
  return lines.slice(bestAt, bestAt + span).map((text, index) => ({ line: bestAt + index + 1, text }));
}

function likeness(line: string, wanted: ReadonlySet<string>, words: ReadonlySet<string>): number {
  const plain = line.trim();
  if (plain === '') return 0;
  if (wanted.has(plain)) return 2;
  const own = splitWords(plain);
  return own.length === 0 ? 0 : own.filter((word) => words.has(word)).length / own.length;
}

function splitWords(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** Returns the line numbers of ascending offsets, counted from 1. */
function linesAt(text: string, places: readonly number[]): number[] {
  let line = 1;
  let end = text.indexOf('\n');
  return places.map((place) => {
    for (; end >= 0 && end < place; end = text.indexOf('\n', end + 1)) line += 1;
    return line;
  });
}

function findStarts(lines: readonly string[]): number[] {
  let place = 0;
  return lines.map((line) => {
    const start = place;
    place += line.length + 1;
    return start;
  });
}

/** Returns the text with `\n` line endings, and a function that maps offsets back to the original text. */
function withoutReturns(text: string): { plain: string; placeOf: (at: number) => number } {
  const plain = plainLineEnds(text);
  if (plain.length === text.length) return { plain, placeOf: (at) => at };
  /** Offset of each removed `\r` in the plain text. */
  const gaps: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) gaps.push(at - gaps.length);
  const toPlace = (at: number): number => {
    let low = 0;
    let high = gaps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((gaps[middle] as number) < at) low = middle + 1;
      else high = middle;
    }
    return at + low;
  };
  return { plain, placeOf: toPlace };
}
