import type { ModelInfo } from '../../../types/model';
import type { OllamaOptions } from '../../../types/ollama';

/** Options that every request to a model contains. */
export type RequestOptions = Pick<OllamaOptions, 'repeat_penalty'> & { num_ctx: number };

/**
 * Returns the options of every request: `num_ctx` from `ContextWindows`, and `repeat_penalty` off unless the Modelfile sets it. A
 * different `num_ctx` makes the server reload the model; other options do not. Servers before 0.32.10 default to a penalty of 1.1, which
 * distorts code, JSON and exact copies.
 */
export function requestOptions({ ownOptions }: Pick<ModelInfo, 'ownOptions'>, window: number): RequestOptions {
  return { num_ctx: window, ...(ownOptions?.includes('repeat_penalty') !== true && { repeat_penalty: 1 }) };
}
