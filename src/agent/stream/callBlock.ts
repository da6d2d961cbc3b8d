import { closerAfterValueAt, closerAt, closerIn, openerAt, plainForm } from './callForms';
import { tagPrefix, valueEnds, type ValueEnd, type ValueKind } from './valueEnds';

/** One call as the model wrote it, or a list of calls. */
export interface WrittenValue {
  /** Text before the value, such as the tool name. */
  head: string;
  kind: ValueKind;
  text: string;
  /** True if the end of the value was found. */
  isComplete: boolean;
}

const maxHead = 300;

/**
 * Collects a call that arrives in pieces, up to the end of each value (`valueEnds`) and its closing
 * tags. Reads each character only once, so that calls of several megabytes take linear time.
 */
export class CallBlock {
  readonly values: WrittenValue[] = [];
  /** True if the text turned out not to be a call and must be shown. */
  isNoCall = false;
  private state: 'head' | 'value' | 'tail' = 'head';
  private start = '';
  /** True after a closing tag. Plain JSON after the tag does not belong to the block. */
  private isClosed = false;
  /** Part of a head or a tail that cannot be classified yet. */
  private small = '';
  private readonly written: string[] = [];
  private parts: string[] = [];
  private head = '';
  private value: { kind: ValueKind; end: ValueEnd } = { kind: 'json', end: valueEnds.json() };

  constructor(opener: string) {
    this.written.push(opener);
    if (opener.endsWith('to=')) this.head = 'to=';
  }

  /** All text of the block that the model has written so far. */
  get raw(): string {
    return this.written.join('') + this.small;
  }

  /** True if the last value has ended. The next text may not belong to the block. */
  get isAtTail(): boolean {
    return this.state === 'tail';
  }

  get beginning(): string {
    return this.start;
  }

  /** Adds a piece. Returns null until the block has ended, then the text after it. */
  push(piece: string): string | null {
    if (this.start.length < maxHead) this.start += piece.slice(0, maxHead);
    let rest = piece;
    for (;;) {
      const before = this.state;
      const left = this.step(rest);
      if (this.isNoCall) return left ?? '';
      if (left === null) return null;
      if (before === 'tail' && this.state === 'tail') return left;
      rest = left;
    }
  }

  /** Ends the block when the input ends. Returns the text that does not belong to the block. */
  finish(): string {
    if (this.state === 'value') {
      const text = this.parts.join('');
      const { kind } = this.value;
      const end = kind === 'xml' ? -1 : closerIn(text);
      this.add(end > 0 ? text.slice(0, end) : text, kind, false);
    } else if (this.state === 'head' && this.values.length === 0) this.add('', 'json', false);
    const rest = this.state === 'tail' && /^\s*[^\s<`]/.test(this.small) ? this.small : '';
    this.written.push(this.small.slice(rest.length));
    this.small = '';
    this.state = 'tail';
    return rest;
  }

  private step(piece: string): string | null {
    switch (this.state) {
      case 'head':
        return this.readHead(piece);
      case 'value':
        return this.readValue(piece);
      case 'tail':
        return this.readTail(piece);
    }
  }

  private readHead(piece: string): string | null {
    this.small += piece;
    const start = valueStart(this.small);
    if (start === 'more') {
      const [decided = ''] = /^.*?(?=[<[][^<[]*$|`{1,3}\w*$|$)/s.exec(this.small) ?? [];
      this.isNoCall = this.small.length > maxHead || !isHead(decided.replace(/[\w.:-]+$/, ''));
      return null;
    }
    if (start === null || !isHead(this.small.slice(0, start.at))) {
      this.isNoCall = true;
      return null;
    }
    this.head += plainForm(this.small.slice(0, start.at));
    if (start.kind === 'none') return this.endWithoutValue(start.at);
    const rest = this.small.slice(start.at);
    this.written.push(this.small.slice(0, start.at));
    this.small = '';
    this.state = 'value';
    this.value = { kind: start.kind, end: valueEnds[start.kind]() };
    return rest;
  }

  /** Accepts a lone tool name between the tags as a call without arguments. */
  private endWithoutValue(at: number): string | null {
    const rest = this.small.slice(at);
    this.isNoCall = !/[\w.:-]\s*$/.test(this.head);
    if (this.isNoCall) return null;
    this.written.push(this.small.slice(0, at));
    this.small = '';
    this.add('{}', 'json', true);
    return rest;
  }

  private readValue(piece: string): string | null {
    const { kind, end } = this.value;
    const at = end.push(piece);
    if (at < 0) return this.take(piece);
    this.take(piece.slice(0, at));
    this.add(this.parts.join(''), kind, end.isWhole);
    this.isNoCall = end.isTooDeep;
    return piece.slice(at);
  }

  /** Reads the text after a value, which contains closing tags, another value, or text outside the block. */
  private readTail(piece: string): string | null {
    this.small += piece;
    for (;;) {
      const [extra = ''] = /^[}\]]+/.exec(this.small) ?? [];
      this.written.push(extra);
      this.small = this.small.slice(extra.length);
      const [space = ''] = /^[\s,;]*/.exec(this.small) ?? [];
      const rest = this.small.slice(space.length);
      if (rest === '') {
        // Long white space is stored immediately, so that it is not read again with each piece.
        if (space.length > maxHead) this.written.push(this.small.slice(0, -1));
        if (space.length > maxHead) this.small = this.small.slice(-1);
        return null;
      }
      const closer = closerAfterValueAt(rest);
      if (closer === 'more') return null;
      if (closer !== null) {
        this.isClosed ||= rest[0] !== '`';
        this.written.push(this.small.slice(0, space.length + closer));
        this.small = rest.slice(closer);
        continue;
      }
      const next = nextValue(rest, this.isClosed, this.value.kind);
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

  private add(text: string, kind: ValueKind, isComplete: boolean): void {
    this.values.push({ head: this.head, kind, text, isComplete });
    this.parts = [];
    this.head = '';
    this.state = 'tail';
  }
}

/** Returns whether another value of the block begins, such as more JSON, another function or the next call in a list. */
function nextValue(text: string, isClosed: boolean, kind: ValueKind): boolean | 'more' {
  if (text[0] === '{') return !isClosed;
  if (/^\[\s*\{/.test(text)) return !isClosed;
  if (/^\[\s{0,20}$/.test(text)) return isClosed ? false : 'more';
  const python = kind === 'python' && !isClosed ? /^[A-Za-z_][\w.]{0,63}(\(|$)/.exec(text) : null;
  if (python) return python[1] === '(' ? true : 'more';
  const opener = openerAt(text, 0);
  if (opener === 'more') return 'more';
  const isCall = opener !== null && (opener.kind === 'token' || opener.kind === 'tag');
  return isCall && (opener.length === 0 || plainForm(text).startsWith('<|tool_call_begin'));
}

/** Returns whether a text is a head, such as a tool name between special tokens, and not a sentence. */
function isHead(head: string): boolean {
  const words = head.replaceAll(/<[^>]*>|\[[A-Z_]+\]|```\w*/g, '|').replaceAll(/\b(?:json|function|commentary)\b/g, '|');
  return !/[\w.:-]\s+[\w.:-]/.test(words) && /^\s*(?:(?:<[^<>\n]{1,40}>|\[[A-Z_]+\]|```\w*|[\w.:-]+)\s*){0,6}$/.test(head);
}

const xmlStart = new RegExp(`^<${tagPrefix}(?:function=|function name=|invoke name=)|^<arg_key>`);

function valueStart(text: string): { at: number; kind: ValueKind | 'none' } | 'more' | null {
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '{') return { at, kind: /call:[\w.:-]+\s*$/.test(text.slice(0, at)) ? 'gemma' : 'json' };
    if (sign === '(') {
      const name = /(?<![\w.:-]\s*)[A-Za-z_][\w.]*$/.exec(text.slice(0, at));
      return name ? { at: name.index, kind: 'python' } : null;
    }
    if (sign !== '[' && sign !== '<') continue;
    const rest = text.slice(at, at + 70);
    if (rest === sign) return 'more';
    if (/^\[\s*[A-Za-z_][\w.]*\(/.test(rest)) return { at, kind: 'python' };
    if (/^\[\s*(?:[A-Za-z_][\w.]*)?$/.test(rest)) return 'more';
    if (sign === '[' && !/[A-Z]/.test(rest[1] ?? '')) return { at, kind: 'json' };
    if (xmlStart.test(rest)) return { at, kind: 'xml' };
    const [token = ''] = /^(?:\[[A-Z_]*\]?|<[^<>\n]{0,40}>?)/.exec(rest) ?? [];
    if (!/[\]>]$/.test(token)) return token.length === rest.length ? 'more' : null;
    if (closerAt(rest) !== null) return { at, kind: 'none' };
    at += token.length - 1;
  }
  return 'more';
}
