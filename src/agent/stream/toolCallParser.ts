import type { Opener } from './bareForms';
import { CallBlock } from './callBlock';
import { openerAt, openingCharacters } from './callForms';
import { isSentenceAround, placeOf, type CallPlace, type Surroundings } from './callPlace';
import { CodeTracker } from './codeTracker';
import { isPlainCall, readCalls } from './readCalls';
import type { WrittenCall } from './writtenCall';

export type AnswerPiece =
  | { kind: 'text'; text: string }
  /** A call is being written; `name` as far as it can be read. */
  | { kind: 'preparing'; name: string | null }
  | { kind: 'call'; call: WrittenCall };

/** A block that is a call if nothing but calls follows it. */
interface Waiting {
  calls: WrittenCall[];
  raw: string;
}

/** Number of characters read at a time: what turns out to be no call is looked at again from the opener on. */
const step = 512;

interface OpenBlock {
  block: CallBlock;
  opener: Opener;
  place: CallPlace;
  /** Name that was reported last; undefined before the first report. */
  reportedName?: string | null;
}

/**
 * Finds calls in the text of an answer, whatever pieces it comes in, and takes them out (decision 0024). What is in code, quoted or shown as an
 * example stays text; so does what may be prose and is followed by words. What a model makes up as results of its calls is left out.
 */
export class ToolCallParser {
  private pending = '';
  private block: OpenBlock | null = null;
  private waiting: Waiting[] = [];
  private code = new CodeTracker();
  private hasText = false;
  private hasCalls = false;
  /** No words have come since the last call. */
  private isAfterCall = false;
  /** The rest of the answer is made up. */
  private isOver = false;

  /** `accepts` tells whether a call of a tool that is offered has arguments that it can run with. */
  constructor(
    private readonly isTool: ((name: string) => boolean) | null,
    private readonly accepts: (call: WrittenCall) => boolean = () => true,
  ) {}

  /** True if tags in the text to come would be part of code or of a call. */
  get isVerbatim(): boolean {
    return this.isInCall || this.code.isInside;
  }

  /** True if the text to come is not for the person. */
  get isUnspoken(): boolean {
    return this.isInCall || this.isOver;
  }

  private get isInCall(): boolean {
    return this.block !== null && !this.block.block.isAtTail;
  }

  /** True once the model has begun to make up results, after which nothing counts. */
  get isMadeUp(): boolean {
    return this.isOver;
  }

  /** Text so far of the open call; null without one. */
  get written(): string | null {
    return this.block?.block.raw ?? null;
  }

  push(text: string): AnswerPiece[] {
    if (this.isTool === null) return this.passOn(text);
    const pieces: AnswerPiece[] = [];
    for (let at = 0; at < text.length; at += step) {
      this.pending += text.slice(at, at + step);
      this.drain(pieces, this.isTool, false);
    }
    return pieces;
  }

  /** Returns what is still held back. `isCutOff`: the answer ended before the model was done. */
  flush(isCutOff = false): AnswerPiece[] {
    if (this.isTool === null) return [];
    const pieces: AnswerPiece[] = [];
    this.drain(pieces, this.isTool, true);
    if (this.block) {
      const rest = this.block.block.finish();
      this.endBlock(pieces, rest, isCutOff);
      this.emit(pieces, rest);
    }
    for (const { calls } of this.waiting.splice(0)) this.emitCalls(pieces, calls);
    return pieces;
  }

  /** Begins anew: the text so far was something else, and so is what is held back of it. */
  startOver(): AnswerPiece[] {
    const pieces: AnswerPiece[] = [];
    this.release(pieces);
    if (this.block) {
      const { block } = this.block;
      const rest = block.finish();
      this.block = null;
      this.emit(pieces, block.raw + rest);
    }
    this.emit(pieces, this.pending);
    this.pending = '';
    this.code = new CodeTracker();
    this.hasText = false;
    return pieces;
  }

  private drain(pieces: AnswerPiece[], isTool: (name: string) => boolean, isEnd: boolean): void {
    while (this.pending !== '') {
      if (this.isOver) {
        this.pending = '';
        return;
      }
      if (this.block) {
        const rest = this.block.block.push(this.pending);
        this.pending = rest ?? '';
        if (rest !== null || this.isNoCall(this.block, isTool)) this.endBlock(pieces, this.pending, false);
        else this.tell(pieces, this.block);
        continue;
      }
      const found = this.nextOpener(pieces, isEnd);
      if (found === 'more') return;
      if (found === null) {
        this.emit(pieces, this.pending);
        this.pending = '';
        return;
      }
      const { opener, place } = found;
      const text = this.pending.slice(0, opener.length);
      this.pending = this.pending.slice(opener.length);
      if (opener.kind === 'results') this.isOver = true;
      else this.block = { block: new CallBlock(text), opener, place };
    }
  }

  /** Emits what stands before the next opener. `more`: what is left may become one. */
  private nextOpener(pieces: AnswerPiece[], isEnd: boolean): { opener: Opener; place: CallPlace } | 'more' | null {
    openingCharacters.lastIndex = 0;
    for (let match = openingCharacters.exec(this.pending); match; match = openingCharacters.exec(this.pending)) {
      const at = match.index;
      const isLineStart = this.isLineStart(at);
      const opener = openerAt(this.pending, at);
      if (opener === null || (opener === 'more' && isEnd)) continue;
      this.emit(pieces, this.pending.slice(0, at));
      this.pending = this.pending.slice(at);
      if (opener === 'more' && !this.code.isInside) return opener;
      const place = opener === 'more' ? null : placeOf(opener.kind, this.surroundings(isLineStart));
      if (place !== null && opener !== 'more') return { opener, place };
      openingCharacters.lastIndex = 1;
    }
    return null;
  }

  private surroundings(isLineStart: boolean): Surroundings {
    const { code, hasText, hasCalls, isAfterCall } = this;
    const isWaiting = this.waiting.length > 0;
    return {
      code,
      isLineStart,
      isFirst: !hasText && !isWaiting,
      follows: isWaiting || isAfterCall,
      hasCalls: hasCalls || isWaiting,
    };
  }

  /** Tells whether a place begins its line, without looking back further than an indentation may reach. */
  private isLineStart(at: number): boolean {
    for (let before = at - 1; before >= 0; before -= 1) {
      if (this.pending[before] === '\n') return true;
      if (this.pending[before] !== ' ' || at - before > 3) return false;
    }
    return this.code.isLineStart;
  }

  /** Ends the block that is open: a call, one that may turn out to be an example, or text. */
  private endBlock(pieces: AnswerPiece[], rest: string, isCutOff: boolean): void {
    const ended = this.block;
    if (!ended || this.isTool === null) return;
    this.block = null;
    const { block, opener } = ended;
    const { raw } = block;
    if (block.isRefuted && block.values.length === 0 && raw.length > 1) {
      // What follows the opener may hold a call all the same.
      this.release(pieces);
      const start = Math.max(1, opener.length);
      this.emit(pieces, raw.slice(0, start));
      this.pending = raw.slice(start) + rest;
      return;
    }
    const calls = block.isRefuted ? [] : block.values.flatMap((value) => readCalls(value, isCutOff));
    const verdict = block.isRefuted ? 'text' : this.judge(ended, calls, rest);
    if (verdict === 'text') {
      this.release(pieces);
      this.emit(pieces, raw);
    } else if (verdict === 'wait') this.waiting.push({ calls, raw });
    else {
      for (const one of this.waiting.splice(0)) this.emitCalls(pieces, one.calls);
      this.emitCalls(pieces, calls);
    }
  }

  /** Tells whether what was written is a call, may be one if no words follow, or is text. */
  private judge({ block, opener, place }: OpenBlock, calls: readonly WrittenCall[], rest: string): 'call' | 'wait' | 'text' {
    const isValid = calls.length > 0 && calls.every((call) => !call.unreadable && this.isTool?.(call.name) && this.accepts(call));
    if (place === 'shown') return 'text';
    switch (opener.kind) {
      case 'token':
        // A token in a sentence with nothing after it is spoken of.
        return place === 'own' || block.values.some(({ text }) => text.trim() !== '') ? 'call' : 'text';
      case 'bare':
      case 'fence':
        if (place === 'inLine') return isValid ? 'wait' : 'text';
        return block.values.every((value) => isPlainCall(value, this.isTool ?? never)) ? 'wait' : 'text';
      default:
        if (place === 'inLine') return isValid ? 'wait' : 'text';
        if (opener.kind === 'word' && !isValid) return 'text';
        return isSentenceAround(block.raw, rest) ? 'text' : 'call';
    }
  }

  private emitCalls(pieces: AnswerPiece[], calls: readonly WrittenCall[]): void {
    this.hasCalls = this.isAfterCall = true;
    for (const call of calls) pieces.push({ kind: 'call', call });
  }

  /** Emits as text what was taken for calls and turns out to be an example. */
  private release(pieces: AnswerPiece[]): void {
    for (const { raw } of this.waiting.splice(0)) this.emit(pieces, raw);
  }

  /** Tells whether plain JSON need not be held back any longer: its name can be read and is none of a tool. */
  private isNoCall({ block, opener, reportedName: told }: OpenBlock, isTool: (name: string) => boolean): boolean {
    const name = isPlain(opener) && typeof told !== 'string' ? nameIn(block.beginning) : null;
    if (name === null || isTool(name)) return false;
    block.isRefuted = true;
    return true;
  }

  private tell(pieces: AnswerPiece[], open: OpenBlock): void {
    if (typeof open.reportedName === 'string') return;
    const name = nameIn(open.block.beginning);
    if (name === open.reportedName || (name === null && isPlain(open.opener))) return;
    open.reportedName = name;
    pieces.push({ kind: 'preparing', name });
  }

  private emit(pieces: AnswerPiece[], text: string): void {
    if (text === '') return;
    const last = this.waiting.at(-1);
    if (text.trim() !== '') {
      this.release(pieces);
      this.hasText = true;
      this.isAfterCall = false;
    } else if (last) {
      last.raw += text;
      return;
    }
    this.code.follow(text);
    const before = pieces.at(-1);
    if (before?.kind === 'text') before.text += text;
    else pieces.push({ kind: 'text', text });
  }

  private passOn(text: string): AnswerPiece[] {
    const pieces: AnswerPiece[] = [];
    this.emit(pieces, text);
    return pieces;
  }
}

function never(): boolean {
  return false;
}

function isPlain({ kind }: Opener): boolean {
  return kind === 'bare' || kind === 'fence';
}

/** Returns a tool's name near the beginning of a call. */
function nameIn(text: string): string | null {
  const found =
    /["'](?:name|function|tool|tool_name)["']\s*:\s*["']([\w.:-]+)["']|<(?:function|invoke)(?:=| name=)["']?([\w.:-]+)["']?>|^\s*\[?\s*([A-Za-z_][\w.]*)\(/.exec(
      text,
    );
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? null;
}
