import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { inTransaction } from '../../database/sqlite/ownConnection';
import type { DatabaseSync } from '../../database/sqlite/sqlite';
import type { LanceLink, LinkedTables } from './lanceLink';
import { ScanVectors } from '../vectors/scanVectors';
import { VectorError, type NearVector, type VectorRow, type VectorStore } from '../vectors/vectorStore';

const batchSize = 4_000;
/** Maximum milliseconds that a query waits for pending changes to reach LanceDB. */
const queryWaitMs = 200;

/** Triggers that record every change to `vectors`, regardless of the writer. */
const journal = `
  CREATE TABLE IF NOT EXISTS lance_changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, chunk INTEGER NOT NULL);
  CREATE TRIGGER IF NOT EXISTS lance_put AFTER INSERT ON vectors BEGIN INSERT INTO lance_changes (chunk) VALUES (new.chunk); END;
  CREATE TRIGGER IF NOT EXISTS lance_removed AFTER DELETE ON vectors BEGIN INSERT INTO lance_changes (chunk) VALUES (old.chunk); END;
`;

export interface MirrorOptions {
  tables: LinkedTables;
  /** False if the user has not selected LanceDB. Then remaining LanceDB data is removed. */
  isUsed: boolean;
  /** Returns whether this window may write. Other windows only query. */
  mayWrite: () => boolean;
  /** True if removed vectors must be erased from the disk at once. The table is then rebuilt. */
  isStrict?: boolean;
}

/**
 * Mirrors the table `vectors` of a database in a LanceDB table, and searches the LanceDB table. The database is the source of
 * truth. If LanceDB cannot be used or is out of date, the built-in store runs the search. A failing table is dropped and rebuilt.
 */
export class MirroredVectors implements VectorStore {
  private readonly scan: ScanVectors;
  private readonly link: LanceLink;
  private running: Promise<void> | null = null;
  private isChecked = false;
  private isClosed = false;

  constructor(
    private readonly database: DatabaseSync,
    private readonly options: MirrorOptions,
  ) {
    this.scan = new ScanVectors(database);
    this.link = options.tables.link;
  }

  async put(rows: readonly VectorRow[]): Promise<void> {
    await this.scan.put(rows);
    await this.sync();
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.scan.remove(ids);
    await this.sync();
  }

  async nearest(query: Float32Array, limit: number): Promise<NearVector[]> {
    await Promise.race([this.sync(), setTimeout(queryWaitMs, undefined, { ref: false })]);
    const table = this.isClosed || !this.options.isUsed ? null : this.table();
    if (table === null || this.pending() > 0 || !(await this.link.isUsable())) return this.scan.nearest(query, limit);
    try {
      const found = await this.link.vectors(table).nearest(query, limit);
      this.link.trouble = null;
      return found;
    } catch (error) {
      if (error instanceof VectorError) throw error;
      this.link.note(error);
      return this.scan.nearest(query, limit);
    }
  }

  count(): Promise<number> {
    return this.scan.count();
  }

  async clear(): Promise<void> {
    await this.scan.clear();
    if (this.options.mayWrite() && this.table() !== null) await this.rebuild();
  }

  /** Writes pending changes to LanceDB, if this window may write. Never rejects. */
  sync(): Promise<void> {
    this.running ??= this.syncOnce()
      .catch((error: unknown) => {
        if (!this.isClosed) this.link.note(error);
      })
      .finally(() => (this.running = null));
    return this.running;
  }

  /** Stops at once, so that the database can be closed. Resolves when running work has ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.running;
  }

  private async syncOnce(): Promise<void> {
    const { link } = this;
    const { isUsed, mayWrite } = this.options;
    if (this.isClosed) return;
    const table = this.table();
    if (!isUsed) return table === null || !mayWrite() ? undefined : this.removeAll();
    const hasChecked = this.isChecked;
    if ((hasChecked && table !== null && this.pending() === 0) || !mayWrite()) return;
    if (!(await link.isUsable()) || this.isClosed) return;
    this.isChecked = true;
    if (table === null) await this.rebuild();
    try {
      await this.writeChanges();
      if (table !== null && !hasChecked) await this.rebuildIfDifferent(table);
    } catch (error) {
      if (this.isClosed) return;
      // Possible causes are a panic during a merge, a missing file or a crashed
      // process. Rebuild the table, because the database contains all its content.
      link.note(error);
      await this.rebuild();
      await this.writeChanges();
      link.trouble = null;
    }
  }

  /** Rebuilds the table if it contains more or fewer vectors than the database, for example after a copy or a restore. */
  private async rebuildIfDifferent(table: string): Promise<void> {
    const there = await this.link.vectors(table).count();
    if (this.isClosed || this.pending() > 0) return;
    const row = this.database.prepare('SELECT count(*) AS n FROM vectors WHERE length(bytes) > 0').get();
    if (there === Number(row?.['n'])) return;
    await this.rebuild();
    await this.writeChanges();
  }

  private async writeChanges(): Promise<void> {
    const { isStrict } = this.options;
    const select = `SELECT max(seq) AS seq, c.chunk AS chunk, v.bytes AS bytes FROM
      (SELECT seq, chunk FROM lance_changes ORDER BY seq LIMIT ${batchSize}) c LEFT JOIN vectors v ON v.chunk = c.chunk GROUP BY c.chunk`;
    for (;;) {
      const table = this.isClosed ? null : this.table();
      const changes = table === null ? [] : this.database.prepare(select).all();
      if (table === null || changes.length === 0) return;
      const put: VectorRow[] = [];
      const gone: number[] = [];
      for (const { chunk, bytes } of changes) {
        const isThere = bytes instanceof Uint8Array && bytes.length > 0;
        if (isThere) put.push({ id: Number(chunk), vector: Float32Array.from(new Int8Array(bytes)) });
        else gone.push(Number(chunk));
      }
      const vectors = this.link.vectors(table);
      if (gone.length > 0 && isStrict === true) {
        await this.rebuild();
        continue;
      }
      if (gone.length > 0) await vectors.remove(gone);
      await vectors.put(put);
      if (this.isClosed) return;
      const last = Math.max(...changes.map(({ seq }) => Number(seq)));
      this.database.prepare('DELETE FROM lance_changes WHERE seq <= ?').run(last);
    }
  }

  /** Creates a new table with all vectors, then removes the old tables. */
  private async rebuild(): Promise<void> {
    const { name } = this.options.tables;
    const table = `${name}-${randomBytes(4).toString('hex')}`;
    inTransaction(this.database, () => {
      this.database.exec(`${journal} DELETE FROM lance_changes;
        INSERT INTO lance_changes (chunk) SELECT chunk FROM vectors WHERE length(bytes) > 0`);
      this.database.prepare("INSERT OR REPLACE INTO meta VALUES ('lance', ?)").run(table);
    });
    await this.link.removeTables(name, table);
  }

  /** Removes all LanceDB data. */
  private async removeAll(): Promise<void> {
    inTransaction(this.database, () => {
      this.database
        .exec(`DROP TRIGGER IF EXISTS lance_put; DROP TRIGGER IF EXISTS lance_removed; DROP TABLE IF EXISTS lance_changes;
        DELETE FROM meta WHERE key = 'lance'`);
    });
    await this.options.tables.remove();
  }

  private table(): string | null {
    const value = this.database.prepare("SELECT value FROM meta WHERE key = 'lance'").get()?.['value'];
    return value === undefined ? null : String(value);
  }

  private pending(): number {
    return Number(this.database.prepare('SELECT count(*) AS n FROM lance_changes').get()?.['n']);
  }
}
