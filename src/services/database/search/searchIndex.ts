import { inTransaction, withConnection } from '../sqlite/ownConnection';
import type { DatabaseSync } from '../sqlite/sqlite';
import { StorageError } from '../sqlite/storageError';
import { prepared } from './prepared';
import { indexed } from './scratch';
import { fieldsOf, isConversation, searchedColumns, separated, type SearchedRow } from './searchText';

/** Limits of one slice, in entries and in UTF-16 code units, so that it keeps the write lock for a moment only. */
const sliceEntries = 400;
const sliceLength = 100_000;
const slicePages = 200;
const mostParts = 4;

interface Behind {
  number: number;
  id: string;
  title: string;
  indexedTitle: string | null;
  indexed: number;
  revision: number;
}

/**
 * Brings the index a slice nearer to the log; returns whether it is up to date. What is indexed and how far it is are one
 * transaction, so that it can be cut off anywhere and several windows can do it at once. Throws `StorageError`.
 */
export function indexSlice(file: string, timeoutMs: number): boolean {
  return withConnection(file, timeoutMs, (database) => {
    // What is lost with the power is indexed again; it only has to be lost together, and is.
    database.exec('PRAGMA synchronous = NORMAL');
    if (isUpToDate(database)) return true;
    return inTransaction(database, () => {
      prepare(database);
      for (let budget = { entries: sliceEntries, length: sliceLength }; budget.entries > 0 && budget.length > 0;) {
        const behind = database.prepare(behindSql).get() as Behind | undefined;
        if (behind === undefined) return true;
        budget = indexSession(database, behind, budget);
      }
      return isUpToDate(database);
    });
  });
}

/**
 * Merges parts of the index, a slice at a time, once those beside the largest hold a good share of it: many slices leave many parts, each
 * of
 * which every search looks through. Returns whether there is more to do. Throws `StorageError`.
 */
export function mergeSlice(file: string, timeoutMs: number, isBegun: boolean): boolean {
  return withConnection(file, timeoutMs, (database) => {
    database.exec('PRAGMA synchronous = NORMAL');
    if (!hasIndex(database) || (!isBegun && !isScattered(database))) return false;
    return inTransaction(database, () => {
      const changes = () => Number(database.prepare('SELECT total_changes() AS n').get()?.['n']);
      const before = changes();
      database.prepare("INSERT INTO messages_fts (messages_fts, rank) VALUES ('merge', ?)").run(-slicePages);
      // As FTS5 tells that nothing was left to merge.
      return changes() - before >= 2;
    });
  });
}

function isScattered(database: DatabaseSync): boolean {
  const sizes = database
    .prepare('SELECT count(*) AS pages FROM messages_fts_idx GROUP BY segid ORDER BY pages DESC')
    .all()
    .map(({ pages }) => Number(pages));
  const [largest = 0, ...others] = sizes;
  return sizes.length > mostParts && others.reduce((sum, pages) => sum + pages, 0) > largest / 4;
}

/** Takes a session out of the index, inside the caller's transaction. */
export function forgetSession(database: DatabaseSync, sessionId: string): void {
  const row = database.prepare('SELECT number FROM search_sessions WHERE session_id = ?').get(sessionId);
  if (row === undefined) return;
  const number = Number(row['number']);
  if (hasIndex(database)) {
    database.prepare('DELETE FROM messages_fts WHERE rowid >= (? << 32) AND rowid < (? << 32)').run(number, number + 1);
  }
  database.prepare('DELETE FROM search_sessions WHERE number = ?').run(number);
}

/** Tells whether there is an index; false also for that of an earlier version, which had the text alone: it is made again. */
export function hasIndex(database: DatabaseSync): boolean {
  return prepared(database, "SELECT 1 FROM pragma_table_info('messages_fts') WHERE name = 'file'").get() !== undefined;
}

/** Throws the index away, to be made again from the log. Throws `StorageError`. */
export function dropIndex(file: string, timeoutMs: number): void {
  withConnection(file, timeoutMs, (database) => inTransaction(database, () => drop(database)));
}

function drop(database: DatabaseSync): void {
  database.exec('DROP TABLE IF EXISTS messages_fts; UPDATE search_sessions SET title = NULL, revision = 0');
}

/** The most recently active sessions come first: they are what is looked for first. */
const behindSql = `
  SELECT n.number, s.id, s.title, n.title AS indexedTitle, n.revision AS indexed, s.revision
  FROM search_sessions n JOIN sessions s ON s.id = n.session_id
  WHERE n.revision < s.revision OR n.title IS NOT s.title
  ORDER BY s.updated_at DESC LIMIT 1`;

const missingSql = 'SELECT id FROM sessions WHERE id NOT IN (SELECT session_id FROM search_sessions)';
const goneSql = 'SELECT session_id FROM search_sessions WHERE session_id NOT IN (SELECT id FROM sessions)';

/** Tells whether the index holds everything that is in the log. */
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
  for (const { session_id: id } of database.prepare(goneSql).all()) forgetSession(database, String(id));
  database.exec(`INSERT INTO search_sessions (session_id) ${missingSql}`);
}

const nothing = { text: '', tool: '', file: '' };

function indexSession(database: DatabaseSync, behind: Behind, budget: { entries: number; length: number }) {
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
    // An open entry takes a later revision when it closes.
    const { text, tool, file } = row.is_open === 1 ? nothing : fieldsOf(row);
    length -= text.length + 100;
    if (text + tool + file !== '')
      put.run(behind.number, isConversation(row.type) ? 2 : 1, row.seq, ...[text, tool, file].map(separated));
    if (entries <= 0 || length <= 0) break;
  }
  const isWhole = entries > 0 && length > 0 && count < sliceEntries;
  const { changes } = database
    // The title is taken as it stands, never as it was read: reading may cut it (at a NUL, by older editors), and it would stay behind for ever.
    .prepare(
      `UPDATE search_sessions SET title = (SELECT title FROM sessions WHERE id = session_id), revision = ? WHERE number = ?`,
    )
    .run(isWhole ? behind.revision : reached, behind.number);
  if (Number(changes) !== 1) throw new StorageError('io', `The index lost session ${behind.id}`);
  return { entries, length };
}
