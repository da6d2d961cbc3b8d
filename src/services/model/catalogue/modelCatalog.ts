import type { Settings } from '../../../config/settings';
import type { LoadedModel } from '../../../protocol/contextUse';
import type { ExamProgress } from '../../../protocol/requests/examSchema';
import type { ModelsState } from '../../../protocol/webviewEvents';
import { chatModes, type ChatMode } from '../../../types/modes';
import type { RunningModel, ThinkValue } from '../../../types/ollama';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { Emitter } from '../../../utils/emitter';
import { isCancelled } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import type { FigureKeeper } from '../fit/figureKeeper';
import type { ModelManager } from './modelManager';
import { fittingWindow } from '../context/fittingWindow';
import { modelsState } from '../modelSelection';

/** Polling interval in milliseconds while a view is open and there is no chat model. Another program may pull a model. */
const pollIntervalMs = 3000;

/** Provides the list of models for the interface, with the loaded models and the selected model of each mode. */
export class ModelCatalog implements Disposable {
  private readonly emitter: Emitter<ModelsState>;
  private readonly subscription: Disposable;
  private running: readonly RunningModel[] = [];
  private readonly fitting = new Map<string, number>();
  private readonly lifetime = new AbortController();
  /** Automatic models of this window. They do not change when the server changes the order of its list. */
  private automatic: ModelsState['selected'] = {};
  /** Models picked by the user that are being saved. */
  private readonly saving = new Map<ChatMode, string>();
  private exam: ExamProgress | null = null;
  private watchers = 0;
  private isWaiting = false;

  constructor(
    private readonly models: ModelManager,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** Returns whether the server is connected. Without a connection, models are not requested. */
    private readonly isConnected: () => boolean = () => true,
    private readonly figures?: Pick<FigureKeeper, 'all' | 'noteMemory' | 'onDidChange'>,
  ) {
    this.emitter = new Emitter((error) => logger.error('A model listener failed', error));
    const subscriptions = [models, ...(figures ? [figures] : [])].map((source) => source.onDidChange(() => void this.announce()));
    this.subscription = { dispose: () => void subscriptions.map((one) => one.dispose()) };
  }

  get onDidChange() {
    return this.emitter.event;
  }

  async state(): Promise<ModelsState> {
    const state = modelsState(
      await this.models.list(),
      new Map(this.running.map((model) => [model.name, model.context_length])),
      this.settings,
      this.models.lastError?.userMessage,
      await this.figures?.all(),
      this.automatic,
    );
    const isAutomatic = (mode: ChatMode) => this.settings.getModeConfig(mode).model === '';
    this.automatic = Object.fromEntries(chatModes.filter(isAutomatic).map((mode) => [mode, state.selected[mode] ?? null]));
    const selected = { ...state.selected, ...Object.fromEntries(this.saving) };
    return { ...state, selected, ...(this.exam !== null && { exam: this.exam }) };
  }

  /** Announces the model that the user picked in a mode before the choice is saved. Rejects if the choice cannot be saved. */
  async pick(mode: ChatMode, model: string, save: () => Promise<void>): Promise<void> {
    this.saving.set(mode, model);
    try {
      await Promise.all([this.announce(), save()]);
    } finally {
      // Keep a later pick.
      if (this.saving.get(mode) === model) this.saving.delete(mode);
      await this.announce();
    }
  }

  /** Models loaded on the server at the last refresh, with their sizes. */
  get loadedModels(): readonly RunningModel[] {
    return this.running;
  }

  /** Returns the memory use of a model at the last refresh, or null if it was not loaded. */
  loaded(name: string): LoadedModel | null {
    const model = this.running.find((one) => one.name === name);
    if (model === undefined) return null;
    return {
      window: model.context_length ?? null,
      gpuShare: model.size > 0 ? model.size_vram / model.size : 0,
      fittingWindow: this.fitting.get(name) ?? null,
    };
  }

  /** Refreshes the list of models and the loaded models. Keeps the last list if the server is unreachable. */
  async refresh(): Promise<void> {
    await this.models.refresh();
    await this.refreshLoaded();
  }

  async showExam(progress: ExamProgress): Promise<void> {
    this.exam = progress;
    await this.announce();
  }

  /** Shows or hides a model in pickers. Rejects if the choice cannot be stored. */
  setEnabled(name: string, enabled: boolean): Promise<void> {
    return this.models.setEnabled(name, enabled);
  }

  /** Sets the thinking level of a model. Rejects if the choice cannot be stored. */
  setThink(name: string, think: ThinkValue | null): Promise<void> {
    return this.models.setThink(name, think);
  }

  /** Refreshes the loaded models, which change with every run. */
  async refreshLoaded(): Promise<void> {
    try {
      this.running = await this.models.running();
      await this.figures?.noteMemory(this.running);
      await this.findFitting();
    } catch (error) {
      this.logger.debug('Could not ask which models are loaded', error);
    }
    await this.announce();
  }

  /** Finds the context windows with which partly offloaded models would fit on the GPU. */
  private async findFitting(): Promise<void> {
    for (const model of this.running) {
      if (model.size_vram <= 0 || model.size_vram >= model.size) continue;
      const cache = await this.models.readCacheSize(model);
      const fitting = cache === null ? null : fittingWindow(model, cache.bytesPerToken);
      if (fitting === null) this.fitting.delete(model.name);
      else this.fitting.set(model.name, fitting);
    }
  }

  async announce(): Promise<void> {
    try {
      const state = await this.state();
      this.emitter.fire(state);
      if (!canChat(state)) this.pollLater();
    } catch (error) {
      this.logger.error('Could not read the model list', error);
    }
  }

  /** Polls a server without a chat model every `pollIntervalMs`, until the result is disposed. */
  watch(): Disposable {
    this.watchers += 1;
    void this.state()
      .then((state) => !canChat(state) && this.pollLater())
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

  private pollLater(): void {
    if (this.isWaiting || this.watchers === 0) return;
    this.isWaiting = true;
    void this.clock
      .sleep(pollIntervalMs, this.lifetime.signal)
      .then(() => {
        this.isWaiting = false;
        if (this.watchers > 0 && this.isConnected()) return this.refresh();
        this.pollLater();
        return undefined;
      })
      .catch((error: unknown) => {
        if (!isCancelled(error)) this.logger.error('Could not look for models again', error);
      });
  }
}

function canChat({ models }: ModelsState): boolean {
  return models.some(({ enabled, capabilities }) => enabled && capabilities.chat);
}
