import type { OllamaClient } from '../../services/model/client/ollamaClient';
import type { RunningModel } from '../../types/ollama';
import { findModel } from '../../types/modelNames';
import type { Clock } from '../../utils/clock';
import { loadRequest, type CompletionModel } from '../completionTypes';

/** Milliseconds for which an answer says that the model is in memory. */
const trustMs = 5000;
/** Loads in so many milliseconds by which a server swaps models back and forth. */
const swap = { loads: 3, withinMs: 5 * 60_000 };

/** Sees to it that a model is in memory before it is asked: a load that is broken off begins anew with each key. */
export class ModelReadiness {
  private readyAt = -Infinity;
  private readyFor = '';
  private loading: { key: string; done: Promise<void> } | undefined;
  /** Times of loads, the last ones. */
  private readonly loads: number[] = [];
  /** True if the model was wholly on the graphics card when the server was last asked. */
  isOnGpu = false;

  constructor(
    private readonly client: Pick<OllamaClient, 'load' | 'getRunningModels'>,
    private readonly clock: Clock,
    private readonly onLoading: (isLoading: boolean) => void,
  ) {}

  /** True if the server has put the model out of memory again and again: it does not fit beside another one. */
  get isSwapped(): boolean {
    const [first] = this.loads;
    return this.loads.length >= swap.loads && first !== undefined && this.clock.now() - first < swap.withinMs;
  }

  /** Notes that the model has just answered. */
  answered(model: CompletionModel): void {
    this.readyAt = this.clock.now();
    this.readyFor = keyOf(model);
  }

  /** Tells whether the model has answered a moment ago. */
  isTrusted(model: CompletionModel): boolean {
    return this.readyFor === keyOf(model) && this.clock.now() - this.readyAt < trustMs;
  }

  /** Tells whether the model is in memory with its window; asks the server where that is not known. */
  async isInMemory(model: CompletionModel): Promise<boolean> {
    if (this.isTrusted(model)) return true;
    const running = await this.client.getRunningModels({ isRetried: false });
    return findModel(running, model.name)?.context_length === model.options.num_ctx;
  }

  /** Resolves when the model is in memory with its window. A load goes on when nobody waits for it any more. */
  async ready(model: CompletionModel, keepAlive: string | number): Promise<void> {
    const key = keyOf(model);
    if (this.isTrusted(model)) return;
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

function keyOf({ name, options }: CompletionModel): string {
  return `${name}\0${options.num_ctx}`;
}
