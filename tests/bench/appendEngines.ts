import { closeSync, fdatasyncSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import initSqlJs from 'sql.js';
import { databaseFileName } from '../../src/services/database/sqlite/databaseFile';
import { openSqlite } from '../../src/services/database/sqlite/sqlite';
import { input, openService, prefill } from './support/history';

/**
 * Compares one durable append to the product's log on `node:sqlite` with an append in sql.js, which exports the whole file, and with a bare
 * `fdatasync`, at several lengths of the history. `--json` prints one object. `--sizes 1000,10000` sets the lengths.
 */

interface Row {
  messages: number;
  fileBytes: number;
  fdatasyncMs: number;
  nodeSqliteMs: number;
  sqlJsMs: number;
  sqlJsResidentBytes: number;
  /** Ratio of the append time to an append in sql.js with its whole-file export. `toFdatasync`: ratio to a bare `fdatasync`. */
  toSqlJs: number;
  toFdatasync: number;
}

async function measure(messages: number): Promise<Row> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  const file = path.join(directory, databaseFileName);
  try {
    const sessionId = await prefill(directory, messages);
    const fdatasyncMs = await median(200, (index) => syncOnce(path.join(directory, 'bare'), index));
    const service = openService(directory);
    await service.initialize();
    const nodeSqliteMs = await median(200, () => service.log.append(sessionId, input));
    await service.dispose();
    const sqlJs = await measureSqlJs(directory, file, sessionId, messages >= 100_000 ? 7 : 15);
    return {
      messages,
      fileBytes: statSync(file).size,
      fdatasyncMs,
      nodeSqliteMs,
      ...sqlJs,
      toSqlJs: nodeSqliteMs / sqlJs.sqlJsMs,
      toFdatasync: nodeSqliteMs / fdatasyncMs,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measureSqlJs(directory: string, file: string, sessionId: string, rounds: number) {
  const single = openSqlite(file);
  single.exec('PRAGMA journal_mode = DELETE');
  single.close();
  const before = process.memoryUsage().rss;
  const sqlJs = await initSqlJs({ locateFile: (name) => path.join(path.dirname(require.resolve('sql.js')), name) });
  const database = new sqlJs.Database(readFileSync(file));
  let resident = 0;
  const sqlJsMs = await median(rounds, (index) => {
    database.run(
      `INSERT INTO messages (id, session_id, seq, revision, type, role, content, data, timestamp)
       SELECT ?, session_id, seq + 1, seq + 1, 'user_input', 'user', ?, ?, timestamp + 1
       FROM messages WHERE session_id = ? ORDER BY seq DESC LIMIT 1`,
      [`sqljs-${index}`, input.content, JSON.stringify(input.data), sessionId],
    );
    const target = openSync(path.join(directory, 'exported'), 'w');
    writeSync(target, database.export());
    fsyncSync(target);
    closeSync(target);
    resident = Math.max(resident, process.memoryUsage().rss);
  });
  database.close();
  return { sqlJsMs, sqlJsResidentBytes: resident - before };
}

/** Writes and syncs as many bytes as one append adds to the log file. */
function syncOnce(file: string, index: number): void {
  const target = openSync(file, index === 0 ? 'w' : 'a');
  writeSync(target, Buffer.alloc(5 * 4096, index));
  fdatasyncSync(target);
  closeSync(target);
}

async function median(rounds: number, work: (index: number) => unknown): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < rounds; index += 1) {
    const start = performance.now();
    await work(index);
    times.push(performance.now() - start);
    // Lets the worker and the timers run, as between the messages of a conversation.
    await setImmediate();
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

async function main(args: string[]): Promise<void> {
  const chosen = args[args.indexOf('--sizes') + 1];
  const sizes = args.includes('--sizes') && chosen !== undefined ? chosen.split(',').map(Number) : [1_000, 10_000, 100_000];
  const rows: Row[] = [];
  for (const size of sizes) rows.push(await measure(size));
  if (args.includes('--json')) console.log(JSON.stringify({ node: process.version, appendEngines: rows }));
  else {
    for (const row of rows) {
      const { messages, fileBytes, fdatasyncMs, nodeSqliteMs, sqlJsMs, sqlJsResidentBytes, toSqlJs, toFdatasync } = row;
      console.log(
        `${messages} messages (${mb(fileBytes)} MB): append p50 ${nodeSqliteMs.toFixed(2)} ms with node:sqlite, ` +
          `${sqlJsMs.toFixed(1)} ms and ${mb(sqlJsResidentBytes)} MB more memory with sql.js (ratio ${toSqlJs.toFixed(4)}); ` +
          `one fdatasync ${fdatasyncMs.toFixed(2)} ms (ratio ${toFdatasync.toFixed(2)})`,
      );
    }
  }
}

function mb(bytes: number): string {
  return (bytes / 1_000_000).toFixed(0);
}

void main(process.argv.slice(2));
