import { promptedOf } from '../../protocol/reducer/promptedEntries';
import type { ModelInfo } from '../../types/model';
import type { ContextOverflowError } from '../../services/model/client/ollamaErrors';
import type { ContextMeter, PromptSize } from './contextMeter';
import { shortenedNotice } from '../kernel/notices';
import { activeMarker } from '../../protocol/context/compaction';
import type { Clock } from '../../utils/clock';
import {
  chunksOf,
  lengthOf,
  planCompaction,
  wordsRoom,
  type CompactionPlan,
  type CompactionRoom,
  type MarkerExtras,
} from './compaction';
import type { SessionMemory } from './sessionMemory';
import { planMessageCut, planShortening, planStubs } from './shorteningPlan';
import type { ModelSummary } from './modelSummary';
import type { Run } from '../kernel/run';
import type { RunLog } from '../kernel/runLog';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';

/** Parts of a request that take room in the window. */
export interface Prompt {
  run: Pick<Run, 'sessionId' | 'mode'> & Partial<Pick<Run, 'signal' | 'report'>>;
  log: RunLog;
  model: ModelInfo;
  /** Tools that the model is offered. */
  tools: ToolRegistry;
}

/** Sources of a summary besides the log. */
export interface FitterSources {
  /** Writes summaries; without it they are made from what the log says alone. */
  summaries?: ModelSummary;
  memory?: Pick<SessionMemory, 'editsOf'>;
}

/** Largest room kept for an answer, in tokens. */
const answerRoom = 1024;
/** Share of the window from which on room is made ahead: stubs first, then a summary; and the share that a summary has to save. */
const [dueAt, leastSaved] = [0.75, 0.25];
/**
 * Makes room in a window that is full: results of tools, and long arguments, are sent shortened from then on, the older ones first
 * and the last ones only where that is not enough. The log keeps them whole and says that they are sent shortened.
 */
export class ContextFitter {
  constructor(
    private readonly meter: Pick<ContextMeter, 'size'>,
    private readonly clock: Clock,
    private readonly sources: FitterSources = {},
  ) {}

  /** Makes room before a request if the server's measurements show that there is none. */
  async fit(prompt: Prompt): Promise<void> {
    const size = await this.sizeOf(prompt);
    if (!size.isMeasured) return;
    const isFull = size.tokens > size.window - leastRoom(size.window);
    if (isFull && (await this.shorten(prompt, size))) return;
    if (isFull) await this.compact(prompt, size, leastRoom(size.window) / size.window);
    else if (this.isCompactionDue(prompt, size)) await this.lighten(prompt, size);
  }

  /** Lets a summary stand for what is old, whatever room there is; false where nothing is old enough. */
  async compactNow(prompt: Prompt): Promise<boolean> {
    return this.compact(prompt, await this.sizeOf(prompt), 0);
  }

  /** Makes room after the server has refused a prompt or filled the window; false if shortening what is left would not help. */
  async makeRoom(prompt: Prompt, error?: ContextOverflowError): Promise<boolean> {
    const size = await this.sizeOf(prompt);
    const { promptTokens, contextWindow } = error ?? {};
    const tokens = promptTokens ?? Math.max(size.tokens, size.window);
    const refused = { ...size, tokens, window: Math.min(size.window, contextWindow ?? size.window) };
    if (await this.shorten(prompt, refused)) return true;
    if (!(await this.compact(prompt, refused, leastRoom(refused.window) / refused.window)))
      return this.cutMessage(prompt, refused);
    const left = await this.sizeOf(prompt);
    const after = Math.ceil((tokens * left.characters) / size.characters);
    if (after > refused.window - leastRoom(refused.window))
      await this.shorten(prompt, { ...left, tokens: after, window: refused.window });
    return true;
  }

  /** Tells whether the window is three quarters full, and the prompt a quarter longer than after the last summary. */
  private isCompactionDue({ log }: Prompt, { tokens, window }: PromptSize): boolean {
    // What a person has taken back does not come again before the window is full.
    const last = log.entries.findLast(({ type }) => type === 'compact_marker' || type === 'compact_undone');
    if (last?.type === 'compact_undone') return false;
    const before = activeMarker(promptedOf(log.entries))?.data.tokensAfter ?? 0;
    return tokens > window * dueAt && tokens > before + window * leastSaved;
  }

  /** Lets stubs stand for old results or, where that does not save enough, lets a summary stand for what is old. */
  private async lighten(prompt: Prompt, size: PromptSize): Promise<boolean> {
    const spare = size.window * leastSaved * (size.characters / Math.max(1, size.tokens));
    const plan = planStubs(prompt.log.entries, spare);
    if (plan === null) return this.compact(prompt, size);
    await prompt.log.append(shortenedNotice(plan, size.window));
    return true;
  }

  /** Appends a marker that stands for what is old, if that saves such a share of the window. */
  private async compact(prompt: Prompt, size: PromptSize, least = leastSaved): Promise<boolean> {
    const { characters, tokens, window } = size;
    const { log } = prompt;
    const perToken = characters / Math.max(1, tokens);
    const fixed = characters - lengthOf(log.entries);
    const spare = Math.min(answerRoom, window / 4);
    const conversation = Math.max(0, Math.min((window - spare) * perToken - fixed, (window / 2) * perToken));
    const edits = await this.sources.memory?.editsOf(prompt.run.sessionId);
    const room = { conversation, window: window * perToken, forgotten: new Set(edits?.forgotten) };
    const plan = planCompaction(log.entries, room);
    if (plan === null || plan.saved < window * least * perToken) return false;
    const tokensAfter = Math.ceil((characters - plan.saved) / perToken);
    const chunks = await this.putIntoWords(prompt, room, plan, tokensAfter);
    if (chunks === 'all') return true;
    // What the model has not put into words stands there as the log says it.
    const { marker } = planCompaction(log.entries, room, chunks) ?? plan;
    await log.append({ ...marker, data: { ...marker.data, tokensAfter } });
    return true;
  }

  /**
   * Lets a model write the summary chunk by chunk, each of which is in the log as soon as it is there. Resolves with `all`, or with what the marker for
   * the rest has to know where the model failed. Rejects when the run is stopped; what is written then stays.
   */
  private async putIntoWords(
    { run, log, model }: Prompt,
    room: CompactionRoom,
    plan: CompactionPlan,
    tokensAfter: number,
  ): Promise<'all' | MarkerExtras> {
    const { summaries } = this.sources;
    const signal = run.signal ?? new AbortController().signal;
    const writer = (await summaries?.summarizerFor({ model, log: log.entries, signal })) ?? null;
    if (summaries === undefined || writer === null) return {};
    const before = activeMarker(promptedOf(log.entries))?.data;
    const characters = wordsRoom(room);
    let earlier = before?.words?.text ?? before?.summary ?? '';
    let extras: MarkerExtras = {};
    for (const { transcript, throughSeq } of chunksOf(log.entries, plan, writer.room - earlier.length)) {
      run.report?.({ kind: 'summarising', model: writer.model.name, since: this.clock.now() });
      const task = { model, log: log.entries, earlier, transcript, characters, signal };
      const text = await summaries.write(writer, task);
      if (text === null) return extras;
      const words = { text, throughSeq, model: writer.model.name };
      const part = planCompaction(log.entries, room, { ...extras, words, throughSeq });
      earlier = text;
      extras = { ...extras, words };
      if (part === null) continue;
      const { seq } = await log.append({ ...part.marker, data: { ...part.marker.data, tokensAfter } });
      extras = { continues: seq };
    }
    return extras.words === undefined && extras.continues !== undefined ? 'all' : extras;
  }

  /** Sends the beginning and the end of a message that is larger than the window by itself; false where that is not enough. */
  private async cutMessage({ log }: Prompt, { characters, tokens, window }: PromptSize): Promise<boolean> {
    const spare = Math.ceil(characters * (1 - (window - Math.min(answerRoom, window / 4)) / tokens));
    const notice = planMessageCut(log.entries, spare, window);
    if (notice !== null) await log.append(notice);
    return notice !== null;
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
