import type { ThinkValue } from './ollama';

/** Abilities of a model, from the capability strings of `/api/show` (never from its name). */
export interface ModelCapabilities {
  chat: boolean;
  fim: boolean;
  tools: boolean;
  vision: boolean;
  embedding: boolean;
  thinking: boolean;
}

/** Ways in which a model can be told to think, in the server's words. */
export interface ThinkingLevels {
  values: ThinkValue[];
  /** Null where the server names none. */
  default: ThinkValue | null;
}

/** Tells by the name whether Ollama sends requests for a model on to its own servers. */
export function isCloudModel(name: string): boolean {
  return /[:-]cloud$/i.test(name);
}

/** A model as the rest of the extension sees it. */
export interface ModelInfo {
  name: string;
  digest: string;
  /** Bytes on disk. */
  size: number;
  family: string | null;
  parameterSize: string | null;
  quantization: string | null;
  capabilities: ModelCapabilities;
  /** The window the model was trained for, in tokens, where the server says so. */
  contextLength: number | null;
  /** Stop sequences of the model's own Modelfile: a request's `stop` replaces them, so they are sent along. */
  stop: string[];
  /** Names of the options that its Modelfile sets; null or missing where they were not read. */
  ownOptions?: readonly string[] | null;
  enabled: boolean;
  /** Levels of thinking that the server offers; null or missing where it does not tell, which is not none. */
  thinking?: ThinkingLevels | null;
  /** Level that a person has chosen for it. */
  think?: ThinkValue | null;
  families?: string[];
  /** Time of its last change on the server, as the server writes it. */
  modifiedAt?: string | null;
}

/** The model list with its origin: `stale` when the server could not be asked and the list is the last one seen. */
export interface ModelList {
  models: ModelInfo[];
  stale: boolean;
  /** Milliseconds since the epoch, null when nothing was ever fetched. */
  fetchedAt: number | null;
}
