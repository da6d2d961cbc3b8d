import { keyPattern } from './keyShapes';

/** Number of characters by which consecutive pieces overlap. No key pattern is longer. */
const overlap = 1024;

/** Scans a text for keys piece by piece, using little memory. */
export class KeyScanner {
  private readonly pattern = keyPattern();
  private carry = '';
  private isFirst = true;

  /**
   * Returns true if a key ends in this piece. A key at the end of a piece is reported with the
   * next piece, unless the piece is the last.
   */
  hasKey(piece: string, isLast = false): boolean {
    const text = this.carry + piece;
    // The first overlapping character only provides context for a key after it.
    this.pattern.lastIndex = this.isFirst ? 0 : 1;
    const found = this.pattern.exec(text);
    this.isFirst = false;
    this.carry = text.slice(-overlap);
    return found !== null && (isLast || found.index + found[0].length < text.length);
  }
}
