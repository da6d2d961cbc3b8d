import type { Opener } from './bareForms';
import { CallBlock } from './callBlock';
import { openerAt, openingCharacters } from './callForms';
import { intentBefore } from './callIntro';
import {
  judgeEffect,
  findCallPlace,
  judgeBlock,
  type CallPlace,
  type CallRisk,
  type OpenBlock,
  type Surroundings,
} from './callPlace';
import { CodeTracker } from './codeTracker';
import { readCalls } from './readCalls';
import { nameIn, type WrittenCall } from './writtenCall';

export type AnswerPiece =
  | { kind: 'text'; text: string }
  /** The model is writing a call. `name` is null until it is known. */
  | { kind: 'preparing'; name: string | null }
  | { kind: 'call'; call: WrittenCall };

/** Block that becomes a call or text depending on the text after it. */
interface Waiting {
  calls: WrittenCall[];
  raw: string;
  /** White space after the block. */
  space: string;
  /** Decision if words follow the block. */
  followed: 'text' | 'call';
}

/** Number of characters to process at a time. Text that turns out not to be a call is parsed again from its opener. */
const stepLength = 512;

/**
 * Extracts calls from the streamed text of an answer (decision 0024). Calls in code, quotations or examples
 * remain text. Ambiguous calls remain text if words follow. Invented results of calls are dropped.
 */
export class ToolCallParser {
  private pending = '';
  private block: OpenBlock | null = null;
  private waiting: Waiting[] = [];
  private code = new CodeTracker();
  private hasText = false;
  private hasCalls = false;
  /** True if no words have followed the last call yet. */
  private isAfterCall = false;
  /** True if the rest of the answer is invented. */
  private hasEnded = false;
  private held: string | null = null;

  /** `accepts` returns whether a call to an offered tool has valid arguments. `riskOf` returns the possible effect of a call. */
  constructor(
    private readonly isTool: ((name: string) => boolean) | null,
    private readonly accepts: (call: WrittenCall) => boolean = () => true,
    private readonly riskOf: (call: WrittenCall) => CallRisk = () => 'reads',
  ) {}

  /** True if tags in the next text are part of code or of a call. */
  get isVerbatim(): boolean {
    return this.isInCall || this.code.isInside;
  }

  /** True if the next text will not be shown. */
  get isHidden(): boolean {
    return this.isInCall || this.hasEnded;
  }

  private get isInCall(): boolean {
    return this.block !== null && !this.block.block.isAtTail;
  }

  /** True if the model has begun to invent results. Later text is ignored. */
  get isInvented(): boolean {
    return this.hasEnded;
  }

  /** Tool of the last call that remained text because of the words before it, or null if there is none. */
  get heldCall(): string | null {
    return this.held;
  }

  /** Text of the open call so far, or null if there is none. */
  get written(): string | null {
    return this.block?.block.raw ?? null;
  }

  push(text: string): AnswerPiece[] {
    if (this.isTool === null) return this.asText(text);
    const pieces: AnswerPiece[] = [];
    for (let at = 0; at < text.length; at += stepLength) {
      this.pending += text.slice(at, at + stepLength);
      this.drain(pieces, this.isTool, false);
    }
    return pieces;
  }

  /** Returns the text that is still withheld. `isCutOff` is true if the answer was truncated. */
  flush(isCutOff = false): AnswerPiece[] {
    if (this.isTool === null) return [];
    const pieces: AnswerPiece[] = [];
    this.drain(pieces, this.isTool, true);
    if (this.block) {
      const rest = this.block.block.finish();
      this.endBlock(pieces, rest, isCutOff);
      this.emit(pieces, rest);
    }
    this.emitWaiting(pieces);
    return pieces;
  }

  /** Starts again, because the text so far was not part of the answer. Returns that text, including the withheld part. */
  startOver(): AnswerPiece[] {
    const pieces: AnswerPiece[] = [];
    for (const one of this.waiting) one.followed = 'text';
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
      if (this.hasEnded) {
        this.pending = '';
        return;
      }
      if (this.block) {
        const rest = this.block.block.push(this.pending);
        this.pending = rest ?? '';
        if (rest !== null || this.isNoCall(this.block, isTool)) this.endBlock(pieces, this.pending, false);
        else this.reportName(pieces, this.block);
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
      if (opener.kind === 'results') this.hasEnded = true;
      else this.block = { block: new CallBlock(text), opener, place };
    }
  }

  /** Emits the text before the next opener. `more` means that the rest may become an opener. */
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
      const place = opener === 'more' ? null : findCallPlace(opener.kind, this.surroundings(isLineStart));
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

  /** Returns whether a position is at the start of its line. Looks back only as far as an indentation can extend. */
  private isLineStart(at: number): boolean {
    for (let before = at - 1; before >= 0; before -= 1) {
      if (this.pending[before] === '\n') return true;
      if (this.pending[before] !== ' ' || at - before > 3) return false;
    }
    return this.code.isLineStart;
  }

  /** Ends the open block and decides whether it is a call, a possible example or text. */
  private endBlock(pieces: AnswerPiece[], rest: string, isCutOff: boolean): void {
    const ended = this.block;
    if (!ended || this.isTool === null) return;
    this.block = null;
    const { block, opener } = ended;
    const { raw } = block;
    if (block.isNoCall && block.values.length === 0 && raw.length > 1) {
      // There may still be a call in the text after the opener.
      this.release(pieces);
      const start = Math.max(1, opener.length);
      this.emit(pieces, raw.slice(0, start));
      this.pending = raw.slice(start) + rest;
      return;
    }
    const calls = block.isNoCall ? [] : block.values.flatMap((value) => readCalls(value, isCutOff));
    const { isTool, accepts, riskOf } = this;
    const judged = block.isNoCall ? 'text' : judgeBlock(ended, calls, rest, { isTool, accepts });
    const effect = judged === 'text' ? 'none' : judgeEffect(calls, opener.kind, intentBefore(this.code.recent), riskOf);
    if (effect === 'heldBack') this.held = calls[0]?.name ?? null;
    const verdict = effect === 'heldBack' ? 'text' : effect === 'some' ? 'wait' : judged;
    if (verdict === 'text') {
      this.release(pieces);
      this.emit(pieces, raw);
    } else if (verdict === 'wait') {
      this.waiting.push({ calls, raw, space: '', followed: judged === 'call' ? 'call' : 'text' });
    } else {
      this.emitWaiting(pieces);
      this.emitCalls(pieces, calls);
    }
  }

  private emitWaiting(pieces: AnswerPiece[]): void {
    for (const { calls } of this.waiting.splice(0)) this.emitCalls(pieces, calls);
  }

  private emitCalls(pieces: AnswerPiece[], calls: readonly WrittenCall[]): void {
    this.hasCalls = this.isAfterCall = true;
    for (const call of calls) pieces.push({ kind: 'call', call });
  }

  /** Decides whether the waiting blocks are calls, because words follow them. */
  private release(pieces: AnswerPiece[]): void {
    for (const { calls, raw, space, followed } of this.waiting.splice(0)) {
      if (followed === 'text') this.emit(pieces, raw + space);
      else {
        for (const call of calls) if (this.riskOf(call) !== 'reads') call.isUnannounced = true;
        this.emitCalls(pieces, calls);
        this.emit(pieces, space);
      }
    }
  }

  /** Returns whether plain JSON can be shown now, because its name is known and is not that of a tool. */
  private isNoCall({ block, opener, reportedName: told }: OpenBlock, isTool: (name: string) => boolean): boolean {
    const name = isPlain(opener) && typeof told !== 'string' ? nameIn(block.beginning) : null;
    if (name === null || isTool(name)) return false;
    block.isNoCall = true;
    return true;
  }

  private reportName(pieces: AnswerPiece[], open: OpenBlock): void {
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
      last.space += text;
      return;
    }
    this.code.follow(text);
    const before = pieces.at(-1);
    if (before?.kind === 'text') before.text += text;
    else pieces.push({ kind: 'text', text });
  }

  private asText(text: string): AnswerPiece[] {
    const pieces: AnswerPiece[] = [];
    this.emit(pieces, text);
    return pieces;
  }
}

function isPlain({ kind }: Opener): boolean {
  return kind === 'bare' || kind === 'fence';
}
