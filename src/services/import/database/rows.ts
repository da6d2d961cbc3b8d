import type { Database } from 'sql.js';

export type Row = Record<string, unknown>;

/** Yields the rows one by one. Throws the errors of sql.js. */
export function* rowsOf(database: Database, sql: string, values: (string | number)[] = []): Generator<Row, void> {
  const statement = database.prepare(sql);
  try {
    statement.bind(values);
    while (statement.step()) yield statement.getAsObject();
  } finally {
    statement.free();
  }
}

/** Rows have no lines; the report names them by their number. */
export function rowNumber(row: Row): number {
  return typeof row.row_number === 'number' && row.row_number > 0 ? row.row_number : 1;
}
