import type { LanceConnection, LanceField, LanceTableHandle } from './lanceModule';
import type { ForeignRow, LancePlace, NearRow } from './lanceProtocol';

/** Maximum number of tables to search per folder or address. */
const maxTables = 8;

/** Reads LanceDB tables of other applications, with any columns. Never writes to them. */
export class LanceReader {
  constructor(private readonly connection: LanceConnection) {}

  /** Returns rows in table order. Returns an empty list if the table does not exist. */
  async rows({ place, offset, limit }: { place: LancePlace; offset: number; limit: number }): Promise<ForeignRow[]> {
    if (!(await this.connection.tableNames()).includes(place.table)) return [];
    return this.withTable(place.table, async (table, { fields }) => {
      const plain = plainFields(fields);
      const rows = await table.query().select(plain).limit(limit).offset(offset).toArray();
      return rows.map((row) => plainRow(row, plain));
    });
  }

  /** Returns the nearest rows across all tables, and the tables that have vectors of this length. */
  async nearest({
    vector,
    limit,
  }: {
    vector: Float32Array;
    limit: number;
  }): Promise<{ rows: NearRow[]; tables: string[] | null }> {
    const names = (await this.connection.tableNames()).slice(0, maxTables);
    const tables: string[] = [];
    const rows: NearRow[] = [];
    for (const name of names)
      await this.withTable(name, async (table, { fields }) => {
        const column = fields.find(({ type }) => type.listSize === vector.length);
        if (column === undefined) return;
        tables.push(name);
        const plain = plainFields(fields);
        const query = table.search(vector).column(column.name).distanceType('cosine').limit(limit);
        const found = await query.select([...plain, '_distance']).toArray();
        for (const row of found) rows.push({ table: name, row: plainRow(row, plain), similarity: 1 - row._distance });
      });
    rows.sort((one, other) => other.similarity - one.similarity);
    return { rows: rows.slice(0, limit), tables: tables.length === 0 && names.length > 0 ? null : tables };
  }

  /** Opens a table for a single read, because the other application may change or drop it. */
  private async withTable<T>(
    name: string,
    read: (table: LanceTableHandle, schema: { fields: LanceField[] }) => Promise<T>,
  ): Promise<T> {
    const table = await this.connection.openTable(name);
    try {
      return await read(table, await table.schema());
    } finally {
      table.close();
    }
  }
}

function plainFields(fields: readonly LanceField[]): string[] {
  return fields
    .filter(({ type }) => /^(?:Large)?Utf8|^Int|^Uint|^Float|^Bool|^Timestamp|^Date/.test(String(type)))
    .map(({ name }) => name);
}

function plainRow(row: Record<string, unknown>, names: readonly string[]): ForeignRow {
  return Object.fromEntries(names.map((name) => [name, plain(row[name])]));
}

function plain(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return value instanceof Date ? value.getTime() : typeof value === 'bigint' || typeof value === 'boolean' ? Number(value) : null;
}
