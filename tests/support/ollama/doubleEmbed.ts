import { createHash } from 'node:crypto';
import { sendJson, type Exchange } from './doubleExchange';
import type { DoubleModel } from './doubleModel';
import { mergeOptions } from './doubleOptions';
import { windowLength } from './doubleWindow';
import { omitEmpty } from './goJson';
import { findModel } from './modelLookup';
import { keepAliveMs } from './requestBody';
import { WireError } from './wireError';

const noEmbeddings = 'This server does not support embeddings. Start it with `--embeddings`';

/** POST /api/embed */
export async function handleEmbed(exchange: Exchange): Promise<void> {
  const { body } = exchange;
  const inputs = inputsOf(body.input);
  const model = findModel(exchange, '/api/embed');
  const startedAt = performance.now();
  await withLoaded(exchange, model, async (limit) => {
    const loadedAt = performance.now();
    if (inputs.length === 0) return sendJson(exchange, { model: body.model, embeddings: [] });
    refuseCompletionModel(exchange, model);
    const texts = inputs.map((text) => cutToLimit(model, text, limit, body.truncate !== false));
    const dimensions = typeof body.dimensions === 'number' && body.dimensions > 0 ? body.dimensions : model.embeddingLength;
    return sendJson(exchange, {
      model: body.model,
      embeddings: texts.map((text) => normalized(vectorOf(text, model.embeddingLength).slice(0, dimensions))),
      ...omitEmpty({
        total_duration: Math.max(2, Math.round((performance.now() - startedAt) * 1e6)),
        load_duration: Math.max(1, Math.round((loadedAt - startedAt) * 1e6)),
        prompt_eval_count: texts.reduce((sum, text) => sum + tokensOf(model, text), 0),
      }),
    });
  });
}

/** POST /api/embeddings, the older form */
export async function handleEmbeddings(exchange: Exchange): Promise<void> {
  const { body } = exchange;
  const model = findModel(exchange, '/api/embeddings');
  const prompt = typeof body.prompt === 'string' ? body.prompt : '';
  await withLoaded(exchange, model, (limit) => {
    if (prompt === '') return sendJson(exchange, { embedding: [] });
    if (isCompletionOnly(exchange, model)) throw new WireError(500, noEmbeddings);
    return sendJson(exchange, { embedding: vectorOf(cutToLimit(model, prompt, limit, true), model.embeddingLength) });
  });
}

async function withLoaded(exchange: Exchange, model: DoubleModel, answer: (limit: number) => Promise<void>): Promise<void> {
  const { state, signal, body } = exchange;
  const options = mergeOptions(model.options, body.options);
  await state.registry.slot(model).run(signal, async () => {
    await state.registry.load(model, options, true, signal);
    const window = windowLength(model, options);
    try {
      await answer(Math.min(window, options.num_batch ?? Math.min(2048, window)));
    } finally {
      state.registry.keep(model, keepAliveMs(body.keep_alive));
    }
  });
}

function inputsOf(input: unknown): string[] {
  if (input === undefined || input === null || input === '') return [];
  if (typeof input === 'string') return [input];
  if (Array.isArray(input) && input.every((item): item is string => typeof item === 'string')) return input;
  throw new WireError(400, 'invalid input type');
}

function isCompletionOnly(exchange: Exchange, model: DoubleModel): boolean {
  return !model.has('embedding') && exchange.state.age !== '0.17.4';
}

function refuseCompletionModel(exchange: Exchange, model: DoubleModel): void {
  if (isCompletionOnly(exchange, model)) throw new WireError(501, noEmbeddings);
}

/** Truncates longer text at its end, unless the request forbids it. */
function cutToLimit(model: DoubleModel, text: string, limit: number, truncate: boolean): string {
  if (tokensOf(model, text) <= limit) return text;
  if (!truncate) throw new WireError(400, 'the input length exceeds the context length');
  let length = text.length;
  while (length > 0 && tokensOf(model, text.slice(0, length)) > limit) length = Math.floor(length * 0.9);
  return text.slice(0, length);
}

/** Adds the two tokens that an embedding model puts before and after the text. */
function tokensOf(model: DoubleModel, text: string): number {
  return model.countTokens(text) + 2;
}

/** Returns a bag of hashed words. Texts that share words have similar vectors, and the same text always has the same vector. */
function vectorOf(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text];
  for (const word of words) {
    const hash = createHash('sha256').update(word).digest();
    for (let at = 0; at < 16; at += 2) {
      const place = hash.readUInt16LE(at) % dimensions;
      vector[place] = (vector[place] ?? 0) + (hash.readInt8(16 + at) < 0 ? -1 : 1);
    }
  }
  return normalized(vector);
}

function normalized(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => Math.fround(length > 0 ? value / length : 0));
}
