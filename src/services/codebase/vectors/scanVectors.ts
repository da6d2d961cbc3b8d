import type { DatabaseSync } from '../../database/sqlite/sqlite';
import { inTransaction } from '../../database/sqlite/ownConnection';
import { normalized, VectorError, type NearVector, type VectorRow, type VectorStore } from './vectorStore';

/** Number of candidates from the first step whose bytes are compared: a minimum, and a multiple of the limit. */
const candidates = { atLeast: 1_000, times: 60 };

/**
 * Searches in two steps. The first step compares the signs of the values in memory (one bit per value). The second step compares
 * one byte per value from the table `vectors`. Supports rows that are deleted directly from the table. Uses no native code.
 */
export class ScanVectors implements VectorStore {
  private ids: number[] = [];
  private slots = new Map<number, number>();
  private bits = new Uint32Array(0);
  private dimension: number | null = null;
  /** `PRAGMA data_version` of the data in memory. It changes when another process writes. */
  private version: unknown = null;

  constructor(private readonly database: DatabaseSync) {}

  put(rows: readonly VectorRow[]): Promise<void> {
    return settled(() => {
      this.load();
      const ready = rows.map(({ id, vector }) => ({ id, vector: this.checked(vector, rows[0]?.vector.length) }));
      inTransaction(this.database, () => {
        const insert = this.database.prepare('INSERT OR REPLACE INTO vectors (chunk, bytes) VALUES (?, ?)');
        for (const { id, vector } of ready) insert.run(id, quantize(vector));
      });
      for (const { id, vector } of ready) this.remember(id, vector);
    });
  }

  remove(ids: readonly number[]): Promise<void> {
    return settled(() => {
      inTransaction(this.database, () => {
        for (const id of ids) this.database.prepare('DELETE FROM vectors WHERE chunk = ?').run(id);
      });
    });
  }

  nearest(query: Float32Array, limit: number): Promise<NearVector[]> {
    return settled(() => {
      this.load();
      if (this.dimension === null) return [];
      const sought = this.checked(query);
      const found: NearVector[] = [];
      const row = this.database.prepare('SELECT bytes FROM vectors WHERE chunk = ?');
      for (const slot of this.nearestBySigns(packSigns(sought), Math.max(candidates.atLeast, limit * candidates.times))) {
        const id = this.ids[slot] ?? 0;
        const bytes = row.get(id)?.['bytes'];
        if (bytes instanceof Uint8Array && bytes.length === sought.length)
          found.push({ id, similarity: similarity(sought, bytes) });
      }
      return found.sort((a, b) => b.similarity - a.similarity).slice(0, limit);
    });
  }

  count(): Promise<number> {
    return settled(() => {
      return Number(this.database.prepare('SELECT count(*) AS n FROM vectors').get()?.['n']);
    });
  }

  clear(): Promise<void> {
    return settled(() => {
      this.database.exec('DELETE FROM vectors');
      this.forget();
    });
  }

  private checked(vector: Float32Array, length = this.dimension ?? vector.length): Float32Array {
    if (vector.length !== length || (this.dimension !== null && vector.length !== this.dimension))
      throw new VectorError('dimension', `A vector has ${vector.length} values and not ${this.dimension ?? length}`);
    return normalized(vector);
  }

  /** Loads the signs of stored vectors if the signs in memory are out of date. */
  private load(): void {
    const version = this.database.prepare('PRAGMA data_version').get()?.['data_version'];
    if (this.version === version) return;
    this.forget();
    for (const { chunk, bytes } of this.database.prepare('SELECT chunk, bytes FROM vectors ORDER BY chunk').iterate()) {
      if (!(bytes instanceof Uint8Array) || bytes.length === 0) continue;
      const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
      if (this.dimension === null || this.dimension === values.length) this.remember(Number(chunk), values);
    }
    this.version = version;
  }

  private forget(): void {
    this.ids = [];
    this.slots = new Map();
    this.bits = new Uint32Array(0);
    this.dimension = null;
  }

  private remember(id: number, vector: Float32Array | Int8Array): void {
    this.dimension ??= vector.length;
    const signs = packSigns(vector);
    let slot = this.slots.get(id);
    if (slot === undefined) {
      slot = this.ids.push(id) - 1;
      this.slots.set(id, slot);
    }
    if ((slot + 1) * signs.length > this.bits.length) {
      const grown = new Uint32Array(Math.max(1024 * signs.length, this.bits.length * 2));
      grown.set(this.bits);
      this.bits = grown;
    }
    this.bits.set(signs, slot * signs.length);
  }

  private nearestBySigns(query: Uint32Array, limit: number): number[] {
    const { bits } = this;
    const words = query.length;
    const count = this.ids.length;
    const distances = new Uint16Array(count);
    const atDistance = new Uint32Array(words * 32 + 1);
    for (let slot = 0, at = 0; slot < count; slot += 1) {
      let distance = 0;
      for (let word = 0; word < words; word += 1, at += 1) {
        let x = (bits[at] as number) ^ (query[word] as number);
        x -= (x >>> 1) & 0x55555555;
        x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
        distance += Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
      }
      distances[slot] = distance;
      atDistance[distance] = (atDistance[distance] as number) + 1;
    }
    let most = 0;
    for (let seen = 0; most < atDistance.length; most += 1) {
      seen += atDistance[most] as number;
      if (seen >= limit) break;
    }
    const found: number[] = [];
    for (let slot = 0; slot < count; slot += 1) if ((distances[slot] as number) <= most) found.push(slot);
    return found;
  }
}

function packSigns(vector: Float32Array | Int8Array): Uint32Array {
  const signs = new Uint32Array(Math.ceil(vector.length / 32));
  for (let index = 0; index < vector.length; index += 1)
    if ((vector[index] as number) >= 0) signs[index >> 5] = ((signs[index >> 5] as number) | (1 << (index & 31))) >>> 0;
  return signs;
}

/** Quantizes each value to one byte, scaled by the largest value. */
function quantize(vector: Float32Array): Uint8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  return new Uint8Array(Int8Array.from(vector, (value) => Math.round((value / largest) * 127)).buffer);
}

function similarity(query: Float32Array, bytes: Uint8Array): number {
  const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  let product = 0;
  let square = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] as number;
    product += value * (query[index] as number);
    square += value * value;
  }
  return square === 0 ? 0 : product / Math.sqrt(square);
}

/** Runs synchronous work and returns its result as a promise. */
function settled<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}
