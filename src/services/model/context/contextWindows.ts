import type { Settings } from '../../../config/settings';
import type { ModelInfo } from '../../../types/model';
import type { Logger } from '../../../utils/logger';

/** A window in tokens, and the settings it was chosen under. */
export interface ChosenWindow extends ContextLimits {
  tokens: number;
}

/** Store of chosen windows between sessions, by the model's digest. */
export interface WindowStore {
  windowOf(digest: string): Promise<ChosenWindow | undefined>;
  keepWindow(digest: string, window: ChosenWindow): Promise<void>;
}

/**
 * Decides `num_ctx`, the window that each model is loaded with: once for its digest, since another one makes the server load the model again.
 * Only a person changes it, by changing a setting. `requestOptions` puts it into requests.
 */
export class ContextWindows {
  private readonly chosen = new Map<string, ChosenWindow>();

  constructor(
    private readonly store: WindowStore,
    private readonly settings: Pick<Settings, 'getConfig'>,
    private readonly logger: Logger,
  ) {}

  async tokensFor(model: Pick<ModelInfo, 'name' | 'digest' | 'contextLength'>): Promise<number> {
    const digest = model.digest || model.name;
    const { contextWindow, agent } = this.settings.getConfig();
    const limits = { contextWindow, maxContextWindow: agent.maxContextWindow };
    const before = this.chosen.get(digest) ?? (await this.stored(digest));
    if (before && isSame(before, limits)) {
      this.chosen.set(digest, before);
      return before.tokens;
    }
    const window = { tokens: chooseContextWindow(model, limits), ...limits };
    this.chosen.set(digest, window);
    // A window that cannot be kept is chosen the same way next time.
    await this.store.keepWindow(digest, window).catch((error: unknown) => this.logger.error('Could not keep a window', error));
    return window.tokens;
  }

  private async stored(digest: string): Promise<ChosenWindow | undefined> {
    try {
      return await this.store.windowOf(digest);
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
  /** Tokens, for a model whose own window is unknown. */
  contextWindow: number;
  /** Tokens, for every model. */
  maxContextWindow: number;
}

/** Tokens of the window of a model that no chat uses. */
const suggestionTokens = 8192;

/** Returns the window, in tokens, of a model that only suggests while typing. */
export function suggestionWindow({ contextLength }: Pick<ModelInfo, 'contextLength'>): number {
  return Math.min(suggestionTokens, contextLength ?? suggestionTokens);
}

/** The server raises anything smaller to this. */
const smallestWindow = 4;

/** Returns the window to load a model with, in whole tokens: the same each time for the same model and limits. */
export function chooseContextWindow(model: Pick<ModelInfo, 'contextLength'>, limits: ContextLimits): number {
  const own = model.contextLength !== null && model.contextLength > 0 ? model.contextLength : limits.contextWindow;
  return Math.max(smallestWindow, Math.floor(Math.min(own, limits.maxContextWindow)));
}
