/** Extracts lines `first` to `last` (from 1) from streamed text, up to `maxBytes`. */
export class LineWindow {
  private readonly lines: string[] = [];
  private current = '';
  private lineNumber = 1;
  private hasCurrent = false;
  private bytes = 0;
  private isFull = false;
  private isCut = false;

  constructor(
    private readonly first: number,
    private readonly last: number,
    private readonly maxBytes: number,
  ) {}

  push(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.grow(text, from, end);
      this.endLine();
      from = end + 1;
    }
    if (from < text.length) this.grow(text, from, text.length);
  }

  /** Returns the lines. `total` includes a last line without a line end. `lastLine` is the last line that is at least partly included. */
  finish(): { text: string; total: number; lastLine: number; isLastCut: boolean } {
    const total = this.hasCurrent ? this.lineNumber : this.lineNumber - 1;
    if (this.hasCurrent) this.endLine();
    return { text: this.lines.join('\n'), total, lastLine: this.first + this.lines.length - 1, isLastCut: this.isCut };
  }

  private grow(text: string, from: number, to: number): void {
    this.hasCurrent = true;
    if (!this.isWanted || this.isFull) return;
    let piece = text.slice(from, to);
    const room = this.maxBytes - this.bytes;
    const size = Buffer.byteLength(piece);
    if (size > room) {
      // Only the first line may be cut. A later line that does not fit is left for the next call.
      if (this.lines.length > 0) {
        this.current = '';
        this.isFull = true;
        return;
      }
      piece = Buffer.from(piece)
        .subarray(0, room)
        .toString('utf8')
        .replace(/\uFFFD$/, '');
      this.isCut = true;
      this.isFull = true;
    }
    this.bytes += size;
    this.current += piece;
  }

  private endLine(): void {
    const isKept = this.isWanted && (!this.isFull || (this.isCut && this.lines.length === 0));
    if (isKept) {
      this.lines.push(this.current.replace(/\r$/, ''));
      this.bytes += 1;
    }
    if (this.isCut || this.bytes >= this.maxBytes) this.isFull = true;
    this.current = '';
    this.hasCurrent = false;
    this.lineNumber += 1;
  }

  private get isWanted(): boolean {
    return this.lineNumber >= this.first && this.lineNumber <= this.last;
  }
}
