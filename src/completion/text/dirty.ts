/** A model's words, and the place for which it said them. Line ends are `\n`, but for what the model says. */
export interface Dirty {
  raw: string;
  prefix: string;
  suffix: string;
  languageId: string;
  multiline: boolean;
  /** Name of the family in whose way the model was asked; null for the server's own. */
  family: string | null;
}

/** Takes something out of a text that is for this place, or nothing; an empty text is not shown. */
export type Rule = (text: string, at: Dirty) => string;

/** Characters of a document that rules look at, on each side of the cursor. */
const reach = 16_000;

/** Returns the part of the cursor's line before it. */
export function lineStart({ prefix }: Dirty): string {
  return prefix.slice(prefix.lastIndexOf('\n') + 1);
}

/** Returns the part of the cursor's line after it. */
export function lineTail({ suffix }: Dirty): string {
  const end = suffix.indexOf('\n');
  return end < 0 ? suffix : suffix.slice(0, end);
}

/** Returns the lines above the cursor's, the nearest last. */
export function linesAbove({ prefix }: Dirty): string[] {
  return prefix.slice(-reach).split('\n').slice(0, -1);
}

/** Returns the lines below the cursor's; from its own on where nothing stands before the cursor there, and something after it. */
export function linesBelow(at: Dirty): string[] {
  const lines = at.suffix.slice(0, reach).split('\n');
  return lineStart(at) === '' && lineTail(at).trim() !== '' ? lines : lines.slice(1);
}

/** Returns the text near the cursor. */
export function near({ prefix, suffix }: Dirty): { prefix: string; suffix: string } {
  return { prefix: prefix.slice(-reach), suffix: suffix.slice(0, reach) };
}

/** Returns the blanks that a line begins with. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** Tells whether a line has nothing but blanks. */
export function isBlank(line: string): boolean {
  return line.trim() === '';
}
