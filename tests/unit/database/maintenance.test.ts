import assert from 'node:assert/strict';
import { copyFileSync, existsSync, linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseService } from '../../../src/services/database/databaseService';
import { migrateOnce } from '../../../src/services/database/sqlite/migrations';
import { newestVersion } from '../../../src/services/database/sqlite/schemaVersion';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import type { StorageError } from '../../../src/services/database/sqlite/storageError';
import { SessionImporter } from '../../../src/services/import/sessionImporter';
import { silentLogger } from '../../../src/utils/logger';
import { ClaudeTranscript, importWorkerPath, wasmPath } from '../import/support/importBench';
import { exitOf, nextMessage, startChild } from './processes/child';
import { CancelledError } from '../../../src/utils/errors';
import { ManualClock } from './support/manualClock';
import { fileOf, newSession, overwrite, userInput, withRaw, Workbench, workerPath } from './support/stores';
import { until } from '../../support/until';

const bench = new Workbench();
afterEach(() => bench.clean());

const pragma = (file: string, name: string): unknown => {
  const database = openSqlite(file, { readOnly: true });
  try {
    return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  } finally {
    database.close();
  }
};

/** Creates a closed database that contains a session with one entry. Returns the session's id. */
async function filled(directory: string): Promise<string> {
  const service = await bench.service(directory);
  const { id } = await service.sessions.create(newSession('kept'));
  await service.log.append(id, userInput('the words'));
  await service.dispose();
  return id;
}

describe('backups', () => {
  it('are made before a migration, of what was there, and not of an empty or a current database', async () => {
    const directory = bench.folder();
    const old = openSqlite(fileOf(directory));
    for (let step = 0; step < 3; step += 1) migrateOnce(old);
    old.exec("INSERT INTO sessions (id, title, mode, created_at, updated_at) VALUES ('s', 'An old one', 'ask', 1, 2)");
    old.close();
    await (await bench.service(directory, { clock: new ManualClock(Date.UTC(2026, 0, 31, 23, 59, 58)) })).dispose();
    const folder = path.join(directory, 'backups');
    const [name = '', ...more] = readdirSync(folder);
    assert.match(name, /^sessions-v3-20260131-235958-\d+\.sqlite$/);
    assert.deepEqual(more, []);
    const backup = path.join(folder, name);
    assert.deepEqual([pragma(backup, 'user_version'), pragma(backup, 'integrity_check')], [3, 'ok']);
    assert.equal(pragma(fileOf(directory), 'user_version'), newestVersion);
    await (await bench.service(directory)).dispose();
    assert.equal(readdirSync(folder).filter((file) => file.endsWith('.sqlite')).length, 1);
    const fresh = bench.folder();
    await filled(fresh);
    assert.equal(existsSync(path.join(fresh, 'backups')), false);
  });

  it('that cannot be made keep the database from being migrated', async () => {
    const directory = bench.folder();
    const old = openSqlite(fileOf(directory));
    migrateOnce(old);
    old.close();
    writeFileSync(path.join(directory, 'backups'), 'in the way');
    await assert.rejects(bench.unopened(directory).initialize(), { name: 'StorageError' });
    assert.equal(pragma(fileOf(directory), 'user_version'), 1);
  });

  it('are made on command while entries are being written, open as a database, and replace what was there', async () => {
    const directory = bench.folder();
    const service = await bench.service(directory);
    const { id } = await service.sessions.create(newSession('kept'));
    await service.log.appendAll(
      id,
      Array.from({ length: 20 }, (_, index) => userInput(`before ${index}`)),
    );
    const copy = bench.folder();
    writeFileSync(fileOf(copy), 'an older backup');
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) {
        await service.log.append(id, userInput('meanwhile'));
        await sleep(20);
      }
    })();
    await service.backUp(fileOf(copy)).finally(() => (isWriting = false));
    await writing;
    const restored = await bench.service(copy);
    const { entries } = await restored.log.read(id, 0);
    assert.ok(entries.length >= 20);
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      entries.map((_, index) => index + 1),
    );
    assert.deepEqual(
      readdirSync(copy).filter((name) => name.endsWith('.tmp')),
      [],
    );
    await assert.rejects(service.backUp(path.join(copy, 'no', 'such', 'folder')), { name: 'StorageError' });
  });

  it('replace neither the open database, by whatever name, nor a file of a person beside them', async () => {
    const directory = bench.folder();
    const service = await bench.service(directory);
    const { id } = await service.sessions.create(newSession('kept'));
    const other = path.join(bench.folder(), 'link.sqlite');
    linkSync(fileOf(directory), other);
    for (const target of [fileOf(directory), `${fileOf(directory)}-wal`, other])
      await assert.rejects(service.backUp(target), { code: 'ownFile' });
    const target = path.join(directory, 'mine.sqlite');
    writeFileSync(`${target}.partial`, 'of a person');
    await service.backUp(target);
    assert.equal(readFileSync(`${target}.partial`, 'utf8'), 'of a person');
    await service.log.append(id, userInput('after it'));
    await service.dispose();
    const again = await bench.service(directory);
    assert.equal((await again.log.read(id, 0)).entries.length, 1);
  });
});

describe('the check of the database', () => {
  it('can be given up', async () => {
    const directory = bench.folder();
    await filled(directory);
    const service = await bench.service(directory);
    const stop = new AbortController();
    const checked = service.checkIntegrity(stop.signal);
    setImmediate(() => stop.abort());
    await assert.rejects(checked, CancelledError);
    assert.deepEqual((await service.checkIntegrity()).problems, []);
  });

  it('counts what is there, and gives a damaged database up', async () => {
    const directory = bench.folder();
    const id = await filled(directory);
    const whole = await bench.service(directory);
    assert.deepEqual(await whole.checkIntegrity(), { problems: [], damagedChats: [], sessions: 1, entries: 1 });
    await whole.log.appendAll(
      id,
      Array.from({ length: 20 }, (_, index) => userInput(`${index} ${'x'.repeat(2_000)}`)),
    );
    await whole.dispose();
    const pages = withRaw(directory, (database) =>
      database.prepare("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY pageno").all(),
    );
    overwrite(fileOf(directory), (Number(pages.at(-1)?.['pageno']) - 1) * 4096, 4096);
    let damage: StorageError | undefined;
    const owner = { owner: 'window', clock: new ManualClock(), logger: silentLogger };
    const service = new DatabaseService({ directory, ...owner, workerPath, onDamage: (failure) => (damage = failure) });
    bench.add(service);
    await service.initialize();
    const outcome = await service.checkIntegrity().catch((error: unknown) => error);
    assert.ok(outcome instanceof Error || (outcome as { problems: string[] }).problems.length > 0);
    assert.equal(damage?.code, 'corrupt');
    await assert.rejects(service.sessions.create(newSession()), { code: 'corrupt' });
  });

  it('follows a window that was killed, some time after the start, and no other', async () => {
    const directory = bench.folder();
    await filled(directory);
    const lines: string[] = [];
    const logger = { ...silentLogger, info: (message: string) => void lines.push(message) };
    const checks = () => lines.filter((line) => line.includes('after an unclean end'));
    const start = async (): Promise<void> => {
      const clock = new ManualClock();
      const service = await bench.service(directory, { clock, logger });
      await clock.advance(60_000);
      await service.dispose();
    };
    await start();
    assert.deepEqual(checks(), []);
    const child = startChild('holder', directory);
    await nextMessage(child);
    withRaw(directory, (raw) => raw.exec("UPDATE sessions SET title = 'written'"));
    child.kill('SIGKILL');
    await exitOf(child);
    const clock = new ManualClock();
    const service = await bench.service(directory, { clock, logger });
    assert.deepEqual(checks(), []);
    await clock.advance(60_000);
    await until(() => checks().length > 0);
    assert.match(checks()[0] ?? '', /intact.*1 entries, 1 sessions/);
    await service.dispose();
  });
});

describe('a database of a newer version', () => {
  it('can be read and searched; every write says why not, and the file stays as it is', async () => {
    const directory = bench.folder();
    const id = await filled(directory);
    const before = await bench.service(directory);
    assert.equal((await before.search({ query: 'words', offset: 0, limit: 5 })).found.length, 1);
    await before.dispose();
    withRaw(directory, (raw) => {
      raw.exec('ALTER TABLE messages ADD COLUMN of_later TEXT; CREATE TABLE later (id INTEGER) STRICT');
      raw.exec('PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)');
    });
    const copy = path.join(bench.folder(), 'copy');
    copyFileSync(fileOf(directory), copy);
    const service = await bench.service(directory);
    assert.equal(service.readOnlyBecause?.code, 'newer');
    assert.match(service.readOnlyBecause?.userMessage ?? '', /newer version.*Update/s);
    assert.deepEqual(
      (await service.sessions.list({ offset: 0, limit: 5 })).sessions.map(({ title }) => title),
      ['kept'],
    );
    assert.equal((await service.log.read(id, 0)).entries[0]?.content, 'the words');
    const page = await service.search({ query: 'words', offset: 0, limit: 5 });
    assert.deepEqual([page.found.length, page.isComplete], [1, true]);
    const source = path.join(bench.folder(), 'session.jsonl');
    const transcript = new ClaudeTranscript();
    transcript.user('Imported');
    writeFileSync(source, transcript.toString());
    const importer = new SessionImporter({
      file: fileOf(directory),
      workerPath: importWorkerPath,
      wasmPath,
      logger: silentLogger,
      readOnlyBecause: service.readOnlyBecause,
      onImported: () => assert.fail('nothing is imported'),
      onDamage: () => undefined,
    });
    bench.add(importer);
    const writes = [
      () => importer.import([source], () => undefined, new AbortController().signal),
      () => service.log.append(id, userInput('x')),
      () => service.sessions.create(newSession()),
      () => service.sessions.claim(id),
      () => service.sessions.update(id, { title: 'x' }),
      () => service.sessions.delete(id),
      () => service.rebuildIndex(),
    ];
    for (const write of writes) await assert.rejects(write, { code: 'newer' });
    await service.dispose();
    assert.ok(readFileSync(copy).equals(readFileSync(fileOf(directory))));
  });

  it('that this one cannot read is not opened', async () => {
    const directory = bench.folder();
    await filled(directory);
    withRaw(directory, (raw) => raw.exec('ALTER TABLE messages RENAME COLUMN content TO body; PRAGMA user_version = 99'));
    await assert.rejects(bench.unopened(directory).initialize(), { code: 'newer' });
  });
});
