/** Mistake that models make when they copy text from a file. */
export type Slip = 'indentation' | 'blankLine' | 'spaces' | 'quotes' | 'escapes' | 'numbers' | 'character';

/** Way to read lines that were copied with a slip. */
export interface Reading {
  slip: Slip;
  /** Lines to look for. */
  asked: readonly string[];
  /** Returns the part of a line that is compared. */
  key: (line: string) => string;
  /**
   * Returns lines without the slip, those that were copied and new ones. Leaves alone what is no slip: `there` are the lines of the file at the
   * place that was found, as many as `asked`.
   */
  undo: (lines: readonly string[], there: readonly string[]) => string[];
}

/** Returns a line without its indentation, with one blank where there are several. */
export function squeezed(line: string): string {
  return line.trim().replaceAll(/\s+/g, ' ');
}
