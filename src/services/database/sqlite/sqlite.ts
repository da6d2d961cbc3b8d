import type { DatabaseSync, DatabaseSyncOptions, StatementSync } from 'node:sqlite';

export type { DatabaseSync, StatementSync };

/** Source of prepared statements: the host's or a worker's connection. */
export interface Statements {
  statement(sql: string): StatementSync;
}

export function createStatements(database: DatabaseSync): Statements {
  return { statement: (sql) => database.prepare(sql) };
}

/** Opens a file with `node:sqlite`. Suppresses Node 22's warning that this module is experimental, which users cannot act on. */
export function openSqlite(path: string | URL, options: DatabaseSyncOptions = {}): DatabaseSync {
  return new (sqliteModule().DatabaseSync)(path, options);
}

/**
 * Caches prepared statements by text, because compiling a statement takes as long as running it. Intended for
 * worker connections, which use few different texts. Do not run two `iterate` loops with the same text at once.
 */
export function cacheStatements(database: DatabaseSync): DatabaseSync {
  const known = new Map<string, StatementSync>();
  const prepare = database.prepare.bind(database);
  database.prepare = (text) => {
    let statement = known.get(text);
    if (statement === undefined) known.set(text, (statement = prepare(text)));
    return statement;
  };
  return database;
}

/** Copies an open database to a new file, page by page in another thread. */
export async function copyDatabase(database: DatabaseSync, file: string): Promise<void> {
  await sqliteModule().backup(database, file);
}

function sqliteModule() {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- only restored, and called with `apply`
  const emitWarning = process.emitWarning;
  process.emitWarning = ((...args: Parameters<typeof emitWarning>) => {
    const [warning] = args;
    if (!String(warning).startsWith('SQLite is an experimental feature')) emitWarning.apply(process, args);
  }) as typeof emitWarning;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
