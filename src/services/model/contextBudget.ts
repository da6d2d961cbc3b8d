import type { ModelInfo } from '../../types/model';

export interface ContextLimits {
  /** Tokens, for a model whose own window is unknown. */
  contextWindow: number;
  /** Tokens, for every model. */
  maxContextWindow: number;
}

/** The server raises anything smaller to this. */
const smallestWindow = 4;

/** The window to load a model with, in whole tokens: the same each time for the same model and limits. */
export function chooseContextWindow(model: Pick<ModelInfo, 'contextLength'>, limits: ContextLimits): number {
  const own = model.contextLength !== null && model.contextLength > 0 ? model.contextLength : limits.contextWindow;
  return Math.max(smallestWindow, Math.floor(Math.min(own, limits.maxContextWindow)));
}

/**
 * The options that belong to loading a model. A request whose load-time options differ from those of the loaded model makes
 * the server load it anew, so every chat, generate and load request takes them from here and adds no others of that kind.
 */
export function loadOptions(model: Pick<ModelInfo, 'contextLength'>, limits: ContextLimits): { num_ctx: number } {
  return { num_ctx: chooseContextWindow(model, limits) };
}
