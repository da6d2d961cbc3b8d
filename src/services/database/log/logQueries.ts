import type { Entry, EntryInput, EntryOf, EntryType } from '../../../protocol/entries';
import type { MessageRecord } from '../../../types/session';
import type { Connection } from '../sqlite/connection';
import { changeSources, type ChangeSources } from './changeSources';
import { allRecords, messageColumns, storableText } from './entryFields';
import { toEntry } from './entryRows';

/** Entry with the work session of its checkpoint. `isCompacted` is true if a summary replaces the entry. */
type LoggedEntry = Entry & { isCompacted: boolean; workSession: string | null };

interface EntryQuery {
  sessionId: string;
  /** Exclusive `seq` bounds. With only `beforeSeq`, reads backwards. Without bounds, starts at the beginning. */
  afterSeq?: number;
  beforeSeq?: number;
  /** True to read backwards when both bounds are given. */
  isFromEnd?: boolean;
  types?: readonly EntryType[];
  /** True to include entries that a summary replaces. Default: false. */
  includeCompacted?: boolean;
  /** Default: 50. */
  limit?: number;
}

/** Text that the user wrote, its time in milliseconds, and its session. The session is null for an empty chat. */
interface WrittenText {
  sessionId: string | null;
  text: string;
  since: number;
}

interface EntryPage {
  /** Entries in ascending `seq` order, even if read backwards. */
  entries: LoggedEntry[];
  hasMore: boolean;
}

/** The user's message and the model that answered it. */
export interface AnsweredMessage {
  message: string;
  /** Model name; null if the log contains no answer. */
  model: string | null;
}

interface LogQueryPorts {
  /** Appends inside the transaction. Call `announce` after the commit. */
  appendWithin(sessionId: string, inputs: readonly EntryInput[]): { announce: () => void };
}

/**
 * Queries a session's log in this thread. Uses indexes, so that reading a page does not get slower as the log grows. Pages
 * neither skip nor repeat entries, because the `seq` of an entry never changes. Every method throws `StorageError`.
 */
export class LogQueries {
  constructor(
    private readonly connection: Connection,
    private readonly ports: LogQueryPorts,
  ) {}

  /** Reads a page of entries. By default, omits entries that a summary replaces. */
  page(query: EntryQuery): Promise<EntryPage> {
    return this.connection.read(() => this.readPage(query));
  }

  /** Reads the last entries, including compacted ones. */
  async recent(sessionId: string, limit = 50): Promise<LoggedEntry[]> {
    const query = { sessionId, limit, beforeSeq: Number.MAX_SAFE_INTEGER, includeCompacted: true };
    return (await this.page(query)).entries;
  }

  /** Returns the message at `seq`, even if a summary replaces it. Returns null if it is not in the log. */
  async messageAt(sessionId: string, seq: number): Promise<AnsweredMessage | null> {
    const every = { sessionId, limit: 1, includeCompacted: true };
    const [message] = (await this.page({ ...every, afterSeq: seq - 1, types: ['user_input'] })).entries;
    if (message?.seq !== seq) return null;
    const [answer] = (await this.page({ ...every, afterSeq: seq, types: ['assistant_output', 'tool_call'] })).entries;
    return { message: message.content, model: answer?.model ?? null };
  }

  /** Counts the entries of all types, including open ones. */
  count(sessionId: string, includeCompacted = true): Promise<number> {
    return this.connection.read(() => {
      const { through, kept } = includeCompacted ? { through: 0, kept: [] } : this.compacted(sessionId);
      const row = this.connection
        .statement(
          'SELECT count(*) AS n FROM messages WHERE session_id = ? AND (seq > ? OR seq IN (SELECT value FROM json_each(?)))',
        )
        .get(sessionId, through, JSON.stringify([...kept]));
      return Number(row?.['n']);
    });
  }

  /** Returns the last `seq`, or 0 if there are no entries. */
  lastSeq(sessionId: string): Promise<number> {
    return this.connection.read(() => {
      const row = this.connection.statement('SELECT max(seq) AS seq FROM messages WHERE session_id = ?').get(sessionId);
      return Number(row?.['seq'] ?? 0);
    });
  }

  /** Reads all file edits of the session, in order. */
  fileEdits(sessionId: string): Promise<EntryOf<'file_edit'>[]> {
    return this.connection.read(() =>
      this.select(`session_id = ? AND type IN ${indexedTypes} AND type = 'file_edit' ORDER BY +seq`, sessionId)
        .map(toEntry)
        .filter((entry) => entry.type === 'file_edit'),
    );
  }

  /** Returns the sessions whose last run was interrupted because its window closed, and that have no later message. */
  interrupted(): Promise<ReadonlySet<string>> {
    return this.connection.read(() => {
      const rows = this.connection
        .statement(
          `SELECT id FROM sessions WHERE 'interrupted' = (
             SELECT CASE type WHEN 'run_end' THEN json_extract(data, '$.outcome') END FROM messages
             WHERE session_id = sessions.id AND type IN ('run_end', 'user_input') AND json_valid(data) ORDER BY seq DESC LIMIT 1)`,
        )
        .all();
      return new Set(rows.map(({ id }) => String(id)));
    });
  }

  /** See `changeSources`. */
  changeSources(sessionId: string, since: number): Promise<ChangeSources> {
    return this.connection.read(() => changeSources(this.connection, sessionId, since));
  }

  /** Reads the entries that refer to a checkpoint, such as the message after it. */
  ofCheckpoint(checkpointId: string): Promise<Entry[]> {
    return this.where('checkpoint_id = ?', checkpointId);
  }

  /** Reads the entries of a plan item. Its ID is unique only within a session. */
  ofPlanItem(sessionId: string, planItemId: string): Promise<Entry[]> {
    return this.where('plan_item_id = ? AND session_id = ?', planItemId, sessionId);
  }

  /**
   * Checks if `text` was sent or queued as a message since a time in milliseconds. Returns `whole`, or `begun` if a message
   * within two minutes starts with this text. Without a session, checks the first message of each later session in the folder.
   */
  wasSent({ sessionId, text, since }: WrittenText, folder: string | null): Promise<'whole' | 'begun' | null> {
    return this.connection.read(() => {
      const words = { text: storableText(text), since };
      const found =
        sessionId === null
          ? this.connection.statement(isAmong(firstInputs)).get({ ...words, folder })
          : this.connection.statement(isAmong(lastInputs)).get({ ...words, session: sessionId });
      return found === undefined ? null : found['is_whole'] === 1 ? 'whole' : 'begun';
    });
  }

  /**
   * Replaces all entries up to `throughSeq` with a summary, by appending a marker to the
   * log. Returns the number of newly replaced entries. If there are none, appends nothing.
   */
  async markCompacted(sessionId: string, throughSeq: number, summary: string): Promise<number> {
    const { count } = await this.connection.write(
      () => {
        const row = this.connection
          .statement('SELECT count(*) AS n FROM messages WHERE session_id = ? AND seq > ? AND seq <= ?')
          .get(sessionId, this.compactedThrough(sessionId), throughSeq);
        const compactedCount = Number(row?.['n']);
        if (compactedCount === 0) return { count: 0, announce: () => undefined };
        const data = { compactedCount, throughSeq, summary };
        const marker: EntryInput = { type: 'compact_marker', content: summary, data };
        return { count: compactedCount, announce: this.ports.appendWithin(sessionId, [marker]).announce };
      },
      ({ announce }) => announce(),
    );
    return count;
  }

  private readPage({
    sessionId,
    afterSeq,
    beforeSeq,
    types,
    includeCompacted = false,
    limit = 50,
    isFromEnd,
  }: EntryQuery): EntryPage {
    const { through: compacted, kept } = this.compacted(sessionId);
    const isBackwards = isFromEnd ?? (beforeSeq !== undefined && afterSeq === undefined);
    const low = afterSeq ?? 0;
    const sent = includeCompacted ? '' : 'AND (seq > ? OR seq IN (SELECT value FROM json_each(?)))';
    const only = includeCompacted ? [] : [compacted, JSON.stringify([...kept])];
    const high = beforeSeq ?? Number.MAX_SAFE_INTEGER;
    const ofTypes = types === undefined ? '' : `AND type IN (${types.map(() => '?').join(', ')})`;
    const range = 'session_id = ? AND seq > CAST(? AS INTEGER) AND seq < CAST(? AS INTEGER)';
    const rows = this.select(
      `${range} ${sent} ${ofTypes} ORDER BY seq ${isBackwards ? 'DESC' : 'ASC'} LIMIT ?`,
      sessionId,
      low,
      high,
      ...only,
      ...(types ?? []),
      limit + 1,
    );
    const page = rows.slice(0, limit);
    const workSessions = this.findWorkSessions(page);
    const entries = page.map((record): LoggedEntry => {
      const workSession = workSessions.get(record.checkpoint_id) ?? null;
      return { ...toEntry(record), isCompacted: record.seq <= compacted && !kept.has(record.seq), workSession };
    });
    return { entries: isBackwards ? entries.reverse() : entries, hasMore: rows.length > limit };
  }

  /** Maps the ids of existing checkpoints to their work sessions. */
  private findWorkSessions(records: readonly MessageRecord[]): Map<string | null, string> {
    const ids = records.flatMap(({ checkpoint_id: id }) => id ?? []);
    if (ids.length === 0) return new Map();
    const rows = this.connection
      .statement(
        'SELECT id, work_session AS name FROM checkpoints WHERE id IN (SELECT value FROM json_each(?)) AND work_session IS NOT NULL',
      )
      .all(JSON.stringify(ids));
    return new Map(rows.map(({ id, name }) => [String(id), String(name)]));
  }

  private compactedThrough(sessionId: string): number {
    return this.compacted(sessionId).through;
  }

  /**
   * Returns the `seq` up to which the last active compaction marker replaces entries,
   * or 0 without a marker. Also returns the entries that it does not replace.
   */
  private compacted(sessionId: string): { through: number; kept: ReadonlySet<number> } {
    const rows = this.connection
      .statement(
        `SELECT seq, type, json_extract(data, '$.throughSeq') AS through, json_extract(data, '$.fromSeq') AS rewound,
           json_extract(data, '$.kept') AS kept FROM messages
         WHERE session_id = ? AND type IN ${indexedTypes} AND type IN ('compact_marker', 'rewind') AND json_valid(data)
         ORDER BY +seq DESC`,
      )
      .all(sessionId);
    // `rows` is ordered from newest to oldest, so this finds the oldest marker. Without markers, there are no undone markers to look for.
    const oldest = rows.findLast(({ type }) => type === 'compact_marker');
    if (oldest === undefined) return { through: 0, kept: new Set() };
    const marks = [...rows, ...this.undoneMarkers(sessionId, Number(oldest['seq']))].sort(
      (one, other) => Number(other['seq']) - Number(one['seq']),
    );
    const undone = new Set<number>();
    let rewoundFrom = Infinity;
    for (const { seq, type, through, rewound, kept, marker } of marks) {
      if (Number(seq) >= rewoundFrom) continue;
      if (type === 'rewind') rewoundFrom = Math.min(rewoundFrom, Number(rewound));
      else if (type === 'compact_undone') undone.add(Number(marker));
      else if (!undone.has(Number(seq))) {
        const all = typeof kept === 'string' ? (JSON.parse(kept) as number[]) : [];
        return { through: Math.min(Number(through), Number(seq) - 1), kept: new Set(all) };
      }
    }
    return { through: 0, kept: new Set() };
  }

  private undoneMarkers(sessionId: string, afterSeq: number): Record<string, unknown>[] {
    return this.connection
      .statement(
        `SELECT seq, type, json_extract(data, '$.markerSeq') AS marker FROM messages
         WHERE session_id = ? AND seq > ? AND type = 'compact_undone' AND json_valid(data)`,
      )
      .all(sessionId, afterSeq);
  }

  private where(condition: string, ...values: string[]): Promise<Entry[]> {
    return this.connection.read(() => this.select(`${condition} ORDER BY session_id, seq`, ...values).map(toEntry));
  }

  private select(where: string, ...values: (string | number)[]): MessageRecord[] {
    return allRecords(this.connection.statement(`SELECT ${messageColumns} FROM messages WHERE ${where}`), ...values);
  }
}

/**
 * The text must be identical to the condition of the partial index, because otherwise SQLite
 * does not use the index. `+seq` prevents SQLite from choosing another index to avoid sorting.
 */
const indexedTypes = "('compact_marker', 'rewind', 'file_edit')";

const isAmong = (inputs: string): string => `
  SELECT words = :text AS is_whole FROM (${inputs})
  WHERE sent_at >= :since AND (words = :text OR substr(words, 1, length(:text)) = :text AND sent_at <= :since + 120000)
  ORDER BY is_whole DESC LIMIT 1`;

const firstInputs = `
  SELECT created_at AS sent_at,
    (SELECT content FROM messages WHERE session_id = sessions.id AND type = 'user_input' ORDER BY seq LIMIT 1) AS words
  FROM sessions WHERE updated_at >= :since AND project_path IS :folder`;

const lastInputs = `
  SELECT timestamp AS sent_at, content AS words
  FROM (SELECT type, timestamp, content FROM messages WHERE session_id = :session ORDER BY seq DESC LIMIT 1000) WHERE type = 'user_input'
  UNION ALL SELECT created_at, text FROM queued_messages WHERE session_id = :session`;
