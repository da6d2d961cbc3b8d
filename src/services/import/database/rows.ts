import type { Database } from 'sql.js';

export type Row = Record<string, unknown>;

/** Yields rows one by one. Throws sql.js errors. */
export function* readRows(database: Database, sql: string, values: (string | number)[] = []): Generator<Row, void> {
  const statement = database.prepare(sql);
  try {
    statement.bind(values);
    while (statement.step()) yield statement.getAsObject();
  } finally {
    statement.free();
  }
}

/** Returns the row number, which reports use instead of a line number. */
export function rowNumber(row: Row): number {
  return typeof row.row_number === 'number' && row.row_number > 0 ? row.row_number : 1;
}
