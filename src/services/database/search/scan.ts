import type { DatabaseSync } from '../sqlite/sqlite';
import { holdsKey } from '../../../utils/sensitivity/keyShapes';
import { scopeCondition } from './projectScope';
import type { SearchQuery, SearchTerm } from './searchQuery';
import type { EntrySearchRequest, FoundEntry, SessionMatch, SearchRequest } from './searchResults';
import {
  splitFields,
  searchedColumns,
  wordStart,
  type MatchedText,
  type SearchedFields,
  type SearchedRow,
  type TextRange,
} from './searchText';
import { pickLine } from './snippet';

/** Searches without an index. Reads sessions, newest first, until there are enough results, which are not ranked. */
export function scanSessions(database: DatabaseSync, query: SearchQuery, { offset, limit }: SearchRequest): SessionMatch[] {
  const matcher = new Matcher(query);
  const found: SessionMatch[] = [];
  const sessions = database.prepare('SELECT id, title FROM sessions ORDER BY updated_at DESC, id DESC').all();
  for (const session of sessions) {
    const id = String(session['id']);
    const title = matcher.markMatches({ text: String(session['title']), tool: '', file: '' });
    const line = findBestLine(database, id, matcher);
    if (line === 'excluded' || matcher.isExcluded({ text: title.text, tool: '', file: '' })) continue;
    if (line === null && title.marks.length === 0) continue;
    const shown = line !== null && matcher.hasWords ? line : null;
    found.push({ sessionId: id, title, line: shown });
    if (found.length > offset + limit) break;
  }
  return found.slice(offset);
}

/** Finds entries in the same way as `scanSessions` finds sessions. */
export function scanEntries(database: DatabaseSync, query: SearchQuery, request: EntrySearchRequest): FoundEntry[] {
  const { sessionId, scope, offset, limit } = request;
  const { condition, values } = scope === undefined ? { condition: 'TRUE', values: {} } : scopeCondition(scope);
  const matcher = new Matcher(query);
  const found: FoundEntry[] = [];
  const ids =
    sessionId === null
      ? database.prepare(`SELECT id FROM sessions s WHERE ${condition} ORDER BY updated_at DESC, id DESC`).all(values)
      : [{ id: sessionId }];
  for (const { id } of ids) {
    for (const row of readEntries(database, String(id))) {
      const fields = splitFields(row);
      if (fields.text === '' || matcher.isExcluded(fields) || !matcher.isInTime(row.timestamp) || !matcher.has(fields)) continue;
      if (scope !== undefined && holdsKey(fields.text)) continue;
      found.push({ sessionId: String(id), seq: row.seq, line: pickLine(matcher.markMatches(fields)) });
      if (found.length > offset + limit) return found.slice(offset);
    }
  }
  return found.slice(offset);
}

type TimedRow = SearchedRow & { timestamp: number };

function* readEntries(database: DatabaseSync, sessionId: string): Generator<TimedRow> {
  const rows = database
    .prepare(`SELECT ${searchedColumns}, timestamp FROM messages WHERE session_id = ? AND is_open = 0 ORDER BY seq DESC`)
    .iterate(sessionId);
  for (const row of rows) yield row as TimedRow;
}

/** Returns a line of the newest matching entry. If the query excludes terms, reads all entries. */
function findBestLine(database: DatabaseSync, sessionId: string, matcher: Matcher): SessionMatch['line'] | 'excluded' {
  let line: SessionMatch['line'] = null;
  for (const row of readEntries(database, sessionId)) {
    const fields = splitFields(row);
    if (matcher.isExcluded(fields)) return 'excluded';
    if (line === null && matcher.isInTime(row.timestamp) && matcher.has(fields))
      line = { ...pickLine(matcher.markMatches(fields)), seq: row.seq };
    if (line !== null && !matcher.excludes) break;
  }
  return line;
}

class Matcher {
  private readonly wanted: Pattern[];
  private readonly unwanted: Pattern[];

  constructor(private readonly query: SearchQuery) {
    this.wanted = query.terms.filter(({ isExcluded }) => !isExcluded).map(createPattern);
    this.unwanted = query.terms.filter(({ isExcluded }) => isExcluded).map(createPattern);
  }

  get hasWords(): boolean {
    return this.wanted.length > 0;
  }

  get excludes(): boolean {
    return this.unwanted.length > 0;
  }

  has(fields: SearchedFields): boolean {
    return this.wanted.every((pattern) => isIn(pattern, fields));
  }

  isExcluded(fields: SearchedFields): boolean {
    return this.unwanted.some((pattern) => isIn(pattern, fields));
  }

  isInTime(timestamp: number): boolean {
    return timestamp >= (this.query.after ?? -Infinity) && timestamp < (this.query.before ?? Infinity);
  }

  /** Marks the matches in the text if all terms match. Merges overlapping marks. */
  markMatches(fields: SearchedFields): MatchedText {
    const { text } = fields;
    if (!this.has(fields)) return { text, marks: [] };
    const marks = this.wanted
      .filter(({ field }) => field === 'text')
      .flatMap(({ regex }) => [...text.matchAll(regex)].map(({ 0: match, index }): TextRange => [index, index + match.length]));
    marks.sort(([a], [b]) => a - b);
    const joined: TextRange[] = [];
    for (const [from, to] of marks) {
      const last = joined[joined.length - 1];
      if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
      else joined.push([from, to]);
    }
    return { text, marks: joined };
  }
}

interface Pattern {
  field: SearchTerm['field'];
  regex: RegExp;
}

function createPattern({ field, text, isPrefix }: SearchTerm): Pattern {
  const written = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return { field, regex: new RegExp(isPrefix ? wordStart + written : written, 'giu') };
}

function isIn({ field, regex }: Pattern, fields: SearchedFields): boolean {
  return fields[field].search(regex) !== -1;
}
