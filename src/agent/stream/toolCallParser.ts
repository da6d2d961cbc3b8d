import { CallBlock } from './callBlock';
import { openerAt, openingCharacters, type Opener } from './callForms';
import { CodeTracker } from './codeTracker';
import { isPlainCall, readCalls, type WrittenCall } from './readCalls';

export type AnswerPiece =
  | { kind: 'text'; text: string }
  /** A call is being written; `name` as far as it can be read. */
  | { kind: 'preparing'; name: string | null }
  | { kind: 'call'; call: WrittenCall };

/** A block of plain JSON that is a call if nothing but calls follows it. */
interface Waiting {
  calls: WrittenCall[];
  raw: string;
}

interface OpenBlock {
  block: CallBlock;
  opener: Opener;
  /** Name that was reported last; undefined before the first report. */
  reportedName?: string | null;
}

/**
 * Finds calls in the text of an answer, whatever pieces it comes in, and takes them out: in the forms of Qwen, Hermes, Llama,
 * Mistral, DeepSeek and Granite. What is in code that the model shows, and what a sentence quotes, stays text; plain JSON is a
 * call only where it names a tool, begins its line and ends the answer. What a model makes up as results of its calls is left out.
 */
export class ToolCallParser {
  private pending = '';
  private block: OpenBlock | null = null;
  private waiting: Waiting[] = [];
  private code = new CodeTracker();
  private hasText = false;
  private hasCalls = false;
  /** The rest of the answer is made up. */
  private isOver = false;

  constructor(private readonly isTool: ((name: string) => boolean) | null) {}

  /** True if tags in the text to come would be part of code or of a call. */
  get isVerbatim(): boolean {
    return this.block !== null || this.code.isInside;
  }

  /** True if the text to come is not for the person. */
  get isUnspoken(): boolean {
    return this.block !== null || this.isOver;
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
    this.pending += text;
    const pieces: AnswerPiece[] = [];
    this.drain(pieces, this.isTool, false);
    return pieces;
  }

  /** Returns what is still held back. `isCutOff`: the answer ended before the model was done. */
  flush(isCutOff = false): AnswerPiece[] {
    if (this.isTool === null) return [];
    const pieces: AnswerPiece[] = [];
    this.drain(pieces, this.isTool, true);
    if (this.block) {
      this.block.block.finish();
      this.endBlock(pieces, '', isCutOff);
    }
    for (const { calls } of this.waiting.splice(0)) this.emitCalls(pieces, calls);
    return pieces;
  }

  /** Begins anew: the text so far was something else, and so is what is held back of it. */
  startOver(): AnswerPiece[] {
    const pieces: AnswerPiece[] = [];
    this.release(pieces);
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
      const { opener } = found;
      const text = this.pending.slice(0, opener.length);
      this.pending = this.pending.slice(opener.length);
      if (opener.kind === 'results') this.isOver = true;
      else this.block = { block: new CallBlock(text), opener };
    }
  }

  /** Emits what stands before the next opener. `more`: what is left may become one. */
  private nextOpener(pieces: AnswerPiece[], isEnd: boolean): { opener: Opener } | 'more' | null {
    openingCharacters.lastIndex = 0;
    for (let match = openingCharacters.exec(this.pending); match; match = openingCharacters.exec(this.pending)) {
      const at = match.index;
      const isLineStart = this.isLineStart(at);
      const isFirst = isLineStart && !this.hasText && this.pending.slice(0, at).trim() === '';
      const opener = openerAt(this.pending, at, { isFirst, isLineStart });
      if (opener === null || (opener === 'more' && isEnd)) continue;
      this.emit(pieces, this.pending.slice(0, at));
      this.pending = this.pending.slice(at);
      if (this.canBegin(opener)) return opener === 'more' ? opener : { opener };
      openingCharacters.lastIndex = 1;
    }
    return null;
  }

  private isLineStart(at: number): boolean {
    const before = this.pending.slice(this.pending.lastIndexOf('\n', at - 1) + 1, at);
    const line = before.length < at ? before : this.code.lineSoFar + before;
    return /^ {0,3}$/.test(line);
  }

  /** Tells whether a call can begin here: outside code, and not in the middle of a sentence. */
  private canBegin(opener: Opener | 'more'): boolean {
    if (this.code.isInside) return false;
    if (opener !== 'more' && opener.kind === 'results') return this.hasCalls || this.waiting.length > 0;
    return /^ {0,3}$|[.!?…。！？]["')*_]*\s*$/.test(this.code.lineSoFar);
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
    const isInline = !raw.includes('\n') && /^[ \t]*[^\s]/.test(rest);
    const isQuoted = isInline && openerAt(rest.trimStart(), 0, { isFirst: false, isLineStart: true }) === null;
    const isBare = opener.kind === 'bare';
    const isCall =
      !block.isRefuted && !isQuoted && (!isBare || block.values.every((value) => isPlainCall(value, this.isTool ?? never)));
    if (!isCall) {
      this.release(pieces);
      this.emit(pieces, raw);
      return;
    }
    const calls = block.values.flatMap((value) => readCalls(value, isCutOff));
    if (isBare) this.waiting.push({ calls, raw });
    else {
      for (const one of this.waiting.splice(0)) this.emitCalls(pieces, one.calls);
      this.emitCalls(pieces, calls);
    }
  }

  private emitCalls(pieces: AnswerPiece[], calls: readonly WrittenCall[]): void {
    this.hasCalls = true;
    for (const call of calls) pieces.push({ kind: 'call', call });
  }

  /** Emits as text what was taken for calls and turns out to be an example. */
  private release(pieces: AnswerPiece[]): void {
    for (const { raw } of this.waiting.splice(0)) this.emit(pieces, raw);
  }

  /** Tells whether plain JSON need not be held back any longer: its name can be read and is none of a tool. */
  private isNoCall({ block, opener, reportedName: told }: OpenBlock, isTool: (name: string) => boolean): boolean {
    const name = opener.kind === 'bare' && typeof told !== 'string' ? nameIn(block.beginning) : null;
    if (name === null || isTool(name)) return false;
    block.isRefuted = true;
    return true;
  }

  private tell(pieces: AnswerPiece[], open: OpenBlock): void {
    if (typeof open.reportedName === 'string') return;
    const name = nameIn(open.block.beginning);
    if (name === open.reportedName || (name === null && open.opener.kind === 'bare')) return;
    open.reportedName = name;
    pieces.push({ kind: 'preparing', name });
  }

  private emit(pieces: AnswerPiece[], text: string): void {
    if (text === '') return;
    const last = this.waiting.at(-1);
    if (text.trim() !== '') {
      this.release(pieces);
      this.hasText = true;
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

/** Returns a tool's name near the beginning of a call. */
function nameIn(text: string): string | null {
  const found =
    /["'](?:name|function|tool|tool_name)["']\s*:\s*["']([\w.:-]+)["']|<(?:function|invoke)(?:=| name=)["']?([\w.:-]+)["']?>/.exec(
      text,
    );
  return found?.[1] ?? found?.[2] ?? null;
}
