import type { Entry, EntryInput } from '../../protocol/entries';
import { historyOf } from '../../protocol/history';
import { shortenedCode, type ShorteningLimit } from '../../protocol/shortening';
import { conversationOf } from '../../protocol/reducer/timelineReducer';
import type { ModelInfo } from '../../types/model';
import type { ContextOverflowError } from '../../services/model/client/ollamaErrors';
import type { ContextMeter, PromptSize } from './contextMeter';
import { shortenedNotice } from '../kernel/notices';
import type { Run } from '../kernel/run';
import type { RunLog } from '../kernel/runLog';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';

/** Parts of a request that take room in the window. */
export interface Prompt {
  run: Run;
  log: RunLog;
  model: ModelInfo;
  /** Tools that the model is offered. */
  tools: ToolRegistry;
}

/** Largest room kept for an answer, in tokens. */
const answerRoom = 1024;
/** Characters below which a result says nothing any more. */
const smallest = 200;
const steps = [16_000, 8000, 4000, 2000, 1000, 500, smallest];

/**
 * Makes room in a window that is full: results of tools, and long arguments, are sent shortened from then on, the older ones first
 * and the last ones only where that is not enough. The log keeps them whole and says that they are sent shortened.
 */
export class ContextFitter {
  constructor(private readonly meter: Pick<ContextMeter, 'size'>) {}

  /** Makes room before a request if the server's measurements show that there is none. */
  async fit(prompt: Prompt): Promise<void> {
    const size = await this.sizeOf(prompt);
    if (size.isMeasured && size.tokens > size.window - leastRoom(size.window)) await this.shorten(prompt, size);
  }

  /** Makes room after the server has refused a prompt or filled the window; false if shortening what is left would not help. */
  async makeRoom(prompt: Prompt, error?: ContextOverflowError): Promise<boolean> {
    const size = await this.sizeOf(prompt);
    const { promptTokens, contextWindow } = error ?? {};
    const tokens = promptTokens ?? Math.max(size.tokens, size.window);
    return this.shorten(prompt, { ...size, tokens, window: Math.min(size.window, contextWindow ?? size.window) });
  }

  private sizeOf({ run, log, model, tools }: Prompt): Promise<PromptSize> {
    return this.meter.size({ sessionId: run.sessionId, mode: run.mode, model, tools, entries: log.entries });
  }

  private async shorten({ log }: Prompt, { characters, tokens, window }: PromptSize): Promise<boolean> {
    const spareFor = (room: number) => Math.ceil(characters * (1 - (window - room) / tokens));
    const plan = planShortening(log.entries, spareFor(Math.min(answerRoom, window / 4)));
    if (plan === null || plan.saved < spareFor(leastRoom(window))) return false;
    await log.append(shortenedNotice(plan, window));
    return true;
  }
}

/** Returns the part of the window, in tokens, without which asking for an answer is of no use. */
function leastRoom(window: number): number {
  return Math.min(256, window / 16);
}

export interface ShorteningPlan {
  limits: ShorteningLimit[];
  /** Number of results and calls that are sent shorter than before. */
  count: number;
  /** Characters. */
  saved: number;
}

/** Finds the mildest limits that save so many characters, else those that save the most; null if none save anything. */
export function planShortening(entries: readonly Entry[], spare: number): ShorteningPlan | null {
  const conversation = conversationOf(entries);
  const last = conversation.at(-1)?.seq ?? 0;
  const old = lastCallsSeq(conversation) - 1;
  const before = sent(conversation);
  let plan: ShorteningPlan | null = null;
  const oldOnly = steps.map((characters) => [{ throughSeq: old, characters }]);
  const all = steps.map((characters) => [
    { throughSeq: old, characters: smallest },
    { throughSeq: last, characters },
  ]);
  for (const limits of [...oldOnly, ...all]) {
    const after = sent([...conversation, noticeOf(limits, last + 1)]);
    const saved = before.total - after.total;
    if (saved <= (plan?.saved ?? 0)) continue;
    plan = { limits, saved, count: after.texts.filter((text, at) => text !== before.texts[at]).length };
    if (saved >= spare) break;
  }
  return plan;
}

/** Returns the `seq` of the first of the last calls: they and their results are what the model is working with. */
function lastCallsSeq(conversation: readonly Entry[]): number {
  let at = conversation.findLastIndex(({ type }) => type === 'tool_call');
  while (at > 0 && conversation[at - 1]?.type === 'tool_call') at -= 1;
  return conversation[at]?.seq ?? 0;
}

function sent(entries: readonly Entry[]): { total: number; texts: string[] } {
  const texts = historyOf(entries).map(({ content, tool_calls: calls }) => content + (calls ? JSON.stringify(calls) : ''));
  return { total: texts.reduce((sum, { length }) => sum + length, 0), texts };
}

/** Builds an entry that is not in the log, to see what it would do. */
function noticeOf(limits: ShorteningLimit[], seq: number): Entry {
  const input: Extract<EntryInput, { type: 'system_message' }> = {
    type: 'system_message',
    data: { level: 'info', code: shortenedCode, limits },
  };
  const base = { id: '', sessionId: '', seq, revision: seq, timestamp: 0, content: '', isOpen: false };
  return { ...base, model: null, checkpointId: null, planItemId: null, ...input };
}
