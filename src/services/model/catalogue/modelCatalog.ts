import type { Settings } from '../../../config/settings';
import type { LoadedModel } from '../../../protocol/contextUse';
import type { ModelsState } from '../../../protocol/webviewEvents';
import type { RunningModel, ThinkValue } from '../../../types/ollama';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { Emitter } from '../../../utils/emitter';
import { isCancelled } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import type { ModelManager } from './modelManager';
import { fittingWindow } from '../context/fittingWindow';
import { modelsState } from '../modelSelection';

/** Milliseconds between questions to a server without a chat model while somebody watches: one may be pulled elsewhere. */
const lookInterval = 3000;

/** Holds the model list as the interface shows it: with what is loaded and what each mode has selected. */
export class ModelCatalog implements Disposable {
  private readonly emitter: Emitter<ModelsState>;
  private readonly subscription: Disposable;
  private running: readonly RunningModel[] = [];
  private readonly fitting = new Map<string, number>();
  private readonly lifetime = new AbortController();
  private watchers = 0;
  private isWaiting = false;

  constructor(
    private readonly models: ModelManager,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** Returns whether the server answers; if not, it is not asked for models. */
    private readonly isConnected: () => boolean = () => true,
  ) {
    this.emitter = new Emitter((error) => logger.error('A model listener failed', error));
    this.subscription = models.onDidChange(() => void this.announce());
  }

  get onDidChange() {
    return this.emitter.event;
  }

  async state(): Promise<ModelsState> {
    return modelsState(
      await this.models.list(),
      new Map(this.running.map((model) => [model.name, model.context_length])),
      this.settings,
      this.models.lastError?.userMessage,
    );
  }

  /** The models that the server had in memory when it was last asked, with their sizes. */
  get inMemory(): readonly RunningModel[] {
    return this.running;
  }

  /** Returns the model as the server had it in memory when it was last asked. */
  loaded(name: string): LoadedModel | null {
    const model = this.running.find((one) => one.name === name);
    if (model === undefined) return null;
    return {
      window: model.context_length ?? null,
      gpuShare: model.size > 0 ? model.size_vram / model.size : 0,
      fittingWindow: this.fitting.get(name) ?? null,
    };
  }

  /** Asks the server for its models and for what is loaded; a server that cannot be reached leaves the last list. */
  async refresh(): Promise<void> {
    await this.models.refresh();
    await this.refreshLoaded();
  }

  /** Shows or hides a model in pickers, from now on. Rejects when that could not be stored. */
  setEnabled(name: string, enabled: boolean): Promise<void> {
    return this.models.setEnabled(name, enabled);
  }

  /** Chooses how a model is told to think. Rejects when that could not be stored. */
  setThink(name: string, think: ThinkValue | null): Promise<void> {
    return this.models.setThink(name, think);
  }

  /** Asks the server which models are loaded, which changes with every run. */
  async refreshLoaded(): Promise<void> {
    try {
      this.running = await this.models.running();
      await this.findFitting();
    } catch (error) {
      this.logger.debug('Could not ask which models are loaded', error);
    }
    await this.announce();
  }

  /** Finds the windows with which models that are partly on the processor would not be. */
  private async findFitting(): Promise<void> {
    for (const model of this.running) {
      if (model.size_vram <= 0 || model.size_vram >= model.size) continue;
      const bytes = await this.models.cacheBytesOf(model);
      const fitting = bytes === null ? null : fittingWindow(model, bytes);
      if (fitting === null) this.fitting.delete(model.name);
      else this.fitting.set(model.name, fitting);
    }
  }

  /** Tells the listeners how things stand. */
  async announce(): Promise<void> {
    try {
      const state = await this.state();
      this.emitter.fire(state);
      if (!canChat(state)) this.lookLater();
    } catch (error) {
      this.logger.error('Could not read the model list', error);
    }
  }

  /** Asks a server that has no chat model again every few seconds until the result is disposed. */
  watch(): Disposable {
    this.watchers += 1;
    void this.state()
      .then((state) => !canChat(state) && this.lookLater())
      .catch((error: unknown) => this.logger.error('Could not read the model list', error));
    let isWatching = true;
    return {
      dispose: () => {
        if (isWatching) this.watchers -= 1;
        isWatching = false;
      },
    };
  }

  dispose(): void {
    this.lifetime.abort();
    void this.subscription.dispose();
    this.emitter.dispose();
  }

  private lookLater(): void {
    if (this.isWaiting || this.watchers === 0) return;
    this.isWaiting = true;
    void this.clock
      .sleep(lookInterval, this.lifetime.signal)
      .then(() => {
        this.isWaiting = false;
        if (this.watchers > 0 && this.isConnected()) return this.refresh();
        this.lookLater();
        return undefined;
      })
      .catch((error: unknown) => {
        if (!isCancelled(error)) this.logger.error('Could not look for models again', error);
      });
  }
}

/** Tells whether the pickers show a model that can answer: it is enabled and can chat. */
function canChat({ models }: ModelsState): boolean {
  return models.some(({ enabled, capabilities }) => enabled && capabilities.chat);
}
