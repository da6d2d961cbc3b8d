import { inTransaction } from '../../database/sqlite/ownConnection';
import { openSqlite, type DatabaseSync } from '../../database/sqlite/sqlite';
import { noteEmbedded } from '../engine/indexFile';

const format = '1';
const schema = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE sessions (id TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE parts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL,
    UNIQUE (session_id, seq, part));
  CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
`;

const timeoutMs = 5_000;
/** Maximum characters per part, and maximum parts per message. all-MiniLM ignores the rest of longer texts. */
const partLength = 1_200;
const maxParts = 8;

/** Opens the vector database of messages. Creates the database if it is missing or has another format. */
export function openMessages(file: string): DatabaseSync {
  const database = openSqlite(file, { timeout: timeoutMs });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
    const stored = () => {
      const isEmpty = database.prepare('SELECT count(*) AS n FROM sqlite_master').get()?.['n'] === 0;
      return isEmpty ? null : database.prepare("SELECT value FROM meta WHERE key = 'format'").get()?.['value'];
    };
    inTransaction(database, () => {
      const found = stored();
      if (found === format) return;
      if (found !== null) {
        database.exec('DROP TABLE meta; DROP TABLE sessions; DROP TABLE parts; DROP TABLE vectors');
        noteEmbedded(file, false);
      }
      database.exec(`${schema} INSERT INTO meta VALUES ('format', '${format}')`);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Splits a message into parts that a model can embed completely. Omits the end of a very long message. */
export function splitMessage(content: string): string[] {
  const text = content.trim();
  const count = Math.min(maxParts, Math.ceil(text.length / partLength));
  return Array.from({ length: count }, (_, index) => text.slice(index * partLength, (index + 1) * partLength));
}
