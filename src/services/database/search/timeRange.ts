import type { DatabaseSync } from '../sqlite/sqlite';
import type { SearchQuery } from './searchQuery';

/** Entries of a session within a period, with `seq` from `low` to `high`. */
export interface SessionRange {
  number: number;
  low: number;
  high: number;
}

/**
 * Returns the range of each session within the period of the query, or null if
 * the query has no period. Uses binary search, because times increase with `seq`.
 */
export function findRanges(database: DatabaseSync, { after, before }: SearchQuery): SessionRange[] | null {
  if (after === null && before === null) return null;
  const from = after ?? -Infinity;
  const to = before ?? Infinity;
  const edge = (way: 'ASC' | 'DESC') =>
    database.prepare(`SELECT seq, timestamp FROM messages WHERE session_id = ? ORDER BY seq ${way} LIMIT 1`);
  const first = edge('ASC');
  const last = edge('DESC');
  const at = database.prepare('SELECT seq, timestamp FROM messages WHERE session_id = ? AND seq >= ? ORDER BY seq LIMIT 1');
  const ranges: SessionRange[] = [];
  for (const { number, session_id: id } of database.prepare('SELECT number, session_id FROM search_sessions').all()) {
    const session = String(id);
    const start = first.get(session) as Row | undefined;
    const end = last.get(session) as Row | undefined;
    if (start === undefined || end === undefined || end.timestamp < from || start.timestamp >= to) continue;
    const firstSince = (time: number): number => {
      let low = start.seq;
      let high = end.seq + 1;
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const row = at.get(session, middle) as Row | undefined;
        if (row !== undefined && row.timestamp < time) low = row.seq + 1;
        else high = middle;
      }
      return low;
    };
    const low = start.timestamp >= from ? start.seq : firstSince(from);
    const high = (end.timestamp < to ? end.seq + 1 : firstSince(to)) - 1;
    if (low <= high) ranges.push({ number: Number(number), low, high });
  }
  return ranges;
}

interface Row {
  seq: number;
  timestamp: number;
}
