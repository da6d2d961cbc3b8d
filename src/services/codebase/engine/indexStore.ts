import type { DatabaseSync } from '../../database/sqlite/sqlite';
import { inTransaction } from '../../database/sqlite/ownConnection';
import type { Chunk } from './chunks';
import { withNameParts } from './identifiers';
import { sha256, type Stamp } from './textOfFile';

export interface StoredFile extends Stamp {
  id: number;
  hash: Uint8Array;
  isChunkedBySyntax: boolean;
}

export interface StoredChunk {
  id: number;
  path: string;
  first: number;
  last: number;
  symbols: string[];
}

export interface FileToIndex {
  path: string;
  stamp: Stamp;
  hash: Buffer;
  chunks: readonly Chunk[];
  isChunkedBySyntax: boolean;
}

/** bm25 weights of a match in the path, in a defined name, and in the text. */
const weights = [2, 6, 1] as const;

export class IndexStore {
  constructor(readonly database: DatabaseSync) {}

  files(): Map<string, StoredFile> {
    const rows = this.database.prepare('SELECT id, path, size, mtime, ctime, hash, is_cut_by_syntax FROM files').all();
    return new Map(rows.map((row) => [String(row['path']), toStoredFile(row)]));
  }

  file(path: string): StoredFile | null {
    const row = this.database
      .prepare('SELECT id, path, size, mtime, ctime, hash, is_cut_by_syntax FROM files WHERE path = ?')
      .get(path);
    return row === undefined ? null : toStoredFile(row);
  }

  /** Writes files in one transaction. Unchanged chunks keep their database row and their vector. */
  put(files: readonly FileToIndex[]): void {
    inTransaction(this.database, () => {
      for (const file of files) this.putOne(file);
    });
  }

  /** Updates the stamp of a file whose content has not changed. */
  restamp(id: number, { size, mtime, ctime }: Stamp): void {
    this.database.prepare('UPDATE files SET size = ?, mtime = ?, ctime = ? WHERE id = ?').run(size, mtime, ctime, id);
  }

  remove(paths: readonly string[]): void {
    if (paths.length === 0) return;
    inTransaction(this.database, () => {
      for (const path of paths) {
        const id = this.file(path)?.id;
        if (id === undefined) continue;
        for (const chunk of this.listChunks(id)) this.removeChunk(chunk.id);
        this.database.prepare('DELETE FROM files WHERE id = ?').run(id);
      }
    });
  }

  /** Returns paths of files that are chunked by lines only. A grammar may exist for them. */
  pathsToChunk(limit: number): string[] {
    return this.database
      .prepare('SELECT path FROM files WHERE is_cut_by_syntax = 0 LIMIT ?')
      .all(limit)
      .map((row) => String(row['path']));
  }

  counts(): { files: number; chunks: number } {
    const row = this.database
      .prepare('SELECT (SELECT count(*) FROM files) AS files, (SELECT count(*) FROM chunks) AS chunks')
      .get();
    return { files: Number(row?.['files']), chunks: Number(row?.['chunks']) };
  }

  /** Returns the IDs of chunks that contain any of the words, best match first. */
  searchWords(words: readonly string[], limit: number, column?: 'path' | 'symbols'): number[] {
    if (words.length === 0) return [];
    const any = words.map((word) => `"${word.replaceAll('"', '')}"`).join(' OR ');
    const match = column === undefined ? any : `${column} : (${any})`;
    return this.database
      .prepare(`SELECT rowid AS id FROM words WHERE words MATCH ? ORDER BY bm25(words, ${weights.join(', ')}) LIMIT ?`)
      .all(match, limit)
      .map((row) => Number(row['id']));
  }

  chunk(id: number): StoredChunk | null {
    const row = this.database
      .prepare('SELECT c.id, f.path, c.first, c.last, c.symbols FROM chunks c JOIN files f ON f.id = c.file WHERE c.id = ?')
      .get(id);
    if (row === undefined) return null;
    const symbols = String(row['symbols']);
    const path = String(row['path']);
    const first = Number(row['first']);
    const last = Number(row['last']);
    return { id, path, first, last, symbols: symbols === '' ? [] : symbols.split('\n') };
  }

  private putOne({ path, stamp, hash, chunks, isChunkedBySyntax: isCutBySyntax }: FileToIndex): void {
    const { database } = this;
    const written = [stamp.size, stamp.mtime, stamp.ctime, hash, isCutBySyntax ? 1 : 0];
    const known = this.file(path);
    const id =
      known?.id ??
      Number(
        database
          .prepare('INSERT INTO files (path, size, mtime, ctime, hash, is_cut_by_syntax) VALUES (?, ?, ?, ?, ?, ?)')
          .run(path, ...written).lastInsertRowid,
      );
    if (known !== null)
      database
        .prepare('UPDATE files SET size = ?, mtime = ?, ctime = ?, hash = ?, is_cut_by_syntax = ? WHERE id = ?')
        .run(...written, id);
    const before = new Map<string, number[]>();
    for (const chunk of known === null ? [] : this.listChunks(id))
      before.set(chunk.key, [...(before.get(chunk.key) ?? []), chunk.id]);
    for (const chunk of chunks) {
      const symbols = chunk.symbols.join('\n');
      const key = sha256(`${symbols}\0${chunk.text}`);
      const same = before.get(key.toString('hex'))?.shift();
      if (same !== undefined) {
        database.prepare('UPDATE chunks SET first = ?, last = ? WHERE id = ?').run(chunk.first, chunk.last, same);
        continue;
      }
      const { lastInsertRowid } = database
        .prepare('INSERT INTO chunks (file, first, last, symbols, hash) VALUES (?, ?, ?, ?, ?)')
        .run(id, chunk.first, chunk.last, symbols, key);
      database
        .prepare('INSERT INTO words (rowid, path, symbols, body) VALUES (?, ?, ?, ?)')
        .run(lastInsertRowid, withNameParts(path), withNameParts(symbols), withNameParts(chunk.text));
    }
    for (const left of before.values()) for (const chunk of left) this.removeChunk(chunk);
  }

  private listChunks(file: number): { id: number; key: string }[] {
    const rows = this.database.prepare('SELECT id, hash FROM chunks WHERE file = ?').all(file);
    return rows.map((row) => ({ id: Number(row['id']), key: Buffer.from(row['hash'] as Uint8Array).toString('hex') }));
  }

  private removeChunk(id: number): void {
    this.database.prepare('DELETE FROM words WHERE rowid = ?').run(id);
    this.database.prepare('DELETE FROM vectors WHERE chunk = ?').run(id);
    this.database.prepare('DELETE FROM chunks WHERE id = ?').run(id);
  }
}

function toStoredFile(row: Record<string, unknown>): StoredFile {
  return {
    id: Number(row['id']),
    size: Number(row['size']),
    mtime: Number(row['mtime']),
    ctime: Number(row['ctime']),
    hash: row['hash'] as Uint8Array,
    isChunkedBySyntax: row['is_cut_by_syntax'] === 1,
  };
}
