/** Formats for the name and the arguments of a call. */
export type ValueKind = 'json' | 'xml' | 'python' | 'gemma';

/** Finds the end of a value that arrives in pieces. Reads each character only once. */
export interface ValueEnd {
  /** True if the value itself has ended, not only the text around it. */
  readonly isWhole: boolean;
  /** True if the nesting is too deep for a call. */
  readonly isTooDeep: boolean;
  /** Returns the index in this piece after the end of the value, or -1. */
  push(piece: string): number;
}

export const valueEnds: Readonly<Record<ValueKind, () => ValueEnd>> = {
  json: () => new JsonEnd(),
  xml: () => new XmlEnd(),
  python: () => new PythonEnd(),
  gemma: () => new GemmaEnd(),
};

/** Prefixes of tag names that some model families use. */
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

  /** Also ends the value at a tag that cannot belong to it. */
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

/** Finds the end of `name(…)` or of a list of such calls. Strings may be triple-quoted. */
class PythonEnd implements ValueEnd {
  isWhole = false;
  isTooDeep = false;
  private depth = 0;
  /** Quote character of the open string, or 0 if no string is open. */
  private quote = 0;
  /** Number of quotes that opened the string, or 0 if this is undecided. */
  private width = 0;
  /** Number of consecutive quotes at the end of the text so far. */
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

  /** Returns whether a character belongs to the open string. */
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

/** Tokens around a string in different versions of Gemma. */
const stringTokens = ['<|"|>', '<escape>'];
const gemmaClosers = ['<tool_call|>', '<end_function_call>'];
const longestToken = Math.max(...[...stringTokens, ...gemmaClosers].map(({ length }) => length));

/** String in Gemma's format. The text is from `start` to `end`. The text with its delimiters is from `from` to `to`. */
interface GemmaString {
  from: number;
  start: number;
  end: number;
  to: number;
  isPlain: boolean;
}

/**
 * Finds the strings in Gemma's format, one character at a time. Models also write plain quotes, often
 * without escapes inside the string. Therefore only a quote before a separator ends such a string.
 */
class GemmaScanner {
  readonly strings: GemmaString[] = [];
  /** Open string, with its delimiter and the characters that may follow the string. */
  private open: { from: number; start: number; quote: string; after: string } | null = null;
  private at = 0;
  private last = '';
  /** Last character outside of strings that is not white space. */
  private before = '';
  /** Index of a quote that ends the string if a separator follows, or -1 if there is none. */
  private end = -1;
  private isEscaped = false;

  /** True at the end of a closing token that is not inside string tokens. */
  get isClosed(): boolean {
    const isText = this.open !== null && stringTokens.includes(this.open.quote);
    return !isText && gemmaClosers.some((closer) => this.last.endsWith(closer));
  }

  /** Reads a character. Returns true if the character belongs to a string. */
  push(sign: string): boolean {
    const at = this.at;
    this.at += 1;
    this.last = (this.last + sign).slice(-longestToken);
    if (this.open === null) return this.readOutside(sign, at);
    const { quote, after } = this.open;
    if (stringTokens.includes(quote)) {
      if (this.last.endsWith(quote)) this.close(at + 1 - quote.length, at + 1);
      return true;
    }
    if (this.end >= 0 && sign.trim() === '') return true;
    if (this.end >= 0 && after.includes(sign)) {
      this.close(this.end, this.end + 1);
      return this.readOutside(sign, at);
    }
    const isEnd = sign === quote && !this.isEscaped;
    this.end = isEnd ? at : -1;
    this.isEscaped = sign === '\\' && !this.isEscaped;
    return true;
  }

  /** Ends the text. If the last character of an open string is a quote, this quote closes it. */
  finish(): void {
    if (this.end >= 0) this.close(this.end, this.end + 1);
  }

  private readOutside(sign: string, at: number): boolean {
    const { before } = this;
    const token = stringTokens.find((one) => this.last.endsWith(one));
    if (token !== undefined) this.open = { from: at + 1 - token.length, start: at + 1, quote: token, after: '' };
    else if (/["']/.test(sign) && /[{[,:]/.test(before)) {
      const after = before === '{' ? ':' : before === ',' ? ',}]:' : ',}]';
      this.open = { from: at, start: at + 1, quote: sign, after };
    }
    if (this.open !== null) this.last = '';
    if (sign.trim() !== '') this.before = sign;
    return this.open !== null;
  }

  private close(end: number, to: number): void {
    if (this.open === null) return;
    const { from, start, quote } = this.open;
    this.strings.push({ from, start, end, to, isPlain: !stringTokens.includes(quote) });
    this.open = null;
    this.last = '';
    this.end = -1;
    this.isEscaped = false;
  }
}

/** Converts Gemma's format to loose JSON. A string without an end is unchanged. */
export function gemmaJson(written: string): string {
  const text = gemmaClosers.reduce((left, closer) => (left.endsWith(closer) ? left.slice(0, -closer.length) : left), written);
  const scanner = new GemmaScanner();
  for (let at = 0; at < text.length; at += 1) scanner.push(text[at] ?? '');
  scanner.finish();
  const parts: string[] = [];
  let from = 0;
  for (const found of scanner.strings) {
    parts.push(withQuotedNames(text.slice(from, found.from)));
    const content = text.slice(found.start, found.end);
    parts.push(found.isPlain ? `"${content.replaceAll(/\\[\s\S]|"/g, escapedQuote)}"` : JSON.stringify(content));
    from = found.to;
  }
  parts.push(withQuotedNames(text.slice(from)));
  return parts.join('');
}

const bareName = /([{,]\s*)([^\s"'{}[\],:][^{}[\],:]*)(?=:)/g;

function withQuotedNames(text: string): string {
  return text.replaceAll(bareName, '$1"$2"');
}

/** Escapes a double quote that is not yet escaped. */
function escapedQuote(sign: string): string {
  return sign === '"' ? '\\"' : sign;
}

/**
 * Finds the end of an object in Gemma's format. The closing token of
 * the call also ends the object, unless it is between string tokens.
 */
class GemmaEnd implements ValueEnd {
  isWhole = false;
  isTooDeep = false;
  private depth = 0;
  private readonly scanner = new GemmaScanner();

  push(piece: string): number {
    for (let at = 0; at < piece.length; at += 1) {
      const isText = this.scanner.push(piece[at] ?? '');
      if (this.scanner.isClosed) return at + 1;
      if (isText) continue;
      const code = piece.charCodeAt(at);
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
  // Matches the end of the last argument and of the call. If the argument
  // has no end, matches the end of the call and of the tag around it.
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
