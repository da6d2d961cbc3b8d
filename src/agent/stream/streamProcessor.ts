import type { AnswerStats, EntryData } from '../../protocol/entries';
import type { ChatChunk, WireMetrics } from '../../types/ollama';
import type { Clock } from '../../utils/clock';
import { ContentSplitter, type Segment } from './contentSplitter';
import type { CallRisk } from './callPlace';
import { receivedCall } from './readCalls';
import type { WrittenCall } from './writtenCall';
import { RepetitionWatch } from './repetitionWatch';
import type { OpenText, RunLog } from '../kernel/runLog';
import { ToolCallParser } from './toolCallParser';

export type AnswerEnd = NonNullable<EntryData<'assistant_output'>['end']>;

export interface StreamedAnswer {
  /** True if the answer has visible text. */
  hasText: boolean;
  hasThinking: boolean;
  calls: number;
  isMarkedComplete: boolean;
  /** Tool of a call that remained text because of the words before it, or null if there is none. */
  heldCall: string | null;
  /** True if the answer was stopped because of repetition. */
  isRepeating: boolean;
  doneReason: string | undefined;
  /** Number of characters in text and thinking. */
  characters: number;
  /** Token limit of the answer, or null if only the server knows it. */
  limit: number | null;
  stats: AnswerStats;
}

/** Call from the `tool_calls` field or from the text of an answer. */
export type AskedCall = WrittenCall & { id?: string | undefined };

export interface StreamOptions {
  completionMark: string | null;
  contextWindow: number;
  /** Number of characters in the system message and the tools of the request. */
  fixedCharacters: number;
  /** Token limit of the answer, or null if only the server knows it. */
  limit: number | null;
  /** Returns whether a name is an offered tool. Null without tools, so that text is not parsed for calls. */
  isTool: ((name: string) => boolean) | null;
  /** Returns whether a call to an offered tool has valid arguments. */
  accepts: (call: WrittenCall) => boolean;
  riskOf: (call: WrittenCall) => CallRisk;
  /** Called when a call in the text begins and when its name is known. Called with null when the call has ended. */
  onPreparing: (call: { name: string | null } | null) => void;
}

interface Current {
  kind: 'thinking' | 'text';
  entry: OpenText;
  since: number;
}

/**
 * Logs the chunks of one answer in order. Thinking and text become growing entries. Each call is logged when it
 * arrives. Calls may be in `tool_calls` of any chunk or in the text. White space alone does not start an entry.
 */
export class StreamProcessor {
  private readonly splitter: ContentSplitter;
  private current: Current | null = null;
  /** White space that is added to the text only if more text follows. */
  private space = '';
  private isPreparing = false;
  private readonly repetition = new RepetitionWatch();
  private readonly answer: StreamedAnswer;

  constructor(
    private readonly log: RunLog,
    private readonly clock: Clock,
    private readonly onCall: (call: AskedCall) => Promise<void>,
    private readonly options: StreamOptions,
  ) {
    this.splitter = new ContentSplitter(
      options.completionMark,
      new ToolCallParser(options.isTool, options.accepts, options.riskOf),
    );
    this.answer = {
      hasText: false,
      hasThinking: false,
      calls: 0,
      isMarkedComplete: false,
      heldCall: null,
      isRepeating: false,
      doneReason: undefined,
      characters: 0,
      limit: options.limit,
      stats: { contextWindow: options.contextWindow, fixedCharacters: options.fixedCharacters },
    };
  }

  /** True if the rest of the answer is not needed, because it is a repetition or contains invented results. */
  get isOver(): boolean {
    return this.repetition.isRepeating || this.splitter.isInvented;
  }

  /** Text of an incomplete call so far, or null if there is none. */
  get written(): string | null {
    return this.splitter.written;
  }

  async accept(chunk: ChatChunk): Promise<void> {
    const { thinking, content, tool_calls: calls } = chunk.message;
    if (chunk.done) {
      this.answer.doneReason = chunk.done_reason;
      Object.assign(this.answer.stats, toStats(chunk));
    }
    this.answer.characters += (thinking?.length ?? 0) + (content?.length ?? 0);
    if (thinking) await this.write('thinking', thinking);
    for (const segment of this.splitter.push(content || '')) await this.take(segment);
    if (!calls || calls.length === 0) return;
    await this.flush(false);
    for (const call of calls) await this.ask(receivedCall(call));
  }

  /** Closes the open entry. `complete` means that the final chunk has arrived. The answer may still be truncated. */
  async finish(end: Exclude<AnswerEnd, 'length'>): Promise<StreamedAnswer> {
    await this.flush(end !== 'complete' || this.answer.doneReason === 'length');
    const isCut = end === 'complete' && this.answer.doneReason === 'length';
    await this.close(this.repetition.isRepeating ? 'stopped' : isCut ? 'length' : end);
    this.answer.isMarkedComplete = this.splitter.isMarkedComplete;
    this.answer.heldCall = this.splitter.heldCall;
    this.answer.isRepeating = this.repetition.isRepeating;
    return this.answer;
  }

  private async flush(isCutOff: boolean): Promise<void> {
    for (const segment of this.splitter.flush(isCutOff)) await this.take(segment);
  }

  private async take(segment: Segment): Promise<void> {
    switch (segment.kind) {
      case 'text':
      case 'thinking':
        if (segment.text.trim() !== '') this.prepared();
        return this.write(segment.kind, segment.text);
      case 'preparing':
        this.isPreparing = true;
        this.options.onPreparing({ name: segment.name });
        return;
      case 'call':
        this.prepared();
        return this.ask(segment.call);
      case 'wasThinking':
        if (this.current?.kind === 'text' && (segment.isNested || !this.answer.hasThinking))
          await this.closeAsThinking(this.current);
    }
  }

  private prepared(): void {
    if (this.isPreparing) this.options.onPreparing(null);
    this.isPreparing = false;
  }

  private async ask(call: AskedCall): Promise<void> {
    await this.close('complete');
    this.answer.calls += 1;
    await this.onCall(call);
  }

  private async closeAsThinking({ entry, since }: Current): Promise<void> {
    this.current = null;
    this.space = '';
    Object.assign(this.answer, { hasText: false, hasThinking: true });
    await entry.close({ end: 'complete', isThinking: true, durationMs: Math.max(0, this.clock.now() - since) });
  }

  private async write(kind: 'thinking' | 'text', text: string): Promise<void> {
    if (this.current?.kind !== kind) {
      if (text.trim() === '') {
        // White space between two kinds belongs to neither of them.
        return;
      }
      await this.close('complete');
      this.repetition.startOver();
      const entry = await this.log.open(kind === 'thinking' ? 'thinking' : 'assistant_output');
      this.current = { kind, entry, since: this.clock.now() };
      text = text.trimStart();
      if (kind === 'thinking') this.answer.hasThinking = true;
      else this.answer.hasText = true;
    }
    this.repetition.follow(text);
    // Trailing white space is withheld, so that it does not remain before a removed mark.
    const whole = this.space + text;
    const shown = whole.trimEnd();
    this.space = whole.slice(shown.length);
    if (shown !== '') this.current.entry.write(shown);
  }

  private async close(end: AnswerEnd): Promise<void> {
    const open = this.current;
    this.current = null;
    this.space = '';
    if (!open) return;
    if (open.kind === 'thinking') await open.entry.close({ durationMs: Math.max(0, this.clock.now() - open.since) });
    else await open.entry.close({ end, stats: { ...this.answer.stats } });
  }
}

const nanosecondsPerMillisecond = 1_000_000;

function toStats(metrics: WireMetrics): AnswerStats {
  const stats: AnswerStats = {};
  if (metrics.prompt_eval_count !== undefined) stats.promptTokens = metrics.prompt_eval_count;
  if (metrics.prompt_eval_cached_count !== undefined) stats.cachedTokens = metrics.prompt_eval_cached_count;
  if (metrics.eval_count !== undefined) stats.answerTokens = metrics.eval_count;
  if (metrics.load_duration !== undefined) stats.loadMs = Math.round(metrics.load_duration / nanosecondsPerMillisecond);
  if (metrics.prompt_eval_duration !== undefined)
    stats.promptMs = Math.round(metrics.prompt_eval_duration / nanosecondsPerMillisecond);
  if (metrics.eval_duration !== undefined) stats.answerMs = Math.round(metrics.eval_duration / nanosecondsPerMillisecond);
  return stats;
}
