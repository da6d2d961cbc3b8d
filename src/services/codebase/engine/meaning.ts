import type { DatabaseSync } from '../../database/sqlite/sqlite';
import type { EmbeddedChunk } from '../codebaseProtocol';
import type { MirroredVectors } from '../lance/port';
import { ScanVectors } from '../vectors/scanVectors';
import { VectorError, type VectorStore } from '../vectors/vectorStore';

/** Keeps the vectors of one index: which chunks have none yet, by which model they were made, and the nearest to a query. */
export class Meaning {
  private readonly vectors: VectorStore;

  constructor(
    private readonly database: DatabaseSync,
    /** Second store of the vectors, which is asked first. */
    private readonly mirror?: MirroredVectors,
    /** Told of what made a question fail, which finds nothing then. */
    private readonly onFailure: (error: unknown) => void = () => undefined,
  ) {
    this.vectors = mirror ?? new ScanVectors(database);
  }

  /** Stops at once, so that the database may be closed; resolves when LanceDB has nothing more to do. */
  async close(): Promise<void> {
    await this.mirror?.close();
  }

  /** Removes the vectors of another model. */
  async begin(model: string): Promise<void> {
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

  /** Takes in vectors of chunks that are still what was embedded. All others go where their length is another; true then. */
  async put(chunks: readonly EmbeddedChunk[]): Promise<boolean> {
    const current = this.database.prepare('SELECT hash FROM chunks WHERE id = ?');
    const rows: { id: number; vector: Float32Array }[] = [];
    for (const { id, hash, vector } of chunks) {
      const own = current.get(id)?.['hash'];
      if (!(own instanceof Uint8Array) || Buffer.from(own).toString('hex') !== hash) continue;
      if (vector !== null) rows.push({ id, vector });
      // An empty one says that the model can do nothing with the text, so that it is not asked again.
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

  /** Resolves with the nearest chunks; none where the vectors are of another model. */
  async nearest(model: string, query: Float32Array, limit: number): Promise<number[]> {
    if (this.model() !== model) return [];
    const found = await this.vectors.nearest(query, limit).catch((error: unknown) => {
      this.onFailure(error);
      return [];
    });
    return found.map(({ id }) => id);
  }

  /** Resolves with 0 where the vectors cannot be read. */
  count(): Promise<number> {
    return this.vectors.count().catch((error: unknown) => {
      this.onFailure(error);
      return 0;
    });
  }

  /** Gives up vectors that cannot be read, until the index is made anew. */
  giveUp(): void {
    this.database.prepare("DELETE FROM meta WHERE key = 'embedding'").run();
  }

  /** Returns the model that the vectors are by; null where there are none. */
  model(): string | null {
    const value = this.database.prepare("SELECT value FROM meta WHERE key = 'embedding'").get()?.['value'];
    return value === undefined ? null : String(value);
  }
}

/** Constant of the fusion, measured by `npm run bench search-quality`: with 60, what is found a little by both ways goes before what one knows. */
const rankConstant = 10;

export interface Ranking {
  ids: readonly number[];
  weight: number;
}

/** Scores what several searches have found: the sum of weight / (10 + rank) over them (reciprocal rank fusion); the best first. */
export function fused(...rankings: readonly Ranking[]): { id: number; score: number }[] {
  const scores = new Map<number, number>();
  for (const { ids, weight } of rankings)
    for (const [rank, id] of ids.entries()) scores.set(id, (scores.get(id) ?? 0) + weight / (rankConstant + rank));
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score);
}
