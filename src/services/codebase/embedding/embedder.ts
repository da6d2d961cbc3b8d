import type { EmbedResponse } from '../../../types/ollama';
import type { ModelList } from '../../../types/model';
import { isCloudModel } from '../../../types/model';
import { isCancelled } from '../../../utils/errors';
import { isProseModel, findPrefixes } from './families';
import { cutHead } from '../../../types/cutText';

/** Maximum length of a text in tokens, because servers have crashed on longer texts. */
const maxTokens = 1_500;
/** Minimum average length of a token in code, in characters. */
const tokenLength = 3;
/** Maximum number of times to halve a rejected text. */
const maxCuts = 3;
/** Codes of server errors. For these errors, a smaller request would also fail. */
const serverCodes = new Set([
  'connection',
  'address',
  'localOnly',
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

/** Embedding model. Only vectors with the same key are comparable. */
export interface EmbeddingModel {
  name: string;
  key: string;
  contextLength: number | null;
  /** True for a model that was not trained on code. Texts for this model are converted to plain words. */
  isProse: boolean;
}

/**
 * Returns the weight of meaning relative to word matches, which count as 1.
 * The value for prose models was measured with `npm run bench search-quality`.
 */
export function meaningWeight({ isProse: isOfProse }: EmbeddingModel): number {
  return isOfProse ? 0.3 : 0.5;
}

export class Embedder {
  constructor(
    private readonly client: EmbedClient,
    private readonly models: EmbedModels,
    private readonly chosen: () => string,
  ) {}

  /** True if the user has selected a model, even if it is missing on the server. */
  get isChosen(): boolean {
    return this.chosen() !== '';
  }

  /** Resolves with the selected model. Resolves with null if no model is selected or the model is missing on the server. */
  async model(): Promise<EmbeddingModel | null> {
    const name = this.chosen();
    if (name === '') return null;
    const { models } = await this.models.list();
    const found = models.find((model) => model.name === name) ?? models.find((model) => model.name === `${name}:latest`);
    // A cloud model would send the code to another machine.
    if (found === undefined || isCloudModel(found.name)) return null;
    const isOfProse = isProseModel(found.name);
    const key = `${found.name} ${found.digest}${isOfProse ? ' words' : ''}`;
    return { name: found.name, key, contextLength: found.contextLength, isProse: isOfProse };
  }

  /** Resolves with the name of an installed embedding model to suggest, or with null if there is none. */
  async suggestion(): Promise<string | null> {
    const { models } = await this.models.list();
    const able = models.filter(({ name, capabilities }) => capabilities.embedding && !isCloudModel(name));
    const best = preferred.flatMap((family) => able.filter(({ name }) => name.includes(family)));
    return (best[0] ?? able[0])?.name ?? null;
  }

  async query(model: EmbeddingModel, text: string, signal: AbortSignal): Promise<Float32Array | null> {
    const [vector] = await this.embed(model, [findPrefixes(model.name).query + text], signal);
    return vector ?? null;
  }

  /** Resolves with one vector per text. The vector is null if the server cannot embed the text. Rejects if the server fails. */
  async documents(model: EmbeddingModel, texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | null)[]> {
    const { document } = findPrefixes(model.name);
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
    const input = texts.map((text) => cutHead(text, length >> cuts));
    try {
      const { embeddings } = await this.client.embed(model.name, input, { signal });
      const vectors = embeddings.map((values) => Float32Array.from(values));
      if (vectors.length !== texts.length || vectors.some((vector) => !isUsable(vector)))
        throw new Error('Not every text has a vector');
      return vectors;
    } catch (error) {
      if (isCancelled(error) || signal.aborted || isServerError(error)) throw error;
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

function isServerError(error: unknown): boolean {
  return serverCodes.has(String((error as { code?: unknown }).code));
}
