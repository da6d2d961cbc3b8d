const fenceOpening = /^[\s>]*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}(?=[^`]*$)|~{3,})/;
/** Opening fence after other words in a line, as models sometimes write it. */
const lateFence = /(`{3,})\w*\s*$/;
const fenceClosing = /^[\s>]*(`{3,}|~{3,})\s*$/;
/** Opening quotation marks and their closing marks. */
const quotes: Readonly<Record<string, string>> = { '"': '"', '“': '”', '„': '“”', '«': '»', '‘': '’' };
/** Number of recent characters to store, so that the words before a call can be checked. */
const maxRecent = 400;

/** Tracks whether streamed Markdown ends inside code or a quotation. Reads each character only once. */
export class CodeTracker {
  private fence: string | null = null;
  /** Current line, which is incomplete. */
  private line = '';
  /** Number of backticks that opened inline code (0 outside code), and number of backticks at the end of the line. */
  private open = 0;
  private run = 0;
  /** Quotation mark that is open in this line. */
  private quote: string | null = null;
  private last = '';

  follow(text: string): void {
    // The text is rarely shortened, because slicing copies the string.
    this.last += text;
    if (this.last.length > 4 * maxRecent) this.last = this.last.slice(-maxRecent);
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

  /** True if the line is indented as code or quoted, or if it ends inside quotation marks. */
  get isQuoted(): boolean {
    return this.quote !== null || /^(?: {4}|\t|\s*>)/.test(this.line.slice(0, 40)) || /(?:^|\s)'$/.test(this.recent);
  }

  /** True if the line is empty so far. A small indentation is ignored. */
  get isLineStart(): boolean {
    return this.line.length <= 3 && this.line.trim() === '';
  }

  /** Most recent characters of the text. */
  get recent(): string {
    return this.last.slice(-maxRecent);
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

  /** Ends inline code at the same number of backticks that opened it. */
  private closeRun(): void {
    if (this.run === 0) return;
    if (this.open === 0) this.open = this.run;
    else if (this.open === this.run) this.open = 0;
    this.run = 0;
  }

  private pass(line: string): void {
    if (this.fence === null) this.fence = (fenceOpening.exec(line) ?? this.findLateFence(line))?.[1] ?? null;
    // A fence ends at a line with at least as many of the same characters.
    else if (fenceClosing.exec(line)?.[1]?.startsWith(this.fence)) this.fence = null;
  }

  private findLateFence(line: string): RegExpExecArray | null {
    return line.includes('```') ? lateFence.exec(line.slice(-40)) : null;
  }
}
