import type { ModelInfo } from '../../../types/model';
import type { OllamaOptions } from '../../../types/ollama';

/** Options in every request to a model. */
export type ModelOptions = Pick<OllamaOptions, 'repeat_penalty'> & { num_ctx: number };

/**
 * Returns the options of every request: `num_ctx` from `ContextWindows`, and `repeat_penalty` off unless the Modelfile sets it. A
 * different `num_ctx` makes the server reload the model. Other options do not. Before Ollama 0.32.10, the default penalty is 1.1,
 * which distorts code, JSON and exact copies.
 */
export function requestOptions({ ownOptions }: Pick<ModelInfo, 'ownOptions'>, window: number): ModelOptions {
  return { num_ctx: window, ...(ownOptions?.includes('repeat_penalty') !== true && { repeat_penalty: 1 }) };
}
