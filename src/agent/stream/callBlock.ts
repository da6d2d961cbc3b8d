import { closerAt, closerIn, openerAt, plain } from './callForms';

/** Single call as written, or a list of calls. */
export interface WrittenValue {
  /** Text before it, such as the tool's name. */
  head: string;
  kind: 'json' | 'xml';
  text: string;
  /** True if its end was seen. */
  isComplete: boolean;
}

const maxHead = 300;

/**
 * Collects the text of a call that comes in pieces, up to where it ends: JSON by its brackets, XML by its last tag, then whatever
 * closes it. Each character is looked at once, so that a call of megabytes costs no more than its length.
 */
export class CallBlock {
  readonly values: WrittenValue[] = [];
  /** True if it cannot be a call after all, so that the text is to be shown. */
  isRefuted = false;
  private state: 'head' | 'json' | 'xml' | 'tail' = 'head';
  private start = '';
  /** A closing tag has come: of plain JSON after it nothing is a part of the block. */
  private isClosed = false;
  /** Part of a head or tail that is not decided on yet. */
  private small = '';
  private readonly written: string[] = [];
  private parts: string[] = [];
  private head = '';
  private json = new JsonEnd();
  private xmlEnd = '';

  constructor(opener: string) {
    this.written.push(opener);
  }

  /** Text that the model has written so far. */
  get raw(): string {
    return this.written.join('') + this.small;
  }

  /** The first characters of the call. */
  get beginning(): string {
    return this.start;
  }

  /** Takes a piece; gives back what does not belong to the block once it has ended, null before. */
  push(piece: string): string | null {
    if (this.start.length < maxHead) this.start += piece.slice(0, maxHead);
    let rest = piece;
    for (;;) {
      const before = this.state;
      const left = this.step(rest);
      if (this.isRefuted) return left ?? '';
      if (left === null) return null;
      if (before === 'tail' && this.state === 'tail') return left;
      rest = left;
    }
  }

  /** Ends the block; nothing more comes. */
  finish(): void {
    if (this.state === 'json' || this.state === 'xml') {
      const text = this.parts.join('');
      const end = closerIn(text);
      this.add(end > 0 && this.state === 'json' ? text.slice(0, end) : text, this.state, false);
    } else if (this.state === 'head' && this.values.length === 0) this.add('', 'json', false);
    this.written.push(this.small);
    this.small = '';
    this.state = 'tail';
  }

  private step(piece: string): string | null {
    switch (this.state) {
      case 'head':
        return this.readHead(piece);
      case 'json':
        return this.readJson(piece);
      case 'xml':
        return this.readXml(piece);
      case 'tail':
        return this.readTail(piece);
    }
  }

  private readHead(piece: string): string | null {
    this.small += piece;
    const start = valueStart(this.small);
    if (start === 'more') {
      const [decided = ''] = /^.*?(?=[<[][^<[]*$|`{1,3}\w*$|$)/s.exec(this.small) ?? [];
      this.isRefuted = this.small.length > maxHead || !isHead(decided);
      return null;
    }
    if (start === null || !isHead(this.small.slice(0, start.at))) {
      this.isRefuted = true;
      return null;
    }
    this.head = plain(this.small.slice(0, start.at));
    if (start.kind === 'none') return this.endWithoutValue(start.at);
    const rest = this.small.slice(start.at);
    this.written.push(this.small.slice(0, start.at));
    this.small = '';
    this.state = start.kind;
    this.json = new JsonEnd();
    this.xmlEnd = '';
    return rest;
  }

  /** Takes a tool's name alone between the tags for a call without arguments. */
  private endWithoutValue(at: number): string | null {
    const rest = this.small.slice(at);
    this.isRefuted = !/[\w.:-]\s*$/.test(this.head);
    if (this.isRefuted) return null;
    this.written.push(this.small.slice(0, at));
    this.small = '';
    this.add('{}', 'json', true);
    return rest;
  }

  private readJson(piece: string): string | null {
    const end = this.json.push(piece);
    if (end < 0) return this.take(piece);
    this.take(piece.slice(0, end));
    this.add(this.parts.join(''), 'json', this.json.isWhole);
    this.isRefuted = this.json.isTooDeep;
    return piece.slice(end);
  }

  private readXml(piece: string): string | null {
    const window = this.xmlEnd + piece;
    const end = /(?:<\/parameter>|<\/arg_value>|\}|^<(?:function|invoke)[^>]{1,80}>)\s*<\/(?:function|invoke|tool_call)>/.exec(
      window,
    );
    if (!end) {
      this.xmlEnd = window.slice(-80);
      return this.take(piece);
    }
    const at = end.index + end[0].length - this.xmlEnd.length;
    this.take(piece.slice(0, at));
    this.add(this.parts.join(''), 'xml', true);
    return piece.slice(at);
  }

  /** Reads what may follow a value: closers, another value, or text that is no part of the block. */
  private readTail(piece: string): string | null {
    this.small += piece;
    for (;;) {
      const [extra = ''] = /^[}\]]+/.exec(this.small) ?? [];
      this.written.push(extra);
      this.small = this.small.slice(extra.length);
      const [space = ''] = /^[\s,;]*/.exec(this.small) ?? [];
      const rest = this.small.slice(space.length);
      if (rest === '') return null;
      const closer = closerAt(rest);
      if (closer === 'more') return null;
      if (closer !== null) {
        this.isClosed ||= rest[0] !== '`';
        this.written.push(this.small.slice(0, space.length + closer));
        this.small = rest.slice(closer);
        continue;
      }
      const next = nextValue(rest, this.isClosed);
      if (next === 'more') return null;
      if (next) {
        this.written.push(space);
        this.small = '';
        this.state = 'head';
        return rest;
      }
      const left = this.small;
      this.small = '';
      return left;
    }
  }

  private take(piece: string): null {
    this.parts.push(piece);
    this.written.push(piece);
    return null;
  }

  private add(text: string, kind: 'json' | 'xml', isComplete: boolean): void {
    this.values.push({ head: this.head, kind, text, isComplete });
    this.parts = [];
    this.head = '';
    this.state = 'tail';
  }
}

/** Tells whether another value of the same block begins: more JSON, another function, or another call of DeepSeek's list. */
function nextValue(text: string, isClosed: boolean): boolean | 'more' {
  if (text[0] === '{') return !isClosed;
  if (/^\[\s*\{/.test(text)) return !isClosed;
  if (/^\[\s{0,20}$/.test(text)) return isClosed ? false : 'more';
  const opener = openerAt(text, 0, { isFirst: false, isLineStart: false });
  if (opener === 'more') return 'more';
  return opener !== null && opener.kind === 'tagged' && (opener.length === 0 || plain(text).startsWith('<|tool_call_begin'));
}

/** Tells whether a text is words and tokens, such as a tool's name between special tokens, and no sentence. */
function isHead(head: string): boolean {
  return /^\s*(?:(?:<[^<>\n]{1,40}>|\[[A-Z_]+\]|```\w*|[\w.:-]+)\s*){0,6}$/.test(head);
}

function valueStart(text: string): { at: number; kind: 'json' | 'xml' | 'none' } | 'more' | null {
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '{') return { at, kind: 'json' };
    if (sign !== '[' && sign !== '<') continue;
    const rest = text.slice(at, at + 60);
    if (rest === sign) return 'more';
    if (sign === '[' && !/[A-Z]/.test(rest[1] ?? '')) return { at, kind: 'json' };
    if (/^<(?:function=|function name=|invoke name=|arg_key>)/.test(rest)) return { at, kind: 'xml' };
    const [token = ''] = /^(?:\[[A-Z_]*\]?|<[^<>\n]{0,40}>?)/.exec(rest) ?? [];
    if (!/[\]>]$/.test(token)) return token.length === rest.length ? 'more' : null;
    if (closerAt(rest) !== null) return { at, kind: 'none' };
    at += token.length - 1;
  }
  return 'more';
}

/** Finds the end of one JSON value that comes in pieces. */
class JsonEnd {
  isWhole = false;
  isTooDeep = false;
  private depth = 0;
  private quote = 0;
  private isEscaped = false;

  /** Returns the index after the value's end, or -1. A value also ends if a tag follows that cannot be in it. */
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
      else if (code === 123 || code === 91) {
        this.depth += 1;
        this.isTooDeep = this.depth > 200;
        if (this.isTooDeep) return at;
      } else if (code === 125 || code === 93) {
        this.depth -= 1;
        this.isWhole = this.depth === 0;
        if (this.isWhole) return at + 1;
      } else if (code === 60) return at;
    }
    return -1;
  }
}
