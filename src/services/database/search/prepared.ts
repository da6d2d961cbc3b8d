import type { DatabaseSync, StatementSync } from '../sqlite/sqlite';

const statements = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/** Returns a statement of this connection, kept for the next time: in a search that finds little, preparing it takes a good part. */
export function prepared(database: DatabaseSync, sql: string): StatementSync {
  const known = statements.get(database) ?? new Map<string, StatementSync>();
  statements.set(database, known);
  const statement = known.get(sql) ?? database.prepare(sql);
  known.set(sql, statement);
  return statement;
}
