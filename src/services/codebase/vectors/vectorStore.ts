export interface LanceState {
  /** Reason why the built-in store is used instead. Null if LanceDB works. */
  trouble: string | null;
}

export interface VectorRow {
  id: number;
  vector: Float32Array;
}

export interface NearVector {
  id: number;
  /** Cosine similarity, from -1 to 1. */
  similarity: number;
}

/** The store rejected vectors, because they contain a non-finite value or their length differs from the stored vectors. */
export class VectorError extends Error {
  constructor(
    readonly code: 'notFinite' | 'dimension',
    message: string,
  ) {
    super(message);
  }
}

/** Stores vectors of the same length by ID and finds the nearest vectors. All implementations pass the same tests. */
export interface VectorStore {
  /** Adds or replaces either all rows or none. Rejects with `VectorError`. */
  put(rows: readonly VectorRow[]): Promise<void>;
  /** Removes rows by ID. Ignores unknown IDs. */
  remove(ids: readonly number[]): Promise<void>;
  /**
   * Resolves with the nearest vectors by cosine similarity, nearest
   * first. Rejects with `VectorError` for a query with another length.
   */
  nearest(query: Float32Array, limit: number): Promise<NearVector[]>;
  count(): Promise<number>;
  /** Removes all vectors. Vectors added later may have another length. */
  clear(): Promise<void>;
}

/** Returns the vector scaled to length 1. Throws `VectorError` for a zero or non-finite vector. */
export function normalized(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!Number.isFinite(sum) || sum === 0) throw new VectorError('notFinite', 'A vector has values that are no numbers');
  const length = Math.sqrt(sum);
  return vector.map((value) => value / length);
}
