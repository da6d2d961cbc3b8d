import { keepLineEnds } from '../../../utils/text/lineEnds';
import { t, type Phrase } from '../../../utils/l10n';
import { detectLineEnd, plainLineEnds } from '../../../utils/text/textFile';
import { allAids, type EditAids } from '../../kernel/modelAids';
import { withTabs } from './healing/escapes';
import { findHealed, linePlaces } from './healing/healedLines';
import { rewritten } from './healing/rewriting';
import { squeezed, type Slip } from './healing/reading';
import type { PatchHunk } from './patchText';
import { nearestLines } from './textMatch';
import { readIndent } from '../../../utils/text/codePlace';

/** Patched text with the fixed errors, or the problem and the requested lines. */
export type Patched = { text: string; slips?: Slip[] } | { problem: Phrase; asked: string[] };

/** Ways to compare a line with a line of the file, from strict to tolerant. */
const readings: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  squeezed,
];

/** Maximum number of wrong context lines at each end of a hunk. */
const maxStale = 2;
const maxNearest = 8;
/** Minimum number of letters and digits in removed lines that can identify a position without the full context. */
const minIdentifying = 8;

/** Applies the hunks of one file, each at its unique position. Keeps line endings and all other text. */
export function applyHunks(text: string, hunks: readonly PatchHunk[], aids: EditAids = allAids): Patched {
  const plain = plainLineEnds(text);
  const lines = plain.split('\n');
  let endsLine = lines.at(-1) === '';
  if (endsLine) lines.pop();
  /** Line numbers before the patch. New lines have no number. */
  const numbers: (number | undefined)[] = lines.map((_line, index) => index + 1);
  const slips = new Set<Slip>();
  let floor = 0;
  let offset = 0;
  for (const [index, hunk] of hunks.entries()) {
    const found = findPlace(lines, numbers, hunk, floor, offset, aids);
    if ('problem' in found) {
      const part = hunks.length > 1 ? `Part ${index + 1} of ${hunks.length}: ` : '';
      const asked = hunk.lines.filter(({ kind }) => kind !== 'new').map((line) => line.text);
      const { local, english } = found.problem;
      return { problem: { local, english: `${part}${english}` }, asked };
    }
    const { start, from, to } = found;
    const { lines: added, hasTabs } = written(lines, found, hunk.lines.slice(from, to), aids.healing ? plain : null);
    const removed = hunk.lines.slice(from, to).filter(({ kind }) => kind !== 'new').length;
    if (hasTabs) slips.add('escapes');
    if (found.slip !== undefined) slips.add(found.slip);
    const isLast = start + removed === lines.length;
    lines.splice(start, removed, ...added);
    numbers.splice(start, removed, ...added.map(() => undefined));
    if (hunk.oldStart !== undefined) offset = start - (hunk.oldStart - 1) + added.length - removed;
    floor = start + added.length;
    if (isLast && hunk.endsLine !== undefined) endsLine = hunk.endsLine;
  }
  const result = lines.join('\n') + (endsLine && lines.length > 0 ? '\n' : '');
  return { text: keepLineEnds(text, result, detectLineEnd(text)), ...(slips.size > 0 && { slips: [...slips] }) };
}

/** Position of a hunk. Its lines from `from` to `to` begin at line `start` of the file. */
interface Place {
  start: number;
  from: number;
  to: number;
  indent: (line: string) => string;
  slip?: Slip;
  /** Corrects lines of the patch. `there` contains the matching lines of the file. */
  undo?: (lines: readonly string[], there: readonly string[]) => string[];
}

function findPlace(
  lines: readonly string[],
  numbers: readonly (number | undefined)[],
  hunk: PatchHunk,
  floor: number,
  offset: number,
  aids: EditAids,
): Place | { problem: Phrase } {
  const old = hunk.lines.filter(({ kind }) => kind !== 'new');
  const whole = { from: 0, to: hunk.lines.length };
  if (old.length === 0) {
    const start = insertionAt(lines, hunk, offset);
    return typeof start === 'number' ? { ...whole, start, indent: (line) => line } : start;
  }
  for (const [index, cut] of cuts(hunk).entries()) {
    const wanted = hunk.lines.slice(cut.from, cut.to).filter(({ kind }) => kind !== 'new');
    const asked = wanted.map(({ text }) => text);
    const before = hunk.lines.slice(0, cut.from).length;
    for (const [level, reading] of readings.entries()) {
      if (level > (aids.healing ? (index > 0 ? 2 : 3) : 0)) break;
      const all = linePlaces(lines, asked, reading);
      const below = all.filter((start) => start >= floor);
      // Matches above the previous change count only if there are no matches below it.
      const places = below.length > 0 ? below : all;
      const start = pickPlace(lines, places, hunk, offset + before, asked.length);
      if (start === undefined && places.length > 1 && isWhole(cut, hunk)) return { problem: several(places) };
      if (start === undefined) continue;
      return { start, ...cut, indent: indentBy(lines, start, asked, level), ...(level > 2 && { slip: 'spaces' as const }) };
    }
    if (index > 0 || !aids.healing) continue;
    const healed = findHealed(lines, asked, lines.join('\n'), 'byLine', (start) => numbers[start]);
    if (healed === undefined) continue;
    if (!('start' in healed)) return { problem: several(healed) };
    const { start, slip, undo } = healed;
    return { start, ...cut, indent: indentBy(lines, start, healed.asked, readings.length), slip, undo };
  }
  return {
    problem: notFound(
      lines,
      old.map(({ text }) => text),
      aids,
    ),
  };
}

/** Returns the range of the whole hunk, followed by ranges with fewer context lines each. */
function cuts({ lines }: PatchHunk): { from: number; to: number }[] {
  const first = lines.findIndex(({ kind }) => kind !== 'same');
  const last = lines.findLastIndex(({ kind }) => kind !== 'same');
  const found: { from: number; to: number }[] = [];
  for (let stale = 0; stale <= maxStale * 2; stale += 1) {
    for (let from = Math.min(stale, maxStale); from >= 0; from -= 1) {
      const to = lines.length - (stale - from);
      if (stale - from > maxStale || from > first || to <= last) continue;
      if (stale === 0 || isIdentifying(lines, from, to)) found.push({ from, to });
    }
  }
  return found;
}

/**
 * Returns whether a range still identifies a position. It must contain
 * half of the text, or the removed lines and half of the context.
 */
function isIdentifying(lines: PatchHunk['lines'], from: number, to: number): boolean {
  const of = (all: PatchHunk['lines'], ...kinds: string[]) => all.filter(({ kind }) => kinds.includes(kind));
  const countLines = (all: PatchHunk['lines']) => all.reduce((sum, { text }) => sum + text.replaceAll(/\W/g, '').length, 0);
  const left = lines.slice(from, to);
  if (countLines(of(left, 'old', 'same')) * 2 >= countLines(of(lines, 'old', 'same'))) return true;
  return countLines(of(left, 'old')) >= minIdentifying && of(left, 'same').length * 2 >= of(lines, 'same').length;
}

function isWhole({ from, to }: { from: number; to: number }, { lines }: PatchHunk): boolean {
  return from === 0 && to === lines.length;
}

/** Returns the only match, or the match that the patch identifies by its anchors, its line number or the end of the file. */
function pickPlace(
  lines: readonly string[],
  places: readonly number[],
  { anchors, oldStart, isAtEnd }: PatchHunk,
  offset: number,
  length: number,
): number | undefined {
  if (places.length <= 1) return places[0];
  if (isAtEnd) return places.find((start) => start + length === lines.length);
  const exact = oldStart === undefined ? undefined : places.find((start) => start === oldStart - 1 + offset);
  if (exact !== undefined) return exact;
  const anchor = anchorLine(lines, anchors);
  return anchor === undefined ? undefined : places.find((start) => start >= anchor);
}

/** Returns the line of the innermost anchor. Returns undefined if an anchor is missing or the only anchor is ambiguous. */
function anchorLine(lines: readonly string[], anchors: readonly string[]): number | undefined {
  let at = -1;
  for (const [index, anchor] of anchors.entries()) {
    const found = lines.flatMap((line, number) => (number > at && line.trim().startsWith(anchor) ? [number] : []));
    if (found[0] === undefined || (index === 0 && found.length > 1 && anchors.length === 1)) return undefined;
    at = found[0];
  }
  return at < 0 ? undefined : at;
}

function insertionAt(
  lines: readonly string[],
  { anchors, oldStart, isAtEnd }: PatchHunk,
  offset: number,
): number | { problem: Phrase } {
  if (isAtEnd || lines.length === 0) return lines.length;
  if (oldStart !== undefined) return Math.max(0, Math.min(lines.length, oldStart + offset));
  const anchor = anchorLine(lines, anchors);
  if (anchor !== undefined) return anchor + 1;
  if (anchors.length > 0) {
    const english = `The line "${anchors.at(-1) ?? ''}" is not in the file exactly once.`;
    return { problem: { local: notFoundText(), english } };
  }
  return lines.length;
}

/**
 * Returns context lines as in the file, and new lines with the surrounding indentation. `hasTabs` is
 * true if new lines contained tabs written as `\\t`. `text` is the file, or null to correct nothing.
 */
function written(
  lines: readonly string[],
  { start, indent, slip, undo = (all) => [...all] }: Place,
  hunk: PatchHunk['lines'],
  text: string | null,
): { lines: string[]; hasTabs: boolean } {
  const old = hunk.filter(({ kind }) => kind !== 'new');
  const there = lines.slice(start, start + old.length);
  const said = undo(
    old.map((line) => line.text),
    there,
  );
  const given = undo(
    hunk.filter(({ kind }) => kind === 'new').map((line) => line.text),
    there,
  );
  const made = slip === 'escapes' || text === null ? given : withTabs(given, text);
  const result: string[] = [];
  let at = 0;
  let from = 0;
  let next = 0;
  let run = 0;
  // Between two context lines, the new lines replace the removed lines.
  const flush = (): void => {
    result.push(...rewritten(said.slice(from, at), there.slice(from, at), made.slice(next, next + run), indent));
    next = next + run;
    run = 0;
  };
  for (const { kind } of hunk) {
    if (kind === 'new') run += 1;
    else if (kind === 'old') at += 1;
    else {
      flush();
      result.push(there[at] ?? '');
      at += 1;
      from = at;
    }
  }
  flush();
  return { lines: result, hasTabs: made.some((line, index) => line !== given[index]) };
}

/** Returns a function that adjusts the indentation of new lines if the file and the patch are indented differently. */
function indentBy(lines: readonly string[], start: number, old: readonly string[], level: number): (line: string) => string {
  const all = old.flatMap((line, index) => {
    return line.trim() === '' ? [] : [{ there: readIndent(lines[start + index] ?? ''), said: readIndent(line) }];
  });
  const [first] = all;
  if (level < 2 || first === undefined || all.some(({ there, said }) => there === said)) return (line) => line;
  const { there, said } = first;
  return (line) => (line.trim() === '' || !line.startsWith(said) ? line : there + line.slice(said.length));
}

function several(places: readonly number[]): Phrase {
  const lines = places.slice(0, 10).map((start) => start + 1);
  return {
    local: t('The lines to change are in the file more than once.'),
    english: `its lines are in the file ${places.length} times, at lines ${lines.join(', ')}. Give more of the lines around the place, or a line above it after @@.`,
  };
}

function notFound(lines: readonly string[], old: readonly string[], { nearestLines: isShown }: EditAids): Phrase {
  const nearest = isShown ? nearestLines(lines, old).slice(0, maxNearest) : [];
  const local = notFoundText();
  if (nearest.length === 0)
    return { local, english: 'its lines are not in the file, and nothing in it is like them. Read the file again.' };
  const shown = nearest.map(({ line, text }) => `${line}: ${text.slice(0, 300)}`);
  return { local, english: ['its lines are not in the file. The nearest ones, with their numbers:', ...shown].join('\n') };
}

function notFoundText(): string {
  return t('The lines to change were not found.');
}
