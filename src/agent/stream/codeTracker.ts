const fenceOpening = /^[\s>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}(?=[^`]*$)|~{3,})/;
const fenceClosing = /^[\s>]*(`{3,}|~{3,})\s*$/;

/** Tracks whether Markdown that comes in pieces is inside code at its end. */
export class CodeTracker {
  private fence: string | null = null;
  /** The line that has not ended yet. */
  private line = '';

  follow(text: string): void {
    const lines = (this.line + text).split('\n');
    this.line = lines.pop() ?? '';
    for (const line of lines) this.pass(line);
  }

  get isInside(): boolean {
    return this.fence !== null || isInsideInlineCode(this.line);
  }

  /** Content of the last line so far. */
  get lineSoFar(): string {
    return this.line;
  }

  private pass(line: string): void {
    if (this.fence === null) this.fence = fenceOpening.exec(line)?.[1] ?? null;
    // A fence ends with at least as many of the same sign.
    else if (fenceClosing.exec(line)?.[1]?.startsWith(this.fence)) this.fence = null;
  }
}

/** Tells whether a line ends inside inline code, which ends with as many backticks as it began with. */
function isInsideInlineCode(line: string): boolean {
  let open = 0;
  for (const [{ length }] of line.matchAll(/`+/g)) {
    if (open === 0) open = length;
    else if (open === length) open = 0;
  }
  return open > 0;
}
