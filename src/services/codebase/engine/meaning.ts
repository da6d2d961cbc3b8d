import type { DatabaseSync } from '../../database/sqlite/sqlite';
import type { EmbeddedChunk } from '../codebaseProtocol';
import type { MirroredVectors } from '../lance/port';
import { ScanVectors } from '../vectors/scanVectors';
import { VectorError, type VectorStore } from '../vectors/vectorStore';

/**
 * Manages the vectors of one index. Records their model, lists the
 * chunks without a vector, and finds the nearest chunks to a query.
 */
export class Meaning {
  private readonly vectors: VectorStore;

  constructor(
    private readonly database: DatabaseSync,
    /** Second vector store, which has priority. */
    private readonly mirror?: MirroredVectors,
    /** Called when a query fails. The result of this query is empty. */
    private readonly onFailure: (error: unknown) => void = () => undefined,
  ) {
    this.vectors = mirror ?? new ScanVectors(database);
  }

  /** Stops at once, so that the database can be closed. Resolves when LanceDB has finished. */
  async close(): Promise<void> {
    await this.mirror?.close();
  }

  /** Prepares the index for a model. Deletes the vectors of any other model. */
  async useModel(model: string): Promise<void> {
    if (this.model() === model) return;
    await this.vectors.clear();
    this.database.prepare("INSERT OR REPLACE INTO meta VALUES ('embedding', ?)").run(model);
  }

  /** Returns the next chunks without a vector, in order. */
  missing(limit: number): { id: number; hash: string }[] {
    const rows = this.database
      .prepare('SELECT id, hash FROM chunks WHERE id NOT IN (SELECT chunk FROM vectors) ORDER BY id LIMIT ?')
      .all(limit);
    return rows.map(({ id, hash }) => ({ id: Number(id), hash: Buffer.from(hash as Uint8Array).toString('hex') }));
  }

  /**
   * Stores vectors, except for chunks that have changed in the meantime. If the new vectors differ in length from the stored
   * vectors, deletes all vectors and resolves with true.
   */
  async put(chunks: readonly EmbeddedChunk[]): Promise<boolean> {
    const current = this.database.prepare('SELECT hash FROM chunks WHERE id = ?');
    const rows: { id: number; vector: Float32Array }[] = [];
    for (const { id, hash, vector } of chunks) {
      const own = current.get(id)?.['hash'];
      if (!(own instanceof Uint8Array) || Buffer.from(own).toString('hex') !== hash) continue;
      if (vector !== null) rows.push({ id, vector });
      // An empty vector marks a text that the model cannot embed, so that embedding is not retried.
      else this.database.prepare('INSERT OR REPLACE INTO vectors (chunk, bytes) VALUES (?, ?)').run(id, Buffer.alloc(0));
    }
    try {
      await this.vectors.put(rows);
      return false;
    } catch (error) {
      if (!(error instanceof VectorError) || error.code !== 'dimension') throw error;
      await this.vectors.clear();
      return true;
    }
  }

  /** Resolves with the nearest chunks. Resolves with an empty list if the vectors are from another model. */
  async nearest(model: string, query: Float32Array, limit: number): Promise<number[]> {
    if (this.model() !== model) return [];
    const found = await this.vectors.nearest(query, limit).catch((error: unknown) => {
      this.onFailure(error);
      return [];
    });
    return found.map(({ id }) => id);
  }

  /** Resolves with the number of vectors, or with 0 if they cannot be read. */
  count(): Promise<number> {
    return this.vectors.count().catch((error: unknown) => {
      this.onFailure(error);
      return 0;
    });
  }

  /** Marks unreadable vectors as lost until the index is rebuilt. */
  markLost(): void {
    this.database.prepare("DELETE FROM meta WHERE key = 'embedding'").run();
  }

  /** Returns the model of the vectors, or null if there are none. */
  model(): string | null {
    const value = this.database.prepare("SELECT value FROM meta WHERE key = 'embedding'").get()?.['value'];
    return value === undefined ? null : String(value);
  }
}

/**
 * Constant of the rank fusion, measured with `npm run bench search-quality`.
 * With 60, a weak match in both methods outranks a strong match in one method.
 */
const rankConstant = 10;

export interface Ranking {
  ids: readonly number[];
  weight: number;
}

/** Combines rankings by reciprocal rank fusion, best first. The score is the sum of weight / (10 + rank). */
export function fused(...rankings: readonly Ranking[]): { id: number; score: number }[] {
  const scores = new Map<number, number>();
  for (const { ids, weight } of rankings)
    for (const [rank, id] of ids.entries()) scores.set(id, (scores.get(id) ?? 0) + weight / (rankConstant + rank));
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score);
}
