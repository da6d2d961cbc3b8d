import { maxImageBytes } from '../../protocol/context/imageRef';
import { listImages } from '../../protocol/context/sentImages';
import type { EntryInput } from '../../protocol/entries';
import type { MessageRecord } from '../../types/session';
import { imageHeader } from '../../utils/imageHeader';
import { computeChecksum } from '../database/log/entryChecksum';
import { messageColumns, storableText, toFields } from '../database/log/entryFields';
import { entryOfNew, isUnreadable } from '../database/log/entryRows';
import type { DatabaseSync, StatementSync } from '../database/sqlite/sqlite';
import type { ImportedEntry, ImportedHead } from './importedEntry';
import { safeId } from './importedValues';
import type { ImportFormat, ImportOutcome, IssueReason } from './importReport';
import { sha256Hex } from '../../utils/sha256';

/** Value of `sessions.imported`. */
interface ImportMark {
  format: ImportFormat;
  place: string;
  /** Revision of the session after the import. If the current revision is greater, the session was continued in this product. */
  revision: number;
}

export interface StagedSession {
  id: string;
  format: ImportFormat;
  place: string;
}

/** Earliest plausible time in milliseconds. Entries without a time get the temporary times 1, 2, and so on. */
const minTime = 1e11;

const columns = messageColumns.split(', ') as (keyof MessageRecord)[];

/** Maximum number of different entries with the same id that are kept. */
const mostSameIds = 100;

/**
 * Stores a session in temporary tables until it has been read completely. Then
 * writes it to the log in one short transaction. Uses a separate connection.
 */
export class SessionStage {
  private readonly insert: StatementSync;
  private readonly note: StatementSync;
  private readonly noted: StatementSync;
  private session: StagedSession = { id: '', format: 'claudeCode', place: '' };
  /** Hashes of images that entries reference. */
  private readonly referencedImages = new Set<string>();
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

  /**
   * Adds an entry. If it is rejected, returns `seq` 0 and the problem. If a different
   * entry has the same id, reports this and adds the entry with another id.
   */
  add({ id, time, input }: ImportedEntry): { seq: number; problem: IssueReason | null } {
    const isTimely = time !== null && time <= this.now() + 86_400_000;
    const fields = toFields(input);
    const record: MessageRecord = {
      ...fields,
      id: safeId(id),
      session_id: this.session.id,
      seq: this.seq + 1,
      revision: this.seq + 1,
      is_open: 0,
      timestamp: Math.max(isTimely ? time : 0, this.time + 1),
      checksum: computeChecksum(fields),
    };
    if (!isReadable(record, input)) return { seq: 0, problem: 'unknownForm' };
    const isNew = this.insertRecord(record);
    if (!isNew && (this.isStaged(record) || !this.insertUnderOtherId(record))) return { seq: 0, problem: 'repeated' };
    for (const { hash } of listImages(input)) this.referencedImages.add(hash);
    this.seq += 1;
    this.time = record.timestamp;
    return { seq: this.seq, problem: !isNew ? 'repeated' : isTimely ? null : 'noTime' };
  }

  private insertRecord(record: MessageRecord): boolean {
    return Number(this.insert.run(...columns.map((column) => record[column])).changes) > 0;
  }

  /** Returns true if an entry with the same id and content is staged. */
  private isStaged({ id, type, content, data }: MessageRecord): boolean {
    const same = this.database.prepare(
      "SELECT 1 FROM temp.staged WHERE (id = :id OR id GLOB :id || '#*') AND type = :type AND content = :content AND data IS :data",
    );
    return same.get({ id, type, content, data }) !== undefined;
  }

  private insertUnderOtherId(record: MessageRecord): boolean {
    for (let number = 2; number <= mostSameIds; number += 1)
      if (this.insertRecord({ ...record, id: `${record.id}#${number}` })) return true;
    return false;
  }

  /** Adds an image. Ignores data that is not an image. */
  image(bytes: Uint8Array): void {
    const header = imageHeader(bytes);
    if (header === null || bytes.length > maxImageBytes) return;
    const hash = sha256Hex(bytes);
    this.database.prepare('INSERT OR IGNORE INTO temp.staged_images VALUES (?, ?, ?)').run(hash, header.type, bytes);
  }

  remember(key: string, value: string): void {
    this.note.run(key, value);
  }

  recall(key: string): string | undefined {
    return this.noted.get(key)?.value as string | undefined;
  }

  /** Marks the end of reading. Call this once, before `commit`. */
  seal(): void {
    this.database.exec('RELEASE staging');
  }

  /** Stores new entries inside the caller's transaction. Throws SQLite errors. */
  commit(head: ImportedHead): { outcome: ImportOutcome; added: number } {
    const known = this.known();
    if (known === null) return this.create(head);
    if (known.mark === null) return { outcome: 'ours', added: 0 };
    this.makeIdsUnique();
    if (this.sameCount() < Math.min(known.count, this.seq)) return this.refuse(known);
    if (this.seq <= known.count) return { outcome: 'unchanged', added: 0 };
    if (known.revision !== known.mark.revision || known.revision !== known.count) return { outcome: 'continued', added: 0 };
    return this.extend(head, known.count);
  }

  discard(): void {
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
    this.clear();
  }

  private clear(): void {
    this.database.exec('DELETE FROM temp.staged; DELETE FROM temp.staged_images; DELETE FROM temp.staged_notes');
    this.referencedImages.clear();
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

  /** Counts the staged entries that are also in the log with the same `seq`. */
  private sameCount(): number {
    const row = this.database
      .prepare(
        'SELECT count(*) AS same FROM temp.staged s JOIN main.messages m ON m.session_id = ? AND m.seq = s.seq AND m.id = s.id',
      )
      .get(this.session.id);
    return Number(row?.same);
  }

  /** Makes ids unique. If another session uses an id, adds the session id as a prefix. */
  private makeIdsUnique(): void {
    this.database
      .prepare(
        `UPDATE temp.staged SET id = :session || '/' || id WHERE
           EXISTS (SELECT 1 FROM main.messages m WHERE m.id = staged.id AND m.session_id <> :session)
           OR EXISTS (SELECT 1 FROM main.messages m WHERE m.id = :session || '/' || staged.id)`,
      )
      .run({ session: this.session.id });
  }

  /**
   * Sets the missing times of the first entries to times before the first
   * entry with a time. If there is none, uses times before `otherwise`.
   */
  private fillTimes(otherwise: number): void {
    const first = this.database.prepare('SELECT seq, timestamp FROM temp.staged WHERE timestamp > ? ORDER BY seq LIMIT 1');
    const known = first.get(minTime);
    this.database
      .prepare('UPDATE temp.staged SET timestamp = ? - ? + seq WHERE timestamp <= ?')
      .run(Number(known?.timestamp ?? otherwise), Number(known?.seq ?? this.seq), minTime);
  }

  private create(head: ImportedHead): { outcome: ImportOutcome; added: number } {
    this.makeIdsUnique();
    this.fillTimes(head.createdAt ?? this.now());
    const range = this.database.prepare('SELECT min(timestamp) AS first, max(timestamp) AS last FROM temp.staged').get();
    const createdAt = this.notInFuture(head.createdAt ?? range?.first ?? this.now());
    const updatedAt = Math.max(createdAt, this.notInFuture(range?.last ?? head.updatedAt ?? createdAt));
    this.database
      .prepare(
        `INSERT INTO sessions (id, title, mode, model, status, revision, project_path, created_at, updated_at, imported, is_inline)
         VALUES (:id, :title, :mode, :model, :status, :revision, :projectPath, :createdAt, :updatedAt, :imported, :isInline)`,
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
        isInline: head.isInline ? 1 : 0,
      });
    this.insertAfter(0);
    return { outcome: 'imported', added: this.seq };
  }

  private extend(head: ImportedHead, count: number): { outcome: ImportOutcome; added: number } {
    this.insertAfter(count);
    const last = this.database.prepare('SELECT max(timestamp) AS last FROM temp.staged').get()?.last;
    this.database
      .prepare('UPDATE sessions SET revision = ?, updated_at = max(updated_at, ?), status = ?, imported = ? WHERE id = ?')
      .run(this.seq, this.notInFuture(last ?? 0), head.status, this.mark(), this.session.id);
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

  /** Stores the images that the session references, if their data was added or is already stored. */
  private insertImages(): void {
    const store = this.database.prepare(
      'INSERT OR IGNORE INTO main.images (hash, type, bytes, created_at) SELECT hash, type, bytes, ? FROM temp.staged_images WHERE hash = ?',
    );
    const name = this.database.prepare(
      'INSERT OR IGNORE INTO main.session_images (session_id, image_id) SELECT ?, id FROM main.images WHERE hash = ?',
    );
    for (const hash of this.referencedImages) {
      store.run(this.now(), hash);
      name.run(this.session.id, hash);
    }
  }

  private mark(): string {
    const { format, place } = this.session;
    return JSON.stringify({ format, place: storableText(place), revision: this.seq } satisfies ImportMark);
  }

  /** Limits a time to the current time, because a session with a future time would stay at the top of the list. */
  private notInFuture(time: unknown): number {
    return Math.min(Number(time), this.now());
  }
}

/** Returns true if a record can be read back like any other log entry. */
function isReadable(record: MessageRecord, input: EntryInput): boolean {
  const entry = entryOfNew(record);
  return !isUnreadable(entry) && entry.type === input.type;
}
