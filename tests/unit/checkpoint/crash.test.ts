import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import initSqlJs from 'sql.js';
import { databaseFileName } from '../../../src/services/database/databaseFile';
import { openSqlite } from '../../../src/services/database/sqlite';
import { digestOf, type Report } from './support/churnReport';
import { EngineBench } from './support/engineBench';
import { Seeded } from './support/seeded';

/** `npm run test:crash` does 500. */
const rounds = Number(process.env.CRASH_ROUNDS ?? 60);

describe('a process that is killed while it takes, restores, removes and collects', () => {
  it(`loses nothing that it told of, in ${rounds} rounds`, async function () {
    this.timeout(0);
    const bench = new EngineBench();
    const random = new Seeded(Date.now());
    const acknowledged = new Map<string, string>();
    const doubtful = new Set<string>();
    try {
      for (let round = 0; round < rounds; round += 1) {
        await churn(bench, random, (report) => {
          if (report.kind === 'taken') acknowledged.set(report.id, report.digest);
          if (report.kind === 'removing') doubtful.add(report.id);
        });
        bench.reopen();
        for (const { steps } of bench.engine.recover(bench.workspace)) {
          assert.ok(
            steps.every(({ outcome }) => outcome === 'done' || outcome === 'skipped'),
            JSON.stringify(steps),
          );
        }
        assert.deepEqual(bench.rows("SELECT id FROM operations WHERE state = 'running'"), []);
        assert.deepEqual(bench.rows("SELECT id FROM checkpoints WHERE state = 'taking'"), []);
        assert.deepEqual(bench.engine.verify().problems, []);
        bench.checkReferences();
        const there = new Set(bench.engine.list('session').map(({ id }) => id));
        for (const [id, digest] of acknowledged) {
          if (doubtful.has(id) && !there.has(id)) continue;
          assert.equal(digestOf(bench.engine.files(id)), digest, `round ${round}`);
        }
      }
      assert.ok(acknowledged.size >= rounds, `${acknowledged.size} checkpoints`);
      assert.deepEqual(await independentCheck(bench.storage), [['ok']]);
    } finally {
      bench.clean();
    }
  });
});

/** Lets a child work until it has told of some things, and kills it in the middle of one of the next. */
async function churn(bench: EngineBench, random: Seeded, onReport: (report: Report) => void): Promise<void> {
  bench.engine.dispose();
  const script = path.join(__dirname, 'processes', 'churn.js');
  const child = fork(script, [bench.storage, bench.root, String(random.below(1e9))], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let wanted = 1 + random.below(8);
  const reached = new Promise<void>((resolve) => {
    child.on('message', (report: Report) => {
      onReport(report);
      wanted -= 1;
      if (wanted === 0) resolve();
    });
  });
  const ended = once(child, 'exit');
  await Promise.race([reached, ended]);
  await delay(random.below(25));
  child.kill('SIGKILL');
  const [, signal] = (await ended) as [unknown, unknown];
  assert.equal(signal, 'SIGKILL');
  bench.engine = bench.opened();
}

/** The integrity check of another build of SQLite, which reads no `-wal`, on a copy. */
async function independentCheck(storage: string): Promise<unknown> {
  const copy = mkdtempSync(path.join(storage, 'copy-'));
  try {
    const file = path.join(copy, databaseFileName);
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(path.join(storage, databaseFileName + suffix)))
        copyFileSync(path.join(storage, databaseFileName + suffix), file + suffix);
    }
    const database = openSqlite(file);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
    database.close();
    const sqlJs = await initSqlJs({ locateFile: (name) => path.join(path.dirname(require.resolve('sql.js')), name) });
    const independent = new sqlJs.Database(readFileSync(file));
    const [result] = independent.exec('PRAGMA integrity_check');
    independent.close();
    return result?.values;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
