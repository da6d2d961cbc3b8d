/** Kind of error that models make when they copy text from a file. */
export type Slip = 'indentation' | 'blankLine' | 'spaces' | 'quotes' | 'escapes' | 'numbers' | 'character';

/** Possible interpretation of lines that were copied with an error. */
export interface Reading {
  slip: Slip;
  /** Lines to search for. */
  asked: readonly string[];
  /** Returns the part of a line that is compared. */
  key: (line: string) => string;
  /**
   * Corrects copied and new lines, and changes nothing else. `there`
   * contains the matching lines of the file, one for each line in `asked`.
   */
  undo: (lines: readonly string[], there: readonly string[]) => string[];
  /** Line of the file, counted from 1, at which the lines must begin. Undefined allows any line. */
  firstLine?: number;
}

/** Removes the indentation and replaces each run of white space with one space. */
export function squeezed(line: string): string {
  return line.trim().replaceAll(/\s+/g, ' ');
}
