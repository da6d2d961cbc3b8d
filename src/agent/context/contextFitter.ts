import { selectPrompted } from '../../protocol/reducer/promptedEntries';
import type { ModelInfo } from '../../types/model';
import type { ContextOverflowError } from '../../services/model/client/ollamaErrors';
import type { ContextMeter, PromptSize } from './contextMeter';
import { shortenedNotice } from '../kernel/notices';
import { activeMarker } from '../../protocol/context/compaction';
import type { Clock } from '../../utils/clock';
import {
  splitForSummary,
  measureLength,
  planCompaction,
  modelSummaryRoom,
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

/** Parts of a request that use space in the context window. */
export interface Prompt {
  run: Pick<Run, 'sessionId' | 'mode'> & Partial<Pick<Run, 'signal' | 'report'>>;
  log: RunLog;
  model: ModelInfo;
  /** Tools offered to the model. */
  tools: ToolRegistry;
}

/** Additional sources for a summary besides the log. */
export interface FitterSources {
  /** Writes summaries with a model. Without it, the summaries are based only on the log. */
  summaries?: ModelSummary;
  memory?: Pick<SessionMemory, 'readEdits'>;
}

/** Maximum number of tokens reserved for an answer. */
const answerRoom = 1024;
/** Share of the context window at which compaction starts. */
const compactAt = 0.75;
/** Minimum share of the context window that a summary must save. */
const minSaved = 0.25;
/**
 * Frees space in a full context window. Later requests contain shortened tool results and long arguments. Older results are
 * shortened first, and the newest only if necessary. The log keeps the full texts and records which texts were shortened.
 */
export class ContextFitter {
  constructor(
    private readonly meter: Pick<ContextMeter, 'size'>,
    private readonly clock: Clock,
    private readonly sources: FitterSources = {},
  ) {}

  /** Frees space before a request if the server's token counts show that the context window is full. */
  async fit(prompt: Prompt): Promise<void> {
    const size = await this.measurePrompt(prompt);
    if (!size.isMeasured) return;
    const isFull = size.tokens > size.window - minAnswerRoom(size.window);
    if (isFull && (await this.shorten(prompt, size))) return;
    if (isFull) await this.compact(prompt, size, minAnswerRoom(size.window) / size.window);
    else if (this.isCompactionDue(prompt, size)) await this.compactOrStub(prompt, size);
  }

  /** Replaces old entries with a summary even if the context window has space. Resolves with false if nothing is old enough. */
  async compactNow(prompt: Prompt): Promise<boolean> {
    return this.compact(prompt, await this.measurePrompt(prompt), 0);
  }

  /** Frees space after the server rejected a prompt or the context window was full. Resolves with false if nothing helps. */
  async makeRoom(prompt: Prompt, error?: ContextOverflowError): Promise<boolean> {
    const size = await this.measurePrompt(prompt);
    const { promptTokens, contextWindow } = error ?? {};
    const tokens = promptTokens ?? Math.max(size.tokens, size.window);
    const refused = { ...size, tokens, window: Math.min(size.window, contextWindow ?? size.window) };
    if (await this.shorten(prompt, refused)) return true;
    if (!(await this.compact(prompt, refused, minAnswerRoom(refused.window) / refused.window)))
      return this.cutMessage(prompt, refused);
    const left = await this.measurePrompt(prompt);
    const after = Math.ceil((tokens * left.characters) / size.characters);
    if (after > refused.window - minAnswerRoom(refused.window))
      await this.shorten(prompt, { ...left, tokens: after, window: refused.window });
    return true;
  }

  /** Returns whether the window is three quarters full and the prompt has grown by a quarter of the window since the last summary. */
  private isCompactionDue({ log }: Prompt, { tokens, window }: PromptSize): boolean {
    // After the user has undone a summary, the next summary waits until the context window is full.
    const last = log.entries.findLast(({ type }) => type === 'compact_marker' || type === 'compact_undone');
    if (last?.type === 'compact_undone') return false;
    const before = activeMarker(selectPrompted(log.entries))?.data.tokensAfter ?? 0;
    return tokens > window * compactAt && tokens > before + window * minSaved;
  }

  /** Replaces old results with stubs. If this does not save enough, replaces old entries with a summary. */
  private async compactOrStub(prompt: Prompt, size: PromptSize): Promise<boolean> {
    const spare = size.window * minSaved * (size.characters / Math.max(1, size.tokens));
    const plan = planStubs(prompt.log.entries, spare);
    if (plan === null) return this.compact(prompt, size);
    await prompt.log.append(shortenedNotice(plan, size.window));
    return true;
  }

  /** Appends a marker that replaces old entries if this saves at least the share `least` of the context window. */
  private async compact(prompt: Prompt, size: PromptSize, least = minSaved): Promise<boolean> {
    const { characters, tokens, window } = size;
    const { log } = prompt;
    const perToken = characters / Math.max(1, tokens);
    const fixed = characters - measureLength(log.entries);
    const spare = Math.min(answerRoom, window / 4);
    const conversation = Math.max(0, Math.min((window - spare) * perToken - fixed, (window / 2) * perToken));
    const edits = await this.sources.memory?.readEdits(prompt.run.sessionId);
    const room = { conversation, window: window * perToken, forgotten: new Set(edits?.forgotten) };
    const plan = planCompaction(log.entries, room);
    if (plan === null || plan.saved < window * least * perToken) return false;
    const tokensAfter = Math.ceil((characters - plan.saved) / perToken);
    const chunks = await this.summarizeWithModel(prompt, room, plan, tokensAfter);
    if (chunks === 'all') return true;
    // For entries that the model has not summarized, a factual summary is built from the log.
    const { marker } = planCompaction(log.entries, room, chunks) ?? plan;
    await log.append({ ...marker, data: { ...marker.data, tokensAfter } });
    return true;
  }

  /**
   * Summarizes chunk by chunk with a model and logs each chunk immediately. Resolves with `all`, or with the data
   * for the remaining marker if the model failed. Rejects when the run is stopped. Chunks in the log remain.
   */
  private async summarizeWithModel(
    { run, log, model }: Prompt,
    room: CompactionRoom,
    plan: CompactionPlan,
    tokensAfter: number,
  ): Promise<'all' | MarkerExtras> {
    const { summaries } = this.sources;
    const signal = run.signal ?? new AbortController().signal;
    const writer = (await summaries?.summarizerFor({ model, log: log.entries, signal })) ?? null;
    if (summaries === undefined || writer === null) return {};
    const before = activeMarker(selectPrompted(log.entries))?.data;
    const characters = modelSummaryRoom(room);
    let earlier = before?.words?.text ?? before?.summary ?? '';
    let extras: MarkerExtras = {};
    for (const { transcript, throughSeq } of splitForSummary(log.entries, plan, writer.room - earlier.length)) {
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

  /**
   * Shortens a message that is larger than the context window to its
   * beginning and end. Resolves with false if this does not help.
   */
  private async cutMessage({ log }: Prompt, { characters, tokens, window }: PromptSize): Promise<boolean> {
    const spare = Math.ceil(characters * (1 - (window - Math.min(answerRoom, window / 4)) / tokens));
    const notice = planMessageCut(log.entries, spare, window);
    if (notice !== null) await log.append(notice);
    return notice !== null;
  }

  private measurePrompt({ run, log, model, tools }: Prompt): Promise<PromptSize> {
    return this.meter.size({ sessionId: run.sessionId, mode: run.mode, model, tools, entries: log.entries });
  }

  private async shorten({ log }: Prompt, { characters, tokens, window }: PromptSize): Promise<boolean> {
    const spareFor = (room: number) => Math.ceil(characters * (1 - (window - room) / tokens));
    const plan = planShortening(log.entries, spareFor(Math.min(answerRoom, window / 4)));
    if (plan === null || plan.saved < spareFor(minAnswerRoom(window))) return false;
    await log.append(shortenedNotice(plan, window));
    return true;
  }
}

/** Returns the minimum number of tokens for an answer. With fewer tokens, a request is pointless. */
function minAnswerRoom(window: number): number {
  return Math.min(256, window / 16);
}
