import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { copyFromFormerLocation } from '../../../src/services/database/sqlite/formerLocation';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import { storageDirectory } from '../../../src/services/database/sqlite/storagePath';
import { systemClock } from '../../../src/utils/clock';
import { ManualClock } from './support/manualClock';
import { fileOf, newSession, userInput, Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

describe('storageDirectory', () => {
  const globalStorage = path.resolve('/global');
  const hashed = path.join(globalStorage, '2ca8afe8ebe6dda9658eef248252e15cf10e4841080928496c0159076b2368cb');

  it('is the setting, else a folder named after the first workspace folder, else the global one', () => {
    const uri = 'file:///projects/sample';
    assert.equal(storageDirectory({ setting: path.resolve('/mine'), globalStorage, firstFolderUri: uri }), path.resolve('/mine'));
    assert.equal(storageDirectory({ setting: '', globalStorage, firstFolderUri: uri }), hashed);
    assert.equal(storageDirectory({ setting: 'relative/path', globalStorage, firstFolderUri: uri }), hashed);
    assert.notEqual(storageDirectory({ setting: '', globalStorage, firstFolderUri: `${uri}2` }), hashed);
    assert.equal(storageDirectory({ setting: ' ', globalStorage, firstFolderUri: null }), globalStorage);
  });
});

describe('copyFromOldPlace', () => {
  it('brings the old database over with what is still in its log file, and leaves the source as it is', async () => {
    const old = bench.folder();
    const service = await bench.service(old);
    const { id } = await service.sessions.create(newSession('From before'));
    await service.log.append(id, userInput('still in the log file'));
    // A second connection prevents the log file from being emptied when the service closes.
    const reader = openSqlite(fileOf(old), { readOnly: true });
    reader.prepare('SELECT 1 FROM sessions').get();
    await service.log.dispose();
    const before = contentsOf(old);
    assert.ok((before['sessions.sqlite-wal']?.length ?? 0) > 0);

    const directory = path.join(bench.folder(), 'deep', 'new');
    assert.equal(await copyFromFormerLocation(old, directory, systemClock), true);
    assert.deepEqual(contentsOf(old), before);
    reader.close();
    assert.equal(existsSync(path.join(directory, 'sessions.sqlite.copying')), false);
    const copied = await bench.service(directory);
    assert.deepEqual(
      (await copied.log.read(id, 0)).entries.map(({ content }) => content),
      ['still in the log file'],
    );
    assert.equal(await copyFromFormerLocation(old, directory, systemClock), false);
  });

  it('never replaces a database that is there, and does nothing without an old one', async () => {
    const old = bench.folder();
    const directory = bench.folder();
    writeFileSync(fileOf(old), 'old');
    writeFileSync(fileOf(directory), 'new');
    assert.equal(await copyFromFormerLocation(old, directory, systemClock), false);
    assert.equal(await copyFromFormerLocation(bench.folder(), directory, systemClock), false);
    assert.equal(await copyFromFormerLocation(null, directory, systemClock), false);
    assert.equal(await copyFromFormerLocation(old, old, systemClock), false);
    assert.deepEqual(contentsOf(directory), { 'sessions.sqlite': 'new' });
  });

  it('is made once when two windows start together', async () => {
    const old = bench.folder();
    const directory = bench.folder();
    writeFileSync(fileOf(old), 'old');
    const made = await Promise.all([1, 2, 3].map(() => copyFromFormerLocation(old, directory, systemClock)));
    assert.deepEqual([...made].sort(), [false, false, true]);
    assert.deepEqual(contentsOf(directory), { 'sessions.sqlite': 'old' });
  });

  it('makes a copy again that another window left half done', async () => {
    const old = bench.folder();
    const directory = bench.folder();
    writeFileSync(fileOf(old), 'old');
    mkdirSync(path.join(directory, 'sessions.sqlite.copying'));
    writeFileSync(path.join(directory, 'sessions.sqlite.copying', 'sessions.sqlite'), 'ol');
    writeFileSync(path.join(directory, 'sessions.sqlite-wal'), 'moved, but of a copy that was never finished');
    const clock = new ManualClock();
    const copying = copyFromFormerLocation(old, directory, clock);
    let isDone = false;
    void copying.finally(() => (isDone = true));
    while (!isDone) await clock.advance(1_000);
    assert.equal(await copying, true);
    assert.deepEqual(contentsOf(directory), { 'sessions.sqlite': 'old' });
  });

  it('copies nothing over the rest of a lost database, nor from one', async () => {
    const old = bench.folder();
    const directory = bench.folder();
    writeFileSync(fileOf(old), 'old');
    writeFileSync(path.join(directory, 'sessions.sqlite-wal'), 'of a lost database');
    await assert.rejects(copyFromFormerLocation(old, directory, new ManualClock()), { code: 'incomplete' });
    assert.deepEqual(contentsOf(directory), { 'sessions.sqlite-wal': 'of a lost database' });
    await assert.rejects(copyFromFormerLocation(directory, bench.folder(), new ManualClock()), { code: 'incomplete' });
  });

  function contentsOf(directory: string): Record<string, string> {
    return Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(path.join(directory, name), 'latin1')]));
  }
});
