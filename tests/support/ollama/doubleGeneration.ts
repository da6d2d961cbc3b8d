import { randomBytes } from 'node:crypto';
import type { WireToolCall } from '../../../src/types/ollama';
import type { Reply, ScriptedCall, Step, ToolTiming } from './doubleReply';
import { goJson } from './goJson';
import { pause } from './pause';
import { StopCutter } from './stopCutter';

/** Output of a model before it is written as lines of chat or generate. */
export interface Delta {
  content: string;
  thinking: string;
  calls: WireToolCall[];
}

export type GenerationEvent =
  | { kind: 'delta'; delta: Delta }
  | { kind: 'final'; delta: Delta; reason: 'stop' | 'length' | 'none'; tokens: number }
  | { kind: 'error'; message: string; status: number }
  | { kind: 'raw'; bytes: string }
  | { kind: 'end' }
  | { kind: 'reset' };

export interface GenerationSettings {
  /** If true, thinking has a separate field. Otherwise it is inside tags in the content. */
  thinkingField: boolean;
  timing: ToolTiming;
  /** Names of the declared tools. Undefined if the request declares none. */
  tools: ReadonlySet<string> | undefined;
  stop: readonly string[];
  /** Maximum number of generated tokens. */
  budget: number;
  countTokens: (text: string) => number;
}

/** Sends a scripted reply in the way in which the server forwards the output of a model. */
export class Generation {
  private readonly text: StopCutter;
  private readonly thoughts: StopCutter;
  private readonly finalCalls: WireToolCall[] = [];
  private callCount = 0;
  private insideTags = false;
  private tokens = 0;
  private reason: 'stop' | 'length' = 'stop';
  private ended = false;

  constructor(
    private readonly reply: Reply,
    private readonly settings: GenerationSettings,
  ) {
    this.text = new StopCutter(settings.stop);
    this.thoughts = new StopCutter(settings.stop);
  }

  async *events(signal: AbortSignal): AsyncGenerator<GenerationEvent> {
    for (const step of this.reply.steps ?? []) {
      if (this.ended) break;
      if (typeof step === 'object' && ('wait' in step || 'hold' in step)) {
        await pause('wait' in step ? step.wait : step.hold, signal);
        continue;
      }
      if (typeof step === 'object' && 'endless' in step) {
        yield* this.endless(step.endless, step.tokenMs, signal);
        if (!this.ended) return;
        continue;
      }
      const breaking = breakingEvent(step);
      if (breaking) {
        yield breaking;
        return;
      }
      yield* this.play(step);
    }
    yield* this.flushHeld();
    yield this.final();
  }

  private *play(step: Step): Generator<GenerationEvent> {
    if (typeof step === 'string') yield* this.write(this.closeTags() + step);
    else if ('thinking' in step) yield* this.think(step.thinking);
    else if ('raw' in step) yield { kind: 'raw', bytes: step.raw };
    else if ('call' in step) yield* this.call(step.call);
  }

  private *think(thinking: string): Generator<GenerationEvent> {
    if (this.settings.thinkingField) {
      const allowed = this.thoughts.push(this.withinBudget(thinking));
      if (allowed !== '') yield { kind: 'delta', delta: { content: '', thinking: allowed, calls: [] } };
      this.ended ||= this.thoughts.stopped;
      return;
    }
    const opening = this.insideTags ? '' : '<think>';
    this.insideTags = true;
    yield* this.write(opening + thinking);
  }

  private *write(piece: string): Generator<GenerationEvent> {
    const allowed = this.text.push(this.withinBudget(piece));
    if (allowed !== '') yield contentDelta(allowed);
    this.ended ||= this.text.stopped;
  }

  private *call(call: ScriptedCall): Generator<GenerationEvent> {
    const { tools, timing } = this.settings;
    const given = call.arguments ?? {};
    if (tools === undefined) {
      // Without declared tools, the server does not parse calls. The model's own call notation stays in the text.
      yield* this.write(`${this.closeTags()}<tool_call>\n${goJson({ name: call.name, arguments: given })}\n</tool_call>`);
      return;
    }
    this.tokens += this.settings.countTokens(goJson(given)) + 1;
    if (timing === 'rendered' && !tools.has(call.name)) return;
    const index = timing === 'harmony' ? 0 : this.callCount++;
    const id = call.id === undefined ? madeUpId(timing) : call.id;
    const wire: WireToolCall = { ...(id === null ? {} : { id }), function: { index, name: call.name, arguments: given } };
    if (timing === 'rendered') {
      yield* this.flushHeld();
      yield { kind: 'delta', delta: { content: '', thinking: '', calls: [wire] } };
      return;
    }
    this.finalCalls.push(wire);
    this.ended ||= timing === 'harmony';
  }

  /**
   * Writes a call until the budget is used up. The native engine reports an error for incomplete arguments. Otherwise the server drops the
   * incomplete call.
   */
  private async *endless({ name }: ScriptedCall, tokenMs: number, signal: AbortSignal): AsyncGenerator<GenerationEvent> {
    const { budget, timing } = this.settings;
    if (budget === Infinity) await pause(new Promise(() => undefined), signal);
    for (; this.tokens < budget; this.tokens += 1) await pause(tokenMs, signal);
    if (timing === 'native') {
      const message = `llama-server returned invalid tool call arguments for "${name}": unexpected end of JSON input`;
      yield { kind: 'error', message, status: 500 };
      return;
    }
    this.reason = 'length';
    this.ended = true;
  }

  private *flushHeld(): Generator<GenerationEvent> {
    const thinking = this.thoughts.flush();
    const content = this.text.flush() + (this.ended ? '' : this.closeTags());
    if (thinking !== '' || content !== '') yield { kind: 'delta', delta: { content, thinking, calls: [] } };
  }

  private final(): GenerationEvent {
    const { text = '', thinking = '' } = this.ended ? {} : (this.reply.final ?? {});
    this.tokens += this.settings.countTokens(text) + this.settings.countTokens(thinking);
    const reason = this.reply.doneReason ?? this.reason;
    return { kind: 'final', delta: { content: text, thinking, calls: this.finalCalls }, reason, tokens: this.tokens };
  }

  private closeTags(): string {
    if (!this.insideTags) return '';
    this.insideTags = false;
    return '</think>';
  }

  /** Returns the part of a piece that fits into the budget. If something does not fit, the reply ends with `length`. */
  private withinBudget(piece: string): string {
    const tokens = this.settings.countTokens(piece);
    if (this.reply.unlimited || this.tokens + tokens <= this.settings.budget) {
      this.tokens += tokens;
      return piece;
    }
    const room = Math.max(0, this.settings.budget - this.tokens);
    this.tokens += room;
    this.reason = 'length';
    this.ended = true;
    return piece.slice(0, Math.floor((piece.length * room) / tokens));
  }
}

function breakingEvent(step: Step): GenerationEvent | undefined {
  if (typeof step === 'string') return undefined;
  if ('error' in step) return { kind: 'error', message: step.error, status: step.status ?? 500 };
  if ('end' in step) return { kind: 'end' };
  return 'reset' in step ? { kind: 'reset' } : undefined;
}

function contentDelta(content: string): GenerationEvent {
  return { kind: 'delta', delta: { content, thinking: '', calls: [] } };
}

function madeUpId(timing: ToolTiming): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  const word = (length: number): string => Array.from(randomBytes(length), (byte) => letters[byte % letters.length]).join('');
  return timing === 'native' ? word(32) : `call_${word(8)}`;
}
