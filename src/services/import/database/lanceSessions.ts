import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Database, SqlJsStatic } from 'sql.js';
import { openReader } from '../../codebase/lance/port';
import { databaseFileName } from '../../database/sqlite/databaseFile';
import { ForeignDatabaseError, maxBytes, openForeign } from './foreignDatabase';
import { readRows } from './rows';

/** Columns to read. Other columns are ignored. */
const columns = {
  sessions: ['id', 'title', 'mode', 'model', 'status', 'session_memory', 'created_at', 'updated_at'],
  messages: [
    ...['id', 'session_id', 'role', 'content', 'model', 'tool_name', 'tool_input', 'tool_output', 'progress_title', 'tool_calls'],
    'timestamp',
  ],
} as const;
const pageRows = 500;

/** Name of the folder with the messages table of an earlier version. */
export const messagesTable = 'messages.lance';

/**
 * Copies sessions and messages from an earlier version's LanceDB to an in-memory database. The
 * result has the format of the earlier version with sql.js. Session data comes from the table `sessions`, or from
 * the database next to the folder. Rejects with `LanceError` if LanceDB cannot read the folder, and
 * with `ForeignDatabaseError` if the data is too large. Calls `throwIfCancelled` for each page.
 */
export async function readLanceSessions(
  folder: string,
  lancePath: string,
  sqlJs: SqlJsStatic,
  throwIfCancelled: () => void,
): Promise<Database> {
  const client = await openReader(lancePath);
  const database = new sqlJs.Database();
  try {
    for (const [table, names] of Object.entries(columns)) {
      database.run(`CREATE TABLE ${table} (${names.map((name) => (name === 'id' ? 'id PRIMARY KEY' : name)).join(', ')})`);
      let bytes = 0;
      for (let offset = 0; ; offset += pageRows) {
        throwIfCancelled();
        const answer = await client.call({ kind: 'rows', place: { folder, table }, offset, limit: pageRows });
        const rows = answer.kind === 'rows' ? answer.rows : [];
        for (const row of rows) {
          const values = names.map((name) => row[name] ?? null);
          bytes += values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0);
          if (bytes > maxBytes) throw new ForeignDatabaseError('tooLarge');
          insert(database, table, names, values);
        }
        if (rows.length < pageRows) break;
      }
    }
    addSessionsBeside(database, folder, sqlJs);
    database.run(`INSERT OR IGNORE INTO sessions (id, mode, created_at, updated_at)
      SELECT session_id, 'agent', min(timestamp), max(timestamp) FROM messages WHERE session_id IS NOT NULL GROUP BY session_id`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  } finally {
    await client.close();
  }
}

/** Adds titles and times of sessions from the database next to the folder. */
function addSessionsBeside(database: Database, folder: string, sqlJs: SqlJsStatic): void {
  const file = path.join(path.dirname(folder), databaseFileName);
  if (!existsSync(file)) return;
  let beside: Database | null = null;
  try {
    beside = openForeign(file, sqlJs).database;
    for (const row of readRows(beside, 'SELECT * FROM sessions')) {
      const values = columns.sessions.map((name) => row[name] ?? null);
      if (values.every((value) => value === null || typeof value === 'string' || typeof value === 'number'))
        insert(database, 'sessions', columns.sessions, values);
    }
  } catch {
    // The sessions of that database are also imported separately, and its problems are reported then.
  } finally {
    beside?.close();
  }
}

function insert(database: Database, table: string, names: readonly string[], values: (string | number | null)[]): void {
  database.run(`INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`, values);
}
