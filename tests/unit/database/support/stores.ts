import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { StorageError } from '../../../../src/services/database/sqlite/storageError';
import { Connection } from '../../../../src/services/database/sqlite/connection';
import { databaseFileName } from '../../../../src/services/database/sqlite/databaseFile';
import { DatabaseService } from '../../../../src/services/database/databaseService';
import { OffloadedWork } from '../../../../src/services/database/offloadedWork';
import { SessionLog } from '../../../../src/services/database/log/sessionLog';
import { openSqlite, type DatabaseSync } from '../../../../src/services/database/sqlite/sqlite';
import type { LogEvent } from '../../../../src/protocol/webviewEvents';
import { systemClock, type Clock } from '../../../../src/utils/clock';
import type { Logger } from '../../../../src/utils/logger';
import { silentLogger } from '../../../../src/utils/logger';
import { caseLimitMs } from '../../../support/until';

export const workerPath = path.join(__dirname, '../../../../src/services/database/databaseWorker.js');

export const checkpointWorkerPath = path.join(__dirname, '../../../../src/services/checkpoint/engine/checkpointWorker.js');

/** Worker whose clock is two hours ahead. See `laterWorker`. */
export const laterWorkerPath = path.join(__dirname, '../processes/laterWorker.js');

interface ServiceOptions {
  clock?: Clock;
  owner?: string;
  logger?: Logger;
  onDamage?: (failure: StorageError) => void;
}

/** Temporary folders and the resources that were opened in them. `clean` removes everything. */
export class Workbench {
  private readonly folders: string[] = [];
  private readonly opened: { dispose(): void | Promise<void> }[] = [];

  folder(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-database-'));
    this.folders.push(folder);
    return folder;
  }

  async service(directory: string, options: ServiceOptions = {}): Promise<DatabaseService> {
    const service = this.unopened(directory, options);
    await service.initialize();
    return service;
  }

  unopened(directory: string, options: ServiceOptions = {}): DatabaseService {
    const { clock = systemClock, owner = 'window', logger = silentLogger, ...others } = options;
    const service = new DatabaseService({ directory, owner, clock, logger, workerPath, ...others });
    this.opened.push(service);
    return service;
  }

  /** Disposes a resource after the test. */
  add(opened: { dispose(): void | Promise<void> }): void {
    this.opened.push(opened);
  }

  /** Returns the parts that a service consists of. */
  async parts(directory: string, options: { clock?: Clock; logger?: Logger; workerPath?: string } = {}) {
    const { clock = systemClock, logger = silentLogger } = options;
    const connection = new Connection({ directory, clock, logger });
    this.opened.push({ dispose: () => connection.close() });
    await connection.open();
    const offloaded = new OffloadedWork(connection, options.workerPath ?? workerPath, logger);
    this.opened.push(offloaded);
    return { connection, offloaded, log: new SessionLog(connection, offloaded, clock, logger) };
  }

  async clean(): Promise<void> {
    for (let item = this.opened.pop(); item !== undefined; item = this.opened.pop()) {
      try {
        await item.dispose();
      } catch {
        // A resource that a test damaged may fail to close.
      }
    }
    for (const folder of this.folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  }
}

export function fileOf(directory: string): string {
  return path.join(directory, databaseFileName);
}

/** Accesses the file directly, bypassing the store. */
export function withRaw<T>(directory: string, work: (database: DatabaseSync) => T): T {
  const database = openSqlite(fileOf(directory), { timeout: caseLimitMs });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

export function overwrite(file: string, offset: number, length: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0xa5, offset, offset + length);
  writeFileSync(file, bytes);
}

export function newSession(title = 'A session') {
  return { mode: 'ask' as const, model: null, title, projectPath: null };
}

export function userInput(content: string) {
  return { type: 'user_input' as const, content, data: { mode: 'ask', attachments: [] } };
}

/** Records the events from a log. */
export function recordEvents(log: SessionLog): LogEvent[] {
  const events: LogEvent[] = [];
  log.onDidChange((event) => events.push(event));
  return events;
}

/** Returns a logger that records warnings and errors as `level message`. */
export function recordingLogger(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const keep = (level: string) => (message: string | Error) => void lines.push(`${level} ${String(message)}`);
  return { logger: { ...silentLogger, warn: keep('warn'), error: keep('error') }, lines };
}
