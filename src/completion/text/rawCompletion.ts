/** Unprocessed response of a model, and its position. Line endings are `\n`, except in `raw`. */
export interface RawCompletion {
  raw: string;
  prefix: string;
  suffix: string;
  languageId: string;
  multiline: boolean;
  /** Model family whose format was used. Null if the server applied its template. */
  family: string | null;
}

/** Removes unwanted parts of a response. If the result is empty, there is no suggestion. */
export type CleaningRule = (text: string, at: RawCompletion) => string;

/** Maximum number of characters on each side of the cursor that rules examine. */
const maxReach = 16_000;

/** Returns the text before the cursor in its line. */
export function lineStart({ prefix }: RawCompletion): string {
  return prefix.slice(prefix.lastIndexOf('\n') + 1);
}

/** Returns the text after the cursor in its line. */
export function lineTail({ suffix }: RawCompletion): string {
  const end = suffix.indexOf('\n');
  return end < 0 ? suffix : suffix.slice(0, end);
}

/** Returns the lines above the cursor. The nearest line is last. */
export function linesAbove({ prefix }: RawCompletion): string[] {
  return prefix.slice(-maxReach).split('\n').slice(0, -1);
}

/** Returns the lines below the cursor. Includes the line at the cursor if the cursor is at its start and the line has text. */
export function linesBelow(at: RawCompletion): string[] {
  const lines = at.suffix.slice(0, maxReach).split('\n');
  return lineStart(at) === '' && lineTail(at).trim() !== '' ? lines : lines.slice(1);
}

export function near({ prefix, suffix }: RawCompletion): { prefix: string; suffix: string } {
  return { prefix: prefix.slice(-maxReach), suffix: suffix.slice(0, maxReach) };
}

export function isBlank(line: string): boolean {
  return line.trim() === '';
}
