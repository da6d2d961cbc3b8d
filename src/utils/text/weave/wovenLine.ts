/** Author of lines that no chat has written: the original, and what a person or another program has made of it. */
export const others = '';

/** A line that the file has or had. */
export interface WovenLine {
  readonly text: string;
  /** Id of the chat that wrote it, or `others`. */
  readonly author: string;
  /** Message of the chat that wrote it, or that removed it last; -1: none. */
  readonly turn: number;
  /** Authors that have removed it. Empty: the file has the line. */
  readonly removedBy: readonly string[];
  /** Number of the replacement that added it, and of the one that removed it last. 0: none. */
  readonly addedIn: number;
  readonly removedIn: number;
  /** The base of the chat that is asked about lacks the line, even if it is restored: see `isInBase`. */
  readonly isOutsideBase?: true;
}

/** Returns true if the text has the line. */
export function isPresent({ removedBy }: WovenLine): boolean {
  return removedBy.length === 0;
}

/** Returns true if the text has the line, and the chat has written it. */
export function isWritten(line: WovenLine, author: string): boolean {
  return line.author === author && isPresent(line);
}

/**
 * Returns true if the text had the line without the changes of the chat, when the replacement `settled` was the last. What a person has done
 * since is typing beside pending changes.
 */
export function isInBase(line: WovenLine, author: string, settled: number): boolean {
  if (line.isOutsideBase || line.author === author || line.addedIn > settled) return false;
  return isRemovedBy(line, author) || (line.removedBy.includes(others) && line.removedIn > settled);
}

/** Returns true if only the chat has removed the line, or no author has. */
export function isRemovedBy({ removedBy }: WovenLine, author: string): boolean {
  return removedBy.every((one) => one === author);
}

/** Returns the authors with another one. */
export function including(authors: readonly string[], author: string): readonly string[] {
  return authors.includes(author) ? authors : [...authors, author];
}
