import { withConnection } from '../ownConnection';
import type { DatabaseSync } from '../sqlite';
import { StorageError } from '../storageError';
import { scanSessions } from './scan';
import { hasIndex, indexSlice } from './searchIndex';
import { parseQuery, toFts } from './searchQuery';
import type { FoundSession, SearchPage, SearchRequest } from './searchResults';
import { searchedColumns, searchTextOf, type SearchedRow } from './searchText';
import { bestLine, Highlighter } from './snippet';

export interface SearchConditions {
  timeoutMs: number;
  /** How long to go on indexing before searching what there is. */
  patienceMs: number;
  fts5: boolean;
}

/** Sessions with an entry or a title that has all the words, the most recently active first. Throws `StorageError`. */
export function searchSessions(file: string, request: SearchRequest, conditions: SearchConditions): SearchPage {
  const query = parseQuery(request.query);
  const { fts5, timeoutMs } = conditions;
  if (query.words.length === 0) return { found: [], hasMore: false, isComplete: true, isIndexed: fts5 };
  const fts = fts5 ? toFts(query) : null;
  const isComplete = fts === null || bringUpToDate(file, conditions);
  return withConnection(file, timeoutMs, (database) => {
    // Signs alone (`=>`) are no words of the index.
    const rows =
      fts === null ? scanSessions(database, query, request) : hasIndex(database) ? searchIndex(database, fts, request) : [];
    return { found: rows.slice(0, request.limit), hasMore: rows.length > request.limit, isComplete, isIndexed: fts5 };
  });
}

function bringUpToDate(file: string, { timeoutMs, patienceMs }: SearchConditions): boolean {
  const until = performance.now() + patienceMs;
  try {
    for (;;) {
      if (indexSlice(file, timeoutMs)) return true;
      if (performance.now() >= until) return false;
    }
  } catch (error) {
    // A full disk or another program's lock keeps nobody from searching what is there.
    if (error instanceof StorageError && error.code !== 'corrupt') return false;
    throw error;
  }
}

/** One more than asked for tells whether there are more. */
function searchIndex(database: DatabaseSync, fts: string, { offset, limit }: SearchRequest): FoundSession[] {
  const rows = database.prepare(hitsSql).all(fts, limit + 1, offset) as unknown as Hit[];
  const highlighter = new Highlighter(fts);
  try {
    return rows.map((hit) => {
      const title = hit.isTitle === 1 ? highlighter.highlight(hit.title) : { text: hit.title, marks: [] };
      return { sessionId: hit.id, title, line: hit.seq === 0 ? null : lineOf(database, hit, highlighter) };
    });
  } finally {
    highlighter.close();
  }
}

interface Hit {
  id: string;
  title: string;
  seq: number;
  isTitle: 0 | 1;
}

/** The greatest row number of a session is its newest entry that was said, or else its newest one; the least is its title. */
const hitsSql = `
  WITH hits AS (
    SELECT rowid >> 32 AS number, max(rowid) AS best, min(rowid) AS least FROM messages_fts WHERE messages_fts MATCH ? GROUP BY 1
  )
  SELECT s.id, s.title, hits.best & 0x3fffffff AS seq, (hits.least & 0xffffffff) = 0 AS isTitle
  FROM hits JOIN search_sessions n ON n.number = hits.number JOIN sessions s ON s.id = n.session_id
  ORDER BY s.updated_at DESC, s.id DESC LIMIT ? OFFSET ?`;

function lineOf(database: DatabaseSync, hit: Hit, highlighter: Highlighter): FoundSession['line'] {
  const row = database
    .prepare(`SELECT ${searchedColumns} FROM messages WHERE session_id = ? AND seq = ?`)
    .get(hit.id, hit.seq) as SearchedRow | undefined;
  const line = row === undefined ? null : bestLine(highlighter.highlight(searchTextOf(row)));
  return line === null ? null : { ...line, seq: hit.seq };
}
