import { withConnection } from '../ownConnection';
import type { DatabaseSync } from '../sqlite';
import { StorageError } from '../storageError';
import { entryHits } from './entryHits';
import { toFts, type FtsQuery } from './ftsQuery';
import { scanEntries, scanSessions } from './scan';
import { hasIndex, indexSlice } from './searchIndex';
import { parseQuery, type SearchQuery } from './searchQuery';
import type { EntrySearchPage, EntrySearchRequest, FoundEntry, FoundSession, SearchPage, SearchRequest } from './searchResults';
import { fieldsOf, searchedColumns, type MarkedText, type SearchedRow } from './searchText';
import { sessionHits } from './sessionHits';
import { Highlighter, lineOf } from './snippet';
import { rangesOf } from './timeRange';

export interface SearchConditions {
  timeoutMs: number;
  /** How long to go on indexing before searching what there is. */
  patienceMs: number;
  fts5: boolean;
  /** The index may not be brought up to date. */
  readOnly?: boolean;
}

/** Sessions with an entry or a title that matches, the best or the most recently active first. Throws `StorageError`. */
export function searchSessions(file: string, request: SearchRequest, conditions: SearchConditions): SearchPage {
  return search<FoundSession>(file, request, conditions, {
    scan: (database, query) => scanSessions(database, query, request),
    find: (database, query, fts) => {
      const hits = sessionHits(database, fts, rangesOf(database, query), request);
      return highlighting(fts, (highlighter) =>
        hits.map((hit) => {
          const title = hit.isTitle ? highlighter.highlight({ text: hit.title, tool: '', file: '' }) : plain(hit.title);
          const line = hit.seq === 0 ? null : entryLine(database, hit, highlighter);
          return { sessionId: hit.id, title, line: line && { ...line, seq: hit.seq } };
        }),
      );
    },
  });
}

/** Entries that match, the best or the newest first. Throws `StorageError`. */
export function searchEntries(file: string, request: EntrySearchRequest, conditions: SearchConditions): EntrySearchPage {
  return search<FoundEntry>(file, request, conditions, {
    scan: (database, query) => scanEntries(database, query, request),
    find: (database, query, fts) => {
      const hits = entryHits(database, fts, rangesOf(database, query), request);
      return highlighting(fts, (highlighter) =>
        hits.map(({ id, seq }) => ({
          sessionId: id,
          seq,
          line: entryLine(database, { id, seq }, highlighter) ?? plain(''),
        })),
      );
    },
  });
}

interface Ways<T> {
  scan(database: DatabaseSync, query: SearchQuery): T[];
  find(database: DatabaseSync, query: SearchQuery, fts: FtsQuery): T[];
}

/** Either way finds one more than asked for where there are more. */
function search<T>(file: string, request: SearchRequest, conditions: SearchConditions, ways: Ways<T>) {
  const query = parseQuery(request.query);
  const { fts5, timeoutMs, readOnly = false } = conditions;
  const isEmpty = query.terms.length === 0 && query.after === null && query.before === null;
  if (isEmpty) return { found: [], hasMore: false, isComplete: true, isIndexed: fts5 };
  // Signs alone (`=>`) are no words of the index.
  const fts = fts5 ? toFts(query) : null;
  // Without being written to, an index that is not there cannot be made.
  const isComplete = fts === null || readOnly || bringUpToDate(file, conditions);
  return withConnection(
    file,
    timeoutMs,
    (database) => {
      const isScanned = fts === null || (readOnly && !hasIndex(database));
      const rows = isScanned ? ways.scan(database, query) : hasIndex(database) ? ways.find(database, query, fts) : [];
      return { found: rows.slice(0, request.limit), hasMore: rows.length > request.limit, isComplete, isIndexed: fts5 };
    },
    { readOnly },
  );
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

function highlighting<T>({ match }: FtsQuery, work: (highlighter: Highlighter) => T): T {
  const highlighter = new Highlighter(match);
  try {
    return work(highlighter);
  } finally {
    highlighter.close();
  }
}

function entryLine(database: DatabaseSync, { id, seq }: { id: string; seq: number }, highlighter: Highlighter) {
  const row = database.prepare(`SELECT ${searchedColumns} FROM messages WHERE session_id = ? AND seq = ?`).get(id, seq) as
    SearchedRow | undefined;
  return row === undefined ? null : lineOf(highlighter.highlight(fieldsOf(row)));
}

function plain(text: string): MarkedText {
  return { text, marks: [] };
}
