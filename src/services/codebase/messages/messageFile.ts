import { inTransaction } from '../../database/sqlite/ownConnection';
import { openSqlite, type DatabaseSync } from '../../database/sqlite/sqlite';

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
/** Characters of a part, and parts of a message: all-MiniLM reads no more than so much at once. */
const partLength = 1_200;
const mostParts = 8;

/** Opens the vectors of what was said; makes them where there are none or they have another format. */
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
      if (found !== null) database.exec('DROP TABLE meta; DROP TABLE sessions; DROP TABLE parts; DROP TABLE vectors');
      database.exec(`${schema} INSERT INTO meta VALUES ('format', '${format}')`);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Cuts a message into parts of which a model reads each whole; what is far down in a very long one is left out. */
export function partsOf(content: string): string[] {
  const text = content.trim();
  const count = Math.min(mostParts, Math.ceil(text.length / partLength));
  return Array.from({ length: count }, (_, index) => text.slice(index * partLength, (index + 1) * partLength));
}
