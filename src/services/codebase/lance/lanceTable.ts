import { setTimeout } from 'node:timers/promises';
import type { LanceConnection, LanceModule, LanceRow, LanceTableHandle } from './lanceModule';

/** Vectors from which on an index is built; a scan of fewer is soon done. */
const indexedFrom = 20_000;
/** Parts of the index that a query looks at. */
const probed = 20;
/** Writes after which small files are joined and old versions removed. */
const tidyAfter = 20;
/** Milliseconds that another window may still read a version which is no longer the newest. */
const readableMs = 60_000;

/** Says that vectors have another length than those of the table. */
export class LanceDimensionError extends Error {}

/** Reads and writes one table of LanceDB: `id` and `vector`. Other processes may write it too, and drop it. */
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
    return this.again(async () => {
      const handle = await this.opened();
      if (handle === null) return [];
      this.check(vector);
      const query = handle.search(vector).distanceType('cosine').nprobes(probed).limit(limit).select(['id', '_distance']);
      return (await query.toArray()).map(({ id, _distance }) => ({ id: Number(id), similarity: 1 - _distance }));
    });
  }

  async count(): Promise<number> {
    return this.again(async () => (await this.opened())?.countRows() ?? 0);
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
    if (count >= indexedFrom && (await handle.listIndices()).length === 0) {
      const options = { distanceType: 'cosine', numPartitions: Math.round(Math.sqrt(count)) };
      await handle.createIndex('vector', { config: this.module.Index.ivfFlat(options), replace: true });
    }
    // Only this process writes, one thing after the other: what belongs to no version is left over.
    await handle.optimize({ cleanupOlderThan: new Date(Date.now() - readableMs), deleteUnverified: true });
  }

  private async written(): Promise<void> {
    this.writes += 1;
    if (this.writes >= tidyAfter) await this.tidy();
  }

  private check(vector: Float32Array): void {
    if (vector.length !== this.dimension)
      throw new LanceDimensionError(`A vector has ${vector.length} values and not ${this.dimension}`);
  }

  /** Works once more on a table that is opened anew, since another process may have dropped it. */
  private async again<T>(work: () => Promise<T>): Promise<T> {
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
