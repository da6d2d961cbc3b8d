/** Document change that replaces `removed` characters at an offset with `text`. */
export interface RetentionChange {
  offset: number;
  removed: number;
  text: string;
}

/** Tracks an accepted suggestion through the changes of its document. */
export class AcceptedText {
  private start: number;
  private end: number;

  constructor(
    readonly uri: string,
    readonly text: string,
    offset: number,
  ) {
    this.start = offset;
    this.end = offset + text.length;
  }

  apply({ offset, removed, text }: RetentionChange): void {
    const changeEnd = offset + removed;
    const grown = text.length - removed;
    if (offset >= this.end) return;
    if (changeEnd <= this.start) {
      this.start += grown;
      this.end += grown;
      return;
    }
    this.start = Math.min(this.start, offset);
    this.end = Math.max(this.end, changeEnd) + grown;
  }

  /** Returns the number of accepted characters that remain at the tracked position. */
  retainedIn(document: string): number {
    return commonCharacters(this.text, document.slice(Math.max(0, this.start), this.end));
  }
}

/** Returns the number of characters in the longest common subsequence of words. */
function commonCharacters(one: string, other: string): number {
  const before = splitWords(one);
  const now = splitWords(other);
  let row = new Array<number>(now.length + 1).fill(0);
  for (const word of before) {
    const next = [0];
    for (const [at, candidate] of now.entries()) {
      const taken = word === candidate ? (row[at] ?? 0) + word.length : 0;
      next.push(Math.max(taken, row[at + 1] ?? 0, next[at] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function splitWords(text: string): string[] {
  return text.match(/\w+|\s+|[^\w\s]/g) ?? [];
}
