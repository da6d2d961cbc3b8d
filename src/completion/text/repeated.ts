import { closesTooMuch } from './closers';
import { isBlank, lineStart, linesAbove, linesBelow, type CleaningRule } from './rawCompletion';
import { readIndent } from '../../utils/text/codePlace';

const closersOnly = /^[\s)\]};,]*$/;

/** Removes the beginning of the line at the cursor if the model repeats it. */
export const withoutLineStart: CleaningRule = (text, at) => {
  const start = lineStart(at);
  const trimmed = start.trim();
  if (trimmed.length < 3) return text;
  if (start !== trimmed && /^\s/.test(start) && text.startsWith(start)) return text.slice(start.length);
  // A single word may legitimately repeat, for example `max(max(`.
  if (trimmed.length < 8 || !/\w\W+\w/.test(trimmed)) return text;
  const blanks = text.length - text.trimStart().length;
  if (text.startsWith(start.trimStart(), blanks)) return text.slice(blanks + start.trimStart().length);
  return text.startsWith(trimmed, blanks) ? text.slice(blanks + trimmed.length).replace(/^ /, '') : text;
};

/** Removes repeated lines from directly above the cursor. Within a line, drops the whole response. */
export const withoutLinesAbove: CleaningRule = (text, at) => {
  const start = lineStart(at);
  const lines = `${start}${text}`.split('\n');
  const above = linesAbove(at).filter((line) => !isBlank(line));
  const isDoubleCloser = (line: string, other: string): boolean => line.trim() === other.trim() && closesTooMuch(text, at);
  for (let count = Math.min(lines.length, above.length, 10); count > 0; count -= 1) {
    const again = lines.slice(0, count);
    const isAgain = again.every((line, index) => {
      const other = above[above.length - count + index] ?? '';
      // The cursor may be indented more, inside the block that the line above opens.
      return isSameLine(line, other) || (index === 0 && (isDeeperSame(line, other) || isDoubleCloser(line, other)));
    });
    if (!isAgain || !(again.some((line) => isMeaningful(line)) || closesTooMuch(text, at))) continue;
    if (!isBlank(start)) return '';
    const rest = lines.slice(count).join('\n');
    return rest.startsWith(start) ? rest.slice(start.length) : rest.trimStart();
  }
  return text;
};

/** Truncates a text where it repeats the next lines of the document. */
export const withoutNextLines: CleaningRule = (text, at) => {
  const start = lineStart(at);
  const lines = `${start}${text}`.split('\n');
  const below = linesBelow(at).filter((line) => !isBlank(line));
  const [next] = below;
  if (next === undefined) return text;
  // In the document, other closing brackets and punctuation may follow a closing bracket.
  const isDoubleCloser = (line: string, other: string): boolean =>
    (line.trim() === other.trim() || (isCloser(line) && isCloser(other) && other.trim().startsWith(line.trim()))) &&
    closesTooMuch(text, at);
  for (const [index, line] of lines.entries()) {
    const isNext = isSameLine(line, next) || (index === 0 && (isMovedNext(lines, below) || isDoubleCloser(line, next)));
    if (!isNext) continue;
    const again = [next, ...lines.slice(index + 1).filter((one) => !isBlank(one))];
    if (!repeatsDocument(again, below)) continue;
    const kept = lines.slice(0, index).join('\n');
    return index === 0 ? '' : kept.slice(start.length).replace(/\n\s*$/, '');
  }
  return text;
};

/** Returns whether lines repeat the document: two meaningful lines are equal, or all lines up to the end are. */
function repeatsDocument(again: readonly string[], below: readonly string[]): boolean {
  let same = 0;
  while (same < again.length && same < below.length && isSameLine(again[same] ?? '', below[same] ?? '')) same += 1;
  if (same === again.length) return true;
  // If the last line opens a block, the next line of the document is its body.
  const isOpen = /[:{]\s*$/.test(again.at(-1) ?? '');
  if (same === below.length && !isOpen && again.slice(0, same).some((line) => isMeaningful(line))) return true;
  const last = again[same] ?? '';
  // The response may be truncated within a line.
  if (same === again.length - 1 && last.trim().length > 2 && (below[same] ?? '').startsWith(last)) return true;
  return again.slice(0, same).filter((line) => isMeaningful(line)).length > 1;
}

/** Returns whether lines begin with the next line of a document, but with another indentation. */
function isMovedNext([first = '', second]: readonly string[], [next = '', afterNext]: readonly string[]): boolean {
  if (first.trim() !== next.trim()) return false;
  return isDeeperSame(next, first) || (second !== undefined && afterNext !== undefined && isSameLine(second, afterNext));
}

function isDeeperSame(line: string, other: string): boolean {
  return line.trim() === other.trim() && readIndent(line).length > readIndent(other).length;
}

function isSameLine(one: string, other: string): boolean {
  return one.trimEnd() === other.trimEnd();
}

function isCloser(line: string): boolean {
  return !isBlank(line) && closersOnly.test(line);
}

function isMeaningful(line: string): boolean {
  return !closersOnly.test(line) && line.trim().length > 2 && line.trim() !== 'end';
}

/** Maximum number of lines in a repeated pattern. */
const maxPattern = 6;

/** Removes all but the first of three or more repetitions of the same lines at the end of a text. */
export const cutRepeatedLines: CleaningRule = (text) => {
  const lines = text.split('\n');
  while (lines.length > 1 && isBlank(lines.at(-1) ?? '')) lines.pop();
  for (let length = 1; length <= maxPattern; length += 1) {
    const begin = beginOfPattern(lines, length);
    const pattern = lines.slice(begin, begin + length);
    if (lines.length - begin >= length * 3 && pattern.some((line) => isMeaningful(line) || (length === 1 && !isBlank(line)))) {
      return lines.slice(0, begin + length).join('\n');
    }
  }
  return text;
};

/** Returns the index of the first line from which the lines repeat every `length` lines. The last line may be incomplete. */
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

/** Matches chained assignments of a variable to itself. */
const assignmentLoop = /(?<![\w.$])([\w.$]+)\s*=(?![=>])\s*\1\s*=(?![=>])/;

/**
 * Maximum length of a literal with repeated characters, such as a number, a hash or an ID. Longer repetition is treated as
 * runaway output.
 */
const maxLiteral = 64;

/**
 * If a line ends with six repetitions of the same text, removes all but the first. Does not change literals or rulers of a single
 * character. Drops a line that only assigns a variable to itself.
 */
export const withoutRepeatedWords: CleaningRule = (text, at) => {
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
    if (/^[\p{L}\p{N}]+$/u.test(pattern) && line.length - from < maxLiteral) continue;
    return text.slice(0, begin + from + length).trimEnd();
  }
  return text;
};
