import { join } from 'node:path';
import type { DatabaseSync } from '../../database/sqlite/sqlite';
import { LanceClient } from './lanceClient';
import { LanceLink } from './lanceLink';
import { MirroredVectors, type MirrorOptions } from './mirroredVectors';
import { SharedIndex } from './sharedIndex';

/** The compiled `lanceProcess`, next to the code that starts it. */
const processFile = join(__dirname, 'lanceProcess.js');

/** Tables of one index. There is usually one table, and two during a rebuild. */
export interface LanceTables {
  readonly trouble: string | null;
  /** Returns a vector store that keeps the tables in sync with a database and searches them. */
  mirror(database: DatabaseSync, options: Omit<MirrorOptions, 'tables'>): MirroredVectors;
  remove(): Promise<void>;
  size(): Promise<number>;
}

/** Manages the LanceDB tables of one folder in one process. */
export class LanceStore {
  private readonly link: LanceLink;

  constructor(folder: string) {
    this.link = new LanceLink(new LanceClient(processFile), folder);
  }

  /** Returns the tables whose names start with `name`. */
  of(name: string): LanceTables {
    const { link } = this;
    const tables = link.of(name);
    return {
      get trouble() {
        return link.trouble;
      },
      mirror: (database, options) => new MirroredVectors(database, { ...options, tables }),
      remove: tables.remove,
      size: tables.size,
    };
  }

  /** Resolves when pending requests have finished and the process has exited. */
  close(): Promise<void> {
    return this.link.close();
  }
}

/**
 * Opens the shared index of a team in a separate process. A hanging
 * network share or a crash does not affect the indexes on this machine.
 */
export function openSharedIndex(): SharedIndex {
  return new SharedIndex(new LanceClient(processFile));
}
