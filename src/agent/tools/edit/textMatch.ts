import { plainLineEnds } from '../../../utils/text/textFile';

/** Tells where a text is found: the part from `start` to `end` (the end left out). */
export interface Match {
  start: number;
  end: number;
  /** Holds what has to go before each line that is put in here. */
  indent: string;
}

export type Found =
  | { kind: 'found'; matches: Match[]; isExact: boolean }
  | { kind: 'several'; lines: number[] }
  | { kind: 'none'; nearest: { line: number; text: string }[] };

const nearestShown = 8;

/**
 * Finds a text as it stands, whatever its line ends; else, where exactly one place has the same lines but for the space at their
 * ends and how far they are all indented, that place. `several`: there are more of them than one was asked for.
 */
export function findText(text: string, wanted: string, isAll: boolean): Found {
  const { plain, placeOf } = withoutReturns(text);
  const target = plainLineEnds(wanted);
  const places: number[] = [];
  for (let at = plain.indexOf(target); at >= 0; at = plain.indexOf(target, at + target.length)) places.push(at);
  if (places.length > 1 && !isAll) return { kind: 'several', lines: places.map((at) => lineAt(plain, at)) };
  if (places.length > 0) {
    const matches = places.map((at) => ({ start: placeOf(at), end: placeOf(at + target.length), indent: '' }));
    return { kind: 'found', matches, isExact: true };
  }
  return findByWords(plain, target, isAll, placeOf);
}

/** `newText` as it is to stand at a match: the indentation that the lines of the file have more than those that were asked for. */
export function fitted(newText: string, { indent }: Match): string {
  return indent === '' ? newText : newText.replace(/^(?=[^\r\n])/gm, indent);
}

function findByWords(plain: string, target: string, isAll: boolean, placeOf: (at: number) => number): Found {
  const lines = plain.split('\n');
  const asked = target.split('\n');
  const hasEnd = asked.length > 1 && asked.at(-1)?.trim() === '';
  if (hasEnd) asked.pop();
  if (asked.every((line) => line.trim() === '')) return { kind: 'none', nearest: [] };

  const found: { first: number; indent: string }[] = [];
  for (let first = 0; first + asked.length <= lines.length; first += 1) {
    const indent = commonIndent(lines, first, asked);
    if (indent !== null) found.push({ first, indent });
  }
  if (found.length > 1 && !isAll) return { kind: 'several', lines: found.map(({ first }) => first + 1) };
  if (found.length === 0) return { kind: 'none', nearest: nearestLines(lines, asked) };

  const starts = startsOf(lines);
  let free = 0;
  const matches: Match[] = [];
  for (const { first, indent } of found) {
    if (first < free) continue;
    free = first + asked.length;
    const last = free - 1;
    const isAtEnd = free === lines.length;
    const end = hasEnd && !isAtEnd ? (starts[free] as number) : (starts[last] as number) + (lines[last] as string).length;
    matches.push({ start: placeOf(starts[first] as number), end: placeOf(end), indent });
  }
  return { kind: 'found', matches, isExact: false };
}

/**
 * By what the lines there are indented beyond those asked for; empty where that is not the same for all of them, so that what is
 * put in is indented as it was given; null where they are other lines.
 */
function commonIndent(lines: readonly string[], first: number, asked: readonly string[]): string | null {
  let common: string | null = null;
  for (let index = 0; index < asked.length; index += 1) {
    const [there, wanted] = [lines[first + index] as string, asked[index] as string];
    if (there.trim() !== wanted.trim()) return null;
    if (wanted.trim() === '') continue;
    const [deep, shallow] = [indentOf(there), indentOf(wanted)];
    const more = deep.endsWith(shallow) ? deep.slice(0, deep.length - shallow.length) : '';
    common = common === null || common === more ? more : '';
  }
  return common;
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}

/** The part of the file that is most like what was asked for, so that it can be asked for as it is. */
function nearestLines(lines: readonly string[], asked: readonly string[]): { line: number; text: string }[] {
  const wanted = new Set(asked.map((line) => line.trim()).filter((line) => line !== ''));
  const span = Math.min(Math.max(asked.length, 3), nearestShown);
  const words = new Set([...wanted].flatMap(wordsOf));
  const scores = lines.map((line) => likeness(line, wanted, words));
  let sum = 0;
  let [best, bestAt] = [0, -1];
  for (let index = 0; index < scores.length; index += 1) {
    sum += (scores[index] as number) - (index >= span ? (scores[index - span] as number) : 0);
    if (sum > best + 1e-9) [best, bestAt] = [sum, Math.max(0, index - span + 1)];
  }
  if (bestAt < 0 || best < 0.5) return [];
  return lines.slice(bestAt, bestAt + span).map((text, index) => ({ line: bestAt + index + 1, text }));
}

function likeness(line: string, wanted: ReadonlySet<string>, words: ReadonlySet<string>): number {
  const plain = line.trim();
  if (plain === '') return 0;
  if (wanted.has(plain)) return 2;
  const own = wordsOf(plain);
  return own.length === 0 ? 0 : own.filter((word) => words.has(word)).length / own.length;
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function startsOf(lines: readonly string[]): number[] {
  let place = 0;
  return lines.map((line) => {
    const start = place;
    place += line.length + 1;
    return start;
  });
}

/** The text with `\n` alone, and where its places are in the text as it was. */
function withoutReturns(text: string): { plain: string; placeOf: (at: number) => number } {
  const plain = plainLineEnds(text);
  if (plain.length === text.length) return { plain, placeOf: (at) => at };
  /** Places in the plain text of each `\r` that was left out. */
  const gaps: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) gaps.push(at - gaps.length);
  const placeOf = (at: number): number => {
    let [low, high] = [0, gaps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((gaps[middle] as number) < at) low = middle + 1;
      else high = middle;
    }
    return at + low;
  };
  return { plain, placeOf };
}
