import type { Clock } from '../../../utils/clock';
import type { Logger } from '../../../utils/logger';
import { isCancelled } from '../../../utils/errors';
import type { ServerArbiter } from '../../model/serverArbiter';
import type { CodebaseClient } from '../codebaseClient';
import type { IndexedRoot } from '../codebaseProtocol';
import type { Embedder, EmbeddingModel } from './embedder';

/** Chunks in one request: what a chat may have to wait for. */
const batchSize = 16;
/** Milliseconds between two looks whether somebody else still needs the server. */
const waitMs = 500;

/** Chunks of a folder of the workspace that have a vector. */
export interface EmbeddingProgress {
  done: number;
  all: number;
  model: string;
}

export interface EmbeddingRunOptions {
  embedder: Embedder;
  client: Pick<CodebaseClient, 'toEmbed' | 'putVectors' | 'state'>;
  roots: () => Promise<IndexedRoot[]>;
  arbiter: Pick<ServerArbiter, 'begin' | 'yields'>;
  /** Told after each batch, and of null at the end. */
  onProgress: (progress: EmbeddingProgress | null) => void;
  clock: Clock;
  logger: Logger;
}

/** Embeds in the background what has no vector yet, a batch at a time, and lets everybody else go first. What is done stays done. */
export class EmbeddingRun {
  private running: Promise<void> | null = null;
  private isAskedAgain = false;
  /** Seconds that the last batch took for a chunk; null while nothing is embedded. */
  private pace: number | null = null;
  /** True where a person wants it to wait. */
  isPaused = false;
  private lifetime = new AbortController();

  constructor(private readonly options: EmbeddingRunOptions) {}

  /** Embeds all that has no vector; resolves when there is no more or nothing can be embedded now. */
  run(): Promise<void> {
    if (this.running !== null) this.isAskedAgain = true;
    this.running ??= this.all().finally(() => (this.running = null));
    return this.running;
  }

  /** Chunks embedded in a second; null while nothing is embedded. */
  get rate(): number | null {
    return this.pace === null ? null : 1 / this.pace;
  }

  dispose(): void {
    this.lifetime.abort();
  }

  private async all(): Promise<void> {
    const { arbiter, embedder, roots, logger } = this.options;
    const end = arbiter.begin('workspaceIndex');
    try {
      do {
        this.isAskedAgain = false;
        const model = await embedder.model();
        if (model === null) return;
        for (const root of await roots()) await this.embed(root, model);
      } while (this.isAskedAgain && !this.lifetime.signal.aborted);
    } catch (error) {
      if (!isCancelled(error)) logger.warn('The workspace cannot be embedded now', error);
    } finally {
      end();
      this.pace = null;
      this.options.onProgress(null);
    }
  }

  /** Notes the seconds that a chunk has taken; earlier ones count less. */
  private note(seconds: number): void {
    this.pace = this.pace === null ? seconds : this.pace * 0.7 + seconds * 0.3;
  }

  private async embed(root: IndexedRoot, model: EmbeddingModel): Promise<void> {
    const { client, embedder, arbiter, onProgress, clock } = this.options;
    const { signal } = this.lifetime;
    let clearings = 0;
    for (let last = ''; ;) {
      while (this.isPaused || arbiter.yields('workspaceIndex')) {
        this.pace = null;
        await clock.sleep(waitMs, signal);
      }
      signal.throwIfAborted();
      const chunks = await client.toEmbed(root, model.key, batchSize, model.isOfProse);
      const now = chunks.map(({ id }) => id).join();
      // The same again: this window may not write, or the files change all the time.
      if (chunks.length === 0 || now === last) return;
      last = now;
      const { vectors: done, chunks: all } = await client.state(root);
      onProgress({ done, all, model: model.name });
      const begun = performance.now();
      const vectors = await embedder.documents(
        model,
        chunks.map(({ text }) => text),
        signal,
      );
      this.note(Math.max(performance.now() - begun, 1) / 1_000 / chunks.length);
      const put = chunks.map(({ id, hash }, index) => ({ id, hash, vector: vectors[index] ?? null }));
      if (await client.putVectors(root, model.key, put)) {
        // A server whose vectors have another length each time has none that can be compared.
        clearings += 1;
        if (clearings > 1) return;
        last = '';
      }
    }
  }
}
