import { rm, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../utils/errors';
import { folderSize } from '../../../utils/files/folderSize';
import type { LanceClient } from './lanceClient';
import { LanceVectors } from './lanceVectors';

/** Milliseconds between a failed probe and the next probe. */
const probeIntervalMs = 60_000;

/** File name extension of LanceDB table folders. */
const ending = '.lance';

/** Tables of one index. There is usually one table, and two during a rebuild. */
export interface LinkedTables {
  name: string;
  link: LanceLink;
  remove: () => Promise<void>;
  size: () => Promise<number>;
}

/** Owns the LanceDB process of a worker. Tests LanceDB before the first use, and records its last error. */
export class LanceLink {
  private probed: { isUsable: Promise<boolean>; at: number } | null = null;
  /** Last error of LanceDB. Null after success. */
  trouble: string | null = null;

  constructor(
    private readonly client: Pick<LanceClient, 'call' | 'close' | 'isGivenUp'>,
    private readonly folder: string,
  ) {}

  /** Returns whether LanceDB works on this machine. A successful test is not repeated. */
  async isUsable(): Promise<boolean> {
    if (this.client.isGivenUp) return false;
    if (this.probed === null || (this.trouble !== null && Date.now() - this.probed.at > probeIntervalMs))
      this.probed = { isUsable: this.probe(), at: Date.now() };
    return this.probed.isUsable;
  }

  vectors(table: string): LanceVectors {
    return new LanceVectors(this.client, { folder: this.folder, table });
  }

  note(error: unknown): void {
    this.trouble = messageOf(error);
  }

  of(name: string): LinkedTables {
    return {
      name,
      link: this,
      remove: () => this.removeTables(name),
      size: () => this.size(name),
    };
  }

  /** Closes the process, then removes all tables whose names start with `name`, except `kept`. */
  async removeTables(name: string, kept: string | null = null): Promise<void> {
    const tables = (await this.tables(name)).filter((table) => table !== kept);
    if (tables.length === 0) return;
    await this.client.close();
    for (const table of tables) await rm(join(this.folder, table + ending), { recursive: true, force: true, maxRetries: 3 });
  }

  private async size(name: string): Promise<number> {
    const sizes = await Promise.all((await this.tables(name)).map((table) => folderSize(join(this.folder, table + ending))));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Resolves when pending requests have finished and the process has exited. */
  async close(): Promise<void> {
    await this.client.close();
  }

  private async probe(): Promise<boolean> {
    try {
      await this.client.call({ kind: 'probe', folder: this.folder });
      this.trouble = null;
      return true;
    } catch (error) {
      this.note(error);
      return false;
    }
  }

  private async tables(name: string): Promise<string[]> {
    const entries = await readdir(this.folder).catch(() => []);
    return entries
      .filter((entry) => entry.startsWith(name) && entry.endsWith(ending))
      .map((entry) => entry.slice(0, -ending.length));
  }
}
