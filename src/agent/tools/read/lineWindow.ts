import { cutHead } from '../../../types/cutText';

/** Extracts the lines from `first` to `last`, counted from 1, from streamed text, up to `maxBytes`. */
export class LineWindow {
  private readonly lines: string[] = [];
  private current = '';
  private lineNumber = 1;
  private hasCurrent = false;
  private bytes = 0;
  /** Length of the line `first`. Only this line may be truncated. */
  private firstBytes = 0;
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

  /**
   * Returns the lines. `total` includes a last line without a line break. `lastLine` is
   * the last line that is included at least partly. If a line is too long, `cut` contains
   * the size of the line and of the shown part in UTF-8 bytes. Otherwise it is null.
   */
  finish(): { text: string; total: number; lastLine: number; cut: { all: number; shown: number } | null } {
    const total = this.hasCurrent ? this.lineNumber : this.lineNumber - 1;
    if (this.hasCurrent) this.endLine();
    const text = this.lines.join('\n');
    const cut = this.isCut ? { all: this.firstBytes, shown: Buffer.byteLength(text) } : null;
    return { text, total, lastLine: this.first + this.lines.length - 1, cut };
  }

  private grow(text: string, from: number, to: number): void {
    this.hasCurrent = true;
    if (this.lineNumber === this.first)
      this.firstBytes += Buffer.byteLength(text.slice(from, text[to - 1] === '\r' ? to - 1 : to));
    if (!this.isWanted || this.isFull) return;
    const piece = text.slice(from, to);
    const room = this.maxBytes - this.bytes;
    const size = Buffer.byteLength(piece);
    if (size > room) {
      // Only the first line may be truncated. Later lines that do not fit are left for the next call.
      if (this.lines.length > 0) {
        this.current = '';
        this.isFull = true;
        return;
      }
      this.current = headOfBytes(this.current + piece, this.maxBytes);
      this.isCut = true;
      this.isFull = true;
      return;
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

/** Returns the start of a text, at most `max` bytes long in UTF-8. */
function headOfBytes(text: string, max: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(max));
  return cutHead(text, read);
}
