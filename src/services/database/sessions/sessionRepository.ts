import { randomUUID } from 'node:crypto';
import type { EntryInput } from '../../../protocol/entries';
import type { SessionRecord, SessionStatus } from '../../../types/session';
import type { Clock } from '../../../utils/clock';
import { Emitter } from '../../../utils/emitter';
import type { Logger } from '../../../utils/logger';
import type { Connection } from '../sqlite/connection';
import { StorageError } from '../sqlite/storageError';
import { deadAfterMs } from './heartbeat';
import { patchable, sessionColumns as columns, storable, toRecord, type NewSession, type SessionPatch } from './sessionRow';
import { isKnownDead } from './windowOwner';

type SessionFilter = Pick<SessionRecord, 'status' | 'project_path'>;

export interface SessionPage {
  sessions: SessionRecord[];
  hasMore: boolean;
  /** Offset of the next page; null if this is the last page. */
  nextOffset: number | null;
}

export interface SessionRepositoryPorts {
  /** Closes entries that a window left open when it ended, in the transaction. Call the returned function after the commit. */
  closeAbandoned(sessionId: string): () => void;
  /** Appends inside the transaction. Call `announce` after the commit. */
  appendWithin(sessionId: string, inputs: readonly EntryInput[]): { announce: () => void };
  /** Deletes the session with its log in another thread. Resolves with false if it does not exist. */
  deleteSession(sessionId: string): Promise<boolean>;
}

/** Stores sessions, and the window that runs each of them. Every method throws `StorageError`. */
export class SessionRepository {
  private readonly changes: Emitter<{ sessionId: string | null }>;
  private readonly deletions: Emitter<string>;

  /** `owner` is the id of this window. It is unique among all windows that ever use the database. */
  constructor(
    private readonly connection: Connection,
    private readonly ports: SessionRepositoryPorts,
    private readonly owner: string,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.changes = new Emitter((error) => logger.error('A listener of the sessions failed', error));
    this.deletions = new Emitter((error) => logger.error('A listener of deleted sessions failed', error));
  }

  /** Fires for changes through this object. Null means that any session may have changed. */
  get onDidChange() {
    return this.changes.event;
  }

  /** Fires with the id of a session that this object deleted. */
  get onDidDelete() {
    return this.deletions.event;
  }

  /** Creates a session without entries or owner. Replaces characters that SQLite cannot store. */
  create(input: NewSession): Promise<SessionRecord> {
    return this.connection.write(
      () => {
        const now = this.clock.now();
        const row = this.connection
          .statement(
            `INSERT INTO sessions (id, title, mode, model, project_path, explorer_model, is_inline, created_at, updated_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${columns}`,
          )
          .get(
            randomUUID(),
            ...[input.title, input.mode, input.model, input.projectPath, input.explorer_model ?? null].map(storable),
            input.is_inline ?? 0,
            now,
            now,
          );
        return toRecord(row);
      },
      ({ id }) => this.changes.fire({ sessionId: id }),
    );
  }

  /** Creates a session owned by this window, with its first entries, in one transaction. */
  async begin(id: string, input: NewSession, first: readonly EntryInput[]): Promise<SessionRecord> {
    const { record } = await this.connection.write(
      () => {
        const now = this.clock.now();
        this.connection
          .statement(
            `INSERT INTO sessions (id, title, mode, model, project_path, status, owner, heartbeat_at,
               auto_approve_commands, auto_approve_sensitive_edits, sandbox, sensitive_file_patterns, is_inline, created_at, updated_at)
             VALUES (:id, :title, :mode, :model, :project, 'generating', :owner, :now, :commands, :edits, :sandbox, :patterns, :inline, :now, :now)`,
          )
          .run({
            id,
            now,
            title: storable(input.title),
            mode: input.mode,
            model: storable(input.model),
            project: input.projectPath,
            commands: input.auto_approve_commands ?? 0,
            edits: input.auto_approve_sensitive_edits ?? 0,
            sandbox: storable(input.sandbox ?? null),
            patterns: storable(input.sensitive_file_patterns ?? null),
            inline: input.is_inline ?? 0,
            owner: this.owner,
          });
        const { announce } = this.ports.appendWithin(id, first);
        const row = this.connection.statement(`SELECT ${columns} FROM sessions WHERE id = ?`).get(id);
        return { record: toRecord(row), announce };
      },
      ({ announce }) => {
        this.changes.fire({ sessionId: id });
        announce();
      },
    );
    return record;
  }

  get(id: string): Promise<SessionRecord | undefined> {
    return this.connection.read(() => {
      const row = this.connection.statement(`SELECT ${columns} FROM sessions WHERE id = ?`).get(id);
      return row === undefined ? undefined : toRecord(row);
    });
  }

  /**
   * Reads the titles that start with `beginning` among the newest 200
   * sessions. Includes the first message of each session, or null.
   */
  titlesWith(beginning: string): Promise<{ title: string; words: string | null }[]> {
    return this.connection.read(() =>
      this.connection
        .statement(
          `SELECT title,
             (SELECT content FROM messages WHERE session_id = sessions.id AND type = 'user_input' ORDER BY seq LIMIT 1) AS words
           FROM sessions WHERE substr(title, 1, length(:beginning)) = :beginning ORDER BY created_at DESC LIMIT 200`,
        )
        .all({ beginning: storable(beginning) })
        .map((row) => ({ title: String(row['title']), words: typeof row['words'] === 'string' ? row['words'] : null })),
    );
  }

  /** Lists sessions by last activity, optionally filtered by status and project. */
  list(page: { offset: number; limit: number }, only: Partial<SessionFilter> = {}): Promise<SessionPage> {
    const filters = (['status', 'project_path'] as const).filter((name) => only[name] !== undefined);
    const where = filters.length === 0 ? '' : `WHERE ${filters.map((name) => `${name} = ?`).join(' AND ')}`;
    return this.connection.read(() => {
      const rows = this.connection
        .statement(`SELECT ${columns} FROM sessions ${where} ORDER BY updated_at DESC, id DESC LIMIT ? OFFSET ?`)
        .all(...filters.map((name) => only[name] ?? null), page.limit + 1, page.offset);
      const hasMore = rows.length > page.limit;
      const nextOffset = hasMore ? page.offset + page.limit : null;
      return { sessions: rows.slice(0, page.limit).map(toRecord), hasMore, nextOffset };
    });
  }

  /** Throws `StorageError` `notFound`. */
  update(id: string, patch: SessionPatch): Promise<void> {
    const names = patchable.filter((name) => patch[name] !== undefined);
    if (names.length === 0) return Promise.resolve();
    return this.change(id, () => {
      const assignments = names.map((name) => `${name} = ?`).join(', ');
      const values = names.map((name) => storable(patch[name] ?? null));
      return this.connection.statement(`UPDATE sessions SET ${assignments} WHERE id = ?`).run(...values, id).changes;
    });
  }

  /** Deletes the session and its log. Does nothing if it does not exist. */
  async delete(id: string): Promise<void> {
    if (!(await this.ports.deleteSession(id))) return;
    this.changes.fire({ sessionId: id });
    this.deletions.fire(id);
  }

  /**
   * Makes this window the owner of the session, and closes entries that were left open by a window that no longer
   * exists. Resolves with false while another open window owns the session. Throws `StorageError` `notFound`.
   */
  async claim(id: string): Promise<boolean> {
    const announce = await this.connection.write(
      () => {
        const now = this.clock.now();
        const holder = this.connection.statement('SELECT owner FROM sessions WHERE id = ?').get(id)?.['owner'];
        const dead = typeof holder === 'string' && isKnownDead(holder) ? holder : null;
        const { changes } = this.connection
          .statement(
            `UPDATE sessions SET owner = :owner, heartbeat_at = :now, status = 'generating' WHERE id = :id
             AND (owner IS NULL OR owner = :owner OR owner = :dead OR heartbeat_at IS NULL OR abs(:now - heartbeat_at) >= :deadAfter)`,
          )
          .run({ id, now, owner: this.owner, dead, deadAfter: deadAfterMs });
        if (Number(changes) > 0) return this.ports.closeAbandoned(id);
        this.assertExists(id);
        return null;
      },
      (announceClosed) => {
        announceClosed?.();
        if (announceClosed !== null) this.changes.fire({ sessionId: id });
      },
    );
    return announce !== null;
  }

  /** Stores a heartbeat for the sessions of this window. */
  async heartbeat(): Promise<void> {
    await this.connection.write(() => {
      this.connection.statement('UPDATE sessions SET heartbeat_at = ? WHERE owner = ?').run(this.clock.now(), this.owner);
    });
  }

  /** Ends this window's run of the session. Does nothing if another window has taken the session over. */
  async release(id: string, status: SessionStatus): Promise<void> {
    await this.connection.write(
      () => {
        this.connection
          .statement('UPDATE sessions SET owner = NULL, heartbeat_at = NULL, status = ? WHERE id = ? AND owner = ?')
          .run(status, id, this.owner);
      },
      () => this.changes.fire({ sessionId: id }),
    );
  }

  async releaseAll(): Promise<void> {
    await this.connection.write(
      () => {
        const { changes } = this.connection
          .statement(
            `UPDATE sessions SET owner = NULL, heartbeat_at = NULL,
               status = CASE WHEN status IN ('generating', 'waiting_input') THEN 'idle' ELSE status END
             WHERE owner = ?`,
          )
          .run(this.owner);
        return Number(changes) > 0;
      },
      (hasChanged) => {
        if (hasChanged) this.changes.fire({ sessionId: null });
      },
    );
  }

  /** Fires the event for sessions that another connection added or extended. */
  noteImport(): void {
    this.changes.fire({ sessionId: null });
  }

  /** Disposes the events. Does not close the connection. */
  dispose(): void {
    this.changes.dispose();
  }

  private async change(id: string, work: () => number | bigint): Promise<void> {
    await this.connection.write(
      () => {
        if (Number(work()) === 0) throw new StorageError('notFound', `No session ${id}`);
      },
      () => this.changes.fire({ sessionId: id }),
    );
  }

  private assertExists(id: string): void {
    const row = this.connection.statement('SELECT 1 FROM sessions WHERE id = ?').get(id);
    if (row === undefined) throw new StorageError('notFound', `No session ${id}`);
  }
}
