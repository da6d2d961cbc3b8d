import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import initSqlJs from 'sql.js';
import { databaseFileName } from '../../src/services/database/sqlite/databaseFile';
import type { DatabaseService } from '../../src/services/database/databaseService';
import { interleaved, large, median, percentile, report } from './support/figures';
import { input, openService, prefill } from './support/history';

/**
 * Measures one durable append to the product's log at several lengths of the history. Compares it with writing the same number of bytes to
 * a growing file with one `fdatasync`, and with sql.js, which writes the whole file. Also measures one page of entries. The compared
 * operations alternate.
 */

const rounds = 400;
const small = 40;

async function measure(messages: number): Promise<number> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  const bare = openSync(path.join(directory, 'bare'), 'w');
  try {
    const sessionId = await prefill(directory, messages);
    const service = openService(directory);
    await service.initialize();
    // Reads a page, as when a chat is shown. This starts the worker that also checkpoints the `-wal` file.
    await service.log.readPage(sessionId, null, 50);
    const append = () => service.log.append(sessionId, input);
    const bytes = await bytesOf(append, path.join(directory, `${databaseFileName}-wal`));
    const sync = (round: number) => {
      writeSync(bare, Buffer.alloc(bytes, round));
      fdatasyncSync(bare);
    };
    const [appends = [], syncs = []] = await interleaved(rounds, [append, sync]);
    const name = `${messages.toLocaleString('en')} entries`;
    report('append', `append p50 at ${name}`, 'ms', median(appends), median(syncs), 'ratio ≤ 1.5');
    report('append', `append p95 at ${name}`, 'ms', percentile(appends, 0.95), percentile(syncs, 0.95), 'ratio ≤ 1.5');
    await measurePages(service, sessionId, name);
    if (messages === large(10_000)) await measureSqlJs(service, path.join(directory, 'sqljs'), append, sync);
    await service.dispose();
    return median(appends);
  } finally {
    closeSync(bare);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Compares a page with reading the whole log, which is the cost of a page without an index. */
async function measurePages(service: DatabaseService, sessionId: string, name: string): Promise<void> {
  const count = await service.queries.count(sessionId);
  const page = (round: number) =>
    service.queries.page({ sessionId, beforeSeq: 51 + ((round * 7_919) % (count - 50)), limit: 50 });
  const [pages = []] = await interleaved(rounds, [page]);
  const [whole = []] = await interleaved(1, [() => service.log.read(sessionId, 0)]);
  report('log', `page of 50 at ${name}`, 'ms', median(pages), median(whole), 'value ≤ 0.2');
}

/** Measures sql.js, which holds the database in memory: each append exports and writes all of it. */
async function measureSqlJs(
  service: DatabaseService,
  file: string,
  append: () => Promise<unknown>,
  sync: (round: number) => void,
): Promise<void> {
  await service.backUp(file);
  const sqlJs = await initSqlJs({ locateFile: (name) => path.join(path.dirname(require.resolve('sql.js')), name) });
  const database = new sqlJs.Database(readFileSync(file));
  const exportAll = (round: number): void => {
    database.run('UPDATE sessions SET revision = revision + 1');
    database.run(
      `INSERT INTO messages (id, session_id, seq, revision, type, role, content, timestamp)
       SELECT ?, id, ?, revision, 'user_input', 'user', ?, 1 FROM sessions`,
      [`sqljs-${round}`, 1_000_000 + round, input.content],
    );
    const descriptor = openSync(file, 'w');
    writeSync(descriptor, database.export());
    fdatasyncSync(descriptor);
    closeSync(descriptor);
  };
  const [appends = [], syncs = [], exports = []] = await interleaved(30, [append, sync, exportAll]);
  database.close();
  report('log', 'append beside sql.js at 10,000 entries', 'ms', median(appends), median(exports), 'ratio ≤ 0.01');
  // Lower limit for the time of any durable append.
  report('log', 'one fdatasync beside sql.js at 10,000 entries', 'ms', median(syncs), median(exports), 'ratio ≤ 0.01');
}

/** Returns by how many bytes one append grows the write-ahead log. */
async function bytesOf(append: () => Promise<unknown>, log: string): Promise<number> {
  const sizes: number[] = [];
  for (let index = 0; index < small; index += 1) {
    const before = statSync(log).size;
    await append();
    sizes.push(statSync(log).size - before);
  }
  return median(sizes.filter((size) => size > 0));
}

async function main(): Promise<void> {
  const appends: number[] = [];
  for (const messages of [1_000, 10_000, 100_000]) appends.push(await measure(large(messages)));
  const [atThousand = NaN, , atHundredThousand = NaN] = appends;
  report('log', 'append at 100,000 beside 1,000 entries', 'ms', atHundredThousand, atThousand, 'ratio ≤ 1.2');
}

void main();
