import type { DatabaseSync, DatabaseSyncOptions, StatementSync } from 'node:sqlite';

export type { DatabaseSync, StatementSync };

/** Source of prepared statements: the host's connection, or that of a worker. */
export interface Statements {
  statement(sql: string): StatementSync;
}

export function statementsOf(database: DatabaseSync): Statements {
  return { statement: (sql) => database.prepare(sql) };
}

/**
 * Opens a file with `node:sqlite`. Node 22 announces on first use that the module is experimental; a person who started an
 * editor cannot act on that, so this one warning is left out. Every other warning passes.
 */
export function openSqlite(path: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  return new (sqliteModule().DatabaseSync)(path, options);
}

/**
 * Compiles each text once, which costs as much as running it: for a connection of a worker, whose texts are few. Two `iterate` of the same
 * text at a time are one too many.
 */
export function keepStatements(database: DatabaseSync): DatabaseSync {
  const known = new Map<string, StatementSync>();
  const prepare = database.prepare.bind(database);
  database.prepare = (text) => {
    let statement = known.get(text);
    if (statement === undefined) known.set(text, (statement = prepare(text)));
    return statement;
  };
  return database;
}

/** Copies an open database into a new file, page by page on another thread. */
export async function copyDatabase(database: DatabaseSync, file: string): Promise<void> {
  await sqliteModule().backup(database, file);
}

function sqliteModule() {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- only put back, and called with `apply`
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
