import { closesTooMuch } from './closers';
import { indentOf, isBlank, lineStart, linesAbove, linesBelow, type Rule } from './dirty';

const closersOnly = /^[\s)\]};,]*$/;

/** Takes out the beginning of the cursor's line where a model says it again. */
export const withoutLineStart: Rule = (text, at) => {
  const start = lineStart(at);
  const trimmed = start.trim();
  if (trimmed.length < 3) return text;
  if (start !== trimmed && /^\s/.test(start) && text.startsWith(start)) return text.slice(start.length);
  // One word may stand twice by right: `max(max(`.
  if (trimmed.length < 8 || !/\w\W+\w/.test(trimmed)) return text;
  const blanks = text.length - text.trimStart().length;
  if (text.startsWith(start.trimStart(), blanks)) return text.slice(blanks + start.trimStart().length);
  return text.startsWith(trimmed, blanks) ? text.slice(blanks + trimmed.length).replace(/^ /, '') : text;
};

/** Takes out lines that stand right above the cursor where a model says them again; in the middle of a line nothing is left. */
export const withoutLinesAbove: Rule = (text, at) => {
  const start = lineStart(at);
  const lines = `${start}${text}`.split('\n');
  const above = linesAbove(at).filter((line) => !isBlank(line));
  const isDoubleCloser = (line: string, other: string): boolean => line.trim() === other.trim() && closesTooMuch(text, at);
  for (let count = Math.min(lines.length, above.length, 10); count > 0; count -= 1) {
    const again = lines.slice(0, count);
    const isAgain = again.every((line, index) => {
      const other = above[above.length - count + index] ?? '';
      // The cursor may stand deeper, in the block that the line above opens.
      return isSameLine(line, other) || (index === 0 && (isDeeperSame(line, other) || isDoubleCloser(line, other)));
    });
    if (!isAgain || !(again.some((line) => isTelling(line)) || closesTooMuch(text, at))) continue;
    if (!isBlank(start)) return '';
    const rest = lines.slice(count).join('\n');
    return rest.startsWith(start) ? rest.slice(start.length) : rest.trimStart();
  }
  return text;
};

/** Ends a text where it says the next lines of the document again. */
export const withoutNextLines: Rule = (text, at) => {
  const start = lineStart(at);
  const lines = `${start}${text}`.split('\n');
  const below = linesBelow(at).filter((line) => !isBlank(line));
  const [next] = below;
  if (next === undefined) return text;
  // A closer of the document may have others behind it, and signs.
  const isDoubleCloser = (line: string, other: string): boolean =>
    (line.trim() === other.trim() || (isCloser(line) && isCloser(other) && other.trim().startsWith(line.trim()))) &&
    closesTooMuch(text, at);
  for (const [index, line] of lines.entries()) {
    const isNext = isSameLine(line, next) || (index === 0 && (isMovedNext(lines, below) || isDoubleCloser(line, next)));
    if (!isNext) continue;
    const again = [next, ...lines.slice(index + 1).filter((one) => !isBlank(one))];
    if (!goesOnLike(again, below)) continue;
    const kept = lines.slice(0, index).join('\n');
    return index === 0 ? '' : kept.slice(start.length).replace(/\n\s*$/, '');
  }
  return text;
};

/** Tells whether lines are those of a document: two of them that say something, or all up to the end. */
function goesOnLike(again: readonly string[], below: readonly string[]): boolean {
  let same = 0;
  while (same < again.length && same < below.length && isSameLine(again[same] ?? '', below[same] ?? '')) same += 1;
  if (same === again.length) return true;
  // A line that opens a block uses the next line of the document as the body of the block.
  const isOpen = /[:{]\s*$/.test(again.at(-1) ?? '');
  if (same === below.length && !isOpen && again.slice(0, same).some((line) => isTelling(line))) return true;
  const last = again[same] ?? '';
  // The answer may have been cut in the middle of a line.
  if (same === again.length - 1 && last.trim().length > 2 && (below[same] ?? '').startsWith(last)) return true;
  return again.slice(0, same).filter((line) => isTelling(line)).length > 1;
}

/** Tells whether lines begin with the next one of a document, at another indentation. */
function isMovedNext([first = '', second]: readonly string[], [next = '', afterNext]: readonly string[]): boolean {
  if (first.trim() !== next.trim()) return false;
  return isDeeperSame(next, first) || (second !== undefined && afterNext !== undefined && isSameLine(second, afterNext));
}

function isDeeperSame(line: string, other: string): boolean {
  return line.trim() === other.trim() && indentOf(line).length > indentOf(other).length;
}

function isSameLine(one: string, other: string): boolean {
  return one.trimEnd() === other.trimEnd();
}

function isCloser(line: string): boolean {
  return !isBlank(line) && closersOnly.test(line);
}

function isTelling(line: string): boolean {
  return !closersOnly.test(line) && line.trim().length > 2 && line.trim() !== 'end';
}

/** Lines of a pattern that may go round, at the most. */
const longestPattern = 6;

/** Ends a text where it begins to go round in lines: a pattern three times in a row up to the end stays once. */
export const withoutRepeatedLines: Rule = (text) => {
  const lines = text.split('\n');
  while (lines.length > 1 && isBlank(lines.at(-1) ?? '')) lines.pop();
  for (let length = 1; length <= longestPattern; length += 1) {
    const begin = beginOfPattern(lines, length);
    const pattern = lines.slice(begin, begin + length);
    if (lines.length - begin >= length * 3 && pattern.some((line) => isTelling(line) || (length === 1 && !isBlank(line)))) {
      return lines.slice(0, begin + length).join('\n');
    }
  }
  return text;
};

/** Returns the first line from which on the rest repeats itself after so many lines; the last line may be cut. */
function beginOfPattern(lines: readonly string[], length: number): number {
  let begin = lines.length;
  const last = lines.length - 1;
  for (let index = last; index >= 0; index -= 1) {
    const before = lines[index - length];
    const line = lines[index] ?? '';
    const isSame = before === line || (index === last && line.trim() !== '' && before?.startsWith(line) === true);
    if (!isSame) break;
    begin = index - length;
  }
  return begin;
}

/** A value that is assigned to itself before it is assigned to itself. */
const assignmentLoop = /(?<![\w.$])([\w.$]+)\s*=(?![=>])\s*\1\s*=(?![=>])/;

/** Characters of a literal that repeats a few of its own, as numbers, hashes and ids do; longer ones are a model's that does not end. */
const longestLiteral = 64;

/**
 * Ends a line where it begins to go round: a word six times, up to the end. Rulers of the same sign and literals are left alone. Nothing of the line is
 * left where it only assigns to itself.
 */
export const withoutRepeatedWords: Rule = (text, at) => {
  const begin = text.lastIndexOf('\n') + 1;
  const whole = begin === 0 ? `${lineStart(at)}${text}` : text.slice(begin);
  if (assignmentLoop.test(whole)) return begin === 0 ? '' : text.slice(0, begin).trimEnd();
  const line = text.slice(begin);
  for (let length = 2; length * 6 <= line.length && length <= 60; length += 1) {
    let same = line.length - 1;
    while (same >= length && line[same] === line[same - length]) same -= 1;
    const from = same - length + 1;
    const pattern = line.slice(from, from + length);
    if (line.length - from < length * 6 || !/[\p{L}\p{N}]{2}/u.test(pattern)) continue;
    if (/^[\p{L}\p{N}]+$/u.test(pattern) && line.length - from < longestLiteral) continue;
    return text.slice(0, begin + from + length).trimEnd();
  }
  return text;
};
