import type { Settings } from '../../../config/settings';
import type { ModelInfo } from '../../../types/model';
import { modelKey } from '../../../types/modelNames';
import type { Logger } from '../../../utils/logger';

/** Context window in tokens, and the settings from which it was computed. */
export interface ChosenWindow extends ContextLimits {
  tokens: number;
}

/** Persistent store of context windows by model digest. */
export interface WindowStore {
  readWindow(digest: string): Promise<ChosenWindow | undefined>;
  keepWindow(digest: string, window: ChosenWindow): Promise<void>;
  /** Resolves with the context window that the user chose for the model, in tokens. */
  readOwnWindow(digest: string): Promise<number | undefined>;
}

/**
 * Chooses `num_ctx`, the context window of each model. It is chosen once per digest, because a change makes the server reload the
 * model. Only the user can change it, in the settings or for a single model. `requestOptions` adds it to requests.
 */
export class ContextWindows {
  private readonly chosen = new Map<string, ChosenWindow>();

  constructor(
    private readonly store: WindowStore,
    private readonly settings: Pick<Settings, 'getConfig'>,
    private readonly logger: Logger,
  ) {}

  async tokensFor(model: Pick<ModelInfo, 'name' | 'digest' | 'contextLength'>): Promise<number> {
    const digest = modelKey(model);
    const { contextWindow, agent } = this.settings.getConfig();
    const own = await this.ownWindow(digest);
    const limits = { contextWindow, maxContextWindow: own ?? agent.maxContextWindow };
    const before = this.chosen.get(digest) ?? (await this.stored(digest));
    if (before && isSame(before, limits)) {
      this.chosen.set(digest, before);
      return before.tokens;
    }
    const window = { tokens: chooseContextWindow(model, limits), ...limits };
    this.chosen.set(digest, window);
    // A context window that cannot be stored is computed in the same way next time.
    await this.store.keepWindow(digest, window).catch((error: unknown) => this.logger.error('Could not keep a window', error));
    return window.tokens;
  }

  private async ownWindow(digest: string): Promise<number | undefined> {
    try {
      return await this.store.readOwnWindow(digest);
    } catch (error) {
      this.logger.error('Could not read the window of a model', error);
      return undefined;
    }
  }

  private async stored(digest: string): Promise<ChosenWindow | undefined> {
    try {
      return await this.store.readWindow(digest);
    } catch (error) {
      this.logger.error('Could not read a kept window', error);
      return undefined;
    }
  }
}

function isSame(window: ChosenWindow, limits: ContextLimits): boolean {
  return window.contextWindow === limits.contextWindow && window.maxContextWindow === limits.maxContextWindow;
}

export interface ContextLimits {
  /** Context window in tokens for a model whose context length is unknown. */
  contextWindow: number;
  /** Maximum context window in tokens, for every model. */
  maxContextWindow: number;
}

/** Context window in tokens for a model that no chat uses. */
const completionWindowTokens = 8192;

/** Returns the context window, in tokens, of a model that is used only for inline suggestions. */
export function completionWindow({ contextLength }: Pick<ModelInfo, 'contextLength'>): number {
  return Math.min(completionWindowTokens, contextLength ?? completionWindowTokens);
}

/** Minimum context window that the server enforces, in tokens. */
const minWindow = 4;

/** Returns the context window in tokens. The result is deterministic for the same model and limits. */
export function chooseContextWindow(model: Pick<ModelInfo, 'contextLength'>, limits: ContextLimits): number {
  const own = model.contextLength !== null && model.contextLength > 0 ? model.contextLength : limits.contextWindow;
  return Math.max(minWindow, Math.floor(Math.min(own, limits.maxContextWindow)));
}
