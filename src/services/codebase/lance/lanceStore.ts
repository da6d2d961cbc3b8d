import { join } from 'node:path';
import type { DatabaseSync } from '../../database/sqlite/sqlite';
import { LanceClient } from './lanceClient';
import { LanceLink } from './lanceLink';
import { MirroredVectors, type MirrorOptions } from './mirroredVectors';
import { SharedIndex } from './sharedIndex';

/** The compiled `lanceProcess`, beside the code that starts it. */
const processFile = join(__dirname, 'lanceProcess.js');

/** Tables of one index: one, or two for a moment. */
export interface LanceTables {
  /** Reason why LanceDB could not be used the last time; null where it could. */
  readonly trouble: string | null;
  /** Keeps the tables in step with the vectors of a database, and asks them. */
  mirror(database: DatabaseSync, options: Omit<MirrorOptions, 'tables'>): MirroredVectors;
  /** Removes them, after the process is closed. */
  remove(): Promise<void>;
  /** Resolves with their bytes. */
  size(): Promise<number>;
}

/** Holds what LanceDB keeps in one folder, behind one process. */
export class LanceStore {
  private readonly link: LanceLink;

  constructor(folder: string) {
    this.link = new LanceLink(new LanceClient(processFile), folder);
  }

  /** Returns the tables whose names begin so. */
  of(name: string): LanceTables {
    const { link } = this;
    const tables = link.of(name);
    return {
      get trouble() {
        return link.trouble;
      },
      mirror: (database, options) => new MirroredVectors(database, { ...options, tables }),
      ...{ remove: tables.remove, size: tables.size },
    };
  }

  /** Resolves when the process has done what was asked and has ended. */
  close(): Promise<void> {
    return this.link.close();
  }
}

/** Opens an index that a team shares, with a process of its own: a share that hangs or a table that ends the process harms no index of this machine. */
export function openSharedIndex(): SharedIndex {
  return new SharedIndex(new LanceClient(processFile));
}
