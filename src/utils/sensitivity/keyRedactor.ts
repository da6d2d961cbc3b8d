import { keyLeftOut, withoutKeys } from './keyShapes';

const header = /-----BEGIN ([A-Z0-9 ]{1,60})-----\s*$/;
const puttyHeader = /PuTTY-User-Key-File-[23]:/;
const puttyEnd = /Private-MAC:/;
const puttyLine =
  /(?:Encryption|Comment|Public-Lines|Private-Lines|Key-Derivation|Argon2-\w+): |[A-Za-z0-9+/]{20,}={0,2}\s*$|^[A-Za-z0-9+/]+={0,2}$/;
const footer = /-----END [A-Z0-9 ]{1,60}-----/;
/** Header fields that precede the text of a key. */
const field = /(?:^|[\s+|>):-])(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): |^\W*$/;
const longLine = /[A-Za-z0-9+/]{40,}={0,2}[^A-Za-z0-9+/=]*$/;
const shortLine = /(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{1,63}={0,2}(?=[^A-Za-z0-9+/=]*$)/;
/** Full line of a key without a header. OpenSSL and GnuPG write 64 characters per line, OpenSSH writes 70. */
const strayLine =
  /(?<![A-Za-z0-9+/=_-])(?=[A-Z+/\d]*[a-z])(?=[a-z+/\d]*[A-Z])(?=[A-Za-z+/]*\d)(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70})(?=\s*$)/;
/** Maximum number of lines after the last full line of a key: the rest and a checksum. */
const maxShortLines = 2;

type State =
  | { in: 'text' }
  | { in: 'public' | 'putty' }
  /** State inside a key. `isTold` is true if the key is already marked. `shorts` is null before the first full line. */
  | { in: 'key'; isTold: boolean; shorts: number | null };

/**
 * Removes keys from consecutive lines, including multi-line private keys. Lines can have any
 * prefix, such as line numbers, authors or diff signs.
 */
export class KeyRedactor {
  private state: State = { in: 'text' };
  private found = 0;

  /** Number of keys removed so far. */
  get count(): number {
    return this.found;
  }

  /** Returns a line with `[key left out]` instead of each key. Returns null for a further line of the same key. */
  line(text: string): string | null {
    const { state } = this;
    if (state.in === 'putty') {
      if (puttyEnd.test(text) || !puttyLine.test(text)) this.state = { in: 'text' };
      if (puttyEnd.test(text) || puttyLine.test(text)) return null;
    }
    if (footer.test(text) && state.in !== 'text') {
      this.state = { in: 'text' };
      return state.in === 'key' && state.isTold ? null : text;
    }
    if (state.in === 'key') {
      const inside = this.insideKey(text, state);
      if (inside !== undefined) return inside;
      this.state = { in: 'text' };
    } else if (state.in === 'public') {
      if (longLine.test(text) || field.test(text)) return text;
      this.state = { in: 'text' };
    }
    return this.outside(text);
  }

  /**
   * Processes an incomplete line in the same way as `line`, but does not change the state.
   * Also returns the number of keys in the line.
   */
  peek(text: string): { text: string | null; count: number } {
    const { state, found } = this;
    const line = this.line(text);
    const count = this.found - found;
    this.state = state;
    this.found = found;
    return { text: line, count };
  }

  private outside(text: string): string {
    const label = header.exec(text)?.[1];
    const clean = withoutKeys(text);
    const isTold = clean !== text;
    if (isTold) this.found += 1;
    if (puttyHeader.test(text)) this.state = { in: 'putty' };
    else if (label !== undefined)
      this.state = label.includes('PRIVATE KEY') ? { in: 'key', isTold, shorts: null } : { in: 'public' };
    else if (!isTold && strayLine.test(text)) {
      this.state = { in: 'key', isTold: true, shorts: 0 };
      this.found += 1;
      return text.replace(strayLine, keyLeftOut);
    }
    return clean;
  }

  /** Processes a line inside a key. Returns undefined if the key ended before this line. */
  private insideKey(text: string, state: State & { in: 'key' }): string | null | undefined {
    const { isTold, shorts } = state;
    if (longLine.test(text)) {
      if (!isTold) this.found += 1;
      this.state = { in: 'key', isTold: true, shorts: 0 };
      return isTold ? null : keyLeftOut;
    }
    if (shorts === null) return field.test(text) ? text : undefined;
    if (shorts >= maxShortLines || !shortLine.test(text)) return undefined;
    this.state = { ...state, shorts: shorts + 1 };
    return text.replace(shortLine, keyLeftOut);
  }
}
