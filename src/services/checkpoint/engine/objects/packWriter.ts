import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Clock } from '../../../../utils/clock';
import { inTransaction } from '../../../database/sqlite/ownConnection';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import { isKnownDead } from '../../../database/sessions/windowOwner';
import { writeAll, type FileSystem } from '../../../../utils/files/fileSystem';
import { packHeader, packHeaderLength } from './packFormat';

/** Length in bytes at which no more blocks are added to a pack. */
const fullLength = 256 * 1024 * 1024;

interface OpenPack {
  id: number;
  file: number;
  /** Length recorded in the database. */
  committed: number;
  end: number;
  isNew: boolean;
}

export interface StorePlace {
  /** `objects` folder of the storage root. */
  directory: string;
  /** Unique id of this writer. See `createOwner`. */
  owner: string;
  fileSystem: FileSystem;
  clock: Clock;
}

/** Appends blocks to a pack that this writer owns. They are stored when the caller's transaction around `commit` succeeds. */
export class PackWriter {
  private pack: OpenPack | null = null;

  constructor(
    private readonly database: DatabaseSync,
    private readonly place: StorePlace,
  ) {}

  append(block: Buffer): { packId: number; position: number } {
    const pack = this.opened();
    const position = pack.end;
    writeAll(this.place.fileSystem, pack.file, block, position);
    pack.end += block.length;
    return { packId: pack.id, position };
  }

  sync(): void {
    if (this.pack === null || this.pack.end === this.pack.committed) return;
    this.place.fileSystem.sync(this.pack.file);
    if (this.pack.isNew) this.place.fileSystem.syncFolder(this.place.directory);
    this.pack.isNew = false;
  }

  /** Records the pack's length in the transaction that stores the object rows. Call `committed` or `discard` afterwards. */
  commit(): void {
    if (this.pack === null || this.pack.end === this.pack.committed) return;
    const { id, end } = this.pack;
    const { changes } = this.database
      .prepare('UPDATE snapshot_packs SET length = ? WHERE id = ? AND owner = ?')
      .run(end, id, this.place.owner);
    if (Number(changes) !== 1) throw new Error('Another writer has taken the pack over');
  }

  committed(): void {
    if (this.pack === null) return;
    this.pack.committed = this.pack.end;
    if (this.pack.end >= fullLength) this.release();
  }

  /** Drops the blocks appended since the last commit. */
  discard(): void {
    const { pack } = this;
    if (pack === null || pack.end === pack.committed) return;
    pack.end = Math.max(pack.committed, packHeaderLength);
    try {
      // This step is optional, because the next block overwrites these bytes.
      this.place.fileSystem.truncate(pack.file, pack.end);
    } catch {
      this.release();
    }
  }

  /** Stops writing to these packs, because their files are missing or truncated. */
  abandon(packs: readonly number[]): void {
    if (this.pack !== null && packs.includes(this.pack.id)) this.release();
  }

  /** Releases the pack, so that another writer can use it. */
  release(): void {
    const { pack } = this;
    if (pack === null) return;
    this.pack = null;
    this.place.fileSystem.close(pack.file);
    this.disown(pack.id);
  }

  private opened(): OpenPack {
    return (this.pack ??= this.takeOver() ?? this.create());
  }

  private takeOver(): OpenPack | null {
    const candidates = this.database
      .prepare(
        'SELECT id, name, length, owner FROM snapshot_packs WHERE is_dropped = 0 AND length BETWEEN 1 AND ? ORDER BY id DESC',
      )
      .all(fullLength - 1);
    for (const { id, name, length, owner } of candidates) {
      if (owner !== null && !isKnownDead(String(owner))) continue;
      const { changes } = this.database
        .prepare('UPDATE snapshot_packs SET owner = ? WHERE id = ? AND owner IS ? AND length = ? AND is_dropped = 0')
        .run(this.place.owner, id as number, owner as string | null, length as number);
      if (Number(changes) !== 1) continue;
      const pack = this.openTail(Number(id), String(name), Number(length));
      if (pack !== null) return pack;
      this.disown(Number(id));
    }
    return null;
  }

  private disown(id: number): void {
    this.database.prepare('UPDATE snapshot_packs SET owner = NULL WHERE id = ? AND owner = ?').run(id, this.place.owner);
  }

  /** Opens an existing pack. Returns null if the pack is missing or too short; `verify` later reports it. */
  private openTail(id: number, name: string, length: number): OpenPack | null {
    const { fileSystem, directory } = this.place;
    let file: number | undefined;
    try {
      file = fileSystem.open(path.join(directory, name), 'r+');
      const size = Number(fileSystem.stat(file).size);
      if (size >= length) {
        if (size > length) fileSystem.truncate(file, length);
        return { id, file, committed: length, end: length, isNew: false };
      }
    } catch {
      // `verify` reports this pack later. Use another one.
    }
    if (file !== undefined) fileSystem.close(file);
    return null;
  }

  private create(): OpenPack {
    const { fileSystem, directory, owner, clock } = this.place;
    const name = `pack-${randomUUID()}.pack`;
    makeFolders(fileSystem, directory);
    const id = inTransaction(this.database, () =>
      Number(
        this.database
          .prepare('INSERT INTO snapshot_packs (name, length, owner, created_at) VALUES (?, 0, ?, ?)')
          .run(name, owner, clock.now()).lastInsertRowid,
      ),
    );
    let file: number | undefined;
    try {
      file = fileSystem.open(path.join(directory, name), 'wx', 0o600);
      writeAll(fileSystem, file, packHeader(), 0);
      return { id, file, committed: 0, end: packHeaderLength, isNew: true };
    } catch (error) {
      if (file !== undefined) fileSystem.close(file);
      this.disown(id);
      throw error;
    }
  }
}

function makeFolders(fileSystem: FileSystem, folder: string): void {
  if (fileSystem.lstat(folder) !== undefined) return;
  makeFolders(fileSystem, path.dirname(folder));
  try {
    fileSystem.makeFolder(folder);
  } catch (error) {
    if (fileSystem.lstat(folder) === undefined) throw error;
  }
  fileSystem.syncFolder(path.dirname(folder));
}
