/** Error of models when they copy text from a file. */
export type Slip = 'indentation' | 'blankLine' | 'spaces' | 'quotes' | 'escapes' | 'numbers' | 'character';

/** Interpretation of lines that were copied with an error. */
export interface Reading {
  slip: Slip;
  /** Lines to look for. */
  asked: readonly string[];
  /** Returns the part of a line to compare. */
  key: (line: string) => string;
  /** Corrects copied and new lines, and keeps what is not an error. `there` are the lines of the file at the place, as many as `asked`. */
  undo: (lines: readonly string[], there: readonly string[]) => string[];
  /** Line of the file, from 1, at which the lines must begin; undefined for any. */
  firstLine?: number;
}

/** Removes the indentation and collapses white space. */
export function squeezed(line: string): string {
  return line.trim().replaceAll(/\s+/g, ' ');
}
