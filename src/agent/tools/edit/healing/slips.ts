import { escapeReadings } from './escapes';
import { numberReadings } from './numbers';
import { squeezed, type Reading } from './reading';

const unchanged = (lines: readonly string[]): string[] => [...lines];

/** Returns possible readings of lines that the text does not contain exactly, with the most likely first. */
export function findReadings(asked: readonly string[], text: string): Reading[] {
  const spaces: Reading = { slip: 'spaces', asked, key: squeezed, undo: unchanged };
  return [spaces, ...quoteReadings(asked, text), ...escapeReadings(asked), ...numberReadings(asked)];
}

const doubleQuotes = /[“”„‟″]/g;
const singleQuotes = /[‘’‚‛′]/g;
const dashes = /[‐‑‒–—―−]/g;
const longDashes = /[–—]/g;
const typographic = /[“”„‟″‘’‚‛′‐‑‒–—―−]/;

/** Replaces typographic quotes and dashes with ASCII characters of the same length. */
export function plainMarks(text: string): string {
  return text.replaceAll(doubleQuotes, '"').replaceAll(singleQuotes, "'").replaceAll(dashes, '-');
}

function quoteReadings(asked: readonly string[], text: string): Reading[] {
  const isAsked = asked.some((line) => typographic.test(line));
  if (!isAsked && !typographic.test(text)) return [];
  const hasMarks = typographic.test(text);
  const marks: Reading = {
    slip: 'quotes',
    asked,
    key: (line) => squeezed(plainMarks(line)),
    undo: (lines, there) => lines.map(unmarked(asked, there, hasMarks)),
  };
  if (!asked.some((line) => /[–—]/.test(line))) return [marks];
  // Keyboards may replace two hyphens with a dash.
  const isGiven = (mark: string): boolean => asked.some((line) => line.includes(mark));
  const long = (line: string): string =>
    line
      .replaceAll(longDashes, (mark) => (isGiven(mark) ? '--' : mark))
      .replaceAll(new RegExp(typographic, 'g'), (mark) => (isGiven(mark) ? plainMarks(mark) : mark));
  return [marks, { slip: 'quotes', asked: asked.map(long), key: squeezed, undo: (lines) => lines.map(long) }];
}

/**
 * Returns a function that replaces the typographic marks that are ASCII in the file.
 * If the file contains no typographic marks, replaces all marks of the same kind.
 */
function unmarked(asked: readonly string[], there: readonly string[], hasMarks: boolean): (line: string) => string {
  const plain = new Map<string, string>();
  for (const [index, line] of asked.entries()) {
    const said = squeezed(line);
    const right = squeezed(there[index] ?? '');
    if (said.length !== right.length) continue;
    for (let at = 0; at < said.length; at += 1) {
      if (said[at] !== right[at] && typographic.test(said.charAt(at))) plain.set(said.charAt(at), right.charAt(at));
    }
  }
  const kinds = [/[“”„‟″‘’‚‛′]/, /[‐‑‒–—―−]/].filter((kind) => !hasMarks && [...plain.keys()].some((mark) => kind.test(mark)));
  const of = (mark: string): string => plain.get(mark) ?? (kinds.some((kind) => kind.test(mark)) ? plainMarks(mark) : mark);
  return (line) => (plain.size === 0 ? line : line.replaceAll(new RegExp(typographic, 'g'), of));
}

/** Minimum number of copied lines for which a wrong character counts as a copying error. */
const minLines = 4;

/**
 * Returns the first lines of all matches that differ in only one letter of one line. A different
 * digit or sign is not a typing error. Neither is a word that occurs elsewhere in the file.
 */
export function placesWithWrongCharacter(lines: readonly string[], asked: readonly string[]): number[] {
  const wanted = asked.map((line) => line.trim());
  if (wanted.filter((line) => line !== '').length < minLines) return [];
  const there = lines.map((line) => line.trim());
  const text = lines.join('\n');
  const found: number[] = [];
  for (let start = 0; start + wanted.length <= there.length; start += 1) {
    let wrong = 0;
    for (let at = 0; at < wanted.length && wrong < 2; at += 1) {
      const said = wanted[at] ?? '';
      const right = there[start + at] ?? '';
      if (said !== right) wrong += isOneLetterOff(said, right, text) ? 1 : 2;
    }
    if (wrong === 1) found.push(start);
  }
  return found;
}

function isOneLetterOff(one: string, other: string, text: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const rest = (line: string, than: string): string => line.slice(line.length < than.length ? at : at + 1);
  const same = rest(one, other);
  if (same !== rest(other, one)) return false;
  const [start = ''] = /\w*$/.exec(one.slice(0, at)) ?? [];
  const [end = ''] = /^\w*/.exec(same) ?? [];
  const lines = [one, other];
  const words = lines.map((line) => start + line.slice(at, line.length - same.length) + end);
  const hasDigit = lines.some((line) => /\d/.test(line.slice(at, line.length - same.length)));
  return !hasDigit && words.every((word) => /^\w{3,}$/.test(word)) && !new RegExp(`\\b${words[0] ?? ''}\\b`).test(text);
}
