import { createHash } from 'node:crypto';
import { maxImageBytes } from '../../protocol/context/imageRef';
import { imagesOf } from '../../protocol/context/sentImages';
import type { EntryInput } from '../../protocol/entries';
import type { MessageRecord } from '../../types/session';
import { imageHeader } from '../../utils/imageHeader';
import { messageColumns, storableText, toFields } from '../database/log/entryFields';
import { isUnreadable, toEntry } from '../database/log/entryRows';
import type { DatabaseSync, StatementSync } from '../database/sqlite/sqlite';
import type { ImportedEntry, ImportedHead } from './importedEntry';
import { safeId } from './importedValues';
import type { ImportFormat, ImportOutcome, IssueReason } from './importReport';

/** Value of `sessions.imported` for a session that comes from elsewhere. */
interface ImportMark {
  format: ImportFormat;
  place: string;
  /** The session's revision when the import was done: a greater one says that it was continued here. */
  revision: number;
}

export interface StagedSession {
  id: string;
  format: ImportFormat;
  place: string;
}

/** Earliest time of a conversation, in milliseconds; entries without a time count on from 1. */
const leastTime = 1e11;

const columns = messageColumns.split(', ') as (keyof MessageRecord)[];

/**
 * Holds a session outside of memory until all of it was read; it then goes into the log in one transaction, which is as
 * short as that
 * can be. Has a connection of its own.
 */
export class SessionStage {
  private readonly insert: StatementSync;
  private readonly note: StatementSync;
  private readonly noted: StatementSync;
  private session: StagedSession = { id: '', format: 'claudeCode', place: '' };
  /** Hashes of the images that entries name. */
  private readonly named = new Set<string>();
  private seq = 0;
  private time = 0;

  constructor(
    private readonly database: DatabaseSync,
    private readonly now: () => number,
  ) {
    database.exec(`
      PRAGMA temp_store = FILE;
      CREATE TEMP TABLE staged (id TEXT PRIMARY KEY, ${columns
        .filter((column) => column !== 'id')
        .map((column) => (column === 'seq' ? 'seq UNIQUE' : column))
        .join(', ')});
      CREATE TEMP TABLE staged_images (hash TEXT PRIMARY KEY, type TEXT, bytes BLOB) WITHOUT ROWID;
      CREATE TEMP TABLE staged_notes (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID`);
    this.insert = database.prepare(
      `INSERT INTO temp.staged (${messageColumns}) VALUES (${columns.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
    );
    this.note = database.prepare('INSERT OR REPLACE INTO temp.staged_notes VALUES (?, ?)');
    this.noted = database.prepare('SELECT value FROM temp.staged_notes WHERE key = ?');
  }

  get lastSeq(): number {
    return this.seq;
  }

  begin(session: StagedSession): void {
    this.clear();
    this.session = session;
    this.database.exec('SAVEPOINT staging');
  }

  /** Answers what is wrong with it: where that is all of it, it is not taken. */
  add({ id, time, input }: ImportedEntry): { seq: number; problem: IssueReason | null } {
    const isTimely = time !== null && time <= this.now() + 86_400_000;
    const record: MessageRecord = {
      ...toFields(input),
      id: safeId(id),
      session_id: this.session.id,
      seq: this.seq + 1,
      revision: this.seq + 1,
      is_open: 0,
      timestamp: Math.max(isTimely ? time : 0, this.time + 1),
    };
    if (!isKnown(record, input)) return { seq: 0, problem: 'unknownForm' };
    if (Number(this.insert.run(...columns.map((column) => record[column])).changes) === 0) return { seq: 0, problem: 'repeated' };
    for (const { hash } of imagesOf(input)) this.named.add(hash);
    this.seq += 1;
    this.time = record.timestamp;
    return { seq: this.seq, problem: isTimely ? null : 'noTime' };
  }

  /** Takes an image; what is none is left out. */
  image(bytes: Uint8Array): void {
    const header = imageHeader(bytes);
    if (header === null || bytes.length > maxImageBytes) return;
    const hash = createHash('sha256').update(bytes).digest('hex');
    this.database.prepare('INSERT OR IGNORE INTO temp.staged_images VALUES (?, ?, ?)').run(hash, header.type, bytes);
  }

  remember(key: string, value: string): void {
    this.note.run(key, value);
  }

  recall(key: string): string | undefined {
    return this.noted.get(key)?.value as string | undefined;
  }

  /** Ends the reading. Call it once, before `commit`. */
  seal(): void {
    this.database.exec('RELEASE staging');
  }

  /** Stores what is not there yet, inside the caller's transaction. Throws what SQLite says. */
  commit(head: ImportedHead): { outcome: ImportOutcome; added: number } {
    const known = this.known();
    if (known === null) return this.create(head);
    if (known.mark === null) return { outcome: 'ours', added: 0 };
    this.giveOwnIds();
    if (this.sameCount() < Math.min(known.count, this.seq)) return this.refuse(known);
    if (this.seq <= known.count) return { outcome: 'unchanged', added: 0 };
    if (known.revision !== known.mark.revision || known.revision !== known.count) return { outcome: 'continued', added: 0 };
    return this.extend(head, known.count);
  }

  /** Forgets what was staged. */
  discard(): void {
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
    this.clear();
  }

  private clear(): void {
    this.database.exec('DELETE FROM temp.staged; DELETE FROM temp.staged_images; DELETE FROM temp.staged_notes');
    this.named.clear();
    this.seq = 0;
    this.time = 0;
  }

  private known(): { revision: number; count: number; mark: ImportMark | null } | null {
    const row = this.database.prepare('SELECT revision, imported FROM sessions WHERE id = ?').get(this.session.id);
    if (row === undefined) return null;
    const count = this.database
      .prepare('SELECT max(seq) AS count FROM messages WHERE session_id = ?')
      .get(this.session.id)?.count;
    const mark = row.imported === null ? null : (JSON.parse(String(row.imported)) as ImportMark);
    return { revision: Number(row.revision), count: Number(count ?? 0), mark };
  }

  private refuse(known: { revision: number; mark: ImportMark | null }): { outcome: ImportOutcome; added: number } {
    return { outcome: known.revision === known.mark?.revision ? 'differs' : 'continued', added: 0 };
  }

  /** Counts the staged entries that are in the log at the same `seq`. */
  private sameCount(): number {
    const row = this.database
      .prepare(
        'SELECT count(*) AS same FROM temp.staged s JOIN main.messages m ON m.session_id = ? AND m.seq = s.seq AND m.id = s.id',
      )
      .get(this.session.id);
    return Number(row?.same);
  }

  /** Ids are kept; one that another session's entry has already is told apart by the session's. */
  private giveOwnIds(): void {
    this.database
      .prepare(
        `UPDATE temp.staged SET id = :session || '/' || id WHERE
           EXISTS (SELECT 1 FROM main.messages m WHERE m.id = staged.id AND m.session_id <> :session)
           OR EXISTS (SELECT 1 FROM main.messages m WHERE m.id = :session || '/' || staged.id)`,
      )
      .run({ session: this.session.id });
  }

  /** Gives entries at the beginning without a time the ones before that of the first that has one, or before `otherwise`. */
  private giveTimes(otherwise: number): void {
    const first = this.database.prepare('SELECT seq, timestamp FROM temp.staged WHERE timestamp > ? ORDER BY seq LIMIT 1');
    const known = first.get(leastTime);
    this.database
      .prepare('UPDATE temp.staged SET timestamp = ? - ? + seq WHERE timestamp <= ?')
      .run(Number(known?.timestamp ?? otherwise), Number(known?.seq ?? this.seq), leastTime);
  }

  private create(head: ImportedHead): { outcome: ImportOutcome; added: number } {
    this.giveOwnIds();
    this.giveTimes(head.createdAt ?? this.now());
    const range = this.database.prepare('SELECT min(timestamp) AS first, max(timestamp) AS last FROM temp.staged').get();
    const createdAt = this.past(head.createdAt ?? range?.first ?? this.now());
    const updatedAt = Math.max(createdAt, this.past(range?.last ?? head.updatedAt ?? createdAt));
    this.database
      .prepare(
        `INSERT INTO sessions (id, title, mode, model, status, revision, project_path, created_at, updated_at, imported)
         VALUES (:id, :title, :mode, :model, :status, :revision, :projectPath, :createdAt, :updatedAt, :imported)`,
      )
      .run({
        id: this.session.id,
        title: storableText(head.title),
        mode: head.mode,
        model: head.model === null ? null : storableText(head.model),
        status: head.status,
        revision: this.seq,
        projectPath: head.projectPath === null ? null : storableText(head.projectPath),
        createdAt,
        updatedAt,
        imported: this.mark(),
      });
    this.insertAfter(0);
    return { outcome: 'imported', added: this.seq };
  }

  private extend(head: ImportedHead, count: number): { outcome: ImportOutcome; added: number } {
    this.insertAfter(count);
    const last = this.database.prepare('SELECT max(timestamp) AS last FROM temp.staged').get()?.last;
    this.database
      .prepare('UPDATE sessions SET revision = ?, updated_at = max(updated_at, ?), status = ?, imported = ? WHERE id = ?')
      .run(this.seq, this.past(last ?? 0), head.status, this.mark(), this.session.id);
    return { outcome: 'extended', added: this.seq - count };
  }

  private insertAfter(seq: number): void {
    this.database
      .prepare(
        `INSERT INTO main.messages (${messageColumns}) SELECT ${messageColumns} FROM temp.staged WHERE seq > ? ORDER BY seq`,
      )
      .run(seq);
    this.insertImages();
  }

  /** Stores the images that the session names, as far as they came with it or are there. */
  private insertImages(): void {
    const store = this.database.prepare(
      'INSERT OR IGNORE INTO main.images (hash, type, bytes, created_at) SELECT hash, type, bytes, ? FROM temp.staged_images WHERE hash = ?',
    );
    const name = this.database.prepare(
      'INSERT OR IGNORE INTO main.session_images (session_id, image_id) SELECT ?, id FROM main.images WHERE hash = ?',
    );
    for (const hash of this.named) {
      store.run(this.now(), hash);
      name.run(this.session.id, hash);
    }
  }

  private mark(): string {
    const { format, place } = this.session;
    return JSON.stringify({ format, place: storableText(place), revision: this.seq } satisfies ImportMark);
  }

  /** Limits a time to now: a session from the future would stay at the top of the list. */
  private past(time: unknown): number {
    return Math.min(Number(time), this.now());
  }
}

/** Tells whether a record can be read back as everything in the log can. */
function isKnown(record: MessageRecord, input: EntryInput): boolean {
  const entry = toEntry(record);
  return !isUnreadable(entry) && entry.type === input.type;
}
