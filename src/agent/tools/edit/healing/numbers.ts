import { squeezed, type Reading } from './reading';

/** Line numbers in listings, such as `12: `, `12 | `, or a number and a tab. */
const numbered = /^[ \t]*(?:L|[Ll]ine )?(\d{1,6})(?:[\t→]|(?:[ ]*[|│:]|[.)](?=[ \t]|$)|(?=[ ]|$))[ ]?)/;

/** Returns the reading of lines with copied line numbers. It is valid only at the lines of the file with these numbers. */
export function numberReadings(asked: readonly string[]): Reading[] {
  const numbers = asked.map(readNumber);
  const [first] = numbers;
  const isCounted = numbers.every((number, at) =>
    number === undefined ? asked[at]?.trim() === '' : number === Number(first) + at,
  );
  if (first === undefined || !isCounted) return [];
  const undo: Reading['undo'] = (lines, there) => {
    const sign = findSeparator(asked, there);
    const listed = listedLines(lines, asked, first, sign);
    return lines.map((line) => (listed.has(line) ? bare(line, sign) : line));
  };
  return [{ slip: 'numbers', asked: asked.map((line) => bare(line)), key: squeezed, undo, firstLine: first }];
}

/**
 * Returns the lines that begin with a line number. These are all copied lines, and new lines whose
 * numbers continue those of the file. Other numbers, such as those in table rows, belong to the text.
 */
function listedLines(
  lines: readonly string[],
  asked: readonly string[],
  first: number,
  sign: string | undefined,
): ReadonlySet<string> {
  const lead = Math.max(...asked.map(measureLead));
  const last = first + asked.length - 1;
  const isInForm = (line: string): boolean => {
    return measureLead(line) <= lead && (behindNumber(line) ?? '').startsWith((sign ?? '').trimEnd());
  };
  const texts = new Set(asked.map((line) => bare(line, sign).trim()).filter((text) => text !== ''));
  // A copied line may already have the number that it gets through the edit.
  const isRenumbered = (line: string, number: number): boolean =>
    number >= first && number <= last + lines.length && isInForm(line) && texts.has(bare(line, sign).trim());
  const copied = new Set(asked);
  const fresh = new Set<string>();
  let isConsistent = true;
  let at = first - 1;
  let blanks = 0;
  for (const line of lines) {
    const number = readNumber(line);
    if (line.trim() === '') blanks += 1;
    else if (number !== undefined && (copied.has(line) || isRenumbered(line, number))) {
      copied.add(line);
      at = number;
      blanks = 0;
    } else {
      const isNext = number !== undefined && number > at && number <= Math.max(at + blanks, last) + 1;
      isConsistent &&= isNext && isInForm(line);
      fresh.add(line);
      at = number ?? at + 1;
      blanks = 0;
    }
  }
  return isConsistent ? new Set([...copied, ...fresh]) : copied;
}

function readNumber(line: string): number | undefined {
  const digits = numbered.exec(line)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function behindNumber(line: string): string | undefined {
  return /^[^\d]*\d+(.*)$/.exec(line)?.[1];
}

/** Returns a line without its number. `sign` is the text between the number and the line, if known. */
function bare(line: string, sign?: string): string {
  const own = behindNumber(line);
  return sign !== undefined && own?.startsWith(sign) ? own.slice(sign.length) : line.replace(numbered, '');
}

function measureLead(line: string): number {
  return line.length - line.trimStart().length;
}

/** Returns the text between the number and the line, or undefined if the file has a different indentation. */
function findSeparator(asked: readonly string[], there: readonly string[]): string | undefined {
  const at = there.findIndex((line) => line.trim() !== '');
  const line = asked[at] ?? '';
  const right = there[at] ?? '';
  return line.endsWith(right) ? behindNumber(line.slice(0, line.length - right.length)) : undefined;
}

/**
 * Removes line numbers if the lines are numbered from `first`, as in tool results. Keeps
 * the numbers if lines of the file in `there` also begin with a number and a colon.
 */
export function withoutLineNumbers(lines: readonly string[], first: number, there: readonly string[]): readonly string[] {
  const [reading] = numberReadings(lines);
  const isOwn = there.some((line) => /^\s*\d+:/.test(line));
  return reading !== undefined && !isOwn && (lines[0] ?? '').startsWith(`${first}:`) ? reading.asked : lines;
}
