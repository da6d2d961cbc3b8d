import { keyPattern } from './keyShapes';

/** Characters of a piece that are looked at again with the next: no shape is longer. */
const overlap = 1024;

/** Looks for keys in a text that comes piece by piece, in memory for little more than a piece. */
export class KeyScanner {
  private readonly pattern = keyPattern();
  private carry = '';
  private isFirst = true;

  /** Tells whether a key ends in this piece; one that touches its end is told with the next, unless this is the last. */
  hasKey(piece: string, isLast = false): boolean {
    const text = this.carry + piece;
    // The first character that was carried over is there for what stands before a key.
    this.pattern.lastIndex = this.isFirst ? 0 : 1;
    const found = this.pattern.exec(text);
    this.isFirst = false;
    this.carry = text.slice(-overlap);
    return found !== null && (isLast || found.index + found[0].length < text.length);
  }
}
