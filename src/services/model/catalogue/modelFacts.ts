import type { ModelInfo } from '../../../types/model';
import type { ShowResponse, WireModel } from '../../../types/ollama';
import {
  extractContextLength,
  parseOptionNames,
  parseStopParameters,
  thinkingLevelsOf,
  toCapabilities,
  unknownCapabilities,
} from './modelCompatibility';

/** Facts that only `/api/show` tells about a model; they belong to the digest and never change for it. */
export type ModelFacts = Pick<ModelInfo, 'capabilities' | 'contextLength' | 'stop' | 'ownOptions' | 'thinking'>;

export function factsOf(show: ShowResponse): ModelFacts {
  return {
    capabilities: toCapabilities(show.capabilities),
    contextLength: extractContextLength(show),
    stop: parseStopParameters(show.parameters),
    ownOptions: parseOptionNames(show.parameters),
    thinking: thinkingLevelsOf(show),
  };
}

/**
 * Tells whether facts lack what this version, or a newer server, would tell: levels of thinking, names of options. Without an answer the
 * old facts hold.
 */
export function isIncomplete(facts: ModelFacts | undefined): boolean {
  return facts?.ownOptions == null || (facts.capabilities.thinking && facts.thinking == null);
}

/**
 * Returns the key of a model's facts. A server that is not quite Ollama may send no digest; then nothing is known for longer than a
 * refresh.
 */
export function keyOf(model: { name: string; digest: string }): string {
  return model.digest || model.name;
}

/** Puts together what the list and `/api/show` tell of a model, and what a person has chosen for it. */
export function toModelInfo(
  model: WireModel,
  facts: ModelFacts | undefined,
  chosen: Pick<ModelInfo, 'enabled' | 'think'> | undefined,
): ModelInfo {
  return {
    name: model.name,
    digest: model.digest,
    size: model.size,
    family: model.details?.family || null,
    parameterSize: model.details?.parameter_size || null,
    quantization: model.details?.quantization_level || null,
    capabilities: { ...(facts?.capabilities ?? unknownCapabilities) },
    contextLength: facts?.contextLength ?? null,
    stop: facts?.stop ?? [],
    ownOptions: facts?.ownOptions ?? null,
    enabled: chosen?.enabled ?? true,
    thinking: facts?.thinking ?? null,
    think: chosen?.think ?? null,
    families: model.details?.families ?? [],
    modifiedAt: model.modified_at || null,
  };
}
