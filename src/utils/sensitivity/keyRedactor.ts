import { keyLeftOut, withoutKeys } from './keyShapes';

const header = /-----BEGIN ([A-Z0-9 ]{1,60})-----\s*$/;
const puttyHeader = /PuTTY-User-Key-File-[23]:/;
const puttyEnd = /Private-MAC:/;
const puttyLine =
  /(?:Encryption|Comment|Public-Lines|Private-Lines|Key-Derivation|Argon2-\w+): |[A-Za-z0-9+/]{20,}={0,2}\s*$|^[A-Za-z0-9+/]+={0,2}$/;
const footer = /-----END [A-Z0-9 ]{1,60}-----/;
/** Lines between the header of a key and its text. */
const field = /(?:^|[\s+|>):-])(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): |^\W*$/;
const longLine = /[A-Za-z0-9+/]{40,}={0,2}[^A-Za-z0-9+/=]*$/;
const shortLine = /(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{1,63}={0,2}(?=[^A-Za-z0-9+/=]*$)/;
/** A whole line of a key whose header was not shown: OpenSSL and GnuPG write 64 characters, OpenSSH 70. */
const strayLine =
  /(?<![A-Za-z0-9+/=_-])(?=[A-Z+/\d]*[a-z])(?=[a-z+/\d]*[A-Z])(?=[A-Za-z+/]*\d)(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70})(?=\s*$)/;
/** Lines that may follow the last whole line of a key: the rest and a checksum. */
const mostShort = 2;

type State =
  | { in: 'text' }
  | { in: 'public' | 'putty' }
  /** `isTold`: its place is marked already. `shorts`: null until a whole line was there. */
  | { in: 'key'; isTold: boolean; shorts: number | null };

/**
 * Takes keys out of lines that come one after the other, also private keys of many lines, whatever stands before each line: numbers, authors or
 * the signs of a diff.
 */
export class KeyRedactor {
  private state: State = { in: 'text' };
  private found = 0;

  /** Places that were left out so far. */
  get count(): number {
    return this.found;
  }

  /** Returns a line with `[key left out]` in place of each key; null for a line that is nothing but more of one. */
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

  /** Does as `line`, for a line that is not complete; nothing is remembered. Returns the places left out in it too. */
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

  /** Returns undefined where the key has ended before. */
  private insideKey(text: string, state: State & { in: 'key' }): string | null | undefined {
    const { isTold, shorts } = state;
    if (longLine.test(text)) {
      if (!isTold) this.found += 1;
      this.state = { in: 'key', isTold: true, shorts: 0 };
      return isTold ? null : keyLeftOut;
    }
    if (shorts === null) return field.test(text) ? text : undefined;
    if (shorts >= mostShort || !shortLine.test(text)) return undefined;
    this.state = { ...state, shorts: shorts + 1 };
    return text.replace(shortLine, keyLeftOut);
  }
}
