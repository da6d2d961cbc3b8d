import type { DatabaseSync } from '../sqlite/sqlite';
import type { FtsQuery } from './ftsQuery';
import { prepared } from './prepared';
import type { SearchRequest } from './searchResults';
import type { SessionRange } from './timeRange';

export interface SessionHit {
  id: string;
  title: string;
  /** Number of the session in the index. */
  number: number;
  /** `seq` of the entry to show; 0 if only the title matched. */
  seq: number;
  isTitle: boolean;
}

/** Number of matches above which a word is too common for ranking. The newest sessions are then the better result. */
const maxRanked = 5_000;
/** Maximum number of sessions to check one by one. For more sessions, finding all matches at once is faster. */
const maxProbed = 500;

export function isCommon(database: DatabaseSync, match: string): boolean {
  return (
    prepared(database, 'SELECT 1 FROM messages_fts WHERE messages_fts MATCH ? LIMIT 1 OFFSET ?').get(match, maxRanked) !==
    undefined
  );
}

/** Finds a page of matching sessions, plus one session if there are more. Omits sessions that contain an excluded term. */
export function sessionHits(
  database: DatabaseSync,
  query: FtsQuery,
  ranges: readonly SessionRange[] | null,
  request: SearchRequest,
): SessionHit[] {
  const select = new SessionSelect(database, query, ranges);
  if (query.match === null) return select.all(request).map((session) => ({ ...session, seq: 0, isTitle: false }));
  const whole = query.whole ?? query.match;
  const isInMost = isCommon(database, whole);
  if (request.newestFirst !== true && !isInMost && !isCommon(database, query.match)) return select.ranked(query.match, request);
  return (isInMost ? select.newestOfAll(whole, request) : null) ?? select.newest(query.match, request);
}

type Session = Pick<SessionHit, 'id' | 'title' | 'number'>;
type Page = Pick<SearchRequest, 'offset' | 'limit'>;

class SessionSelect {
  private readonly excluded: string;
  private readonly ranges: string;
  private readonly values: Record<string, string> = {};

  constructor(
    private readonly database: DatabaseSync,
    { without }: FtsQuery,
    ranges: readonly SessionRange[] | null,
  ) {
    this.excluded =
      without === null
        ? ''
        : 'AND n.number NOT IN (SELECT DISTINCT rowid >> 32 FROM messages_fts WHERE messages_fts MATCH :without)';
    if (without !== null) this.values['without'] = without;
    this.ranges = ranges === null ? '' : 'JOIN ranges r ON r.number = n.number';
    if (ranges !== null) this.values['ranges'] = JSON.stringify(ranges.map(({ number, low, high }) => [number, low, high]));
  }

  /** Lists all sessions that are not excluded, newest first. */
  all(page: Page): Session[] {
    return this.sessions('search_sessions n', '', page, {});
  }

  newest(match: string, page: Page): SessionHit[] {
    const hits = 'SELECT DISTINCT rowid >> 32 AS number FROM messages_fts WHERE messages_fts MATCH :match';
    const inTime = `SELECT DISTINCT m.rowid >> 32 AS number FROM messages_fts m JOIN ranges r ON r.number = m.rowid >> 32
      WHERE messages_fts MATCH :match AND ((m.rowid & ${seqBits}) BETWEEN r.low AND r.high OR (m.rowid & ${seqBits}) = 0)`;
    const found = this.sessions('search_sessions n', `AND n.number IN (${this.ranges === '' ? hits : inTime})`, page, { match });
    const shown = prepared(
      this.database,
      `WITH page AS MATERIALIZED (SELECT value ->> 0 AS number, value ->> 1 AS low, value ->> 2 AS high FROM json_each(:page))
         SELECT p.number, max(iif((m.rowid & ${seqBits}) BETWEEN p.low AND p.high, m.rowid, 0)) & ${seqBits} AS seq,
           min(m.rowid & 0xffffffff) = 0 AS isTitle
         FROM messages_fts m CROSS JOIN page p ON p.number = m.rowid >> 32 WHERE messages_fts MATCH :match GROUP BY p.number`,
    ).all({ match, page: JSON.stringify(found.map(({ number, low = 0, high = seqBits }) => [number, low, high])) });
    const byNumber = new Map(shown.map((row) => [row['number'], row]));
    return found.map(({ id, title, number }) => {
      const row = byNumber.get(number);
      return { id, title, number, seq: Number(row?.['seq'] ?? 0), isTitle: row?.['isTitle'] === 1 };
    });
  }

  /** Returns the result of `newest` if all the newest sessions match, as is likely for a common word. Otherwise returns null. */
  newestOfAll(match: string, { offset, limit }: Page): SessionHit[] | null {
    if (this.ranges !== '' || offset + limit > maxProbed) return null;
    const last = prepared(
      this.database,
      `SELECT rowid & ${seqBits} AS seq FROM messages_fts
       WHERE messages_fts MATCH ? AND rowid >= (? << 32) AND rowid < (? << 32) ORDER BY rowid DESC LIMIT 1`,
    );
    const titled = prepared(this.database, 'SELECT 1 FROM messages_fts WHERE messages_fts MATCH ? AND rowid = (? << 32)');
    const hits: SessionHit[] = [];
    for (const [index, session] of this.all({ offset: 0, limit: offset + limit }).entries()) {
      const { number } = session;
      const row = last.get(match, number, number + 1);
      if (row === undefined) return null;
      if (index >= offset) hits.push({ ...session, seq: Number(row['seq']), isTitle: titled.get(match, number) !== undefined });
    }
    return hits;
  }

  /** Ranks sessions by their best match. Matches in titles and messages have a higher weight. */
  ranked(match: string, { offset, limit }: Page): SessionHit[] {
    const inTime = this.ranges === '' ? '' : `AND ((row & ${seqBits}) BETWEEN r.low AND r.high OR (row & ${seqBits}) = 0)`;
    const rows = prepared(
      this.database,
      `WITH ${this.rangesTable} hits AS MATERIALIZED (
           SELECT rowid AS row, rank * CASE WHEN rowid & 0xffffffff = 0 THEN 3 WHEN rowid & 0x80000000 THEN 1.5 ELSE 1 END AS score
           FROM messages_fts WHERE messages_fts MATCH :match
         ), best AS (
           SELECT n.number, n.session_id, h.row & ${seqBits} AS seq,
             row_number() OVER (PARTITION BY n.number ORDER BY h.row & 0xffffffff = 0, h.score, h.row DESC) AS place,
             min(h.score) OVER (PARTITION BY n.number) AS score,
             max(h.row & 0xffffffff = 0) OVER (PARTITION BY n.number) AS isTitle
           FROM hits h JOIN search_sessions n ON n.number = h.row >> 32 ${this.ranges} WHERE true ${inTime} ${this.excluded}
         )
         SELECT s.id, s.title, best.number, best.seq, best.isTitle
         FROM best JOIN sessions s ON s.id = best.session_id WHERE best.place = 1
         ORDER BY best.score, s.updated_at DESC, s.id DESC LIMIT :limit OFFSET :offset`,
    ).all({ ...this.values, match, limit: limit + 1, offset });
    return rows.map((row) => ({ ...(row as Omit<SessionHit, 'isTitle'>), isTitle: row['isTitle'] === 1 }));
  }

  private sessions(from: string, where: string, { offset, limit }: Page, values: Record<string, string>) {
    const range = this.ranges === '' ? '' : ', r.low, r.high';
    return prepared(
      this.database,
      `${this.rangesTable === '' ? '' : `WITH ${this.rangesTable.replace(/,$/, '')}`}
         SELECT s.id, s.title, n.number ${range}
         FROM ${from} JOIN sessions s ON s.id = n.session_id ${this.ranges} WHERE true ${where} ${this.excluded}
         ORDER BY s.updated_at DESC, s.id DESC LIMIT :limit OFFSET :offset`,
    ).all({ ...this.values, ...values, limit: limit + 1, offset }) as (Session & { low?: number; high?: number })[];
  }

  private get rangesTable(): string {
    if (this.ranges === '') return '';
    return `ranges AS MATERIALIZED (
      SELECT value ->> 0 AS number, value ->> 1 AS low, value ->> 2 AS high FROM json_each(:ranges)
    ),`;
  }
}

/** Bits of a row number that contain the entry's `seq`. */
const seqBits = 0x3fffffff;
