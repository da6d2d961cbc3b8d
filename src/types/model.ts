import type { ModelExam } from './exam';
import type { ThinkValue } from './ollama';

/** Capabilities of a model, from `/api/show` and never from its name. */
export interface ModelCapabilities {
  chat: boolean;
  fim: boolean;
  tools: boolean;
  vision: boolean;
  embedding: boolean;
  thinking: boolean;
}

/** Thinking levels of a model, in the server's terms. */
export interface ThinkingLevels {
  values: ThinkValue[];
  /** null if the server reports none. */
  default: ThinkValue | null;
}

/** Returns whether Ollama forwards requests for a model to ollama.com, judged by its name. */
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
  /** Stop sequences of the Modelfile. A request's `stop` would replace them, so they are added to it. */
  stop: string[];
  /** Option names that the Modelfile sets; null or missing if they were not read. */
  ownOptions?: readonly string[] | null;
  enabled: boolean;
  /** Supported thinking levels; null or missing if the server does not report them, which does not mean there are none. */
  thinking?: ThinkingLevels | null;
  think?: ThinkValue | null;
  families?: string[];
  /** Modification time in the server's format. */
  modifiedAt?: string | null;
  /** Exam of the digest, complete or not. */
  exam?: ModelExam;
}

/** Model list. `stale` if the server was unreachable and this is the last known list. */
export interface ModelList {
  models: ModelInfo[];
  stale: boolean;
  /** Milliseconds since the epoch; null if nothing was ever fetched. */
  fetchedAt: number | null;
}
