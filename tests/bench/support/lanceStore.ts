import { createRequire } from 'node:module';
import path from 'node:path';

interface Table {
  add(rows: unknown[]): Promise<unknown>;
  search(vector: Float32Array): Query;
  createIndex(column: string, options: unknown): Promise<void>;
}
interface Query {
  distanceType(name: string): Query;
  nprobes(count: number): Query;
  refineFactor(factor: number): Query;
  limit(count: number): Query;
  select(columns: string[]): Query;
  toArray(): Promise<{ id: number | bigint }[]>;
}
interface Module {
  connect(
    folder: string,
  ): Promise<{ createTable(name: string, rows: unknown[]): Promise<Table>; openTable(name: string): Promise<Table> }>;
  Index: { ivfPq(options: Record<string, unknown>): unknown };
}

/** Vectors in LanceDB, as it is used alone. The module is no dependency: it is loaded from a folder where it was installed. */
export class LanceStore {
  private constructor(
    private readonly module: Module,
    private table: Table | null,
    private readonly folder: string,
    private readonly dimension: number,
  ) {}

  /** `installed` is a folder in whose `node_modules` the module is. */
  static open(installed: string, folder: string, dimension: number): LanceStore {
    const load = createRequire(path.join(path.resolve(installed), 'package.json'));
    return new LanceStore(load('@lancedb/lancedb') as Module, null, folder, dimension);
  }

  async add(rows: { id: number; vector: Float32Array }[]): Promise<void> {
    if (this.table === null) this.table = await (await this.module.connect(this.folder)).createTable('vectors', rows);
    else await this.table.add(rows);
  }

  async reopen(): Promise<void> {
    this.table = await (await this.module.connect(this.folder)).openTable('vectors');
  }

  /** Builds the index that LanceDB recommends for so many vectors. */
  async index(count: number): Promise<void> {
    const config = this.module.Index.ivfPq({
      ...{ distanceType: 'cosine', numPartitions: Math.round(Math.sqrt(count)), numSubVectors: this.dimension / 16 },
    });
    await this.table?.createIndex('vector', { config });
  }

  async nearest(vector: Float32Array, limit: number, isIndexed: boolean): Promise<number[]> {
    if (this.table === null) return [];
    let query = this.table.search(vector).distanceType('cosine').limit(limit).select(['id']);
    if (isIndexed) query = query.nprobes(20).refineFactor(10);
    return (await query.toArray()).map(({ id }) => Number(id));
  }
}
