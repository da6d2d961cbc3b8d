import type { Settings } from '../../../config/settings';
import type { FitState } from '../../../protocol/requests/fitRequests';
import { isCloudModel, type ModelInfo } from '../../../types/model';
import { longPrompt } from '../../../types/modelFigures';
import { findModel, modelKey } from '../../../types/modelNames';
import type { ThinkValue } from '../../../types/ollama';
import type { Disposable } from '../../../utils/disposable';
import { Emitter, type Event } from '../../../utils/emitter';
import { AppError, isCancelled } from '../../../utils/errors';
import { phrase, type Phrase } from '../../../utils/l10n';
import type { Logger } from '../../../utils/logger';
import type { ModelActions } from '../catalogue/modelActions';
import type { ModelCatalog } from '../catalogue/modelCatalog';
import type { ModelManager } from '../catalogue/modelManager';
import type { OllamaClient } from '../client/ollamaClient';
import { ContextOverflowError } from '../client/ollamaErrors';
import type { ContextWindows } from '../context/contextWindows';
import type { StoredWindows } from '../context/storedWindows';
import { requestOptions } from '../context/requestOptions';
import type { ServerArbiter } from '../serverArbiter';
import type { FigureKeeper } from './figureKeeper';
import { measuringPrompt } from './measuringPrompt';
import { largestWindow, maxLoads, type FoundWindow } from './windowSearch';

export interface FitServices {
  client: Pick<OllamaClient, 'load' | 'chat'>;
  models: Pick<ModelManager, 'get' | 'running' | 'readCacheSize'>;
  catalog: Pick<ModelCatalog, 'refreshLoaded'>;
  actions: Pick<ModelActions, 'unload'>;
  figures: FigureKeeper;
  arbiter: Pick<ServerArbiter, 'mustWait'>;
  windows: Pick<ContextWindows, 'tokensFor'>;
  ownWindows: Pick<StoredWindows, 'keepOwnWindow'>;
  settings: Pick<Settings, 'getConfig'>;
  logger: Logger;
}

class FitError extends AppError {
  readonly code = 'fit';

  constructor(text: Phrase) {
    super(text.english, text);
  }
}

/** Maximum number of tokens in a measured response. */
const answerTokens = 64;
/** Number of words in the short prompt. */
const shortWords = 200;
/** Number of tokens in the long prompt. */
const longTokens = 4096;
/** Maximum share of the context window for the long prompt. */
const shareOfWindow = 0.6;

/** Measures models on request, one at a time. Loads models only when the user requests a measurement. */
export class FitTasks implements Disposable {
  private readonly emitter: Emitter<FitState | null>;
  private running: { state: FitState; stopping: AbortController } | null = null;

  constructor(private readonly services: FitServices) {
    this.emitter = new Emitter((error) => services.logger.error('A listener of the measurements failed', error));
  }

  /** Fires with the measurement in progress, and with null when it has ended. */
  get onDidChange(): Event<FitState | null> {
    return this.emitter.event;
  }

  get state(): FitState | null {
    return this.running?.state ?? null;
  }

  /** Reloads the model and requests responses to a short and a long prompt. Resolves with false if it was cancelled. */
  measure(name: string): Promise<boolean> {
    return this.run(name, 'measure', async (model, signal, onStep) => {
      const { client, catalog, actions, figures, models, windows } = this.services;
      const window = await windows.tokensFor(model);
      onStep(1, 3);
      await actions.unload(model.name);
      await client.load(this.loadRequest(model, window), { signal, isAbandoned: true });
      onStep(2, 3);
      const read = await this.answer(model, window, shortWords, signal);
      onStep(3, 3);
      const wanted = Math.min(longTokens, window * shareOfWindow);
      // The number of tokens per word depends on the model.
      if (read > 0 && wanted > longPrompt) await this.answer(model, window, (wanted / read) * shortWords, signal);
      await catalog.refreshLoaded();
      const cache = await models.readCacheSize(model);
      if (cache !== null) await figures.update(model, { cache });
    });
  }

  /** Finds the largest context window with which the whole model stays on the GPU. Resolves with null if it was cancelled. */
  async findWindow(name: string): Promise<FoundWindow | null> {
    let found: FoundWindow | null = null;
    await this.run(name, 'search', async (model, signal, onStep) => {
      const { client, models, windows, catalog, figures } = this.services;
      const start = await windows.tokensFor(model);
      const cache = await models.readCacheSize(model);
      if (cache !== null) await figures.update(model, { cache });
      let loads = 0;
      const load = async (tokens: number) => {
        onStep((loads += 1), maxLoads);
        await client.load(this.loadRequest(model, tokens), { signal, isAbandoned: true });
        return findModel(await models.running(signal), model.name);
      };
      const range = { start, max: model.contextLength ?? start, bytesPerToken: cache?.bytesPerToken ?? null };
      found = await largestWindow(load, range);
      if (found.hasGpu) await figures.update(model, { largest: { tokens: found.tokens } });
      await catalog.refreshLoaded();
    });
    return found;
  }

  /**
   * Sets the context window of a model in tokens, from its next request on.
   * Null restores the value from the settings. Rejects if it cannot be stored.
   */
  async setWindow(name: string, tokens: number | null): Promise<void> {
    const { models, ownWindows, figures } = this.services;
    const model = await models.get(name);
    await ownWindows.keepOwnWindow(modelKey(model), tokens);
    await figures.update(model, { ownWindow: tokens });
  }

  /** Cancels the measurement. The server drops a load in progress. */
  cancel(): void {
    this.running?.stopping.abort();
  }

  dispose(): void {
    this.cancel();
    this.emitter.dispose();
  }

  /** Resolves with false if the work was cancelled. */
  private async run(
    name: string,
    kind: FitState['kind'],
    work: (model: ModelInfo, signal: AbortSignal, onStep: (step: number, of: number) => void) => Promise<void>,
  ): Promise<boolean> {
    if (this.running !== null) throw new FitError(phrase('Another measurement is running. Wait until it ends, or cancel it.'));
    // A measurement does not start while a chat runs or is queued. The same rule applies to generated titles.
    if (this.services.arbiter.mustWait('title'))
      throw new FitError(phrase('A chat is using the server. Try again when its answer is complete.'));
    const stopping = new AbortController();
    const report = (step: number, of: number) => {
      const state = { model: name, kind, step, of };
      this.running = { state, stopping };
      this.emitter.fire(state);
    };
    report(0, 0);
    try {
      const model = await this.services.models.get(name, stopping.signal);
      if (isCloudModel(model.name) || !model.capabilities.chat)
        throw new FitError(phrase('{0} cannot be measured. Choose a chat model that runs on your server.', name));
      await work(model, stopping.signal, report);
      return true;
    } catch (error) {
      if (!isCancelled(error) && !stopping.signal.aborted) throw error;
      return false;
    } finally {
      this.running = null;
      this.emitter.fire(null);
    }
  }

  private loadRequest({ name }: ModelInfo, window: number) {
    return { model: name, options: { num_ctx: window }, keep_alive: this.services.settings.getConfig().agent.keepAlive };
  }

  /**
   * Sends a prompt that is not in the model's cache. `FigureKeeper` measures the response like any other response. Resolves with
   * the number of prompt tokens; 0 if it is unknown or too large.
   */
  private async answer(model: ModelInfo, window: number, words: number, signal: AbortSignal): Promise<number> {
    const { keep_alive } = this.loadRequest(model, window);
    const think = withoutThinking(model);
    const request = {
      model: model.name,
      messages: [{ role: 'user' as const, content: measuringPrompt(words) }],
      keep_alive,
      options: { ...requestOptions(model, window), num_predict: answerTokens, temperature: 0 },
      truncate: false as const,
      shift: false as const,
      ...(think !== null && { think }),
    };
    try {
      for await (const chunk of this.services.client.chat(request, { signal, isMeasurement: true }))
        if (chunk.done) return chunk.prompt_eval_count ?? 0;
    } catch (error) {
      // Only the server can count the tokens of a prompt, so the prompt may be too long.
      if (!(error instanceof ContextOverflowError)) throw error;
    }
    return 0;
  }
}

/** Returns the value that turns thinking off, or null if the model has no such value. */
function withoutThinking({ capabilities, thinking }: ModelInfo): ThinkValue | null {
  if (!capabilities.thinking) return null;
  return thinking == null || thinking.values.includes(false) ? false : null;
}
