import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { readLog } from '../../../src/services/database/log/logReader';
import { fileOf, newSession, recordingLogger, userInput, withRaw, Workbench, workerPath } from './support/stores';

const bench = new Workbench();
const all = { sinceRevision: 0 };
afterEach(() => bench.clean());

describe('OffloadedWork', () => {
  it('reads in the worker exactly what a direct read gives, whole and late parts', async () => {
    const { directory, id } = await written(250);
    const { log, offloaded } = await bench.parts(directory);
    for (const since of [0, 1, 220, 250]) {
      const slices = [...readLog(fileOf(directory), id, { sinceRevision: since }, 5)];
      const direct = { entries: slices.flatMap(({ entries }) => entries), revision: 250, hasEarlier: false };
      assert.deepEqual([await offloaded.read(id, { sinceRevision: since }), direct.entries.length], [direct, 250 - since]);
    }
    assert.equal((await log.read(id, 0)).entries.length, 250);
  });

  it('reads one moment, however much is written meanwhile', async () => {
    const { directory, id } = await written(300);
    const { log } = await bench.parts(directory);
    const reads = Array.from({ length: 5 }, () => log.read(id, 0));
    const appends = Array.from({ length: 50 }, (_, index) => log.append(id, userInput(`late ${index}`)));
    for (const { entries, revision } of await Promise.all(reads)) {
      assert.deepEqual([entries.length, entries[entries.length - 1]?.revision], [revision, revision]);
    }
    await Promise.all(appends);
  });

  it('starts the worker again after it crashed, and nobody notices', async () => {
    const { directory, id } = await written(10);
    const { logger, lines } = recordingLogger();
    const flag = path.join(bench.folder(), 'crashed');
    const { offloaded } = await bench.parts(directory, {
      logger,
      workerPath: script(`
      const fs = require('node:fs');
      if (fs.existsSync(${JSON.stringify(flag)})) require(${JSON.stringify(workerPath)});
      else { fs.writeFileSync(${JSON.stringify(flag)}, ''); process.exit(3); }`),
    });
    const { entries } = await offloaded.read(id, all);
    assert.deepEqual([entries.length, lines], [10, ['warn The database worker ended']]);
  });

  it('reads and deletes on this thread, and says so, where no worker starts', async () => {
    const { directory, id } = await written(250);
    const expected = await (await bench.parts(directory)).offloaded.read(id, all);
    const { logger, lines } = recordingLogger();
    const { offloaded } = await bench.parts(directory, { logger, workerPath: path.join(directory, 'missing.js') });
    assert.deepEqual(await offloaded.read(id, all), expected);
    assert.equal(await offloaded.deleteSession(id), true);
    assert.equal(await offloaded.deleteSession(id), false);
    assert.equal(lines.filter((line) => line.includes('on this thread')).length, 1);
    assert.equal(
      withRaw(directory, (database) => database.prepare('SELECT count(*) AS count FROM messages').get()?.count),
      0,
    );
  });

  it('answers other errors of the worker as they are', async () => {
    const { directory } = await written(1);
    const { offloaded } = await bench.parts(directory);
    await assert.rejects(offloaded.read('nowhere', all), { name: 'StorageError', code: 'notFound' });
  });

  it('has the log file written again from its beginning, instead of letting it grow', async () => {
    const directory = bench.folder();
    const { sessions, log } = await bench.service(directory);
    const { id } = await sessions.create(newSession());
    const size = () => statSync(`${fileOf(directory)}-wal`).size;
    let appended = 0;
    const grows = async () => {
      const before = size();
      appended += 1;
      await log.append(id, userInput('a message '.repeat(400)));
      return size() > before;
    };
    // The worker processes reads in order, so they interrupt the writes as in a conversation.
    while ((await grows()) && appended < 400) for (let reads = 0; reads < 3; reads += 1) await log.read(id, appended);
    assert.ok(appended < 400 && size() < 4_000_000, `${appended} entries, ${size()} bytes`);
  });

  it('has it written again also while nothing pauses', async () => {
    const { directory, id } = await written(1);
    const { connection, log, offloaded } = await bench.parts(directory);
    // Otherwise, SQLite itself starts the log file from the beginning again after 65 MB.
    connection.statement('PRAGMA wal_autocheckpoint = 0').get();
    const size = () => statSync(`${fileOf(directory)}-wal`).size;
    // Waits until the worker has started.
    await log.read(id, 0);
    let appended = 0;
    let before = -1;
    // On a busy computer, the worker may start its work late.
    for (; size() > before && appended < 6_000; appended += 1) {
      before = size();
      await log.append(id, userInput('a message '.repeat(400)));
      offloaded.noteWrite();
      await setImmediate();
    }
    assert.ok(appended < 6_000, `${size()} bytes`);
  });

  async function written(count: number): Promise<{ directory: string; id: string }> {
    const directory = bench.folder();
    const { sessions, log } = await bench.service(directory);
    const { id } = await sessions.create(newSession());
    await Promise.all(Array.from({ length: count }, (_, index) => log.append(id, userInput(`entry ${index}`))));
    return { directory, id };
  }

  function script(source: string): string {
    const file = path.join(bench.folder(), 'worker.js');
    writeFileSync(file, source);
    return file;
  }
});
