import type { Settings } from '../config/settings';
import type { OllamaClient } from '../services/model/client/ollamaClient';
import type { ServerArbiter } from '../services/model/serverArbiter';
import type { Clock } from '../utils/clock';
import { Emitter } from '../utils/emitter';
import { AppError, isCancelled, messageOf } from '../utils/errors';
import type { Disposable } from '../utils/disposable';
import type { Logger } from '../utils/logger';
import type { CompletionDocument, CompletionModel, NothingBecause, Suggestion } from './completionTypes';
import { CompletionCache } from './flow/completionCache';
import { Flight } from './flow/flight';
import { FlightRunner } from './flow/flightRunner';
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
  arbiter: Pick<ServerArbiter, 'begin' | 'yields'>;
  context: Pick<ContextKeeper, 'contextFor' | 'version'>;
  /** Hears what is to be counted, by model. */
  count: CompletionStatistics['count'];
  clock: Clock;
  logger: Logger;
}

/** State for a person: what goes on, how fast it is, and why the last question had no answer. */
export interface EngineState {
  activity: 'idle' | 'loading' | 'thinking';
  /** Milliseconds until a suggestion could be shown, the median of the last twenty; null before the first. */
  latency: number | null;
  nothing: NothingBecause | null;
  /** True if the server swaps the model with another one in memory, back and forth. */
  isSwapped: boolean;
}

/**
 * Suggests what comes at a cursor. One request runs at a time: it goes on while what is typed agrees with it, and is closed when that
 * departs. What it answered is remembered, so that typing along asks for nothing.
 */
export class CompletionEngine implements Disposable {
  private readonly emitter: Emitter<EngineState>;
  private readonly cache = new CompletionCache();
  private readonly rhythm = new TypingRhythm();
  private readonly latencies = new Latencies();
  private readonly readiness: ModelReadiness;
  private readonly runner: FlightRunner;
  private flight: Flight | undefined;
  private departures = 0;
  private lastId = 0;
  private isLoading = false;
  private nothing: NothingBecause | null = null;
  private onScreen: OnScreen | undefined;
  private warming: AbortController | undefined;
  private readonly grown: Emitter<Suggestion>;

  constructor(private readonly ports: EnginePorts) {
    const { client, clock, logger } = ports;
    const failed = (error: unknown) => logger.error('A listener to completions failed', error);
    this.emitter = new Emitter(failed);
    this.grown = new Emitter(failed);
    this.readiness = new ModelReadiness(client, clock, (isLoading) => {
      this.isLoading = isLoading;
      this.announce();
    });
    this.runner = new FlightRunner(ports, this.readiness, (document) => ports.context.contextFor(document));
  }

  get onDidChange() {
    return this.emitter.event;
  }

  /** Fires when the rest of a suggestion has come of which a part is on the screen. */
  get onDidGrow() {
    return this.grown.event;
  }

  get state(): EngineState {
    const activity = this.isLoading ? 'loading' : this.isAsking ? 'thinking' : 'idle';
    return { activity, latency: this.latencies.p50, nothing: this.nothing, isSwapped: this.readiness.isSwapped };
  }

  private get isAsking(): boolean {
    return this.flight !== undefined && !this.flight.isDone;
  }

  /**
   * Returns what to show at a cursor; undefined where nothing comes, or the signal has fired. `isAsked`: a person has asked for it, so
   * there is no waiting for a pause.
   */
  async complete(
    document: CompletionDocument,
    { isAsked }: { isAsked: boolean },
    signal: AbortSignal,
  ): Promise<Suggestion | undefined> {
    const began = this.ports.clock.now();
    if (!isAsked) this.rhythm.note(began);
    this.closeDeparted(document);
    try {
      const model = await this.ports.models.chosen();
      if ('code' in model) return this.none(model);
      const remembered = this.cache.find(document, this.versionOf(model));
      if (remembered !== undefined) {
        this.ports.count(model.name, { saved: 1 });
        return this.suggestion(document, model, remembered, false);
      }
      if (!isAsked && this.ports.arbiter.yields('suggestion', model.name)) return this.none({ code: 'chatRuns' });
      if (this.flight === undefined && !isAsked) await this.pause(document, signal);
      while (!signal.aborted) {
        const isNew = this.flight === undefined;
        const flight = (this.flight ??= this.send(document, model));
        const found = await this.answer(flight, document, began, signal);
        if (found !== 'departed') {
          if (!isNew && found !== undefined) this.ports.count(model.name, { saved: 1 });
          return found;
        }
        // Meanwhile the model has written something else than was typed.
        if (this.flight === flight) this.close();
      }
      return undefined;
    } catch (error) {
      if (isCancelled(error)) return undefined;
      this.ports.logger.warn(`No completion: ${messageOf(error)}`);
      return this.none({ code: 'failed', detail: error instanceof AppError ? error.userMessage : messageOf(error) });
    }
  }

  /** Notes that a suggestion is on the screen. */
  shown(document: CompletionDocument, suggestion: Suggestion): void {
    this.departures = 0;
    this.onScreen = new OnScreen(document, suggestion, this.onScreen);
    if (!this.onScreen.isSame) this.ports.count(suggestion.model, { shown: 1 });
    if (!suggestion.isPartial) void this.speculate();
  }

  /** Lets the server read ahead what a question at this cursor would say. For when nobody has typed for a second. */
  async warm(document: CompletionDocument): Promise<void> {
    if (this.onScreen?.hasWarmed === true || this.isAsking || this.warming !== undefined) return;
    const model = await this.aheadModel();
    if (model === undefined || this.isAsking || this.cache.find(document, this.versionOf(model)) !== undefined) return;
    if (this.onScreen) this.onScreen.hasWarmed = true;
    const controller = (this.warming = new AbortController());
    await this.runner.warm(document, model, controller.signal);
    if (this.warming === controller) this.warming = undefined;
  }

  /** Asks for what comes after the suggestion on the screen, as if it were accepted. */
  private async speculate(): Promise<void> {
    const { onScreen } = this;
    if (onScreen === undefined || onScreen.hasSpeculated || this.isAsking) return;
    const model = await this.aheadModel();
    if (model === undefined || this.isAsking || this.onScreen !== onScreen) return;
    onScreen.hasSpeculated = true;
    const { accepted } = onScreen;
    if (this.cache.find(accepted, this.versionOf(model)) === undefined) this.flight = this.send(accepted, model, true);
  }

  /** Returns the model if it may work ahead: it is wholly on the graphics card, and no chat needs it. */
  private async aheadModel(): Promise<CompletionModel | undefined> {
    if (!this.readiness.isOnGpu) return undefined;
    const model = await this.ports.models.chosen().catch(() => undefined);
    if (model === undefined || 'code' in model || this.ports.arbiter.yields('suggestion', model.name)) return undefined;
    return this.readiness.isTrusted(model) ? model : undefined;
  }

  /** Notes why nothing is asked for here; null: nothing speaks against it any more. */
  refuse(because: NothingBecause | null): void {
    this.nothing = because;
    this.announce();
  }

  /** Returns a line without its problem, from a model that is in memory already; undefined where there is none, or nothing fits. */
  async rewrite(document: CompletionDocument, problem: LineProblem, signal: AbortSignal): Promise<string | undefined> {
    const model = await this.ports.models.chosen();
    const { client, settings, arbiter } = this.ports;
    if ('code' in model || this.isAsking || arbiter.yields('suggestion', model.name)) return undefined;
    if (!(await this.readiness.isInMemory(model))) return undefined;
    return rewrittenLine({ client, model, keepAlive: settings.getAgentConfig().keepAlive }, document, problem, signal);
  }

  /** Forgets what was answered: another model or setting would say something else. */
  reset(): void {
    this.cache.clear();
    this.close();
    this.nothing = null;
    this.announce();
  }

  dispose(): void {
    this.close();
    this.emitter.dispose();
    this.grown.dispose();
  }

  /** Waits for what a request says at this cursor. */
  private async answer(
    flight: Flight,
    document: CompletionDocument,
    began: number,
    signal: AbortSignal,
  ): Promise<Suggestion | 'departed' | undefined> {
    for (;;) {
      const offer = flight.offerFor(document);
      if (signal.aborted) return undefined;
      if (offer.kind === 'departed') return 'departed';
      if (flight.failure !== undefined) throw flight.failure;
      if (offer.kind === 'nothing') return this.none({ code: offer.because });
      if (offer.kind === 'text') {
        const waitedMs = this.ports.clock.now() - began;
        this.latencies.note(waitedMs);
        this.ports.count(flight.start.model.name, { answers: 1, waitedMs });
        return this.suggestion(document, flight.start.model, offer.text, offer.isPartial);
      }
      await flight.changed(signal);
    }
  }

  private async pause(document: CompletionDocument, signal: AbortSignal): Promise<void> {
    const least = this.ports.settings.getCompletionConfig().debounceMs;
    const { departures } = this;
    const latency = this.latencies.p50 ?? 0;
    await this.ports.clock.sleep(this.rhythm.delay({ latency, least, before: document.before, departures }), signal);
  }

  private send(document: CompletionDocument, model: CompletionModel, isSpeculative = false): Flight {
    this.warming?.abort();
    if (!isSpeculative) this.ports.count(model.name, { requests: 1 });
    const { isMultiline } = this.ports.settings.getCompletionConfig();
    const multiline = isMultiline && decideLines(document) === 'block';
    const flight = new Flight({ document, model, multiline, isSpeculative });
    void this.runner.run(flight).then(() => {
      if (this.flight === flight) this.flight = undefined;
      if (flight.failure === undefined && !flight.signal.aborted) this.remember(flight);
      this.announce();
    });
    this.announce();
    return flight;
  }

  private remember({ cleaned, start: { document, model } }: Flight): void {
    if (cleaned === undefined) return;
    this.cache.set(document, this.versionOf(model), cleaned);
    const { onScreen } = this;
    if (onScreen?.suggestion.isPartial !== true) return;
    onScreen.suggestion.isPartial = false;
    this.grown.fire(onScreen.suggestion);
  }

  private closeDeparted(document: CompletionDocument): void {
    if (this.onScreen?.isAlong(document) === false) this.onScreen = undefined;
    if (this.flight === undefined || this.flight.agreesWith(document)) return;
    this.departures += 1;
    this.close();
  }

  private close(): void {
    this.flight?.close();
    this.flight = undefined;
    this.announce();
  }

  private suggestion(
    document: CompletionDocument,
    model: CompletionModel,
    words: string,
    isPartial: boolean,
  ): Suggestion | undefined {
    const { text, replaces } = fitToTail(words, document.after);
    if (text === '') return this.none({ code: 'dropped' });
    this.nothing = null;
    this.announce();
    return { id: ++this.lastId, text, replaces, isPartial, model: model.name };
  }

  /** Returns the key of all on which an answer depends besides the document. */
  private versionOf({ digest, ask }: CompletionModel): string {
    return [digest, ask.way === 'raw' ? ask.family.name : '', this.ports.context.version].join('\0');
  }

  private none(because: NothingBecause): Suggestion | undefined {
    this.nothing = because;
    this.announce();
    return undefined;
  }

  private announce(): void {
    this.emitter.fire(this.state);
  }
}
