/** Author of lines that no chat wrote. These are the original lines and lines written by the user or another program. */
export const others = '';

/** Line that the file contains or contained earlier. */
export interface WovenLine {
  readonly text: string;
  /** ID of the chat that wrote the line, or `others`. */
  readonly author: string;
  /** Message of the chat that wrote the line or removed it last. -1 if there is none. */
  readonly turn: number;
  /** Authors that removed the line. If empty, the file contains the line. */
  readonly removedBy: readonly string[];
  /** Number of the replacement that added the line, and of the replacement that removed it last. 0 if there is none. */
  readonly addedIn: number;
  readonly removedIn: number;
  /** True if the base of the current chat does not contain the line, even if the line is restored. See `isInBase`. */
  readonly isOutsideBase?: true;
}

/** Returns true if the text contains the line. */
export function isPresent({ removedBy }: WovenLine): boolean {
  return removedBy.length === 0;
}

/** Returns true if the text contains the line and the chat wrote it. */
export function isWritten(line: WovenLine, author: string): boolean {
  return line.author === author && isPresent(line);
}

/**
 * Returns true if the text without the changes of the chat contained the line after the replacement `settled`. Later changes by
 * the user count as typing next to pending changes.
 */
export function isInBase(line: WovenLine, author: string, settled: number): boolean {
  if (line.isOutsideBase || line.author === author || line.addedIn > settled) return false;
  return isRemovedBy(line, author) || (line.removedBy.includes(others) && line.removedIn > settled);
}

/** Returns true if no author other than the chat removed the line. */
export function isRemovedBy({ removedBy }: WovenLine, author: string): boolean {
  return removedBy.every((one) => one === author);
}

/** Returns the authors, including the given author. */
export function including(authors: readonly string[], author: string): readonly string[] {
  return authors.includes(author) ? authors : [...authors, author];
}
