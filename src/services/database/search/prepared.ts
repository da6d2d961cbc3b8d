import type { DatabaseSync, StatementSync } from '../sqlite/sqlite';

const statements = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/** A statement of this connection, kept for the next time: of a search that finds little, preparing it is a good part. */
export function prepared(database: DatabaseSync, sql: string): StatementSync {
  const known = statements.get(database) ?? new Map<string, StatementSync>();
  statements.set(database, known);
  const statement = known.get(sql) ?? database.prepare(sql);
  known.set(sql, statement);
  return statement;
}
