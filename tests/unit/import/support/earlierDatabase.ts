import type { DatabaseSync } from '../../../../src/services/database/sqlite/sqlite';

/** Schema of databases of the sql.js version. */
export const earlierSchema = `
  CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT, mode TEXT, model TEXT, status TEXT, auto_approve_commands INTEGER,
    auto_approve_sensitive_edits INTEGER, session_memory TEXT, created_at INTEGER, updated_at INTEGER);
  CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, content TEXT NOT NULL DEFAULT '', model TEXT, tool_name TEXT,
    tool_input TEXT, tool_output TEXT, progress_title TEXT, tool_calls TEXT, timestamp INTEGER);`;

/** Adds a session of seven messages. The last one has an unknown role. */
export function addEarlier(database: DatabaseSync): void {
  database.exec(
    `INSERT INTO sessions VALUES ('s1', 'Parser', 'agent', 'qwen3:8b', 'idle', 1, 1, '{}', 1700000000000, 1700000009000)`,
  );
  const insert = database.prepare(
    `INSERT INTO messages (id, session_id, role, content, model, tool_name, tool_input, tool_output, progress_title, tool_calls, timestamp)
     VALUES (?, 's1', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const calls = JSON.stringify([{ function: { name: 'read_file', arguments: { path: 'a.ts' } } }]);
  const rows: (string | null)[][] = [
    ['m1', 'user', 'Look at a.ts', null, null, null, null, null, null],
    ['m2', 'assistant', 'I will', 'qwen3:8b', null, null, null, null, calls],
    ['m3', 'tool', '', null, 'read_file', '{}', 'const a = 1;', 'Read a.ts', null],
    ['m4', 'tool', '', null, '__ui__', null, '{"files":[]}', 'filesChanged', null],
    ['m5', 'tool', 'done', null, 'run_terminal_command', '{"command":"ls"}', null, 'ls', null],
    ['m6', 'assistant', 'It is 1', 'qwen3:8b', null, null, null, null, null],
    ['m7', 'robot', 'Beep', null, null, null, null, null, null],
  ];
  rows.forEach((row, index) => insert.run(...row, 1_700_000_000_000 + index * 1000));
}
