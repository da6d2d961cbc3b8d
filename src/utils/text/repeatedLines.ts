import { readIndent } from './codePlace';

/** Lines `[start, end)` of a file that code replaces. */
export interface ReplacedLines {
  lines: readonly string[];
  start: number;
  end: number;
}

/**
 * Returns code without lines at its edges that repeat the lines around the replaced lines. An example is the closing brace of a
 * function that was not part of the selection. Removes these lines only if it would be wrong to have them twice, that is, if
 * their brackets are not balanced, or if they open or leave a block. Otherwise, returns the code unchanged. `fit` indents code
 * like a given line.
 */
export function withoutRepeatedLines(
  { lines, start, end }: ReplacedLines,
  code: readonly string[],
  fit: (like: string | null) => readonly string[],
): readonly string[] {
  const selected = balance(lines.slice(start, end));
  const usual = fit(null);
  const found = lengths(code, start).flatMap((before) => {
    const fitted = before === 0 ? usual : fit(lines[start - before] ?? null);
    if (!isSame(fitted.slice(0, before), lines.slice(start - before, start))) return [];
    return lengths(code, lines.length - end).flatMap((after) => {
      const first = before;
      const last = fitted.length - after;
      const head = fitted.slice(0, first);
      const rest = fitted.slice(first, last);
      const tail = fitted.slice(last);
      const fits =
        isSame(tail, lines.slice(end, end + after)) &&
        rest.some((line) => line.trim() !== '') &&
        (!isBalanced(head) || !isBalanced(tail) || opensBlock(head) || leavesBlock(tail)) &&
        balance(rest) === selected;
      return fits ? [{ rest, removed: before + after }] : [];
    });
  });
  return found.reduce((best, one) => (one.removed > best.removed ? one : best), { rest: usual, removed: 0 }).rest;
}

function lengths(code: readonly string[], most: number): number[] {
  return Array.from({ length: Math.min(code.length, most) + 1 }, (_, length) => length);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}

/** Returns how many brackets of each kind stay open. */
function balance(lines: readonly string[]): string {
  const text = lines.join('\n');
  const count = (bracket: string) => text.split(bracket).length;
  return [count('(') - count(')'), count('[') - count(']'), count('{') - count('}')].join();
}

function isBalanced(lines: readonly string[]): boolean {
  return balance(lines) === balance([]);
}

/** Returns true if the lines end with the first line of a Python block. */
function opensBlock(lines: readonly string[]): boolean {
  const first = lines[0] ?? '';
  const last = lines.at(-1) ?? '';
  return /:\s*(?:#.*)?$/.test(last) && readIndent(first).length <= readIndent(last).length;
}

/** Returns true if code after these lines would be unreachable. */
function leavesBlock(lines: readonly string[]): boolean {
  const first = lines[0] ?? '';
  const last = lines.at(-1) ?? '';
  return /^\s*(?:return|raise|throw|break|continue)\b/.test(last) && readIndent(first).length >= readIndent(last).length;
}
