import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { newestVersion } from '../../../src/services/database/sqlite/schemaVersion';
import { deadAfterMs } from '../../../src/services/database/sessions/heartbeat';
import { fileOf, newSession, overwrite, recordingLogger, userInput, withRaw, Workbench } from './support/stores';
import { ManualClock } from './support/manualClock';

const bench = new Workbench();
afterEach(() => bench.clean());

describe('DatabaseService', () => {
  it('opens a new folder with the settings that keep an acknowledged entry', async () => {
    const directory = bench.folder();
    const { connection } = await bench.parts(directory);
    const value = (pragma: string) => Object.values(connection.statement(`PRAGMA ${pragma}`).get() ?? {})[0];
    const pragmas = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout', 'user_version', 'application_id'];
    assert.deepEqual(await connection.read(() => pragmas.map(value)), ['wal', 2, 1, 5, newestVersion, 0x4f434f50]);
  });

  it('migrates once when two open an empty folder at the same moment', async () => {
    const directory = bench.folder();
    const services = [1, 2, 3].map(() => bench.unopened(directory));
    await Promise.all(services.map((service) => service.initialize()));
    await Promise.all(services.map(({ sessions }) => sessions.create(newSession())));
    assert.equal((await services[0]?.sessions.list({ offset: 0, limit: 10 }))?.sessions.length, 3);
  });

  it('knows what the runtime offers', async () => {
    const service = await bench.service(bench.folder());
    assert.deepEqual([service.capabilities?.fts5, service.capabilities?.zstd], [true, true]);
  });

  it('does not announce that node:sqlite is experimental, and leaves other warnings alone', () => {
    const script = `
      const { openSqlite } = require(${JSON.stringify(require.resolve('../../../src/services/database/sqlite/sqlite'))});
      openSqlite(':memory:').close();
      process.emitWarning('still heard', 'ExperimentalWarning');`;
    const { stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    assert.deepEqual([/SQLite/.test(stderr), /still heard/.test(stderr)], [false, true]);
  });

  it('leaves a file that is no database byte for byte as it is', async () => {
    const directory = bench.folder();
    writeFileSync(fileOf(directory), 'not a database at all, but somebody may want it back');
    await refuses(directory, 'corrupt');
  });

  it('leaves a database with damaged pages byte for byte as it is', async () => {
    const directory = bench.folder();
    await filled(directory);
    overwrite(fileOf(directory), 4096, 6 * 4096);
    await refuses(directory, 'corrupt');
  });

  it('leaves a database that is not ours byte for byte as it is', async () => {
    const directory = bench.folder();
    withRaw(directory, (database) => database.exec('CREATE TABLE sessions (id TEXT)'));
    await refuses(directory, 'foreign');
  });

  it('gives a database up that turns out damaged later, without writing to it again', async () => {
    const directory = bench.folder();
    const id = await filled(directory);
    const pages = withRaw(directory, (database) =>
      database.prepare("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY pageno").all(),
    );
    const last = Number(pages[pages.length - 1]?.pageno);
    overwrite(fileOf(directory), (last - 1) * 4096, 4096);
    const { logger } = recordingLogger();
    const service = await bench.service(directory, { logger });
    await service.sessions.create(newSession('into the log file'));
    const before = readFileSync(fileOf(directory));
    await assert.rejects(service.log.read(id, 0), { code: 'corrupt' });
    await assert.rejects(service.sessions.create(newSession()), { code: 'corrupt' });
    await assert.rejects(service.log.append(id, userInput('x')), { code: 'corrupt' });
    await service.dispose().catch(() => undefined);
    assert.ok(before.equals(readFileSync(fileOf(directory))));
  });

  it('says in words a person can act on what is wrong', async () => {
    const directory = bench.folder();
    writeFileSync(fileOf(directory), 'x'.repeat(200));
    await assert.rejects(bench.unopened(directory).initialize(), (error: { userMessage: string }) => {
      assert.match(error.userMessage, /damaged.*left unchanged.*backup/s);
      return true;
    });
  });

  it('refuses an append that does not fit the disk and goes on when there is room', async () => {
    const directory = bench.folder();
    const id = await filled(directory);
    const { connection, log } = await bench.parts(directory);
    const limit = (pages: number) => connection.read(() => connection.statement(`PRAGMA max_page_count = ${pages}`).get());
    const { revision } = await log.read(id, 0);
    await limit(1);
    await assert.rejects(log.append(id, userInput('x'.repeat(500_000))), { name: 'StorageError', code: 'full' });
    assert.equal((await log.read(id, 0)).revision, revision);
    await limit(1_000_000);
    const entry = await log.append(id, userInput('x'.repeat(500_000)));
    assert.deepEqual([entry.seq, entry.revision], [revision + 1, revision + 1]);
  });

  it('gives up its sessions and closes into one file', async () => {
    const directory = bench.folder();
    const clock = new ManualClock();
    const service = await bench.service(directory, { clock });
    const { id } = await service.sessions.create(newSession());
    await service.sessions.claim(id);
    await service.dispose();
    await assert.rejects(service.sessions.get(id), { code: 'closed' });
    const row = withRaw(directory, (database) => database.prepare('SELECT status, owner, heartbeat_at FROM sessions').get());
    assert.deepEqual({ ...row }, { status: 'idle', owner: null, heartbeat_at: null });
  });

  it('leaves the run of a live window alone and takes over that of a dead one, closing what it left open', async () => {
    const directory = bench.folder();
    const clock = new ManualClock();
    const dead = await bench.service(directory, { clock, owner: 'dead' });
    const { id } = await dead.sessions.create(newSession());
    assert.equal(await dead.sessions.claim(id), true);
    const thinking = await dead.log.open(id, { type: 'thinking', data: {} });
    await thinking.close({ durationMs: 1 });
    const open = await dead.log.open(id, { type: 'assistant_output', data: {} });
    open.write('half a sen');
    await clock.advance(500);

    const next = await bench.service(directory, { clock, owner: 'next' });
    clock.set(clock.now() + deadAfterMs - 1_000);
    assert.equal(await next.sessions.claim(id), false);
    clock.set(clock.now() + 2_000);
    const heard: unknown[] = [];
    next.log.onDidChange((event) => heard.push([event.kind, event.revision]));
    assert.equal(await next.sessions.claim(id), true);
    const { entries, revision } = await next.log.read(id, 0);
    assert.deepEqual(
      [entries[1]?.content, entries[1]?.isOpen, entries[1]?.data, entries[1]?.revision, revision, heard],
      ['half a sen', false, { end: 'incomplete' }, 5, 5, [['entry', 5]]],
    );
    await assert.rejects(open.close({ end: 'complete' }), { code: 'takenOver' });
  });

  async function filled(directory: string): Promise<string> {
    const service = bench.unopened(directory);
    await service.initialize();
    const { id } = await service.sessions.create(newSession());
    for (let index = 0; index < 60; index += 1) await service.log.append(id, userInput(`${index} ${'text '.repeat(100)}`));
    await service.dispose();
    return id;
  }

  async function refuses(directory: string, code: string): Promise<void> {
    const before = readFileSync(fileOf(directory));
    const service = bench.unopened(directory);
    await assert.rejects(service.initialize(), { name: 'StorageError', code });
    await assert.rejects(service.sessions.create(newSession()), { code });
    await assert.rejects(service.log.read('x', 0), { code });
    await service.dispose();
    assert.ok(before.equals(readFileSync(fileOf(directory))));
  }
});
