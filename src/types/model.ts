import type { ModelExam } from './exam';
import type { ThinkValue } from './ollama';

/** Capabilities of a model as reported by `/api/show`. They are never derived from its name. */
export interface ModelCapabilities {
  chat: boolean;
  fim: boolean;
  tools: boolean;
  vision: boolean;
  embedding: boolean;
  thinking: boolean;
}

/** Thinking levels of a model, with the names that the server uses. */
export interface ThinkingLevels {
  values: ThinkValue[];
  /** Default level. Null if the server does not report it. */
  default: ThinkValue | null;
}

/** Returns true if Ollama forwards requests for a model to ollama.com. Only checks the name. */
export function isCloudModel(name: string): boolean {
  return /[:-]cloud$/i.test(name);
}

export interface ModelInfo {
  name: string;
  digest: string;
  /** Size on disk, in bytes. */
  size: number;
  family: string | null;
  parameterSize: string | null;
  quantization: string | null;
  capabilities: ModelCapabilities;
  /** Context length that the model was trained with, in tokens, if reported. */
  contextLength: number | null;
  /** Stop sequences of the Modelfile. They are added to the `stop` option of a request, which would otherwise replace them. */
  stop: string[];
  /** Names of options that the Modelfile sets. Null or missing if they were not read. */
  ownOptions?: readonly string[] | null;
  enabled: boolean;
  /** Supported thinking levels. Null or missing if the server does not report them, although the model may support some. */
  thinking?: ThinkingLevels | null;
  think?: ThinkValue | null;
  families?: string[];
  /** Modification time in the format of the server. */
  modifiedAt?: string | null;
  /** Exam of the model with this digest, complete or not. */
  exam?: ModelExam;
}

/** List of models. `stale` is true if the server was unreachable and this is the last known list. */
export interface ModelList {
  models: ModelInfo[];
  stale: boolean;
  /** Milliseconds since the epoch. Null if the list was never fetched. */
  fetchedAt: number | null;
}
