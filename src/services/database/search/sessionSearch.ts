import { holdsKey } from '../../../utils/sensitivity/keyShapes';
import type { DatabaseSync } from '../sqlite/sqlite';
import { StorageError } from '../sqlite/storageError';
import { entryHits } from './entryHits';
import { toFts, type FtsQuery } from './ftsQuery';
import { scanEntries, scanSessions } from './scan';
import { prepared } from './prepared';
import { hasIndex, indexSlice } from './searchIndex';
import { SearchReader } from './searchReader';
import { parseQuery, withoutExclusions, type SearchQuery } from './searchQuery';
import type { EntrySearchPage, EntrySearchRequest, FoundEntry, SessionMatch, SearchPage, SearchRequest } from './searchResults';
import { splitFields, searchedColumns, type MatchedText, type SearchedRow } from './searchText';
import { sessionHits } from './sessionHits';
import { highlightLine, pickLine } from './snippet';
import { findRanges } from './timeRange';

export interface SearchConditions {
  timeoutMs: number;
  /** Milliseconds to spend on indexing before the search. */
  patienceMs: number;
  fts5: boolean;
  /** True if the index must not be updated. */
  readOnly?: boolean;
  /** Reader of the same file that is already open. */
  reader?: SearchReader;
}

/**
 * Finds sessions with a matching entry or title, by relevance or last activity. If nothing is found, also searches
 * for the excluded words, because the options of a pasted command look like exclusions. Throws `StorageError`.
 */
export function searchSessions(file: string, request: SearchRequest, conditions: SearchConditions): SearchPage {
  const query = parseQuery(request.query);
  const page = searchParsed(file, query, request, conditions);
  const asText = page.found.length === 0 && request.offset === 0 ? withoutExclusions(query) : null;
  if (asText === null) return page;
  const other = searchParsed(file, asText, request, conditions);
  return other.found.length === 0 ? page : { ...other, hasMore: false, isAsText: true };
}

function searchParsed(file: string, parsed: SearchQuery, request: SearchRequest, conditions: SearchConditions): SearchPage {
  return search<SessionMatch>(file, parsed, request, conditions, {
    scan: (database, query) => scanSessions(database, query, request),
    find: (database, query, fts) => {
      const hits = sessionHits(database, fts, findRanges(database, query), request);
      const titled = hits.filter(({ isTitle }) => isTitle);
      const titles = highlightLine(
        fts.match,
        titled.map(({ title }) => ({ ...nothing, text: title })),
      );
      const lines = findLines(database, hits, fts);
      return hits.map((hit, index) => {
        const line = lines[index] ?? null;
        const title = titles[titled.indexOf(hit)] ?? plain(hit.title);
        return { sessionId: hit.id, title, line: line && { ...line, seq: hit.seq } };
      });
    },
  });
}

/** Finds matching entries, by relevance or newest first. Throws `StorageError`. */
export function searchEntries(file: string, request: EntrySearchRequest, conditions: SearchConditions): EntrySearchPage {
  return search<FoundEntry>(file, parseQuery(request.query), request, conditions, {
    scan: (database, query) => scanEntries(database, query, request),
    find: (database, query, fts) => {
      const hits = entryHits(database, fts, findRanges(database, query), request);
      const lines = findLines(database, hits, fts, request.scope !== undefined);
      return hits.flatMap(({ id, seq, rank }, index) => {
        const line = lines[index] ?? null;
        return line === null ? [] : [{ sessionId: id, seq, line, ...(rank !== null && { rank }) }];
      });
    },
  });
}

interface SearchMethods<T> {
  scan(database: DatabaseSync, query: SearchQuery): T[];
  find(database: DatabaseSync, query: SearchQuery, fts: FtsQuery): T[];
}

/** Searches the index, or scans the log. Either way, returns one extra result if there are more. */
function search<T>(
  file: string,
  query: SearchQuery,
  request: SearchRequest,
  conditions: SearchConditions,
  methods: SearchMethods<T>,
) {
  const { fts5, timeoutMs, readOnly = false } = conditions;
  const isEmpty = query.terms.length === 0 && query.after === null && query.before === null;
  if (isEmpty) return { found: [], hasMore: false, isComplete: true, isIndexed: fts5 };
  // Symbols that contain no words, such as `=>`, are not indexed.
  const fts = fts5 ? toFts(query) : null;
  const reader = conditions.reader ?? new SearchReader(file, timeoutMs);
  try {
    // A missing index cannot be created in a read-only database.
    const isComplete = fts === null || readOnly || reader.isIndexCurrent() || bringUpToDate(file, conditions);
    return reader.read((database) => {
      const isScanned = fts === null || (readOnly && !hasIndex(database));
      const rows = isScanned ? methods.scan(database, query) : hasIndex(database) ? methods.find(database, query, fts) : [];
      return { found: rows.slice(0, request.limit), hasMore: rows.length > request.limit, isComplete, isIndexed: fts5 };
    });
  } finally {
    if (conditions.reader === undefined) reader.close();
  }
}

function bringUpToDate(file: string, { timeoutMs, patienceMs }: SearchConditions): boolean {
  const until = performance.now() + patienceMs;
  try {
    for (;;) {
      if (indexSlice(file, timeoutMs)) return true;
      if (performance.now() >= until) return false;
    }
  } catch (error) {
    // A full disk or a lock must not prevent searching the entries that are already indexed.
    if (error instanceof StorageError && error.code !== 'corrupt') return false;
    throw error;
  }
}

/**
 * Returns the line to show for each entry, or null if the entry is missing. In
 * a search by the model, the line is also null if the entry may contain a key.
 */
function findLines(
  database: DatabaseSync,
  hits: readonly { id: string; seq: number }[],
  { match }: FtsQuery,
  isForModel = false,
) {
  const select = prepared(database, `SELECT ${searchedColumns} FROM messages WHERE session_id = ? AND seq = ?`);
  const rows = hits.map(({ id, seq }) => (seq === 0 ? undefined : (select.get(id, seq) as SearchedRow | undefined)));
  const fields = rows.map((row) => {
    const read = row === undefined ? null : splitFields(row);
    return read !== null && isForModel && holdsKey(read.text) ? null : read;
  });
  const marked = highlightLine(
    match,
    fields.map((one) => one ?? nothing),
  );
  return fields.map((one, index) => (one === null ? null : pickLine(marked[index] ?? plain(''))));
}

const nothing = { text: '', tool: '', file: '' };

function plain(text: string): MatchedText {
  return { text, marks: [] };
}
