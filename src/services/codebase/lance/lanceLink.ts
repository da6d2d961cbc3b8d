import { rm, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../utils/errors';
import { folderSize } from '../../../utils/files/folderSize';
import type { LanceClient } from './lanceClient';
import { LanceVectors } from './lanceVectors';

/** Milliseconds after a failed probe before the next one. */
const probeAgainMs = 60_000;

/** Ending that LanceDB gives the folder of a table. */
const ending = '.lance';

/** Tables of one index: one, or two for a moment. */
export interface LinkedTables {
  name: string;
  link: LanceLink;
  /** Removes them, after the process is closed. */
  remove: () => Promise<void>;
  /** Resolves with their bytes. */
  size: () => Promise<number>;
}

/** Holds the one process of LanceDB of a worker: probed before it is used, closed when nobody needs it; knows what is wrong with it. */
export class LanceLink {
  private probed: { isUsable: Promise<boolean>; at: number } | null = null;
  /** Reason why LanceDB could not be used the last time; null where it could. */
  trouble: string | null = null;

  constructor(
    private readonly client: Pick<LanceClient, 'call' | 'close' | 'isGivenUp'>,
    private readonly folder: string,
  ) {}

  /** Tells whether LanceDB works here, by trying it once. */
  async isUsable(): Promise<boolean> {
    if (this.client.isGivenUp) return false;
    if (this.probed === null || (this.trouble !== null && Date.now() - this.probed.at > probeAgainMs))
      this.probed = { isUsable: this.probe(), at: Date.now() };
    return this.probed.isUsable;
  }

  vectors(table: string): LanceVectors {
    return new LanceVectors(this.client, { folder: this.folder, table });
  }

  note(error: unknown): void {
    this.trouble = messageOf(error);
  }

  /** Returns the tables whose names begin so. */
  of(name: string): LinkedTables {
    return {
      ...{ name, link: this },
      remove: () => this.removeTables(name),
      size: () => this.size(name),
    };
  }

  /** Removes all tables whose name begins so, but for one, after the process is closed. */
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

  /** Resolves when the process has done what was asked and has ended. */
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
