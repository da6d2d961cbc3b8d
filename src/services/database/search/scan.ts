import type { DatabaseSync } from '../sqlite';
import type { SearchQuery } from './searchQuery';
import type { FoundSession, SearchRequest } from './searchResults';
import { searchedColumns, searchTextOf, type MarkedText, type SearchedRow, type TextRange } from './searchText';
import { bestLine } from './snippet';

/** Search without an index: reads the newest sessions until there are enough, and finds the words as they are written. */
export function scanSessions(database: DatabaseSync, { words }: SearchQuery, { offset, limit }: SearchRequest): FoundSession[] {
  const patterns = words.map((word) => new RegExp(word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'giu'));
  const found: FoundSession[] = [];
  const sessions = database.prepare('SELECT id, title FROM sessions ORDER BY updated_at DESC, id DESC').all();
  for (const session of sessions) {
    const id = String(session['id']);
    const title = marksOf(String(session['title']), patterns);
    const line = newestLine(database, id, patterns);
    if (line === null && title.marks.length === 0) continue;
    found.push({ sessionId: id, title, line });
    if (found.length > offset + limit) break;
  }
  return found.slice(offset);
}

function newestLine(database: DatabaseSync, sessionId: string, patterns: readonly RegExp[]): FoundSession['line'] {
  const rows = database
    .prepare(`SELECT ${searchedColumns} FROM messages WHERE session_id = ? AND is_open = 0 ORDER BY seq DESC`)
    .iterate(sessionId);
  for (const item of rows) {
    const row = item as unknown as SearchedRow;
    const line = bestLine(marksOf(searchTextOf(row), patterns));
    if (line !== null) return { ...line, seq: row.seq };
  }
  return null;
}

/** Without marks unless every pattern is there. Marks that meet become one. */
function marksOf(text: string, patterns: readonly RegExp[]): MarkedText {
  const marks: TextRange[] = [];
  for (const pattern of patterns) {
    const before = marks.length;
    for (const match of text.matchAll(pattern)) marks.push([match.index, match.index + match[0].length]);
    if (marks.length === before) return { text, marks: [] };
  }
  marks.sort(([a], [b]) => a - b);
  const joined: TextRange[] = [];
  for (const [from, to] of marks) {
    const last = joined[joined.length - 1];
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return { text, marks: joined };
}
