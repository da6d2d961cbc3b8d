import type { OllamaOptions } from '../../../src/types/ollama';
import type { ServerAge } from './doubleModel';
import { goQuote } from './goJson';
import { isObject } from './requestBody';
import { WireError } from './wireError';

type OptionType = 'integer' | 'float32' | 'boolean' | 'array';

const optionTypes: Record<string, OptionType> = {
  num_keep: 'integer',
  seed: 'integer',
  num_predict: 'integer',
  top_k: 'integer',
  repeat_last_n: 'integer',
  num_ctx: 'integer',
  num_batch: 'integer',
  num_gpu: 'integer',
  main_gpu: 'integer',
  num_thread: 'integer',
  draft_num_predict: 'integer',
  top_p: 'float32',
  min_p: 'float32',
  typical_p: 'float32',
  temperature: 'float32',
  repeat_penalty: 'float32',
  presence_penalty: 'float32',
  frequency_penalty: 'float32',
  use_mmap: 'boolean',
  stop: 'array',
};

/**
 * Returns the server's defaults for options that are set neither in the Modelfile nor in the request. Contains only options that scripted
 * replies depend on.
 */
export function defaultOptions(age: ServerAge): OllamaOptions {
  return { repeat_penalty: age === '0.17.4' ? 1.1 : 1 };
}

/** Merges the options of a request over those in the Modelfile. A wrong type causes status 500. Unknown keys are ignored. */
export function mergeOptions(modelfile: Readonly<Record<string, unknown>> | undefined, requested: unknown): OllamaOptions {
  const merged: Record<string, unknown> = {};
  for (const source of [modelfile ?? {}, isObject(requested) ? requested : {}]) {
    for (const [key, value] of Object.entries(source)) {
      const type = optionTypes[key];
      if (type === undefined || value === null || value === undefined) continue;
      merged[key] = checked(key, value, type);
    }
  }
  return merged;
}

function checked(key: string, value: unknown, type: OptionType): unknown {
  if (type === 'array') {
    if (!Array.isArray(value)) throw wrongType(key, 'type array');
    if (!value.every((item) => typeof item === 'string')) throw wrongType(key, 'an array of strings');
    return value;
  }
  if (type === 'boolean') {
    if (typeof value !== 'boolean') throw wrongType(key, 'type boolean');
    return value;
  }
  if (typeof value !== 'number') throw wrongType(key, `type ${type}`);
  return type === 'integer' ? Math.trunc(value) : value;
}

function wrongType(key: string, wanted: string): WireError {
  return new WireError(500, `option ${goQuote(key)} must be of ${wanted}`);
}
