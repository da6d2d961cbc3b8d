/** Forms of a call's name and arguments. */
export type ValueKind = 'json' | 'xml' | 'python' | 'gemma';

/** Finds the end of a value that arrives in pieces. Reads each character once. */
export interface ValueEnd {
  /** True if the value itself has ended, rather than the text around it. */
  readonly isWhole: boolean;
  /** True if the nesting is too deep for a call. */
  readonly isTooDeep: boolean;
  /** Returns the index after the end of the value in this piece, or -1. */
  push(piece: string): number;
}

export const valueEnds: Readonly<Record<ValueKind, () => ValueEnd>> = {
  json: () => new JsonEnd(),
  xml: () => new XmlEnd(),
  python: () => new PythonEnd(),
  gemma: () => new GemmaEnd(),
};

/** Prefixes of tag names in some model families. */
export const tagPrefix = '(?:[a-z]+:|[|｜]DSML[|｜])?';

const maxDepth = 200;
const isOpen = (code: number): boolean => code === 123 || code === 91;
const isClose = (code: number): boolean => code === 125 || code === 93;

class JsonEnd implements ValueEnd {
  isWhole = false;
  isTooDeep = false;
  private depth = 0;
  private quote = 0;
  private isEscaped = false;

  /** A tag that cannot belong to the value ends it too. */
  push(piece: string): number {
    for (let at = 0; at < piece.length; at += 1) {
      const code = piece.charCodeAt(at);
      if (this.quote !== 0) {
        if (this.isEscaped) this.isEscaped = false;
        else if (code === 92) this.isEscaped = true;
        else if (code === this.quote) this.quote = 0;
        continue;
      }
      if (code === 34 || code === 39) this.quote = code;
      else if (isOpen(code)) {
        this.depth += 1;
        this.isTooDeep = this.depth > maxDepth;
        if (this.isTooDeep) return at;
      } else if (isClose(code)) {
        this.depth -= 1;
        this.isWhole = this.depth === 0;
        if (this.isWhole) return at + 1;
      } else if (code === 60) return at;
    }
    return -1;
  }
}

/** Finds the end of `name(…)` or of a list of such calls. Strings may have three quotes. */
class PythonEnd implements ValueEnd {
  isWhole = false;
  isTooDeep = false;
  private depth = 0;
  /** Quote of the open string; 0 without one. */
  private quote = 0;
  /** Number of quotes that opened the string; 0 while undecided. */
  private width = 0;
  /** Number of consecutive quotes at the end of the text read so far. */
  private run = 0;
  private isEscaped = false;

  push(piece: string): number {
    for (let at = 0; at < piece.length; at += 1) {
      const code = piece.charCodeAt(at);
      if (this.quote !== 0 && this.isInText(code)) continue;
      if (code === 34 || code === 39) Object.assign(this, { quote: code, width: 0, run: 1 });
      else if (isOpen(code) || code === 40) {
        this.depth += 1;
        this.isTooDeep = this.depth > maxDepth;
        if (this.isTooDeep) return at;
      } else if (isClose(code) || code === 41) {
        this.depth -= 1;
        this.isWhole = this.depth === 0;
        if (this.isWhole) return at + 1;
      }
    }
    return -1;
  }

  /** Tells whether a character belongs to the open string. */
  private isInText(code: number): boolean {
    const isQuote = code === this.quote;
    if (this.width === 0) {
      if (isQuote) {
        this.run += 1;
        if (this.run === 3) Object.assign(this, { width: 3, run: 0 });
        return true;
      }
      const isEmpty = this.run === 2;
      Object.assign(this, { width: 1, run: 0 });
      if (isEmpty) {
        this.quote = 0;
        return false;
      }
    }
    if (this.isEscaped) this.isEscaped = false;
    else if (code === 92) this.isEscaped = true;
    else if (isQuote) {
      this.run += 1;
      if (this.run === this.width) this.quote = 0;
      return true;
    }
    this.run = 0;
    return true;
  }
}

/** Finds the end of an object whose strings are between tokens. */
class GemmaEnd implements ValueEnd {
  isWhole = false;
  isTooDeep = false;
  private depth = 0;
  private isInText = false;
  private last = '';

  push(piece: string): number {
    for (let at = 0; at < piece.length; at += 1) {
      this.last = (this.last + (piece[at] ?? '')).slice(-8);
      if (this.last.endsWith('<|"|>') || this.last === '<escape>') {
        this.isInText = !this.isInText;
        this.last = '';
      }
      const code = piece.charCodeAt(at);
      if (this.isInText) continue;
      if (isOpen(code)) this.depth += 1;
      else if (isClose(code)) this.depth -= 1;
      else continue;
      this.isTooDeep = this.depth > maxDepth;
      this.isWhole = this.depth === 0;
      if (this.isTooDeep || this.isWhole) return at + 1;
    }
    return -1;
  }
}

const closing = `<\\/${tagPrefix}(?:function|invoke|tool_call)>`;
const xmlEnd = new RegExp(
  // End of the last argument and of the call. If the argument has no end: end of the call and of the tag around it.
  `(?:<\\/${tagPrefix}param(?:eter)?>|<\\/arg_value>|\\}|^<${tagPrefix}(?:function|invoke)[^>]{1,80}>)\\s*${closing}` +
    `|<\\/${tagPrefix}(?:function|invoke)>\\s*<\\/${tagPrefix}(?:tool_call|function_calls|tool_calls)>`,
);

class XmlEnd implements ValueEnd {
  isWhole = false;
  readonly isTooDeep = false;
  private window = '';

  push(piece: string): number {
    const window = this.window + piece;
    const end = xmlEnd.exec(window);
    if (!end) {
      this.window = window.slice(-100);
      return -1;
    }
    this.isWhole = true;
    return end.index + end[0].length - this.window.length;
  }
}
