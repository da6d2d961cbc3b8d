import { inTransaction, withConnection } from '../sqlite/ownConnection';
import type { DatabaseSync } from '../sqlite/sqlite';
import { StorageError } from '../sqlite/storageError';
import { prepared } from './prepared';
import { indexed } from './scratch';
import { splitFields, isConversation, searchedColumns, separated, type SearchedRow } from './searchText';

/** Maximum entries and UTF-16 code units per slice, so that a slice holds the write lock only briefly. */
const sliceEntries = 400;
const sliceLength = 100_000;
const slicePages = 200;
const mostParts = 4;

interface OutdatedSession {
  number: number;
  id: string;
  title: string;
  indexedTitle: string | null;
  indexed: number;
  revision: number;
}

/**
 * Indexes the next slice of the log. Returns true if the index is up to date. Writes text and progress in
 * one transaction, so that indexing can stop at any time and run in several windows. Throws `StorageError`.
 */
export function indexSlice(file: string, timeoutMs: number): boolean {
  return withConnection(file, timeoutMs, (database) => {
    // After a power failure, lost slices are indexed again. This is safe, because a transaction is always lost as a whole.
    database.exec('PRAGMA synchronous = NORMAL');
    if (isUpToDate(database)) return true;
    return inTransaction(database, () => {
      prepare(database);
      for (let budget = { entries: sliceEntries, length: sliceLength }; budget.entries > 0 && budget.length > 0;) {
        const behind = database.prepare(behindSql).get() as OutdatedSession | undefined;
        if (behind === undefined) return true;
        budget = indexSession(database, behind, budget);
      }
      return isUpToDate(database);
    });
  });
}

/**
 * Merges parts of the index in slices if the smaller parts have become a large share of it, because
 * every search reads every part. Returns true if there is more to do. Throws `StorageError`.
 */
export function mergeSlice(file: string, timeoutMs: number, isBegun: boolean): boolean {
  return withConnection(file, timeoutMs, (database) => {
    database.exec('PRAGMA synchronous = NORMAL');
    if (!hasIndex(database) || (!isBegun && !needsMerge(database))) return false;
    return inTransaction(database, () => {
      const changes = () => Number(database.prepare('SELECT total_changes() AS n').get()?.['n']);
      const before = changes();
      database.prepare("INSERT INTO messages_fts (messages_fts, rank) VALUES ('merge', ?)").run(-slicePages);
      // According to the FTS5 documentation, fewer than two changes mean that there was nothing left to merge.
      return changes() - before >= 2;
    });
  });
}

function needsMerge(database: DatabaseSync): boolean {
  const sizes = database
    .prepare('SELECT count(*) AS pages FROM messages_fts_idx GROUP BY segid ORDER BY pages DESC')
    .all()
    .map(({ pages }) => Number(pages));
  const [largest = 0, ...others] = sizes;
  return sizes.length > mostParts && others.reduce((sum, pages) => sum + pages, 0) > largest / 4;
}

/** Removes a session from the index. Call this inside a transaction. */
export function removeFromIndex(database: DatabaseSync, sessionId: string): void {
  const row = database.prepare('SELECT number FROM search_sessions WHERE session_id = ?').get(sessionId);
  if (row === undefined) return;
  const number = Number(row['number']);
  if (hasIndex(database)) {
    database.prepare('DELETE FROM messages_fts WHERE rowid >= (? << 32) AND rowid < (? << 32)').run(number, number + 1);
  }
  database.prepare('DELETE FROM search_sessions WHERE number = ?').run(number);
}

/** Returns true if the current index exists. An index of an earlier version contains only the text and is rebuilt. */
export function hasIndex(database: DatabaseSync): boolean {
  return prepared(database, "SELECT 1 FROM pragma_table_info('messages_fts') WHERE name = 'file'").get() !== undefined;
}

/** Deletes the index, which is then rebuilt from the log. Throws `StorageError`. */
export function dropIndex(file: string, timeoutMs: number): void {
  withConnection(file, timeoutMs, (database) => inTransaction(database, () => drop(database)));
}

function drop(database: DatabaseSync): void {
  database.exec('DROP TABLE IF EXISTS messages_fts; UPDATE search_sessions SET title = NULL, revision = 0');
}

/** Selects sessions with missing entries. Recently active sessions come first, because users usually search for them. */
const behindSql = `
  SELECT n.number, s.id, s.title, n.title AS indexedTitle, n.revision AS indexed, s.revision
  FROM search_sessions n JOIN sessions s ON s.id = n.session_id
  WHERE n.revision < s.revision OR n.title IS NOT s.title
  ORDER BY s.updated_at DESC LIMIT 1`;

const missingSql = 'SELECT id FROM sessions WHERE id NOT IN (SELECT session_id FROM search_sessions)';
const goneSql = 'SELECT session_id FROM search_sessions WHERE session_id NOT IN (SELECT id FROM sessions)';

/** Returns true if the index is complete. */
export function isUpToDate(database: DatabaseSync): boolean {
  return [behindSql, missingSql, goneSql].every((sql) => prepared(database, sql).get() === undefined) && hasIndex(database);
}

function prepare(database: DatabaseSync): void {
  if (!hasIndex(database)) {
    drop(database);
    database.exec(
      `CREATE VIRTUAL TABLE messages_fts USING fts5 (${indexed}, content = '', contentless_delete = 1, prefix = '2')`,
    );
  }
  for (const { session_id: id } of database.prepare(goneSql).all()) removeFromIndex(database, String(id));
  database.exec(`INSERT INTO search_sessions (session_id) ${missingSql}`);
}

const nothing = { text: '', tool: '', file: '' };

function indexSession(database: DatabaseSync, behind: OutdatedSession, budget: { entries: number; length: number }) {
  let { entries, length } = budget;
  const put = database.prepare(
    `INSERT OR REPLACE INTO messages_fts (rowid, text, tool, file)
     VALUES ((? << 32) | (? << 30) | CAST(? AS INTEGER), ?, ?, ?)`,
  );
  if (behind.title !== behind.indexedTitle) put.run(behind.number, 0, 0, separated(behind.title), '', '');
  let reached = behind.revision;
  const rows = database
    .prepare(
      `SELECT ${searchedColumns}, is_open FROM messages WHERE session_id = ? AND revision > ? ORDER BY revision LIMIT ${sliceEntries}`,
    )
    .iterate(behind.id, behind.indexed);
  let count = 0;
  for (const item of rows) {
    const row = item as SearchedRow & { is_open: 0 | 1 };
    count += 1;
    entries -= 1;
    reached = row.revision;
    // Index nothing for an open entry, because it gets a later revision when it closes.
    const { text, tool, file } = row.is_open === 1 ? nothing : splitFields(row);
    length -= text.length + 100;
    if (text + tool + file !== '')
      put.run(behind.number, isConversation(row.type) ? 2 : 1, row.seq, ...[text, tool, file].map(separated));
    if (entries <= 0 || length <= 0) break;
  }
  const isWhole = entries > 0 && length > 0 && count < sliceEntries;
  const { changes } = database
    // Copy the title in SQL. A title from an old version may contain a NUL. Reading would truncate the title there, so that it
    // would never match.
    .prepare(
      `UPDATE search_sessions SET title = (SELECT title FROM sessions WHERE id = session_id), revision = ? WHERE number = ?`,
    )
    .run(isWhole ? behind.revision : reached, behind.number);
  if (Number(changes) !== 1) throw new StorageError('io', `The index lost session ${behind.id}`);
  return { entries, length };
}
