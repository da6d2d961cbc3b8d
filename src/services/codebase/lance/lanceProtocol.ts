/** Vector table in a LanceDB folder. */
export interface LancePlace {
  /** Folder or address that LanceDB can open. */
  folder: string;
  table: string;
}

/** Row in a table of another application. Contains only text, numbers and null. */
export type ForeignRow = Record<string, string | number | null>;

export interface NearRow {
  table: string;
  row: ForeignRow;
  /** Cosine similarity, from -1 to 1. */
  similarity: number;
}

/** Requests to the LanceDB process. Both sides are in the same build, so the messages are not validated. */
export type LanceCall =
  /** Creates the folder, then writes, searches and drops a test table. */
  | { kind: 'probe'; folder: string }
  /** `vectors` contains all vectors, concatenated. */
  | { kind: 'put'; place: LancePlace; ids: number[]; vectors: Float32Array }
  | { kind: 'remove'; place: LancePlace; ids: readonly number[] }
  | { kind: 'nearest'; place: LancePlace; vector: Float32Array; limit: number }
  | { kind: 'count'; place: LancePlace }
  | { kind: 'clear'; place: LancePlace }
  /** Compacts small files, builds the index of a large table and removes old versions. */
  | { kind: 'tidy'; place: LancePlace }
  /** Reads rows in a table of another application, without their vectors. Does not create a folder. */
  | { kind: 'rows'; place: LancePlace; offset: number; limit: number }
  /** Searches all tables of another application in a folder or address. Does not create a folder. */
  | { kind: 'nearestRows'; folder: string; vector: Float32Array; limit: number }
  /** The response arrives after pending writes have finished. Then the process exits. */
  | { kind: 'close' };

export type LanceRequest = LanceCall & { id: number };

export type LanceResponse = { id: number } & (
  | { kind: 'done' }
  | { kind: 'found'; found: { id: number; similarity: number }[] }
  | { kind: 'count'; count: number }
  | { kind: 'rows'; rows: ForeignRow[] }
  /** `tables` are the tables with vectors of the requested length. Null if tables exist, but none has this length. */
  | { kind: 'nearestRows'; rows: NearRow[]; tables: string[] | null }
  | { kind: 'error'; code: 'dimension' | 'missing' | 'failed'; message: string }
);
