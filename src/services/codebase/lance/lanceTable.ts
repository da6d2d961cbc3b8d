import { setTimeout } from 'node:timers/promises';
import type { LanceConnection, LanceModule, LanceRow, LanceTableHandle } from './lanceModule';

/** Minimum number of vectors for an index. Scanning fewer vectors is fast. */
const minIndexedVectors = 20_000;
/** Number of index partitions that a query searches. */
const partitionsPerQuery = 20;
/** Number of writes after which files are compacted and old versions removed. */
const writesBeforeTidy = 20;
/** Milliseconds during which another window may still read an old version. */
const keepOldVersionsMs = 60_000;

/** Error for vectors whose length differs from the table's. */
export class LanceDimensionError extends Error {}

/**
 * Reads and writes one LanceDB table with the columns `id` and `vector`. Other processes may also write to the table or drop it.
 */
export class LanceTable {
  private handle: LanceTableHandle | null = null;
  private dimension = 0;
  private writes = 0;

  constructor(
    private readonly module: Pick<LanceModule, 'Index'>,
    private readonly connection: LanceConnection,
    private readonly name: string,
  ) {}

  async put(rows: readonly LanceRow[]): Promise<void> {
    const first = rows[0];
    if (first === undefined) return;
    const handle = await this.opened();
    if (handle === null) {
      this.handle = await this.connection.createTable(this.name, [...rows]);
      this.dimension = first.vector.length;
      return;
    }
    for (const { vector } of rows) this.check(vector);
    const isKnown = (await handle.countRows(among(rows.map(({ id }) => id)))) > 0;
    if (!isKnown) await handle.add([...rows]);
    else
      await handle
        .mergeInsert('id')
        .whenMatchedUpdateAll()
        .whenNotMatchedInsertAll()
        .execute([...rows]);
    await this.written();
  }

  async remove(ids: readonly number[]): Promise<void> {
    const handle = await this.opened();
    if (handle === null || ids.length === 0) return;
    await handle.delete(among(ids));
    await this.written();
  }

  async nearest(vector: Float32Array, limit: number): Promise<{ id: number; similarity: number }[]> {
    return this.retryOnce(async () => {
      const handle = await this.opened();
      if (handle === null) return [];
      this.check(vector);
      const query = handle
        .search(vector)
        .distanceType('cosine')
        .nprobes(partitionsPerQuery)
        .limit(limit)
        .select(['id', '_distance']);
      return (await query.toArray()).map(({ id, _distance }) => ({ id: Number(id), similarity: 1 - _distance }));
    });
  }

  async count(): Promise<number> {
    return this.retryOnce(async () => (await this.opened())?.countRows() ?? 0);
  }

  async clear(): Promise<void> {
    this.forget();
    if ((await this.connection.tableNames()).includes(this.name)) await this.connection.dropTable(this.name);
  }

  async tidy(): Promise<void> {
    this.writes = 0;
    const handle = await this.opened();
    if (handle === null) return;
    const count = await handle.countRows();
    if (count >= minIndexedVectors && (await handle.listIndices()).length === 0) {
      const options = { distanceType: 'cosine', numPartitions: Math.round(Math.sqrt(count)) };
      await handle.createIndex('vector', { config: this.module.Index.ivfFlat(options), replace: true });
    }
    // Writes are serialized only in this process. After this time, files that belong to no version are leftovers.
    await handle.optimize({ cleanupOlderThan: new Date(Date.now() - keepOldVersionsMs), deleteUnverified: true });
  }

  private async written(): Promise<void> {
    this.writes += 1;
    if (this.writes >= writesBeforeTidy) await this.tidy();
  }

  private check(vector: Float32Array): void {
    if (vector.length !== this.dimension)
      throw new LanceDimensionError(`A vector has ${vector.length} values and not ${this.dimension}`);
  }

  /** Runs `work`. After a failure, opens the table again and retries once, because another process may have dropped the table. */
  private async retryOnce<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof LanceDimensionError) throw error;
      this.forget();
      await setTimeout(20);
      return work();
    }
  }

  private forget(): void {
    this.handle?.close();
    this.handle = null;
  }

  private async opened(): Promise<LanceTableHandle | null> {
    if (this.handle !== null) return this.handle;
    if (!(await this.connection.tableNames()).includes(this.name)) return null;
    const handle = await this.connection.openTable(this.name);
    const field = (await handle.schema()).fields.find(({ name }) => name === 'vector');
    this.dimension = field?.type.listSize ?? 0;
    this.handle = handle;
    return handle;
  }
}

function among(ids: readonly number[]): string {
  return `id IN (${ids.join(', ')})`;
}
