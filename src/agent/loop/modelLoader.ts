import { findModel } from '../../types/modelNames';
import { isCloudModel, type ModelInfo } from '../../types/model';
import type { ChatRequest } from '../../types/ollama';
import type { Clock } from '../../utils/clock';
import { isCancelled } from '../../utils/errors';
import type { ChatClient, ModelSource } from '../kernel/ports';
import type { Run } from '../kernel/run';

/** Loads a model before the request, so that loading and prompt processing are reported as separate steps. */
export class ModelLoader {
  /** Requested context window and the size that the server granted, by model. */
  private readonly granted = new Map<string, { asked: number; loaded: number | undefined }>();

  constructor(
    private readonly client: Pick<ChatClient, 'load'>,
    private readonly models: Pick<ModelSource, 'running'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Resolves when the model is loaded with the options of the request. Sends nothing if it is already
   * loaded. Rejects with the same errors as the request. Stopping the run also stops the loading.
   */
  async load(model: Pick<ModelInfo, 'name'>, request: ChatRequest, run: Pick<Run, 'report' | 'signal'>): Promise<void> {
    run.report({ kind: 'connecting', since: this.clock.now() });
    // Cloud models are never loaded on this server.
    if (isCloudModel(model.name) || (await this.isLoaded(model.name, request.options.num_ctx, run.signal))) return;
    const say = () => run.report({ kind: 'loading', model: model.name, since: this.clock.now() });
    say();
    const retries = new AbortController();
    try {
      const { num_ctx } = request.options;
      const signal = run.signal;
      await this.client.load(
        { model: request.model, options: { num_ctx }, keep_alive: request.keep_alive },
        {
          signal,
          isAbandoned: true,
          onRetry: ({ attempt, of, delayMs, error }) => {
            run.report({ kind: 'retrying', attempt, of, until: this.clock.now() + delayMs, reason: error.userMessage });
            const over = AbortSignal.any([signal, retries.signal]);
            this.clock.sleep(delayMs, over).then(say, () => undefined);
          },
        },
      );
      await this.remember(model.name, num_ctx, signal);
    } finally {
      retries.abort();
    }
  }

  /** Returns whether the model is loaded. Returns false if the server does not report it, because loading again is cheap. */
  private async isLoaded(name: string, asked: number, signal: AbortSignal): Promise<boolean> {
    const loaded = await this.loadedWindow(name, signal);
    if (loaded === null) return false;
    const granted = this.granted.get(name);
    // A server may grant a smaller context window than requested. Old servers do not report its size.
    return loaded === undefined || loaded === asked || (granted?.asked === asked && granted.loaded === loaded);
  }

  private async remember(name: string, asked: number, signal: AbortSignal): Promise<void> {
    const loaded = await this.loadedWindow(name, signal);
    if (loaded !== null) this.granted.set(name, { asked, loaded });
  }

  /**
   * Returns the size of the loaded context window in tokens. Returns undefined
   * if the server does not report it, and null if the model is not loaded.
   */
  private async loadedWindow(name: string, signal: AbortSignal): Promise<number | undefined | null> {
    try {
      const running = findModel(await this.models.running(signal), name);
      return running ? running.context_length : null;
    } catch (error) {
      if (isCancelled(error) && signal.aborted) throw error;
      return null;
    }
  }
}
