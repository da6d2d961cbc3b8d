import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { inTransaction, withConnection } from '../../database/sqlite/ownConnection';
import { openSqlite, type DatabaseSync } from '../../database/sqlite/sqlite';
import { deleteIndex, indexErrorOf, sizeOfIndex, WriterLock } from '../engine/indexFile';
import { ScanVectors } from '../vectors/scanVectors';
import { VectorError } from '../vectors/vectorStore';
import type {
  EmbeddedMessage,
  MessageAnswer,
  MessageBatch,
  MessagePlace,
  MessageState,
  MessageText,
  MessageWork,
  NearMessage,
} from './messageProtocol';

const format = '1';
const schema = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE sessions (id TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE parts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL,
    UNIQUE (session_id, seq, part));
  CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
`;

/** Characters of a part, and parts of a message: all-MiniLM reads no more than so much at once. */
const partLength = 1_200;
const mostParts = 8;
const lineLength = 200;
const timeoutMs = 5_000;
/** Entries that a person or the model wrote. */
const conversation = "type IN ('user_input', 'assistant_output') AND is_open = 0";

/**
 * Keeps vectors of what was said, beside the conversations. Nothing of a session that is gone is found, and it is removed at the next look.
 * One window embeds at a time; every window may remove. Methods throw `IndexError`.
 */
export class MessageIndex {
  private readonly lock: WriterLock;
  private database: DatabaseSync | null = null;
  private vectors: ScanVectors | null = null;

  constructor(private readonly place: MessagePlace) {
    this.lock = new WriterLock(place.index);
  }

  async work(work: MessageWork): Promise<MessageAnswer> {
    try {
      return await this.answer(work);
    } catch (error) {
      const failure = indexErrorOf(error);
      if (failure.code !== 'broken') throw failure;
      // It holds nothing that is not in the conversations.
      this.recreate();
      return this.answer(work);
    }
  }

  close(): void {
    this.database?.close();
    this.database = null;
    this.vectors = null;
    this.lock.release();
  }

  private async answer(work: MessageWork): Promise<MessageAnswer> {
    switch (work.do) {
      case 'next':
        return { did: 'next', ...(await this.next(work.model, work.limit)) };
      case 'put':
        return { did: 'put', isCleared: await this.put(work.model, work.rows, work.reached) };
      case 'nearest':
        return { did: 'nearest', found: await this.nearest(work.model, work.vector, work.limit) };
      case 'forget':
        if (existsSync(this.place.index)) this.forget([work.sessionId]);
        return { did: 'state', ...this.state() };
      case 'recreate':
        this.recreate();
        return { did: 'state', ...this.state() };
      case 'state':
        if (existsSync(this.place.index)) this.inHistory((history) => this.forgetGone(history));
        return { did: 'state', ...this.state() };
    }
  }

  /** Resolves with the next texts without a vector, of the most recently active session first; none while another window embeds. */
  private async next(model: string, limit: number): Promise<MessageBatch> {
    const { database, vectors } = this.opened();
    if (!this.lock.take()) return { texts: [], reached: [] };
    if (this.model() !== model) {
      await vectors.clear();
      inTransaction(database, () => {
        database.exec('DELETE FROM parts; DELETE FROM sessions');
        database.prepare("INSERT OR REPLACE INTO meta VALUES ('embedding', ?)").run(model);
      });
    }
    return this.inHistory((history) => {
      this.forgetGone(history);
      const known = new Map(
        database
          .prepare('SELECT id, revision FROM sessions')
          .all()
          .map((row) => [row['id'], row['revision']]),
      );
      const batch: MessageBatch = { texts: [], reached: [] };
      for (const row of history.prepare('SELECT id, revision FROM sessions ORDER BY updated_at DESC').all()) {
        const [sessionId, revision, since] = [String(row['id']), Number(row['revision']), Number(known.get(row['id']) ?? 0)];
        if (since >= revision) continue;
        const left = limit - batch.texts.length;
        if (left <= 0) break;
        const { texts, last } = this.textsOf(history, sessionId, since, left);
        batch.texts.push(...texts);
        batch.reached.push({ sessionId, revision: last ?? revision });
      }
      return batch;
    });
  }

  /** Returns parts of whole messages; `last` is the revision of the last one where there may be more. */
  private textsOf(
    history: DatabaseSync,
    sessionId: string,
    since: number,
    limit: number,
  ): { texts: MessageText[]; last: number | null } {
    const texts: MessageText[] = [];
    const rows = history
      .prepare(
        `SELECT seq, revision, content FROM messages WHERE session_id = ? AND revision > ? AND ${conversation} ORDER BY revision`,
      )
      .iterate(sessionId, since);
    for (const row of rows) {
      for (const [part, text] of partsOf(String(row['content'])).entries())
        texts.push({ sessionId, seq: Number(row['seq']), part, text });
      if (texts.length >= limit) return { texts, last: Number(row['revision']) };
    }
    return { texts, last: null };
  }

  /** Takes in vectors of sessions that are still there. True where all went, as these have another length. */
  private async put(model: string, rows: readonly EmbeddedMessage[], reached: MessageBatch['reached']): Promise<boolean> {
    const { database, vectors } = this.opened();
    if (this.model() !== model) return false;
    const there = this.inHistory((history) => {
      const find = history.prepare('SELECT 1 FROM sessions WHERE id = ?');
      return new Set(reached.map(({ sessionId }) => sessionId).filter((id) => find.get(id) !== undefined));
    });
    const written: { id: number; vector: Float32Array }[] = [];
    inTransaction(database, () => {
      const insert = database.prepare('INSERT INTO parts (session_id, seq, part) VALUES (?, ?, ?)');
      for (const { sessionId, seq, part, vector } of rows) {
        if (!there.has(sessionId)) continue;
        if (part === 0) forgetWhere(database, 'session_id = ? AND seq = ?', [sessionId, seq]);
        const { lastInsertRowid } = insert.run(sessionId, seq, part);
        if (vector !== null) written.push({ id: Number(lastInsertRowid), vector });
      }
    });
    try {
      await vectors.put(written);
    } catch (error) {
      if (!(error instanceof VectorError) || error.code !== 'dimension') throw error;
      await vectors.clear();
      database.exec('DELETE FROM parts; DELETE FROM sessions');
      return true;
    }
    const mark = database.prepare('INSERT OR REPLACE INTO sessions (id, revision) VALUES (?, ?)');
    inTransaction(database, () => {
      for (const { sessionId, revision } of reached) if (there.has(sessionId)) mark.run(sessionId, revision);
    });
    return false;
  }

  /** Resolves with the nearest messages, each once, nearest first. */
  private async nearest(model: string, vector: Float32Array, limit: number): Promise<NearMessage[]> {
    const { database, vectors } = this.opened();
    if (this.model() !== model) return [];
    const near = await vectors.nearest(vector, limit * 3).catch(() => []);
    const place = database.prepare('SELECT session_id, seq, part FROM parts WHERE id = ?');
    return this.inHistory((history) => {
      const message = history.prepare('SELECT content FROM messages WHERE session_id = ? AND seq = ?');
      const seen = new Set<string>();
      const found: NearMessage[] = [];
      for (const { id, similarity } of near) {
        const row = place.get(id);
        if (row === undefined || found.length >= limit) continue;
        const [sessionId, seq] = [String(row['session_id']), Number(row['seq'])];
        const content = message.get(sessionId, seq)?.['content'];
        if (content === undefined || seen.has(`${sessionId} ${seq}`)) continue;
        seen.add(`${sessionId} ${seq}`);
        const text = partsOf(String(content))[Number(row['part'])] ?? '';
        found.push({ sessionId, seq, similarity, line: text.replace(/\s+/g, ' ').trim().slice(0, lineLength) });
      }
      return found;
    });
  }

  private forget(sessionIds: readonly string[]): void {
    const { database } = this.opened();
    inTransaction(database, () => {
      for (const id of sessionIds) {
        forgetWhere(database, 'session_id = ?', [id]);
        database.prepare('DELETE FROM sessions WHERE id = ?').run(id);
      }
    });
  }

  private forgetGone(history: DatabaseSync): void {
    const { database } = this.opened();
    const there = new Set(
      history
        .prepare('SELECT id FROM sessions')
        .all()
        .map(({ id }) => String(id)),
    );
    const indexed = database.prepare('SELECT id FROM sessions UNION SELECT session_id FROM parts').all();
    const gone = indexed.map(({ id }) => String(id)).filter((id) => !there.has(id));
    if (gone.length > 0) this.forget(gone);
  }

  private recreate(): void {
    this.database?.close();
    this.database = null;
    this.vectors = null;
    deleteIndex(this.place.index);
  }

  private state(): MessageState {
    if (!existsSync(this.place.index)) return { messages: 0, vectors: 0, bytes: 0 };
    const row = this.opened()
      .database.prepare(
        'SELECT (SELECT count(*) FROM (SELECT DISTINCT session_id, seq FROM parts)) AS m, (SELECT count(*) FROM vectors) AS v',
      )
      .get();
    return { messages: Number(row?.['m']), vectors: Number(row?.['v']), bytes: sizeOfIndex(this.place.index) };
  }

  private model(): string | null {
    const value = this.opened().database.prepare("SELECT value FROM meta WHERE key = 'embedding'").get()?.['value'];
    return value === undefined ? null : String(value);
  }

  private inHistory<T>(work: (history: DatabaseSync) => T): T {
    return withConnection(this.place.history, timeoutMs, work, { readOnly: true });
  }

  private opened(): { database: DatabaseSync; vectors: ScanVectors } {
    if (this.database === null) {
      const { index } = this.place;
      mkdirSync(dirname(index), { recursive: true });
      try {
        this.database = openMessages(index);
      } catch (error) {
        if (indexErrorOf(error).code !== 'broken') throw error;
        deleteIndex(index);
        this.database = openMessages(index);
      }
    }
    this.vectors ??= new ScanVectors(this.database);
    return { database: this.database, vectors: this.vectors };
  }
}

function openMessages(file: string): DatabaseSync {
  const database = openSqlite(file, { timeout: timeoutMs });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
    const stored = () => {
      const isEmpty = database.prepare('SELECT count(*) AS n FROM sqlite_master').get()?.['n'] === 0;
      return isEmpty ? null : database.prepare("SELECT value FROM meta WHERE key = 'format'").get()?.['value'];
    };
    inTransaction(database, () => {
      const found = stored();
      if (found === format) return;
      if (found !== null) database.exec('DROP TABLE meta; DROP TABLE sessions; DROP TABLE parts; DROP TABLE vectors');
      database.exec(`${schema} INSERT INTO meta VALUES ('format', '${format}')`);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function forgetWhere(database: DatabaseSync, condition: string, values: (string | number)[]): void {
  database.prepare(`DELETE FROM vectors WHERE chunk IN (SELECT id FROM parts WHERE ${condition})`).run(...values);
  database.prepare(`DELETE FROM parts WHERE ${condition}`).run(...values);
}

/** Cuts a message into parts of which a model reads each whole; what is far down in a very long one is left out. */
function partsOf(content: string): string[] {
  const text = content.trim();
  const count = Math.min(mostParts, Math.ceil(text.length / partLength));
  return Array.from({ length: count }, (_, index) => text.slice(index * partLength, (index + 1) * partLength));
}
