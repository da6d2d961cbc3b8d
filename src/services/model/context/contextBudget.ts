import type { ModelInfo } from '../../../types/model';

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
