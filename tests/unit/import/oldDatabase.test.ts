import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseService } from '../../../src/services/database/databaseService';
import { copyFromFormerLocation } from '../../../src/services/database/sqlite/formerLocation';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import { readOldDatabase } from '../../../src/services/import/oldDatabase';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger, type Logger } from '../../../src/utils/logger';
import { addEarlier, earlierSchema } from './support/earlierDatabase';
import { databaseWorkerPath, importWorkerPath, wasmPath } from './support/importBench';

describe('The database of an earlier version', () => {
  let folder: string;
  let old: string;
  let directory: string;
  const warnings: unknown[][] = [];
  const logger: Logger = { ...silentLogger, warn: (...args) => void warnings.push(args) };

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-old-'));
    old = path.join(folder, 'old');
    directory = path.join(folder, 'new');
    mkdirSync(old);
    warnings.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const copy = (): Promise<boolean> =>
    copyFromFormerLocation(old, directory, systemClock, (at) =>
      readOldDatabase(at, { workerPath: importWorkerPath, wasmPath, clock: systemClock, logger }),
    );
  const openNew = async <T>(work: (database: DatabaseService) => Promise<T>, at = directory): Promise<T> => {
    const around = { directory: at, owner: 'window', clock: systemClock, logger: silentLogger, workerPath: databaseWorkerPath };
    const database = new DatabaseService(around);
    try {
      await database.initialize();
      return await work(database);
    } finally {
      await database.dispose();
    }
  };

  it('of the time with sql.js is imported, and stays where it is', async () => {
    const file = path.join(old, 'sessions.sqlite');
    const database = openSqlite(file);
    database.exec(earlierSchema);
    addEarlier(database);
    database.close();
    const before = readFileSync(file);
    assert.equal(await copy(), true);
    assert.deepEqual(readFileSync(file), before);
    assert.deepEqual(readdirSync(directory), ['sessions.sqlite']);
    await openNew(async ({ sessions, log }) => {
      const { sessions: found } = await sessions.list({ offset: 0, limit: 9 });
      assert.deepEqual(
        found.map(({ id, title, auto_approve_commands: allowed }) => [id, title, allowed]),
        [['s1', 'Parser', 0]],
      );
      assert.equal((await log.read('s1', 0)).entries.length, 8);
    });
    assert.deepEqual(warnings, [
      ['Not taken from an earlier version', { rows: [7, 7], reason: 'unknownForm', detail: undefined }],
    ]);
    assert.equal(await copy(), false);
  });

  it('of this product is looked at and comes as it is', async () => {
    const id = await openNew(async ({ sessions }) => {
      const record = await sessions.create({ mode: 'ask', model: null, title: 'Mine', projectPath: null });
      await sessions.update(record.id, { auto_approve_commands: 1 });
      return record.id;
    }, old);
    assert.equal(await copy(), true);
    await openNew(async ({ sessions }) => {
      const record = await sessions.get(id);
      assert.deepEqual([record?.title, record?.auto_approve_commands, record?.imported], ['Mine', 1, null]);
    });
  });

  it('that is damaged is left to a person to decide about', async () => {
    for (const content of ['no database', `SQLite format 3\0${'x'.repeat(5000)}`]) {
      writeFileSync(path.join(old, 'sessions.sqlite'), content, 'latin1');
      rmSync(directory, { recursive: true, force: true });
      assert.equal(await copy(), true);
      await assert.rejects(
        openNew(() => Promise.resolve()),
        { code: 'corrupt' },
      );
      assert.equal(readFileSync(path.join(directory, 'sessions.sqlite'), 'latin1'), content);
    }
    assert.equal(warnings.length, 2);
  });

  it('is tried again at the next start where reading it was cut off', async () => {
    const database = openSqlite(path.join(old, 'sessions.sqlite'));
    database.exec(earlierSchema);
    addEarlier(database);
    database.close();
    await assert.rejects(
      copyFromFormerLocation(old, directory, systemClock, (at) =>
        readOldDatabase(at, {
          workerPath: importWorkerPath,
          wasmPath: path.join(folder, 'missing'),
          clock: systemClock,
          logger,
        }).then(() => {
          throw new Error('the power went');
        }),
      ),
    );
    assert.equal(existsSync(path.join(directory, 'sessions.sqlite')), false);
    assert.equal(await copy(), true);
  });
});
