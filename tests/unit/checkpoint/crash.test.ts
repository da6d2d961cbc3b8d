import assert from 'node:assert/strict';
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseService } from '../../../src/services/database/databaseService';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { userInput, workerPath } from '../database/support/stores';
import { runSeed } from '../../support/rounds';
import { deeds, diskDigest, digestOf, type Deed, type Report } from './support/churnReport';
import { EngineBench } from './support/engineBench';
import { IndependentStorage } from './support/independentStorage';
import { Seeded } from './support/seeded';

/** `npm run test:crash` runs 500 rounds. */
const rounds = Number(process.env.CRASH_ROUNDS ?? 5);
/** Determines the operations and the moment of the kill. The timing still differs between runs. */
const seed = runSeed();

/** Operation that a child process was running when it was killed. */
interface Cut {
  restoring: Extract<Report, { kind: 'restoring' }> | null;
  isMigrating: boolean;
}

describe('a process that is killed while it takes, restores, removes, collects, appends, searches and migrates', () => {
  it(`loses nothing that it told of, in ${rounds} rounds, SEED=${seed}`, async function () {
    this.timeout(0);
    const bench = new EngineBench();
    const random = new Seeded(seed);
    const outside = outsideOf(bench);
    const outsideDigest = diskDigest(outside);
    const isKept = neverStored(bench);
    const acknowledged = new Map<string, string>();
    const doubtful = new Set<string>();
    /** Appended entries by storage folder. */
    const appended = new Map([[bench.storage, new Map<string, string>()]]);
    const cuts = { restores: 0, migrations: 0 };
    try {
      for (let round = 0; round < rounds; round += 1) {
        const cut = await churn(bench, { round, outside }, random, (report) => {
          if (report.kind === 'taken') acknowledged.set(report.id, report.digest);
          if (report.kind === 'removing') doubtful.add(report.id);
          if (report.kind !== 'appended') return;
          if (!appended.has(report.folder)) appended.set(report.folder, new Map());
          appended.get(report.folder)?.set(report.id, report.content);
        });
        if (cut.isMigrating) cuts.migrations += 1;
        for (const [folder, entries] of appended) {
          const independent = await IndependentStorage.open(folder);
          assert.deepEqual(independent.integrity(), [['ok']]);
          const there = independent.entries();
          for (const [id, content] of entries) assert.equal(there.get(id), content, `round ${round}: ${folder}`);
          independent.close();
          if (folder === bench.storage) continue;
          await migratedAfterwards(folder, entries);
          appended.delete(folder);
        }
        const left = bench
          .rows("SELECT data ->> 'checkpointId' FROM operations WHERE state = 'running'")
          .map(([id]) => String(id));
        bench.reopen();
        for (const { steps } of bench.engine.restores.recover(bench.workspace)) {
          assert.ok(
            steps.every(({ outcome }) => outcome === 'done' || outcome === 'skipped'),
            JSON.stringify(steps),
          );
        }
        assert.deepEqual(bench.rows("SELECT id FROM operations WHERE state = 'running'"), []);
        assert.deepEqual(bench.rows("SELECT id FROM checkpoints WHERE state = 'taking'"), []);
        assert.deepEqual(bench.engine.care.verify().problems, []);
        bench.checkReferences();

        overwriteUntold(bench);
        const independent = await IndependentStorage.open(bench.storage);
        assert.equal(independent.checkObjects(), Number(bench.rows('SELECT count(*) FROM snapshot_objects')[0]?.[0]));
        const there = new Set(bench.engine.checkpoints.list('session').map(({ id }) => id));
        for (const [id, digest] of acknowledged) {
          if (doubtful.has(id) && !there.has(id)) continue;
          assert.equal(independent.digestOf(id), digest, `round ${round}: ${id}`);
          assert.equal(
            digestOf(
              bench.engine.checkpoints.files(id).map(({ path: file, state }) => [file, state.kind, state.mode, state.hash]),
            ),
            digest,
          );
        }
        // If a restore was recorded, it is now complete. Otherwise, the workspace is in the state before or after the restore.
        const disk = diskDigest(bench.root);
        assert.equal(diskDigest(outside), outsideDigest, `round ${round}: outside`);
        assert.ok(isKept(), `round ${round}: a nested clone or a pipe`);
        assert.ok(left.length <= 1);
        cuts.restores += left.length;
        for (const target of left) assert.equal(disk, independent.digestOf(target), `round ${round}: finished`);
        if (cut.restoring !== null && left.length === 0) {
          const { disk: before, target } = cut.restoring;
          assert.ok(disk === before || disk === independent.digestOf(target), `round ${round}: neither before nor after`);
        }
        independent.close();
      }
      // With few rounds, some operations may not be reached.
      if (rounds >= 60) {
        assert.ok(acknowledged.size > rounds / 2, `${acknowledged.size} checkpoints`);
        assert.ok((appended.get(bench.storage)?.size ?? 0) > rounds / 2, 'entries');
        assert.ok(cuts.restores >= rounds / 40, `${JSON.stringify(cuts)} were cut off`);
        assert.ok(cuts.migrations >= rounds / 40, `${JSON.stringify(cuts)} were cut off`);
      }
    } finally {
      bench.clean();
    }
  });
});

/**
 * Makes SQLite overwrite a commit that a killed process wrote but did not publish. Other connections ignore such a commit, but a copy of
 * the files would include it. (SQLite, `walFrames`: the index of the log changes after the log is synced.)
 */
function overwriteUntold(bench: EngineBench): void {
  const [[version] = []] = bench.rows('PRAGMA user_version');
  bench.rows(`PRAGMA user_version = ${Number(version)}`);
}

/** Checks that the next start finishes an interrupted migration without data loss, and that each backup file is complete. */
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

/** Creates a folder outside the workspace as a target for links. Its files have the same names as the workspace files. */
function outsideOf(bench: EngineBench): string {
  const outside = bench.folder();
  for (const folder of ['', 'deep']) {
    mkdirSync(path.join(outside, folder), { recursive: true });
    for (let file = 0; file < 12; file += 1) writeFileSync(path.join(outside, folder, `file${file}`), `outside ${file}`);
  }
  return outside;
}

/**
 * Creates a pipe and the Git folder of a nested clone, which no checkpoint contains. Returns a function that checks if they are unchanged.
 */
function neverStored(bench: EngineBench): () => boolean {
  const head = bench.at('clone/.git/HEAD');
  const pipe = bench.at('pipe');
  mkdirSync(path.dirname(head), { recursive: true });
  writeFileSync(head, 'ref: refs/heads/main\n');
  if (process.platform !== 'win32') execFileSync('mkfifo', [pipe]);
  return () =>
    readFileSync(head, 'utf8') === 'ref: refs/heads/main\n' && (process.platform === 'win32' || lstatSync(pipe).isFIFO());
}

/**
 * Runs a child process until it reports an operation, then kills it. Repeats this if needed. Some children kill themselves at a disk
 * operation instead.
 */
async function churn(
  bench: EngineBench,
  { round, outside }: { round: number; outside: string },
  random: Seeded,
  onReport: (report: Report) => void,
): Promise<Cut> {
  bench.engine.dispose();
  const script = path.join(__dirname, 'processes', 'churn.js');
  // Restores are short, so they are chosen more often. A migration does not use the counted operations.
  const deed: Deed = round % 6 === 0 ? 'migrating' : random.chance(30) ? 'restoring' : random.pick(deeds);
  const fuse = deed !== 'migrating' && random.chance(70) ? 1 + random.below(400) : 0;
  const child = fork(script, [bench.storage, bench.root, String(random.below(1e9)), deed, String(fuse), outside], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const cut: Cut = { restoring: null, isMigrating: false };
  let wanted = 1 + random.below(fuse > 0 ? 20 : 4);
  const reached = new Promise<void>((resolve) => {
    child.on('message', (report: Report) => {
      onReport(report);
      cut.restoring = report.kind === 'restoring' ? report : null;
      cut.isMigrating = report.kind === 'migrating';
      if (report.kind === deed) wanted -= 1;
      if (wanted === 0) resolve();
    });
  });
  const ended = once(child, 'exit');
  await Promise.race([reached, ended]);
  if (!random.chance(20)) await delay(random.below(12));
  child.kill('SIGKILL');
  const [, signal] = (await ended) as [unknown, unknown];
  assert.equal(signal, 'SIGKILL');
  bench.engine = bench.opened();
  return cut;
}
