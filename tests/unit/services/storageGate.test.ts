import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { StorageState } from '../../../src/protocol/webviewEvents';
import { finishClearing } from '../../../src/services/database/upkeep/clearStorage';
import { leaseFileName } from '../../../src/services/database/sqlite/databaseFile';
import { createOwner } from '../../../src/services/database/sessions/windowOwner';
import { StorageGate } from '../../../src/services/database/storageGate';
import { DatabaseService } from '../../../src/services/database/databaseService';
import { systemClock, type Clock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { exitOf, nextMessage, startChild } from '../database/processes/child';
import { fileOf, newSession, overwrite, userInput, withRaw, Workbench, workerPath } from '../database/support/stores';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';

const bench = new Workbench();
const gates: StorageGate<DatabaseService>[] = [];
afterEach(async () => {
  for (const gate of gates.splice(0)) await gate.dispose().catch(() => undefined);
  await bench.clean();
});

/** Clock with short pauses, so that ten seconds pass immediately. */
const hasty: Clock = {
  now: () => Date.parse('2026-01-31T23:59:58Z'),
  sleep: (_milliseconds, signal) => systemClock.sleep(1, signal),
};

function gateOn(place: { directory: string }, clock: Clock = hasty) {
  const states: StorageState[] = [];
  const fresh: boolean[] = [];
  const gate = new StorageGate<DatabaseService>({
    directory: () => place.directory,
    open: async ({ directory, isFresh, onDamage }) => {
      fresh.push(isFresh);
      const service = new DatabaseService({
        directory,
        isFresh,
        clock,
        workerPath,
        onDamage,
        owner: 'window',
        logger: silentLogger,
      });
      try {
        await service.initialize();
      } catch (error) {
        await service.dispose();
        throw error;
      }
      return service;
    },
    clock,
    logger: silentLogger,
  });
  gate.onDidChange((state) => states.push(state));
  gates.push(gate);
  return { gate, states, fresh };
}

const filesOf = (directory: string) =>
  readdirSync(directory)
    .filter((name) => name !== leaseFileName && name !== 'windows')
    .sort();
const aside = 'sessions.sqlite.damaged-20260131-235958';

describe('the storage gate', () => {
  it('opens once, however often it is asked, and tells', async () => {
    const { gate, states } = gateOn({ directory: bench.folder() });
    assert.deepEqual(gate.state, { state: 'opening', problem: null });
    const [first, second] = await Promise.all([gate.open(), gate.open()]);
    assert.equal(first, second);
    assert.equal(gate.current, first);
    assert.deepEqual(
      states.map(({ state }) => state),
      ['opening', 'open'],
    );
  });

  it('says why it does not open, where, and what can be done', async () => {
    const directory = bench.folder();
    writeFileSync(fileOf(directory), 'not a database at all');
    const { gate } = gateOn({ directory });
    await assert.rejects(gate.open(), { code: 'corrupt' });
    const { state, problem } = gate.state;
    assert.deepEqual(
      [state, problem?.code, problem?.folder, problem?.actions[0]],
      ['unavailable', 'corrupt', directory, 'setAside'],
    );
    assert.match(problem?.message ?? '', /damaged.*left unchanged/);
  });

  it('tries again by itself what may have passed, and never what a person has to decide', async () => {
    const place = { directory: bench.folder() };
    writeFileSync(fileOf(place.directory), 'not a database at all');
    const damaged = gateOn(place);
    await assert.rejects(damaged.gate.open(), { code: 'corrupt' });
    rmSync(fileOf(place.directory));
    await assert.rejects(damaged.gate.open(), { code: 'corrupt' });
    assert.deepEqual(damaged.fresh, [false]);
    await damaged.gate.retry();
    assert.equal(damaged.gate.state.state, 'open');

    const other = { directory: bench.folder() };
    mkdirSync(fileOf(other.directory));
    const passing = gateOn(other);
    await assert.rejects(passing.gate.open(), { code: 'io' });
    rmSync(fileOf(other.directory), { recursive: true });
    await passing.gate.open();
    assert.deepEqual(passing.gate.state, { state: 'open', problem: null });
  });

  it('takes another folder as another chance', async () => {
    const place = { directory: bench.folder() };
    writeFileSync(fileOf(place.directory), 'not a database at all');
    const { gate } = gateOn(place);
    await assert.rejects(gate.open(), { code: 'corrupt' });
    place.directory = bench.folder();
    await gate.open();
  });

  it('waits for a lock that passes, and says so of one that does not', async () => {
    const directory = bench.folder();
    await (await bench.service(directory)).dispose();
    const child = startChild('locker', fileOf(directory), 'exclusive');
    await nextMessage(child);
    const { gate } = gateOn({ directory });
    await assert.rejects(gate.open(), { code: 'locked' });
    assert.deepEqual(gate.state.problem?.actions.slice(0, 1), ['retry']);
    const patient = gateOn({ directory }, systemClock);
    const opening = patient.gate.open();
    assert.equal(await patient.gate.settled(10), undefined);
    child.send('let go');
    await opening;
    await exitOf(child);
  });

  it('sets file, -wal and -shm aside together and begins with an empty database', async () => {
    const directory = bench.folder();
    const file = fileOf(directory);
    for (const suffix of ['', '-wal', '-shm']) writeFileSync(file + suffix, `damaged ${suffix}`);
    writeFileSync(`${file}.damaged-20260131-235958-wal`, 'of another time');
    const { gate, fresh } = gateOn({ directory });
    await assert.rejects(gate.open(), { code: 'corrupt' });
    assert.deepEqual(readFileSync(file, 'utf8'), 'damaged ');
    await gate.setAside();
    assert.equal(gate.state.state, 'open');
    assert.deepEqual(fresh, [false, true]);
    assert.deepEqual(
      ['', '-wal', '-shm'].map((suffix) => readFileSync(path.join(directory, `${aside}-2${suffix}`), 'utf8')),
      ['damaged ', 'damaged -wal', 'damaged -shm'],
    );
    assert.equal(readFileSync(path.join(directory, `${aside}-wal`), 'utf8'), 'of another time');
    assert.deepEqual((await gate.current?.sessions.list({ offset: 0, limit: 9 }))?.sessions, []);
  });

  for (const [title, spoil] of [
    ['cut to nothing', (file: string) => truncateSync(file, 0)],
    ['missing', (file: string) => rmSync(file)],
    [
      'a link to a disk that is not there',
      (file: string) => {
        rmSync(file);
        symlinkSync('/not/mounted', file);
      },
    ],
  ] as const) {
    it(`makes no new database beside the rest of one that is ${title}, and starts fresh on a person’s choice`, async function () {
      if (process.platform === 'win32') return this.skip();
      const directory = bench.folder();
      const child = startChild('holder', directory);
      await nextMessage(child);
      child.kill('SIGKILL');
      await exitOf(child);
      const log = `${fileOf(directory)}-wal`;
      const before = readFileSync(log);
      assert.ok(before.length > 0);
      spoil(fileOf(directory));
      const { gate } = gateOn({ directory });
      await assert.rejects(gate.open(), { code: 'incomplete' });
      assert.deepEqual(gate.state.problem?.actions.slice(0, 3), ['retry', 'openFolder', 'setAside']);
      assert.ok(before.equals(readFileSync(log)));
      await gate.setAside();
      assert.equal(gate.state.state, 'open');
      assert.ok(before.equals(readFileSync(path.join(directory, `${aside}-wal`))));
    });
  }

  it('makes no new database where only the stored contents are left', async () => {
    const directory = bench.folder();
    mkdirSync(path.join(directory, 'objects'));
    await (await bench.service(directory)).dispose();
    writeFileSync(path.join(directory, 'objects', 'pack'), 'content');
    rmSync(fileOf(directory));
    const { gate } = gateOn({ directory });
    await assert.rejects(gate.open(), { code: 'incomplete' });
    assert.equal(existsSync(fileOf(directory)), false);
    await gate.setAside();
    assert.equal(gate.state.state, 'open');
  });

  it('moves nothing while another window has the database open, and does once that one is gone, killed or not', async () => {
    const directory = bench.folder();
    await (await bench.service(directory)).dispose();
    for (const end of ['close', 'kill'] as const) {
      const child = startChild('holder', directory);
      await nextMessage(child);
      overwrite(fileOf(directory), 0, 16);
      const { gate } = gateOn({ directory });
      await assert.rejects(gate.open(), { code: 'corrupt' });
      const before = filesOf(directory);
      await assert.rejects(gate.setAside(), { code: 'inUse' });
      assert.deepEqual(filesOf(directory), before);
      if (end === 'close') child.send('close');
      else child.kill('SIGKILL');
      await exitOf(child);
      await gate.setAside();
      assert.equal(gate.state.state, 'open');
      await gate.dispose();
    }
    assert.ok(filesOf(directory).includes(aside));
  });

  it('sets aside only what is damaged, not the database of another program', async () => {
    const directory = bench.folder();
    const foreign = openSqlite(fileOf(directory));
    foreign.exec('CREATE TABLE theirs (x)');
    foreign.close();
    const { gate } = gateOn({ directory });
    await assert.rejects(gate.open(), { code: 'foreign' });
    const before = readFileSync(fileOf(directory));
    await gate.setAside();
    assert.ok(before.equals(readFileSync(fileOf(directory))));
    assert.deepEqual([gate.current, gate.state.problem?.code], [undefined, 'foreign']);
    assert.deepEqual(
      filesOf(directory).filter((name) => name.includes('damaged')),
      [],
    );
  });

  it('moves nothing that has been put in the place of the damaged file', async () => {
    const directory = bench.folder();
    const good = bench.folder();
    await (await bench.service(good)).dispose();
    writeFileSync(fileOf(directory), 'not a database at all');
    const { gate } = gateOn({ directory });
    await assert.rejects(gate.open(), { code: 'corrupt' });
    writeFileSync(fileOf(directory), readFileSync(fileOf(good)));
    await assert.rejects(gate.setAside(), { code: 'changed' });
    assert.equal(gate.state.state, 'open');
    assert.deepEqual(
      filesOf(directory).filter((name) => name.includes('damaged')),
      [],
    );
  });

  it('gives up a database that turns out damaged while it is open, and opens the next one on a person’s choice', async () => {
    const directory = bench.folder();
    const service = await bench.service(directory);
    const { id } = await service.sessions.create(newSession());
    for (let index = 0; index < 60; index += 1) await service.log.append(id, userInput(`${index} ${'text '.repeat(100)}`));
    await service.dispose();
    const pages = withRaw(directory, (database) =>
      database.prepare("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY pageno").all(),
    );
    overwrite(fileOf(directory), (Number(pages.at(-1)?.pageno) - 1) * 4096, 4096);
    const { gate } = gateOn({ directory });
    const opened = await gate.open();
    await assert.rejects(opened.log.read(id, 0), { code: 'corrupt' });
    assert.deepEqual([gate.current, gate.state.state, gate.state.problem?.code], [undefined, 'unavailable', 'corrupt']);
    const damaged = readFileSync(fileOf(directory));
    await gate.setAside();
    assert.ok(damaged.equals(readFileSync(path.join(directory, aside))));
    assert.deepEqual(await gate.current?.sessions.get(id), undefined);
  });

  it('opens nothing once it is disposed, and closes what was still being opened', async () => {
    const directory = bench.folder();
    const { gate } = gateOn({ directory });
    const opening = gate.open();
    await gate.dispose();
    const opened = await opening;
    await assert.rejects(opened.sessions.get('x'), { code: 'closed' });
    await assert.rejects(gate.open(), { code: 'closed' });
    assert.ok(existsSync(fileOf(directory)));
  });
});

describe('clearing everything', () => {
  it('empties database, objects and vectors, keeps backups, and opens anew', async () => {
    const directory = bench.folder();
    const { gate, states, fresh } = gateOn({ directory });
    const { sessions, log } = await gate.open();
    const { id } = await sessions.create(newSession());
    await log.append(id, userInput('secret words'));
    for (const folder of ['objects', 'ollama-copilot.lance', 'backups']) {
      mkdirSync(path.join(directory, folder));
      writeFileSync(path.join(directory, folder, 'content'), 'secret words');
    }
    states.length = 0;
    await gate.clear();
    assert.deepEqual(
      states.map(({ state }) => state),
      ['opening', 'opening', 'open'],
    );
    assert.deepEqual(fresh, [false, true]);
    const after = await gate.open();
    assert.equal((await after.sessions.list({ offset: 0, limit: 5 })).sessions.length, 0);
    assert.deepEqual(
      filesOf(directory).filter((name) => !name.startsWith('sessions.sqlite')),
      ['backups'],
    );
    assert.equal(readFileSync(fileOf(directory)).includes('secret words'), false);
    await assert.rejects(log.append(id, userInput('late')), { code: 'closed' });
  });

  it('closes other windows meanwhile, which then find nothing either, and copies nothing back', async () => {
    const directory = bench.folder();
    const one = gateOn({ directory }, systemClock);
    const other = gateOn({ directory }, systemClock);
    const { sessions } = await one.gate.open();
    await sessions.create(newSession());
    const before = await other.gate.open();
    await one.gate.clear();
    const after = await other.gate.open();
    assert.notEqual(after, before);
    await assert.rejects(before.sessions.list({ offset: 0, limit: 5 }), { code: 'closed' });
    assert.equal((await after.sessions.list({ offset: 0, limit: 5 })).sessions.length, 0);
    assert.deepEqual(
      other.states.map(({ state }) => state),
      ['opening', 'open', 'opening', 'opening', 'open'],
    );
    const { id } = await after.sessions.create(newSession());
    assert.equal((await (await one.gate.open()).sessions.get(id))?.id, id);
    await other.gate.clear();
    assert.equal((await (await one.gate.open()).sessions.list({ offset: 0, limit: 5 })).sessions.length, 0);
  });

  it('does not wait for a window that was killed while it deleted', async () => {
    const directory = bench.folder();
    mkdirSync(path.join(directory, 'windows'));
    const child = startChild('holder', directory);
    await nextMessage(child);
    const owner = createOwner().replace(`#${process.pid}#`, `#${child.pid}#`);
    writeFileSync(path.join(directory, 'windows', 'clearing'), owner);
    const { gate } = gateOn({ directory }, systemClock);
    const opening = gate.open();
    child.kill('SIGKILL');
    await exitOf(child);
    await opening;
    assert.equal(existsSync(path.join(directory, 'windows', 'clearing')), false);
  });

  it('deletes nothing while another window has the database open and does not close it', async () => {
    const directory = bench.folder();
    const { gate } = gateOn({ directory });
    await (await gate.open()).sessions.create(newSession('kept'));
    const child = startChild('holder', directory);
    await nextMessage(child);
    await assert.rejects(gate.clear(), { code: 'inUse' });
    assert.equal((await (await gate.open()).sessions.list({ offset: 0, limit: 5 })).sessions.length, 1);
    child.send('close');
    await exitOf(child);
    await gate.clear();
    assert.equal((await (await gate.open()).sessions.list({ offset: 0, limit: 5 })).sessions.length, 0);
  });

  it('goes on with what a killed window had left', async () => {
    const directory = bench.folder();
    mkdirSync(path.join(directory, 'clearing-20260101-000000-1', 'objects'), { recursive: true });
    await finishClearing(directory);
    assert.deepEqual(filesOf(directory), []);
  });
});

describe('a database of a newer version', () => {
  it('is open, and says why nothing is written to it', async () => {
    const directory = bench.folder();
    const { gate, states } = gateOn({ directory });
    await (await gate.open()).dispose();
    await gate.dispose();
    withRaw(directory, (raw) => raw.exec('PRAGMA user_version = 99'));
    const later = gateOn({ directory });
    await later.gate.open();
    assert.deepEqual([later.gate.state.state, later.gate.state.problem?.code], ['open', 'newer']);
    assert.deepEqual(later.gate.state.problem?.actions, ['chooseFolder', 'openFolder', 'showLog']);
    assert.equal(states.at(-1)?.problem, null);
  });
});
