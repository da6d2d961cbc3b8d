import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Part of `@lancedb/lancedb` that is used here. The module is optional, so its own types may be missing. */
export interface LanceModule {
  connect(uri: string, options: { readConsistencyInterval: number }, session?: unknown): Promise<LanceConnection>;
  Index: { ivfFlat(options: Record<string, unknown>): unknown };
  Session: new (indexCacheBytes: bigint, metadataCacheBytes: bigint) => unknown;
}

export interface LanceConnection {
  tableNames(): Promise<string[]>;
  openTable(name: string): Promise<LanceTableHandle>;
  createTable(name: string, rows: LanceRow[]): Promise<LanceTableHandle>;
  dropTable(name: string): Promise<void>;
  close(): void;
}

export interface LanceRow {
  id: number;
  vector: Float32Array;
}

export interface LanceTableHandle {
  schema(): Promise<{ fields: LanceField[] }>;
  countRows(filter?: string): Promise<number>;
  add(rows: LanceRow[]): Promise<unknown>;
  delete(filter: string): Promise<unknown>;
  mergeInsert(column: string): LanceMerge;
  search(vector: Float32Array): LanceQuery;
  query(): LanceScan;
  createIndex(column: string, options: { config: unknown; replace: boolean }): Promise<void>;
  listIndices(): Promise<{ name: string }[]>;
  optimize(options: { cleanupOlderThan: Date; deleteUnverified: boolean }): Promise<unknown>;
  close(): void;
}

export interface LanceField {
  name: string;
  /** `listSize` is set for vectors, which are fixed-size lists. */
  type: { listSize?: number; toString(): string };
}

interface LanceScan {
  select(columns: string[]): LanceScan;
  limit(count: number): LanceScan;
  offset(count: number): LanceScan;
  toArray(): Promise<Record<string, unknown>[]>;
}

interface LanceMerge {
  whenMatchedUpdateAll(): LanceMerge;
  whenNotMatchedInsertAll(): LanceMerge;
  execute(rows: LanceRow[]): Promise<unknown>;
}

interface LanceQuery {
  distanceType(name: 'cosine'): LanceQuery;
  nprobes(count: number): LanceQuery;
  limit(count: number): LanceQuery;
  select(columns: string[]): LanceQuery;
  column(name: string): LanceQuery;
  toArray(): Promise<({ id: number | bigint; _distance: number } & Record<string, unknown>)[]>;
}

/** Bundled module in a platform-specific VSIX, next to the other bundles. */
const packed = 'lancedb.js';

/** Returns whether a location is an address that LanceDB opens rather than a folder. */
export function isAddress(place: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(place);
}

/**
 * Returns the file from which to load LanceDB, relative to the folder of the bundles. Returns null if LanceDB is not installed.
 */
export function lanceModuleIn(folder: string): string | null {
  const file = join(folder, packed);
  if (existsSync(file)) return file;
  try {
    return createRequire(join(folder, packed)).resolve('@lancedb/lancedb');
  } catch {
    return null;
  }
}
