const fenceOpening = /^[\s>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}(?=[^`]*$)|~{3,})/;
/** Models also begin a fence behind words. */
const lateFence = /(`{3,})\w*\s*$/;
const fenceClosing = /^[\s>]*(`{3,}|~{3,})\s*$/;
/** Quotation marks that begin, with those that end the quotation. */
const quotes: Readonly<Record<string, string>> = { '"': '"', '“': '”', '„': '“”', '«': '»', '‘': '’' };
/** Number of characters before the end that are kept, for what is said before a call. */
const kept = 200;

/** Tracks whether Markdown that comes in pieces is inside code or a quotation at its end. Looks at each character once. */
export class CodeTracker {
  private fence: string | null = null;
  /** The line that has not ended yet. */
  private line = '';
  /** Number of backticks that inline code began with, 0 outside, and of those at the line's end. */
  private open = 0;
  private run = 0;
  /** Quotation mark that is open in this line. */
  private quote: string | null = null;
  private last = '';

  follow(text: string): void {
    // Cut now and then only: a string is copied by that.
    this.last += text;
    if (this.last.length > 4 * kept) this.last = this.last.slice(-kept);
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.line += text.slice(from, end);
      this.pass(this.line);
      this.line = '';
      this.open = this.run = 0;
      this.quote = null;
      from = end + 1;
    }
    this.grow(text.slice(from));
  }

  get isInside(): boolean {
    if (this.fence !== null) return true;
    if (this.run === 0) return this.open > 0;
    return this.open === 0 || this.open !== this.run;
  }

  /** True if the line is indented as code is, or quoted, or its end is inside quotation marks. */
  get isQuoted(): boolean {
    return this.quote !== null || /^(?: {4}|\t|\s*>)/.test(this.line.slice(0, 40)) || /(?:^|\s)'$/.test(this.recent);
  }

  /** True if the line is empty so far, but for an indentation that means nothing. */
  get isLineStart(): boolean {
    return this.line.length <= 3 && this.line.trim() === '';
  }

  /** Text before the end, a few lines at most. */
  get recent(): string {
    return this.last.slice(-kept);
  }

  private grow(text: string): void {
    this.line += text;
    for (const [signs] of text.matchAll(/`+|["“”„«»‘’]|[^`"“”„«»‘’]+/g)) {
      if (signs[0] === '`') this.run += signs.length;
      else {
        this.closeRun();
        if (this.quote === null) this.quote = quotes[signs] === undefined ? null : signs;
        else if (quotes[this.quote]?.includes(signs)) this.quote = null;
      }
    }
  }

  /** Inline code ends with as many backticks as it began with. */
  private closeRun(): void {
    if (this.run === 0) return;
    if (this.open === 0) this.open = this.run;
    else if (this.open === this.run) this.open = 0;
    this.run = 0;
  }

  private pass(line: string): void {
    if (this.fence === null) this.fence = (fenceOpening.exec(line) ?? this.lateFenceOf(line))?.[1] ?? null;
    // A fence ends with at least as many of the same sign.
    else if (fenceClosing.exec(line)?.[1]?.startsWith(this.fence)) this.fence = null;
  }

  private lateFenceOf(line: string): RegExpExecArray | null {
    return line.includes('```') ? lateFence.exec(line.slice(-40)) : null;
  }
}
