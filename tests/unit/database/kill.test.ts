import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import initSqlJs from 'sql.js';
import { messageColumns } from '../../../src/services/database/log/entryFields';
import { exitOf, startChild } from './processes/child';
import { ManualClock } from './support/manualClock';
import { fileOf, withRaw, Workbench } from './support/stores';

interface Report {
  index: number;
  at: number;
  sessionId: string;
}

const bench = new Workbench();
afterEach(() => bench.clean());

describe('a window that is killed while a model streams', () => {
  for (const words of [3, 120, 300]) {
    it(`loses at most the last second of its words (killed after ${words} of them)`, async () => {
      const directory = bench.folder();
      const child = startChild('streamer', directory);
      const reports: Report[] = [];
      await new Promise<void>((resolve) => {
        child.on('message', (report) => {
          reports.push(report as Report);
          if (reports.length === words) resolve();
        });
      });
      child.kill('SIGKILL');
      assert.equal(await exitOf(child), 'SIGKILL');

      const copy = copyOf(directory);
      const killedAt = reports.at(-1)?.at ?? 0;
      const clock = new ManualClock(killedAt);
      const { log, sessions } = await bench.service(directory, { owner: 'next window', clock });
      const sessionId = reports[0]?.sessionId ?? '';
      const { entries } = await log.read(sessionId, 0);
      const answer = entries[1];
      const stored = (answer?.content ?? '').split(' ').filter((word) => word !== '');
      assert.deepEqual(
        stored,
        stored.map((_, index) => `word${index}`),
      );
      const due = reports.filter(({ at }) => at < killedAt - 1_000);
      assert.ok(stored.length >= due.length, `${stored.length} words stored, ${due.length} were older than a second`);
      assert.deepEqual([entries.length, entries[0]?.content, answer?.isOpen], [2, 'before', true]);
      assert.deepEqual(
        withRaw(directory, (database) => database.prepare('PRAGMA integrity_check').get()?.integrity_check),
        'ok',
      );

      const independent = await readWithSqlJs(copy);
      const ours = withRaw(directory, (database) =>
        database.prepare(`SELECT ${messageColumns} FROM messages ORDER BY seq`).all(),
      );
      assert.deepEqual(
        independent,
        ours.map((row) => Object.values(row)),
      );

      // The heartbeat of a window that no longer exists expires after 15 s. The same owner could claim the session at once.
      assert.equal(await sessions.claim(sessionId), false);
    });
  }
});

function copyOf(directory: string): string {
  const copy = bench.folder();
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(fileOf(directory) + suffix)) copyFileSync(fileOf(directory) + suffix, fileOf(copy) + suffix);
  }
  return copy;
}

/** Checks and reads a copy with another build of SQLite, which cannot read a `-wal` file. */
async function readWithSqlJs(directory: string): Promise<unknown[][]> {
  withRaw(directory, (database) => database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE'));
  const sqlJs = await initSqlJs({ locateFile: (name) => path.join(path.dirname(require.resolve('sql.js')), name) });
  const database = new sqlJs.Database(readFileSync(fileOf(directory)));
  try {
    assert.deepEqual(database.exec('PRAGMA integrity_check')[0]?.values, [['ok']]);
    return database.exec(`SELECT ${messageColumns} FROM messages ORDER BY seq`)[0]?.values ?? [];
  } finally {
    database.close();
  }
}
