import type { ModelInfo } from '../../../types/model';
import type { OllamaOptions } from '../../../types/ollama';

/**
 * Returns the option that switches off the penalty for repeated tokens, where the Modelfile sets none: servers before 0.32.10 apply 1.1
 * to such models, which distorts code, JSON and exact copies.
 */
export function repeatPenaltyOf({ ownOptions }: Pick<ModelInfo, 'ownOptions'>): Pick<OllamaOptions, 'repeat_penalty'> {
  return ownOptions?.includes('repeat_penalty') === true ? {} : { repeat_penalty: 1 };
}
