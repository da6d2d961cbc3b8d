import type { Settings } from '../config/settings';
import type { OllamaClient } from '../services/model/client/ollamaClient';
import type { ServerArbiter } from '../services/model/serverArbiter';
import type { Clock } from '../utils/clock';
import { Emitter } from '../utils/emitter';
import { AppError, isCancelled, messageOf } from '../utils/errors';
import type { Disposable } from '../utils/disposable';
import type { Logger } from '../utils/logger';
import type { CompletionDocument, CompletionModel, NoSuggestion, Suggestion } from './completionTypes';
import { CompletionCache } from './flow/completionCache';
import { PendingRequest } from './flow/pendingRequest';
import { RequestRunner } from './flow/requestRunner';
import { Latencies } from './flow/latencies';
import { ModelReadiness } from './flow/modelReadiness';
import { OnScreen } from './flow/onScreen';
import { TypingRhythm } from './flow/typingRhythm';
import type { CompletionModels } from './models/completionModels';
import { rewrittenLine, type LineProblem } from './nextEdit/nextEdit';
import type { ContextKeeper } from './prompt/contextKeeper';
import type { CompletionStatistics } from './statistics/completionStatistics';
import { fitToTail } from './text/closers';
import { decideLines } from './text/lineMode';

export interface EnginePorts {
  client: Pick<OllamaClient, 'generate' | 'load' | 'getRunningModels'>;
  settings: Pick<Settings, 'getCompletionConfig' | 'getAgentConfig'>;
  models: Pick<CompletionModels, 'chosen'>;
  arbiter: Pick<ServerArbiter, 'begin' | 'mustWait'>;
  context: Pick<ContextKeeper, 'contextFor' | 'version'>;
  count: CompletionStatistics['count'];
  clock: Clock;
  logger: Logger;
}

/** State for the user interface: activity, speed, and the reason why the last request returned no suggestion. */
export interface EngineState {
  activity: 'idle' | 'loading' | 'thinking';
  /** Median time to the last twenty suggestions, in milliseconds. Null before the first suggestion. */
  latency: number | null;
  noSuggestion: NoSuggestion | null;
  /** True if the server repeatedly replaces the model in memory with another model. */
  isSwapped: boolean;
}

/**
 * Provides suggestions at a cursor. Only one request runs at a time. A request continues while the typed text agrees with its
 * response. Otherwise it is cancelled. Responses are cached, so no request is sent while the user types the suggested text.
 */
export class CompletionEngine implements Disposable {
  private readonly emitter: Emitter<EngineState>;
  private readonly cache = new CompletionCache();
  private readonly rhythm = new TypingRhythm();
  private readonly latencies = new Latencies();
  private readonly readiness: ModelReadiness;
  private readonly runner: RequestRunner;
  private pending: PendingRequest | undefined;
  private divergences = 0;
  private lastId = 0;
  private isLoading = false;
  private noSuggestion: NoSuggestion | null = null;
  private onScreen: OnScreen | undefined;
  private warming: AbortController | undefined;
  private readonly moreText: Emitter<Suggestion>;

  constructor(private readonly ports: EnginePorts) {
    const { client, clock, logger } = ports;
    const failed = (error: unknown) => logger.error('A listener to completions failed', error);
    this.emitter = new Emitter(failed);
    this.moreText = new Emitter(failed);
    this.readiness = new ModelReadiness(client, clock, (isLoading) => {
      this.isLoading = isLoading;
      this.announce();
    });
    this.runner = new RequestRunner(ports, this.readiness, (document) => ports.context.contextFor(document));
  }

  get onDidChange() {
    return this.emitter.event;
  }

  /** Fires when the rest of a partly shown suggestion has arrived. */
  get onDidGrow() {
    return this.moreText.event;
  }

  get state(): EngineState {
    const activity = this.isLoading ? 'loading' : this.isAsking ? 'thinking' : 'idle';
    return { activity, latency: this.latencies.p50, noSuggestion: this.noSuggestion, isSwapped: this.readiness.isSwapped };
  }

  private get isAsking(): boolean {
    return this.pending !== undefined && !this.pending.isDone;
  }

  /**
   * Returns the suggestion at a cursor. Returns undefined if there is no suggestion or the signal is aborted. If the user
   * requested the suggestion (`isAsked`), it is not delayed.
   */
  async complete(
    document: CompletionDocument,
    { isAsked }: { isAsked: boolean },
    signal: AbortSignal,
  ): Promise<Suggestion | undefined> {
    const began = this.ports.clock.now();
    if (!isAsked) this.rhythm.note(began);
    this.closeDiverged(document);
    try {
      const model = await this.ports.models.chosen();
      if ('code' in model) return this.none(model);
      const remembered = this.cache.find(document, this.createVersion(model));
      if (remembered !== undefined) {
        this.ports.count(model.name, { saved: 1 });
        return this.suggestion(document, model, remembered, false);
      }
      if (!isAsked && this.ports.arbiter.mustWait('suggestion', model.name)) return this.none({ code: 'chatRuns' });
      if (this.pending === undefined && !isAsked) await this.pause(document, signal);
      while (!signal.aborted) {
        const isNew = this.pending === undefined;
        const pending = (this.pending ??= this.send(document, model));
        const found = await this.answer(pending, document, began, signal);
        if (found !== 'diverged') {
          if (!isNew && found !== undefined) this.ports.count(model.name, { saved: 1 });
          return found;
        }
        // The response no longer agrees with the typed text.
        if (this.pending === pending) this.close();
      }
      return undefined;
    } catch (error) {
      if (isCancelled(error)) return undefined;
      this.ports.logger.warn(`No completion: ${messageOf(error)}`);
      return this.none({ code: 'failed', detail: error instanceof AppError ? error.userMessage : messageOf(error) });
    }
  }

  /** Records that a suggestion is displayed. */
  shown(document: CompletionDocument, suggestion: Suggestion): void {
    this.divergences = 0;
    this.onScreen = new OnScreen(document, suggestion, this.onScreen);
    if (!this.onScreen.isSame) this.ports.count(suggestion.model, { shown: 1 });
    if (!suggestion.isPartial) void this.speculate();
  }

  /** Loads the prompt for this cursor into the prompt cache. Called after one second without typing. */
  async warm(document: CompletionDocument): Promise<void> {
    if (this.onScreen?.hasWarmed === true || this.isAsking || this.warming !== undefined) return;
    const model = await this.aheadModel();
    if (model === undefined || this.isAsking || this.cache.find(document, this.createVersion(model)) !== undefined) return;
    if (this.onScreen) this.onScreen.hasWarmed = true;
    const controller = (this.warming = new AbortController());
    await this.runner.warm(document, model, controller.signal);
    if (this.warming === controller) this.warming = undefined;
  }

  /** Requests the continuation after the displayed suggestion, as if the user had accepted it. */
  private async speculate(): Promise<void> {
    const { onScreen } = this;
    if (onScreen === undefined || onScreen.hasSpeculated || this.isAsking) return;
    const model = await this.aheadModel();
    if (model === undefined || this.isAsking || this.onScreen !== onScreen) return;
    onScreen.hasSpeculated = true;
    const { accepted } = onScreen;
    if (this.cache.find(accepted, this.createVersion(model)) === undefined) this.pending = this.send(accepted, model, true);
  }

  /** Returns the model if it is entirely on the GPU, has responded recently, and no chat needs it. */
  private async aheadModel(): Promise<CompletionModel | undefined> {
    if (!this.readiness.isOnGpu) return undefined;
    const model = await this.ports.models.chosen().catch(() => undefined);
    if (model === undefined || 'code' in model || this.ports.arbiter.mustWait('suggestion', model.name)) return undefined;
    return this.readiness.hasJustAnswered(model) ? model : undefined;
  }

  /** Sets the reason why no request is sent. Null clears it. */
  setNoSuggestionReason(because: NoSuggestion | null): void {
    this.noSuggestion = because;
    this.announce();
  }

  /**
   * Returns a line with its problem fixed. Uses only a model that is already
   * loaded. Returns undefined if no model is loaded or there is no valid fix.
   */
  async rewrite(document: CompletionDocument, problem: LineProblem, signal: AbortSignal): Promise<string | undefined> {
    const model = await this.ports.models.chosen();
    const { client, settings, arbiter } = this.ports;
    if ('code' in model || this.isAsking || arbiter.mustWait('suggestion', model.name)) return undefined;
    if (!(await this.readiness.isInMemory(model))) return undefined;
    return rewrittenLine({ client, model, keepAlive: settings.getAgentConfig().keepAlive }, document, problem, signal);
  }

  /** Clears cached responses after the model or the settings change. */
  reset(): void {
    this.cache.clear();
    this.close();
    this.noSuggestion = null;
    this.announce();
  }

  dispose(): void {
    this.close();
    this.emitter.dispose();
    this.moreText.dispose();
  }

  /** Waits for the response to a request at this cursor. */
  private async answer(
    pending: PendingRequest,
    document: CompletionDocument,
    began: number,
    signal: AbortSignal,
  ): Promise<Suggestion | 'diverged' | undefined> {
    for (;;) {
      const offer = pending.offerFor(document);
      if (signal.aborted) return undefined;
      if (offer.kind === 'diverged') return 'diverged';
      if (pending.failure !== undefined) throw pending.failure;
      if (offer.kind === 'nothing') return this.none({ code: offer.because });
      if (offer.kind === 'text') {
        const waitedMs = this.ports.clock.now() - began;
        this.latencies.note(waitedMs);
        this.ports.count(pending.start.model.name, { answers: 1, waitedMs });
        return this.suggestion(document, pending.start.model, offer.text, offer.isPartial);
      }
      await pending.changed(signal);
    }
  }

  private async pause(document: CompletionDocument, signal: AbortSignal): Promise<void> {
    const least = this.ports.settings.getCompletionConfig().debounceMs;
    const { divergences } = this;
    const latency = this.latencies.p50 ?? 0;
    await this.ports.clock.sleep(this.rhythm.delay({ latency, least, before: document.before, divergences }), signal);
  }

  private send(document: CompletionDocument, model: CompletionModel, isSpeculative = false): PendingRequest {
    this.warming?.abort();
    if (!isSpeculative) this.ports.count(model.name, { requests: 1 });
    const { isMultiline } = this.ports.settings.getCompletionConfig();
    const multiline = isMultiline && decideLines(document) === 'block';
    const pending = new PendingRequest({ document, model, multiline, isSpeculative });
    void this.runner.run(pending).then(() => {
      if (this.pending === pending) this.pending = undefined;
      if (pending.failure === undefined && !pending.signal.aborted) this.remember(pending);
      this.announce();
    });
    this.announce();
    return pending;
  }

  private remember({ cleaned, start: { document, model } }: PendingRequest): void {
    if (cleaned === undefined) return;
    this.cache.set(document, this.createVersion(model), cleaned);
    const { onScreen } = this;
    if (onScreen?.suggestion.isPartial !== true) return;
    onScreen.suggestion.isPartial = false;
    this.moreText.fire(onScreen.suggestion);
  }

  private closeDiverged(document: CompletionDocument): void {
    if (this.onScreen?.isOnPath(document) === false) this.onScreen = undefined;
    if (this.pending === undefined || this.pending.agreesWith(document)) return;
    this.divergences += 1;
    this.close();
  }

  private close(): void {
    this.pending?.close();
    this.pending = undefined;
    this.announce();
  }

  private suggestion(
    document: CompletionDocument,
    model: CompletionModel,
    words: string,
    isPartial: boolean,
  ): Suggestion | undefined {
    const { text, replaces } = fitToTail(words, document);
    if (text === '') return this.none({ code: 'dropped' });
    this.noSuggestion = null;
    this.announce();
    return { id: ++this.lastId, text, replaces, isPartial, model: model.name };
  }

  /** Returns a key for everything that determines a response, except the document. */
  private createVersion({ digest, ask }: CompletionModel): string {
    return [digest, ask.way === 'raw' ? ask.family.name : '', this.ports.context.version].join('\0');
  }

  private none(because: NoSuggestion): Suggestion | undefined {
    this.noSuggestion = because;
    this.announce();
    return undefined;
  }

  private announce(): void {
    this.emitter.fire(this.state);
  }
}
