import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32, zstdDecompressSync } from 'node:zlib';
import initSqlJs, { type Database } from 'sql.js';
import { digestOf, type FileRow } from './churnReport';

const sqlJs = initSqlJs({ locateFile: (name) => path.join(path.dirname(require.resolve('sql.js')), name) });
const name = 'sessions.sqlite';

/**
 * Reads a storage folder as docs/storage-format.md and docs/storage/ describe it, without the extension's code. Uses another build of
 * SQLite that cannot read a `-wal` file. Therefore, it copies the database and checkpoints it first.
 */
export class IndependentStorage {
  private constructor(
    private readonly storage: string,
    private readonly database: Database,
  ) {}

  static async open(storage: string): Promise<IndependentStorage> {
    const copy = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-copy-'));
    try {
      const file = path.join(copy, name);
      for (const suffix of ['', '-wal', '-shm']) {
        if (existsSync(path.join(storage, name + suffix))) copyFileSync(path.join(storage, name + suffix), file + suffix);
      }
      const native = new DatabaseSync(file);
      native.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
      native.close();
      const { Database } = await sqlJs;
      return new IndependentStorage(storage, new Database(readFileSync(file)));
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }

  /** Returns `[['ok']]` for an intact database. */
  integrity(): unknown {
    return this.rows('PRAGMA integrity_check');
  }

  /** Returns the content of each entry by id. */
  entries(): Map<string, string> {
    return new Map(this.rows('SELECT id, content FROM messages').map(([id, content]) => [String(id), String(content)]));
  }

  /** Checks that every object is at its recorded position and matches its hash. Returns the number of objects. */
  checkObjects(): number {
    const packs = new Map<string, Set<string>>();
    for (const [pack, length] of this.rows('SELECT name, length FROM snapshot_packs WHERE length > 0')) {
      packs.set(String(pack), objectsIn(path.join(this.storage, 'objects', String(pack)), Number(length)));
    }
    const objects = this.rows(
      'SELECT hash, size, name, block, position FROM snapshot_objects JOIN snapshot_packs ON snapshot_packs.id = pack_id',
    );
    for (const [hash, size, pack, block, position] of objects) {
      const object = `${String(block)}:${String(position)} ${String(hash)} ${String(size)}`;
      assert.ok(packs.get(String(pack))?.has(object), `${object} in ${String(pack)}`);
    }
    return objects.length;
  }

  /** Returns the digest of all files in a checkpoint, or null. */
  digestOf(checkpointId: string): string | null {
    const chain: number[] = [];
    let [next] = this.rows('SELECT manifest_id FROM checkpoints WHERE id = ?', checkpointId);
    if (next === undefined) return null;
    while (next !== undefined && next[0] !== null) {
      chain.unshift(Number(next[0]));
      [next] = this.rows('SELECT base_id FROM manifests WHERE id = ?', Number(next[0]));
    }
    const files = new Map<string, FileRow>();
    for (const manifest of chain) {
      const entries = this.rows(
        `SELECT path, kind, mode, hash FROM manifest_entries LEFT JOIN snapshot_objects ON snapshot_objects.id = object_id
         WHERE manifest_id = ?`,
        manifest,
      );
      for (const [file, kind, mode, hash] of entries) {
        if (kind === 0) files.delete(String(file));
        else files.set(String(file), [String(file), Number(kind), Number(mode), hash as string | null]);
      }
    }
    // Kind 3 marks content that is left out, such as the Git folder of a nested clone.
    return digestOf([...files.values()].filter(([, kind]) => kind !== 3));
  }

  close(): void {
    this.database.close();
  }

  private rows(sql: string, ...values: (string | number)[]): unknown[][] {
    return this.database.exec(sql, values)[0]?.values ?? [];
  }
}

/**
 * Returns block position, position in the block, hash and size of each
 * object in a pack. An empty object has the position of the next object.
 */
function objectsIn(file: string, length: number): Set<string> {
  const bytes = readFileSync(file).subarray(0, length);
  assert.equal(bytes.length, length, file);
  assert.equal(bytes.toString('latin1', 0, 8), 'OCPACK\0\x01', file);
  const objects = new Set<string>();
  for (let block = 16; block < length;) {
    assert.equal(bytes.toString('latin1', block, block + 4), 'BLCK', file);
    const codec = bytes.readUInt8(block + 4);
    const count = bytes.readUInt32LE(block + 8);
    const contentLength = bytes.readUInt32LE(block + 12);
    const payloadLength = bytes.readUInt32LE(block + 16);
    const table = block + 24;
    const end = table + 36 * count + payloadLength;
    assert.equal(crc32(bytes.subarray(table, end)), bytes.readUInt32LE(block + 20), file);
    const payload = bytes.subarray(table + 36 * count, end);
    const content = codec === 1 ? zstdDecompressSync(payload) : payload;
    assert.equal(content.length, contentLength, file);
    let position = 0;
    for (let index = 0; index < count; index += 1) {
      const at = table + 36 * index;
      const hash = bytes.toString('hex', at, at + 32);
      const size = bytes.readUInt32LE(at + 32);
      const own = createHash('sha256').update(content.subarray(position, position + size));
      assert.equal(own.digest('hex'), hash, `${file}, block ${block}`);
      objects.add(`${block}:${position} ${hash} ${size}`);
      position += size;
    }
    block = end;
  }
  return objects;
}
