import type { DatabaseSync, StatementSync } from '../sqlite/sqlite';

const statements = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/** Returns a cached statement of this connection, because preparing it takes a large part of the time of a fast search. */
export function prepared(database: DatabaseSync, sql: string): StatementSync {
  const known = statements.get(database) ?? new Map<string, StatementSync>();
  statements.set(database, known);
  const statement = known.get(sql) ?? database.prepare(sql);
  known.set(sql, statement);
  return statement;
}
