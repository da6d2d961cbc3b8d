/** Table of vectors in a LanceDB folder. */
export interface LancePlace {
  /** Folder, or an address that LanceDB opens by itself. */
  folder: string;
  table: string;
}

/** Row of a table that somebody else has made: what is text or a number, and null. */
export type ForeignRow = Record<string, string | number | null>;

export interface NearRow {
  table: string;
  row: ForeignRow;
  /** Cosine, from -1 to 1. */
  similarity: number;
}

/** Messages to the process of LanceDB. Both sides come from one build, so types suffice. */
export type LanceCall =
  /** Writes, searches and drops a table of its own in a folder that is made for it. */
  | { kind: 'probe'; folder: string }
  /** `vectors` holds one after the other. */
  | { kind: 'put'; place: LancePlace; ids: number[]; vectors: Float32Array }
  | { kind: 'remove'; place: LancePlace; ids: readonly number[] }
  | { kind: 'nearest'; place: LancePlace; vector: Float32Array; limit: number }
  | { kind: 'count'; place: LancePlace }
  | { kind: 'clear'; place: LancePlace }
  /** Joins small files, builds the index where there are many vectors, removes old versions. */
  | { kind: 'tidy'; place: LancePlace }
  /** Reads rows of a table that somebody else has made, without their lists of numbers. No folder is made. */
  | { kind: 'rows'; place: LancePlace; offset: number; limit: number }
  /** Searches all tables of a folder or address that somebody else has made. No folder is made. */
  | { kind: 'nearestRows'; folder: string; vector: Float32Array; limit: number }
  /** Answered when what was asked before is done; the process ends then. */
  | { kind: 'close' };

export type LanceRequest = LanceCall & { id: number };

export type LanceResponse = { id: number } & (
  | { kind: 'done' }
  | { kind: 'found'; found: { id: number; similarity: number }[] }
  | { kind: 'count'; count: number }
  | { kind: 'rows'; rows: ForeignRow[] }
  /** `tables` are those that have vectors of the length asked for; null where there are tables, but none of them has. */
  | { kind: 'nearestRows'; rows: NearRow[]; tables: string[] | null }
  | { kind: 'error'; code: 'dimension' | 'missing' | 'failed'; message: string }
);
