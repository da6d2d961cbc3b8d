import type { ModelInfo } from '../../../types/model';
import type { OllamaOptions } from '../../../types/ollama';

/** Options that every request to a model carries. */
export type RequestOptions = Pick<OllamaOptions, 'repeat_penalty'> & { num_ctx: number };

/**
 * Returns the options of every request: the window in tokens that `ContextWindows` has chosen, the only one that belongs to loading, since another makes the
 * server load the model again; and the penalty for repeated tokens switched off where the Modelfile sets none: servers before 0.32.10
 * apply 1.1 to such models, which distorts code, JSON and exact copies.
 */
export function requestOptions({ ownOptions }: Pick<ModelInfo, 'ownOptions'>, window: number): RequestOptions {
  return { num_ctx: window, ...(ownOptions?.includes('repeat_penalty') !== true && { repeat_penalty: 1 }) };
}
