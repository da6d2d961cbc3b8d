import type { ModelInfo } from '../../../types/model';
import type { ShowResponse, WireModel } from '../../../types/ollama';
import {
  extractContextLength,
  parseOptionNames,
  parseStopParameters,
  readThinkingLevels,
  toCapabilities,
  unknownCapabilities,
} from './modelCompatibility';

/** Facts that only `/api/show` reports. They are the same for every model with the same digest. */
export type ModelFacts = Pick<ModelInfo, 'capabilities' | 'contextLength' | 'stop' | 'ownOptions' | 'thinking'>;

export function readModelFacts(show: ShowResponse): ModelFacts {
  return {
    capabilities: toCapabilities(show.capabilities),
    contextLength: extractContextLength(show),
    stop: parseStopParameters(show.parameters),
    ownOptions: parseOptionNames(show.parameters),
    thinking: readThinkingLevels(show),
  };
}

/**
 * Returns whether the facts of a model are incomplete. Thinking levels or option names are missing if an earlier version or an
 * older server provided the facts. If the server does not respond, the old facts remain valid.
 */
export function isIncomplete(facts: ModelFacts | undefined): boolean {
  return facts?.ownOptions == null || (facts.capabilities.thinking && facts.thinking == null);
}

/** Combines a listed model, its `/api/show` facts and the user's choices. */
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
