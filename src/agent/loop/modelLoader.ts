import { findModel } from '../../types/modelNames';
import { isCloudModel, type ModelInfo } from '../../types/model';
import type { ChatRequest } from '../../types/ollama';
import type { Clock } from '../../utils/clock';
import { isCancelled } from '../../utils/errors';
import type { ChatClient, ModelSource } from '../kernel/ports';
import type { Run } from '../kernel/run';

/** Puts a model into the server's memory before it is asked, so that loading can be told from reading. */
export class ModelLoader {
  /** Requested window and the one that the server made of it, by model. */
  private readonly granted = new Map<string, { asked: number; loaded: number | undefined }>();

  constructor(
    private readonly client: Pick<ChatClient, 'load'>,
    private readonly models: Pick<ModelSource, 'running'>,
    private readonly clock: Clock,
  ) {}

  /**
   * Resolves when the model is in memory as the request needs it; nothing is sent where it is already. Rejects as the request
   * itself would. When the run is stopped, so is the loading.
   */
  async load(model: Pick<ModelInfo, 'name'>, request: ChatRequest, run: Pick<Run, 'report' | 'signal'>): Promise<void> {
    run.report({ kind: 'connecting', since: this.clock.now() });
    // What runs at ollama.com is never in this server's memory.
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

  /** Tells whether the model is loaded; false also when the server cannot tell: to load what is loaded costs nothing. */
  private async isLoaded(name: string, asked: number, signal: AbortSignal): Promise<boolean> {
    const loaded = await this.loadedWindow(name, signal);
    if (loaded === null) return false;
    const granted = this.granted.get(name);
    // A server may grant less than it was asked for, and an old one does not say what it granted.
    return loaded === undefined || loaded === asked || (granted?.asked === asked && granted.loaded === loaded);
  }

  private async remember(name: string, asked: number, signal: AbortSignal): Promise<void> {
    const loaded = await this.loadedWindow(name, signal);
    if (loaded !== null) this.granted.set(name, { asked, loaded });
  }

  /** Returns the loaded window in tokens; undefined if the server has the model and does not say, null if it does not have it. */
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
