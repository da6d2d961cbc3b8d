import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseService } from '../../../src/services/database/databaseService';
import { openSqlite } from '../../../src/services/database/sqlite';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { userInput, workerPath } from '../database/support/stores';
import { digestOf, type Report } from './support/churnReport';
import { EngineBench } from './support/engineBench';
import { independentCheck } from './support/independentCheck';
import { Seeded } from './support/seeded';

/** `npm run test:crash` does 500. */
const rounds = Number(process.env.CRASH_ROUNDS ?? 60);

describe('a process that is killed while it takes, restores, removes, collects, appends, searches and migrates', () => {
  it(`loses nothing that it told of, in ${rounds} rounds`, async function () {
    this.timeout(0);
    const bench = new EngineBench();
    const random = new Seeded(Date.now());
    const acknowledged = new Map<string, string>();
    const doubtful = new Set<string>();
    /** By the folder of their storage. */
    const appended = new Map([[bench.storage, new Map<string, string>()]]);
    let migrated = 0;
    try {
      for (let round = 0; round < rounds; round += 1) {
        await churn(bench, random, (report) => {
          if (report.kind === 'taken') acknowledged.set(report.id, report.digest);
          if (report.kind === 'removing') doubtful.add(report.id);
          if (report.kind !== 'appended') return;
          if (!appended.has(report.folder)) appended.set(report.folder, new Map());
          appended.get(report.folder)?.set(report.id, report.content);
        });
        for (const [folder, entries] of appended) {
          const { answer, entries: there } = await independentCheck(folder);
          assert.deepEqual(answer, [['ok']]);
          for (const [id, content] of entries) assert.equal(there.get(id), content, `round ${round}: ${folder}`);
          if (folder === bench.storage) continue;
          await migratedAfterwards(folder, entries);
          appended.delete(folder);
          migrated += 1;
        }
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
      // A few rounds need not have come to everything.
      const least = rounds < 60 ? 0 : rounds / 2;
      assert.ok(acknowledged.size > least, `${acknowledged.size} checkpoints`);
      assert.ok((appended.get(bench.storage)?.size ?? 0) > least, 'entries');
      assert.ok(migrated >= least / 20, `${migrated} migrations`);
    } finally {
      bench.clean();
    }
  });
});

/** An interrupted migration goes on at the next start: nothing is gone, and what bears the name of a backup has all that was there before. */
async function migratedAfterwards(directory: string, entries: ReadonlyMap<string, string>): Promise<void> {
  const database = new DatabaseService({ directory, owner: 'next', clock: systemClock, logger: silentLogger, workerPath });
  try {
    await database.initialize();
    const found = (await database.log.read('session', 0)).entries;
    for (const [id, content] of entries) assert.equal(found.find((entry) => entry.id === id)?.content, content);
    await database.log.append('session', userInput('next'));
  } finally {
    await database.dispose();
  }
  for (const name of readdirSync(path.join(directory, 'backups')).filter((backup) => backup.endsWith('.sqlite'))) {
    const backup = openSqlite(path.join(directory, 'backups', name), { readOnly: true });
    const kept = new Map(
      backup
        .prepare('SELECT id, content FROM messages')
        .all()
        .map(({ id, content }) => [id, content]),
    );
    backup.close();
    for (const [id, content] of entries) if (/^m\d+$/.test(id)) assert.equal(kept.get(id), content, name);
  }
  rmSync(directory, { recursive: true });
}

/** Lets a child work until it has told of some things, and kills it in the middle of one of the next. */
async function churn(bench: EngineBench, random: Seeded, onReport: (report: Report) => void): Promise<void> {
  bench.engine.dispose();
  const script = path.join(__dirname, 'processes', 'churn.js');
  const child = fork(script, [bench.storage, bench.root, String(random.below(1e9))], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let wanted = 1 + random.below(14);
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
