import type { EmbedResponse } from '../../../types/ollama';
import type { ModelList } from '../../../types/model';
import { isCloudModel } from '../../../types/model';
import { isCancelled } from '../../../utils/errors';
import { isProseModel, prefixesOf } from './families';

/** Tokens of a text at the most; longer ones have crashed servers. */
const maxTokens = 1_500;
/** Characters of a token of code at the least, on average. */
const tokenLength = 3;
/** Times that a text which the server cannot take is cut to half. */
const maxCuts = 3;
/** Failures that are of the server and not of a text: nothing is gained by asking for less. */
const serverCodes = new Set([
  'connection',
  'address',
  'auth',
  'signIn',
  'modelNotFound',
  'capability',
  'serverBusy',
  'modelLoad',
]);

export interface EmbedClient {
  embed(model: string, input: string[], options?: { signal?: AbortSignal | undefined }): Promise<EmbedResponse>;
}

export interface EmbedModels {
  list(): Promise<ModelList>;
}

/** Model by which texts are embedded. Vectors of two keys cannot be compared. */
export interface EmbeddingModel {
  name: string;
  key: string;
  contextLength: number | null;
  /** True where the model knows no code: it is given plain words. */
  isOfProse: boolean;
}

/** Returns what meaning weighs beside words, which count as 1: for a model of prose as `npm run bench search-quality` has measured. */
export function weightOf({ isOfProse }: EmbeddingModel): number {
  return isOfProse ? 0.3 : 0.5;
}

/** Turns texts into vectors by the model that a person has chosen. */
export class Embedder {
  constructor(
    private readonly client: EmbedClient,
    private readonly models: EmbedModels,
    private readonly chosen: () => string,
  ) {}

  /** True where a person has chosen a model, whether the server has it or not. */
  get isChosen(): boolean {
    return this.chosen() !== '';
  }

  /** Resolves with the chosen model; null where none is chosen or the server does not have it. */
  async model(): Promise<EmbeddingModel | null> {
    const name = this.chosen();
    if (name === '') return null;
    const { models } = await this.models.list();
    const found = models.find((model) => model.name === name) ?? models.find((model) => model.name === `${name}:latest`);
    // A cloud model would send the code away from this machine.
    if (found === undefined || isCloudModel(found.name)) return null;
    const isOfProse = isProseModel(found.name);
    const key = `${found.name} ${found.digest}${isOfProse ? ' words' : ''}`;
    return { name: found.name, key, contextLength: found.contextLength, isOfProse };
  }

  /** Resolves with the name of a pulled model that could be chosen; null where there is none. */
  async suggestion(): Promise<string | null> {
    const { models } = await this.models.list();
    const able = models.filter(({ name, capabilities }) => capabilities.embedding && !isCloudModel(name));
    const best = preferred.flatMap((family) => able.filter(({ name }) => name.includes(family)));
    return (best[0] ?? able[0])?.name ?? null;
  }

  async query(model: EmbeddingModel, text: string, signal: AbortSignal): Promise<Float32Array | null> {
    const [vector] = await this.embed(model, [prefixesOf(model.name).query + text], signal);
    return vector ?? null;
  }

  /** Resolves with a vector for each text, null for one that the server cannot embed. Rejects where it can embed nothing. */
  async documents(model: EmbeddingModel, texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | null)[]> {
    const { document } = prefixesOf(model.name);
    return this.embed(
      model,
      texts.map((text) => document + text),
      signal,
    );
  }

  private async embed(
    model: EmbeddingModel,
    texts: readonly string[],
    signal: AbortSignal,
    cuts = 0,
  ): Promise<(Float32Array | null)[]> {
    const length = Math.min(maxTokens, model.contextLength ?? maxTokens) * tokenLength;
    const input = texts.map((text) => text.slice(0, length >> cuts));
    try {
      const { embeddings } = await this.client.embed(model.name, input, { signal });
      const vectors = embeddings.map((values) => Float32Array.from(values));
      if (vectors.length !== texts.length || vectors.some((vector) => !isUsable(vector)))
        throw new Error('Not every text has a vector');
      return vectors;
    } catch (error) {
      if (isCancelled(error) || signal.aborted || isOfServer(error)) throw error;
      if (texts.length > 1) {
        const half = texts.length >> 1;
        const first = await this.embed(model, texts.slice(0, half), signal);
        return [...first, ...(await this.embed(model, texts.slice(half), signal))];
      }
      return cuts < maxCuts ? this.embed(model, texts, signal, cuts + 1) : [null];
    }
  }
}

const preferred = ['qwen3-embedding', 'embeddinggemma', 'nomic-embed', 'bge-m3', 'mxbai-embed', 'snowflake-arctic', 'all-minilm'];

function isUsable(vector: Float32Array): boolean {
  return vector.length > 0 && vector.every(Number.isFinite) && vector.some((value) => value !== 0);
}

function isOfServer(error: unknown): boolean {
  return serverCodes.has(String((error as { code?: unknown }).code));
}
