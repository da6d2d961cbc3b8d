import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Entry } from '../../../../src/protocol/entries';
import { DatabaseService } from '../../../../src/services/database/databaseService';
import { openSqlite } from '../../../../src/services/database/sqlite/sqlite';
import { runImport, type ImportOptions } from '../../../../src/services/import/importer';
import type { ImportReport } from '../../../../src/services/import/importReport';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';

/** WebAssembly file of sql.js. */
export const wasmPath = path.join(path.dirname(require.resolve('sql.js')), 'sql-wasm.wasm');
export const importWorkerPath = path.join(__dirname, '../../../../src/services/import/importWorker.js');
export const lancePath = path.join(__dirname, '../../../../src/services/codebase/lance/lanceProcess.js');
export const databaseWorkerPath = path.join(__dirname, '../../../../src/services/database/databaseWorker.js');

/** Migrated database and a folder with files to import. */
export class ImportBench {
  readonly directory = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'ollama-copilot-import-')));
  readonly source = path.join(this.directory, 'source');
  readonly storage = path.join(this.directory, 'storage');
  readonly file = path.join(this.storage, 'sessions.sqlite');
  private service: DatabaseService | null = null;

  static async create(): Promise<ImportBench> {
    const bench = new ImportBench();
    mkdirSync(bench.source);
    await bench.database();
    return bench;
  }

  /** Opens the database until `clean`. */
  async database(): Promise<DatabaseService> {
    if (this.service === null) {
      const around = {
        directory: this.storage,
        owner: 'window',
        clock: systemClock,
        logger: silentLogger,
        workerPath: databaseWorkerPath,
      };
      this.service = new DatabaseService(around);
      await this.service.initialize();
    }
    return this.service;
  }

  write(name: string, content: string | Buffer): string {
    const file = path.join(this.source, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  import(options: Partial<ImportOptions> = {}): Promise<ImportReport> {
    return runImport({
      file: this.file,
      paths: [this.source],
      wasmPath,
      lancePath,
      now: Date.now,
      isCancelled: () => false,
      onProgress: () => undefined,
      ...options,
    });
  }

  async entries(id: string): Promise<Entry[]> {
    return (await (await this.database()).log.read(id, 0)).entries;
  }

  /** Returns everything that an import writes, for comparison. */
  dump(): unknown {
    const database = openSqlite(this.file, { readOnly: true });
    try {
      const rows = (sql: string): unknown => database.prepare(sql).all();
      return {
        sessions: rows('SELECT * FROM sessions ORDER BY id'),
        messages: rows('SELECT * FROM messages ORDER BY session_id, seq'),
      };
    } finally {
      database.close();
    }
  }

  async clean(): Promise<void> {
    await this.service?.dispose();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function jsonLines(...lines: unknown[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
}

export const claudeId = '0b5ac9d2-7d1e-4f0a-9a53-0f6d1e6a2c11';

/** Builds lines of a Claude Code transcript. Each line is the child of the previous one. */
export class ClaudeTranscript {
  readonly lines: Record<string, unknown>[] = [];
  private count = 0;
  private last: string | null = null;

  constructor(private readonly sessionId = claudeId) {}

  /** Adds a line and returns its id. */
  line(type: string, more: Record<string, unknown> = {}): string {
    this.count += 1;
    const uuid = `${this.sessionId.slice(0, -4)}${String(this.count).padStart(4, '0')}`;
    const timestamp = new Date(Date.UTC(2025, 0, 1, 12, 0, this.count)).toISOString();
    const around = {
      parentUuid: this.last,
      isSidechain: false,
      userType: 'external',
      cwd: '/projects/app',
      sessionId: this.sessionId,
    };
    this.lines.push({ ...around, version: '2.0.76', gitBranch: 'main', type, uuid, timestamp, ...more });
    this.last = uuid;
    return uuid;
  }

  user(content: unknown, more: Record<string, unknown> = {}): string {
    return this.line('user', { message: { role: 'user', content }, ...more });
  }

  assistant(part: Record<string, unknown>, stopReason: string | null = null): string {
    const message = { id: 'msg', role: 'assistant', model: 'claude-test', content: [part], stop_reason: stopReason };
    return this.line('assistant', { message, requestId: 'req' });
  }

  text(text: string): string {
    return this.assistant({ type: 'text', text }, 'end_turn');
  }

  call(id: string, name: string, input: Record<string, unknown>): string {
    return this.assistant({ type: 'tool_use', id, name, input }, 'tool_use');
  }

  result(id: string, content: unknown, more: Record<string, unknown> = {}): string {
    return this.user([{ type: 'tool_result', tool_use_id: id, content }], more);
  }

  toString(): string {
    return jsonLines(...this.lines);
  }
}

/** Returns a generator of integers below `limit` that is deterministic for a seed. */
export function seeded(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
