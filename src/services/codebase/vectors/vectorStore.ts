/** State of LanceDB, where it is chosen. */
export interface LanceState {
  /** Reason why the built-in store answers instead; null where it need not. */
  trouble: string | null;
}

export interface VectorRow {
  id: number;
  vector: Float32Array;
}

export interface NearVector {
  id: number;
  /** Cosine, from -1 to 1. */
  similarity: number;
}

/** Says why vectors are refused: not all finite, or not of the length of those that are there. */
export class VectorError extends Error {
  constructor(
    readonly code: 'notFinite' | 'dimension',
    message: string,
  ) {
    super(message);
  }
}

/** Holds vectors of one length by an id and finds the nearest ones. All implementations pass the same tests. */
export interface VectorStore {
  /** Adds or replaces all of them or none. Rejects with `VectorError`. */
  put(rows: readonly VectorRow[]): Promise<void>;
  /** Removes those that are there. */
  remove(ids: readonly number[]): Promise<void>;
  /** Resolves with the nearest by their direction, nearest first. Rejects with `VectorError` for a query of another length. */
  nearest(query: Float32Array, limit: number): Promise<NearVector[]>;
  count(): Promise<number>;
  /** Removes all; the next may have another length. */
  clear(): Promise<void>;
}

/** Returns a vector of length 1 in the same direction. Throws `VectorError` for one that has none. */
export function normalized(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!Number.isFinite(sum) || sum === 0) throw new VectorError('notFinite', 'A vector has values that are no numbers');
  const length = Math.sqrt(sum);
  return vector.map((value) => value / length);
}
