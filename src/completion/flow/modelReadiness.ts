import type { OllamaClient } from '../../services/model/client/ollamaClient';
import type { RunningModel } from '../../types/ollama';
import { findModel } from '../../types/modelNames';
import type { Clock } from '../../utils/clock';
import { loadRequest, type CompletionModel } from '../completionTypes';

/** Milliseconds after a response during which the model is assumed to be loaded. */
const answeredMs = 5000;
/** Number of loads within a period that indicates swapping. */
const swap = { loads: 3, withinMs: 5 * 60_000 };

/** Loads a model before requests are sent. A cancelled load would restart with each key press. */
export class ModelReadiness {
  private readyAt = -Infinity;
  private readyFor = '';
  private loading: { key: string; done: Promise<void> } | undefined;
  /** Times of the most recent loads. */
  private readonly loads: number[] = [];
  /** True if the model was entirely on the GPU at the last check. */
  isOnGpu = false;

  constructor(
    private readonly client: Pick<OllamaClient, 'load' | 'getRunningModels'>,
    private readonly clock: Clock,
    private readonly onLoading: (isLoading: boolean) => void,
  ) {}

  /** True if the server repeatedly unloads the model, because the memory is too small for both this model and another model. */
  get isSwapped(): boolean {
    const [first] = this.loads;
    return this.loads.length >= swap.loads && first !== undefined && this.clock.now() - first < swap.withinMs;
  }

  answered(model: CompletionModel): void {
    this.readyAt = this.clock.now();
    this.readyFor = createKey(model);
  }

  /** Returns whether the model has responded within the last five seconds. */
  hasJustAnswered(model: CompletionModel): boolean {
    return this.readyFor === createKey(model) && this.clock.now() - this.readyAt < answeredMs;
  }

  /** Returns whether the model is loaded with its context window. Requests the state from the server if it is unknown. */
  async isInMemory(model: CompletionModel): Promise<boolean> {
    if (this.hasJustAnswered(model)) return true;
    const running = await this.client.getRunningModels({ isRetried: false });
    return findModel(running, model.name)?.context_length === model.options.num_ctx;
  }

  /** Resolves when the model is loaded with its context window. Loading continues even if the caller stops waiting. */
  async ready(model: CompletionModel, keepAlive: string | number): Promise<void> {
    const key = createKey(model);
    if (this.hasJustAnswered(model)) return;
    if (this.loading?.key !== key) {
      const done = this.load(model, keepAlive).finally(() => {
        if (this.loading?.key === key) this.loading = undefined;
      });
      this.loading = { key, done };
    }
    await this.loading.done;
  }

  private async load(model: CompletionModel, keepAlive: string | number): Promise<void> {
    const running = await this.client.getRunningModels({ isRetried: false });
    if (findModel(running, model.name)?.context_length !== model.options.num_ctx) {
      this.onLoading(true);
      this.loads.push(this.clock.now());
      if (this.loads.length > swap.loads) this.loads.shift();
      try {
        await this.client.load(loadRequest(model, keepAlive));
      } finally {
        this.onLoading(false);
      }
      this.note(findModel(await this.client.getRunningModels({ isRetried: false }), model.name));
    } else this.note(findModel(running, model.name));
    this.answered(model);
  }

  private note(found: RunningModel | undefined): void {
    this.isOnGpu = found !== undefined && found.size > 0 && found.size_vram >= found.size;
  }
}

function createKey({ name, options }: CompletionModel): string {
  return `${name}\0${options.num_ctx}`;
}
