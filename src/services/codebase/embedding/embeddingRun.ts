import type { Clock } from '../../../utils/clock';
import type { Logger } from '../../../utils/logger';
import { isCancelled } from '../../../utils/errors';
import type { ServerArbiter } from '../../model/serverArbiter';
import type { CodebaseClient } from '../codebaseClient';
import type { IndexedRoot } from '../codebaseProtocol';
import type { Embedder, EmbeddingModel } from './embedder';

/** Number of chunks per request. A chat may have to wait until one request has ended. */
const batchSize = 16;
/** Milliseconds between checks whether other requests still have priority. */
const pollIntervalMs = 500;

/** Embedding progress of a workspace folder, in chunks. */
export interface EmbeddingProgress {
  done: number;
  all: number;
  model: string;
}

export interface EmbeddingRunOptions {
  embedder: Embedder;
  client: Pick<CodebaseClient, 'toEmbed' | 'putVectors' | 'state'>;
  roots: () => Promise<IndexedRoot[]>;
  arbiter: Pick<ServerArbiter, 'begin' | 'mustWait'>;
  /** Called with the progress after each batch, and with null at the end. */
  onProgress: (progress: EmbeddingProgress | null) => void;
  clock: Clock;
  logger: Logger;
}

/** Embeds chunks in the background, batch by batch. All other requests have priority. Finished batches are stored. */
export class EmbeddingRun {
  private running: Promise<void> | null = null;
  private isRequestedAgain = false;
  /** Average number of seconds per chunk. Null while no embedding runs. */
  private secondsPerChunk: number | null = null;
  isPaused = false;
  private lifetime = new AbortController();

  constructor(private readonly options: EmbeddingRunOptions) {}

  /** Embeds all chunks without a vector. Resolves when every chunk has a vector or when embedding is not possible now. */
  run(): Promise<void> {
    if (this.running !== null) this.isRequestedAgain = true;
    this.running ??= this.all().finally(() => (this.running = null));
    return this.running;
  }

  get rate(): number | null {
    return this.secondsPerChunk === null ? null : 1 / this.secondsPerChunk;
  }

  dispose(): void {
    this.lifetime.abort();
  }

  private async all(): Promise<void> {
    const { arbiter, embedder, roots, logger } = this.options;
    const end = arbiter.begin('workspaceIndex');
    try {
      do {
        this.isRequestedAgain = false;
        const model = await embedder.model();
        if (model === null) return;
        for (const root of await roots()) await this.embed(root, model);
      } while (this.isRequestedAgain && !this.lifetime.signal.aborted);
    } catch (error) {
      if (!isCancelled(error)) logger.warn('The workspace cannot be embedded now', error);
    } finally {
      end();
      this.secondsPerChunk = null;
      this.options.onProgress(null);
    }
  }

  /** Updates the moving average of seconds per chunk. */
  private recordSpeed(seconds: number): void {
    this.secondsPerChunk = this.secondsPerChunk === null ? seconds : this.secondsPerChunk * 0.7 + seconds * 0.3;
  }

  private async embed(root: IndexedRoot, model: EmbeddingModel): Promise<void> {
    const { client, embedder, arbiter, onProgress, clock } = this.options;
    const { signal } = this.lifetime;
    let clearings = 0;
    for (let last = ''; ;) {
      while (this.isPaused || arbiter.mustWait('workspaceIndex')) {
        this.secondsPerChunk = null;
        await clock.sleep(pollIntervalMs, signal);
      }
      signal.throwIfAborted();
      const chunks = await client.toEmbed(root, model.key, batchSize, model.isProse);
      const now = chunks.map(({ id }) => id).join();
      // The same chunks are returned again if this window cannot write or the files keep changing.
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
      this.recordSpeed(Math.max(performance.now() - begun, 1) / 1_000 / chunks.length);
      const put = chunks.map(({ id, hash }, index) => ({ id, hash, vector: vectors[index] ?? null }));
      if (await client.putVectors(root, model.key, put)) {
        // Stop if the server changes the length of its vectors a second time, because these vectors are not comparable.
        clearings += 1;
        if (clearings > 1) return;
        last = '';
      }
    }
  }
}
