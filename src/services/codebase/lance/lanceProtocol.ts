/** Vector table in a LanceDB folder. */
export interface LancePlace {
  /** Folder, or an address that LanceDB can open. */
  folder: string;
  table: string;
}

/** Row of a table of another application, reduced to text, numbers and null. */
export type ForeignRow = Record<string, string | number | null>;

export interface NearRow {
  table: string;
  row: ForeignRow;
  /** Cosine similarity, from -1 to 1. */
  similarity: number;
}

/** Requests to the LanceDB process. Both sides come from one build, so the messages are not validated. */
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
  /** Reads rows of another application's table, without its vectors. Creates no folder. */
  | { kind: 'rows'; place: LancePlace; offset: number; limit: number }
  /** Searches all tables of another application in a folder or address. Creates no folder. */
  | { kind: 'nearestRows'; folder: string; vector: Float32Array; limit: number }
  /** Answered when pending writes are finished. Then the process ends. */
  | { kind: 'close' };

export type LanceRequest = LanceCall & { id: number };

export type LanceResponse = { id: number } & (
  | { kind: 'done' }
  | { kind: 'found'; found: { id: number; similarity: number }[] }
  | { kind: 'count'; count: number }
  | { kind: 'rows'; rows: ForeignRow[] }
  /** `tables` are the tables with vectors of the requested length; null if there are tables, but none with that length. */
  | { kind: 'nearestRows'; rows: NearRow[]; tables: string[] | null }
  | { kind: 'error'; code: 'dimension' | 'missing' | 'failed'; message: string }
);
