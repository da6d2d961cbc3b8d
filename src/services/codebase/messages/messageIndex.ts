import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { inTransaction, withConnection } from '../../database/sqlite/ownConnection';
import type { DatabaseSync } from '../../database/sqlite/sqlite';
import { deleteIndex, toIndexError, noteEmbedded, sizeOfIndex, wasEmbedded, WriterLock } from '../engine/indexFile';
import type { LanceTables, MirroredVectors } from '../lance/port';
import { ScanVectors } from '../vectors/scanVectors';
import { openMessages, splitMessage } from './messageFile';
import { findMessages } from './nearMessages';
import { VectorError, type VectorStore } from '../vectors/vectorStore';
import {
  spokenTypes,
  type EmbeddedMessage,
  type MessageAnswer,
  type MessageBatch,
  type MessagePlace,
  type MessageState,
  type MessageText,
  type MessageWork,
  type NearMessage,
} from './messageProtocol';

const timeoutMs = 5_000;
/** Milliseconds between checks whether another window has removed vectors. */
const pollIntervalMs = 5_000;
const conversation = `type IN (${spokenTypes.map((type) => `'${type}'`).join()}) AND is_open = 0`;

/**
 * Manages the vectors of messages. A search never returns deleted sessions. Their vectors are removed at the next check. Only one
 * window embeds at a time, but every window may remove vectors. A damaged index is deleted, and embedding stops until the user
 * rebuilds the index. Methods throw `IndexError`.
 */
export class MessageIndex {
  private readonly lock: WriterLock;
  private database: DatabaseSync | null = null;
  private vectors: VectorStore | null = null;
  private mirror: MirroredVectors | null = null;
  private isLance = false;
  private readonly watch: NodeJS.Timeout | null;

  constructor(
    private readonly place: MessagePlace,
    private readonly lance: LanceTables | null = null,
  ) {
    this.lock = new WriterLock(place.index);
    // Remove vectors from LanceDB that another window has removed from the database.
    this.watch = lance && setInterval(() => void (this.isLance && this.mirror?.sync()), pollIntervalMs).unref();
  }

  /** Starts or stops mirroring vectors in LanceDB. */
  async choose(isLance: boolean): Promise<void> {
    if (isLance !== this.isLance) await this.forgetVectors();
    this.isLance = isLance;
  }

  async work(work: MessageWork): Promise<MessageAnswer> {
    try {
      return await this.answer(work);
    } catch (error) {
      const failure = toIndexError(error);
      if (failure.code !== 'broken') throw failure;
      await this.remove();
      return this.answer(work);
    }
  }

  async close(): Promise<void> {
    if (this.watch !== null) clearInterval(this.watch);
    await this.forgetVectors();
    this.database?.close();
    this.database = null;
    this.lock.release();
  }

  private async forgetVectors(): Promise<void> {
    const { mirror } = this;
    this.mirror = null;
    this.vectors = null;
    await mirror?.close();
  }

  private async answer(work: MessageWork): Promise<MessageAnswer> {
    switch (work.do) {
      case 'next':
        return { did: 'next', ...(await this.next(work.model, work.limit)) };
      case 'put':
        return { did: 'put', isCleared: await this.put(work.model, work.rows, work.reached) };
      case 'nearest':
        return { did: 'nearest', found: await this.nearest(work), isDamaged: this.isDamaged() };
      case 'forget':
        if (existsSync(this.place.index)) this.forget([work.sessionId]);
        await this.mirror?.sync();
        return { did: 'state', ...(await this.state()) };
      case 'recreate':
        // Record this first. Otherwise, if the window is killed before the rebuild, the missing index would look damaged.
        noteEmbedded(this.place.index, false);
        await this.remove();
        return { did: 'state', ...(await this.state()) };
      case 'state':
        if (existsSync(this.place.index)) this.inHistory((history) => this.forgetDeleted(history));
        return { did: 'state', ...(await this.state()) };
    }
  }

  /**
   * Resolves with the next texts without a vector. The most recently active
   * session comes first. Returns no texts while another window embeds.
   */
  private async next(model: string, limit: number): Promise<MessageBatch> {
    const { database, vectors } = this.opened();
    if (this.isDamaged() || !this.lock.take()) return { texts: [], reached: [] };
    if (this.model() !== model) {
      await vectors.clear();
      inTransaction(database, () => {
        database.exec('DELETE FROM parts; DELETE FROM sessions');
        database.prepare("INSERT OR REPLACE INTO meta VALUES ('embedding', ?)").run(model);
      });
    }
    return this.inHistory((history) => {
      this.forgetDeleted(history);
      const known = new Map(
        database
          .prepare('SELECT id, revision FROM sessions')
          .all()
          .map((row) => [row['id'], row['revision']]),
      );
      const batch: MessageBatch = { texts: [], reached: [] };
      for (const row of history.prepare('SELECT id, revision FROM sessions ORDER BY updated_at DESC').all()) {
        const sessionId = String(row['id']);
        const revision = Number(row['revision']);
        const since = Number(known.get(row['id']) ?? 0);
        if (since >= revision) continue;
        const left = limit - batch.texts.length;
        if (left <= 0) break;
        const { texts, last } = this.readTexts(history, sessionId, since, left);
        batch.texts.push(...texts);
        batch.reached.push({ sessionId, revision: last ?? revision });
      }
      return batch;
    });
  }

  /** Returns the parts of whole messages. `last` is the revision of the last message if there may be more messages. */
  private readTexts(
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
      for (const [part, text] of splitMessage(String(row['content'])).entries())
        texts.push({ sessionId, seq: Number(row['seq']), part, text });
      if (texts.length >= limit) return { texts, last: Number(row['revision']) };
    }
    return { texts, last: null };
  }

  /**
   * Stores the vectors of sessions that still exist. If the new vectors differ in length from the stored vectors, deletes all
   * vectors and resolves with true.
   */
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
    noteEmbedded(this.place.index, true);
    const mark = database.prepare('INSERT OR REPLACE INTO sessions (id, revision) VALUES (?, ?)');
    inTransaction(database, () => {
      for (const { sessionId, revision } of reached) if (there.has(sessionId)) mark.run(sessionId, revision);
    });
    return false;
  }

  /** Resolves with the nearest messages without duplicates, nearest first. */
  private async nearest({ model, vector, limit, scope }: MessageWork & { do: 'nearest' }): Promise<NearMessage[]> {
    const { database, vectors } = this.opened();
    if (this.model() !== model) return [];
    for (let count = limit * 3; ; count *= 8) {
      const near = await vectors.nearest(vector, count).catch(() => []);
      const found = this.inHistory((history) => findMessages(near, { index: database, history }, limit, scope));
      // Search for more vectors, because the nearest messages may belong to other projects.
      if (scope === undefined || found.length >= limit || near.length < count) return found;
    }
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

  private forgetDeleted(history: DatabaseSync): void {
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

  private async remove(): Promise<void> {
    await this.forgetVectors();
    this.database?.close();
    this.database = null;
    deleteIndex(this.place.index);
    await this.lance?.remove();
  }

  private async state(): Promise<MessageState> {
    const lance = this.isLance && this.lance !== null ? { trouble: this.lance.trouble } : null;
    if (!existsSync(this.place.index)) return { messages: 0, vectors: 0, bytes: 0, lance };
    const row = this.opened()
      .database.prepare(
        'SELECT (SELECT count(*) FROM (SELECT DISTINCT session_id, seq FROM parts)) AS m, (SELECT count(*) FROM vectors) AS v',
      )
      .get();
    const bytes = sizeOfIndex(this.place.index) + ((await this.lance?.size()) ?? 0);
    return { messages: Number(row?.['m']), vectors: Number(row?.['v']), bytes, lance };
  }

  private model(): string | null {
    const value = this.opened().database.prepare("SELECT value FROM meta WHERE key = 'embedding'").get()?.['value'];
    return value === undefined ? null : String(value);
  }

  /** Returns whether vectors were lost through damage and the user has not rebuilt the index since. */
  private isDamaged(): boolean {
    return wasEmbedded(this.place.index) && this.model() === null;
  }

  private inHistory<T>(work: (history: DatabaseSync) => T): T {
    return withConnection(this.place.history, timeoutMs, work, { readOnly: true });
  }

  private opened(): { database: DatabaseSync; vectors: VectorStore } {
    if (this.database === null) {
      const { index } = this.place;
      mkdirSync(dirname(index), { recursive: true });
      try {
        this.database = openMessages(index);
      } catch (error) {
        if (toIndexError(error).code !== 'broken') throw error;
        deleteIndex(index);
        this.database = openMessages(index);
      }
    }
    if (this.vectors === null) {
      // Deleted text must leave no traces, so the table is rebuilt after a deletion.
      const options = { isUsed: this.isLance, mayWrite: () => this.lock.take(), isStrict: true };
      this.mirror = this.lance?.mirror(this.database, options) ?? null;
      this.vectors = this.mirror ?? new ScanVectors(this.database);
    }
    return { database: this.database, vectors: this.vectors };
  }
}

function forgetWhere(database: DatabaseSync, condition: string, values: (string | number)[]): void {
  database.prepare(`DELETE FROM vectors WHERE chunk IN (SELECT id FROM parts WHERE ${condition})`).run(...values);
  database.prepare(`DELETE FROM parts WHERE ${condition}`).run(...values);
}
