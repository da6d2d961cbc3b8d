import type { CompletionDocument } from '../../../src/completion/completionTypes';
import { findFimFamily } from '../../../src/completion/models/fimFamilies';
import type { GenerateRequest } from '../../../src/types/ollama';
import { CancelledError } from '../../../src/utils/errors';
import type { OllamaDouble } from '../../support/ollama/double';
import type { CompletionBench } from '../../unit/completion/support/completionBench';
import { makeClient } from '../../unit/model/support/client';
import { RecordingClock } from '../../unit/model/support/recordingClock';
import type { Suggester } from './typingSession';

/** Clock that runs faster than the real one by a factor. */
export class FastClock extends RecordingClock {
  private readonly began = performance.now();

  constructor(private readonly speed: number) {
    super();
  }

  override now(): number {
    return this.time + (performance.now() - this.began) * this.speed;
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(new CancelledError());
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms / this.speed);
      if (signal?.aborted === true) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }
}

/** Wraps the engine of the extension as a suggester. */
export function engineSuggester(bench: CompletionBench): Suggester {
  const asked = () => bench.counts.reduce((sum, { requests = 0 }) => sum + requests, 0);
  return {
    complete: (document, signal) => bench.engine.complete(document, { isAsked: false }, signal),
    shown: (document, suggestion) => bench.engine.shown(document, suggestion),
    idle: (document) => void bench.engine.warm(document),
    requests: asked,
  };
}

/** Returns a plain provider without a cache: it sends a request 350 ms after a key, and the next key cancels it. */
export function plainSuggester(double: OllamaDouble, model: { name: string; architecture: string }, clock: FastClock): Suggester {
  const { client } = makeClient(double.url);
  const family = findFimFamily(model.architecture, model.name);
  let requests = 0;
  const ask = async ({ before, after, path }: CompletionDocument, signal: AbortSignal): Promise<string> => {
    await clock.sleep(350, signal);
    requests += 1;
    const parts = { prefix: before.slice(-4000), suffix: after.slice(0, 2000), path, context: [] };
    const stop = [...(family?.stop ?? []), '\n'];
    const options = { num_ctx: 8192, num_predict: 64, temperature: 0, stop };
    let text = '';
    const request: GenerateRequest = {
      model: model.name,
      prompt: family?.prompt(parts) ?? '',
      raw: true,
      options,
      keep_alive: '30m',
      truncate: false,
      shift: false,
    };
    for await (const { response } of client.generate(request, { signal })) text += response;
    return text.trimEnd();
  };
  return {
    complete: async (document, signal) => {
      const text = await ask(document, signal).catch(() => '');
      return text === '' ? undefined : { id: 1, text, replaces: 0, isPartial: false, model: model.name };
    },
    shown: () => undefined,
    idle: () => undefined,
    requests: () => requests,
  };
}
