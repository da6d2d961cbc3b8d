import type { DatabaseSync } from '../sqlite/sqlite';
import type { FtsQuery } from './ftsQuery';
import { prepared } from './prepared';
import { scopeCondition } from './projectScope';
import type { EntrySearchRequest } from './searchResults';
import { isCommon } from './sessionHits';
import type { SessionRange } from './timeRange';

export type EntryHit = {
  id: string;
  seq: number;
  /** Relevance from FTS5, where lower is better. Null if the entries are not ranked. */
  rank: number | null;
};

/**
 * Finds a page of matching entries, plus one entry if there are more. Unranked results are ordered
 * by the session's last activity, then newest first. Excluded terms apply to single entries.
 */
export function entryHits(
  database: DatabaseSync,
  { match, without }: FtsQuery,
  ranges: readonly SessionRange[] | null,
  request: EntrySearchRequest,
): EntryHit[] {
  const { sessionId, scope, newestFirst, offset, limit } = request;
  const number = findNumber(database, sessionId);
  if (number === undefined) return [];
  const values: Record<string, string | number> = { limit: limit + 1, offset, low: number ?? 0, high: (number ?? maxNumber) + 1 };
  const conditions = ['m.rowid >= (:low << 32)', 'm.rowid < (:high << 32)', `(m.rowid & ${seqBits}) > 0`];
  if (match !== null) conditions.push('messages_fts MATCH :match');
  if (match !== null) values['match'] = without === null ? match : `(${match}) NOT (${without})`;
  else if (without !== null) {
    conditions.push('m.rowid NOT IN (SELECT rowid FROM messages_fts WHERE messages_fts MATCH :without)');
    values['without'] = without;
  }
  if (ranges !== null) {
    conditions.push(
      `EXISTS (SELECT 1 FROM ranges r WHERE r.number = m.rowid >> 32 AND (m.rowid & ${seqBits}) BETWEEN r.low AND r.high)`,
    );
    values['ranges'] = JSON.stringify(ranges.map((range) => [range.number, range.low, range.high]));
  }
  if (scope !== undefined) {
    const inScope = scopeCondition(scope);
    conditions.push(inScope.condition);
    Object.assign(values, inScope.values);
  }
  const withRanges =
    ranges === null
      ? ''
      : 'WITH ranges AS MATERIALIZED (SELECT value ->> 0 AS number, value ->> 1 AS low, value ->> 2 AS high FROM json_each(:ranges))';
  const isRanked = match !== null && newestFirst !== true && !isCommon(database, match);
  const rows = prepared(
    database,
    `${withRanges} SELECT n.session_id AS id, m.rowid & ${seqBits} AS seq, ${isRanked ? 'rank' : 'NULL AS rank'}
       FROM messages_fts m JOIN search_sessions n ON n.number = m.rowid >> 32 JOIN sessions s ON s.id = n.session_id
       WHERE ${conditions.join(' AND ')}
       ORDER BY ${isRanked ? 'rank, ' : ''}s.updated_at DESC, s.id DESC, seq DESC LIMIT :limit OFFSET :offset`,
  ).all(values);
  return rows as EntryHit[];
}

const seqBits = 0x3fffffff;
const maxNumber = 0x3fffffff;

/** Returns the session's number in the index. Returns null for all sessions, and undefined for a session that is not indexed. */
function findNumber(database: DatabaseSync, sessionId: string | null): number | null | undefined {
  if (sessionId === null) return null;
  const row = prepared(database, 'SELECT number FROM search_sessions WHERE session_id = ?').get(sessionId);
  return row === undefined ? undefined : Number(row['number']);
}
