import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import type { StorageError } from '../../../src/services/database/sqlite/storageError';
import { until } from '../../support/until';
import { fileOf, newSession, userInput, Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

describe('a database file that another program replaces or removes while it is open', () => {
  /** Returns the texts in a database. */
  const textsIn = (file: string) => {
    const database = openSqlite(file, { readOnly: true });
    const rows = database.prepare("SELECT content FROM messages WHERE type = 'user_input' ORDER BY seq").all();
    database.close();
    return rows.map(({ content }) => content);
  };

  async function withEntry(text: string) {
    const directory = bench.folder();
    const found: StorageError[] = [];
    const service = await bench.service(directory, { onDamage: (failure) => found.push(failure) });
    const { id } = await service.sessions.create(newSession());
    await service.log.append(id, userInput(text));
    return { directory, found, service, id };
  }

  async function isNoticed({ directory, found, service, id }: Awaited<ReturnType<typeof withEntry>>): Promise<void> {
    await assert.rejects(service.log.append(id, userInput('two')), { name: 'StorageError', code: 'replaced' });
    await assert.rejects(service.log.append(id, userInput('three')), { code: 'replaced' });
    await service.dispose().catch(() => undefined);
    const folder = path.join(directory, 'backups');
    const copies = () => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.sqlite')) : []);
    await until(() => copies().length === 1);
    assert.deepEqual(textsIn(path.join(folder, copies()[0] ?? '')), ['one']);
    assert.deepEqual(
      found.map(({ code }) => code),
      ['replaced'],
    );
  }

  // On Windows, no program can replace or remove an open file.
  if (process.platform === 'win32') return;

  it('is noticed before another entry is acknowledged, and everything so far is copied', async () => {
    const opened = await withEntry('one');
    rmSync(fileOf(opened.directory));
    await isNoticed(opened);
    assert.equal(existsSync(fileOf(opened.directory)), false);
  });

  it('is replaced by one that the log file of the first does not change', async () => {
    const other = await withEntry('other');
    await other.service.dispose();
    const opened = await withEntry('one');
    const file = fileOf(opened.directory);
    copyFileSync(fileOf(other.directory), `${file}.new`);
    renameSync(`${file}.new`, file);
    const has = readFileSync(file);
    await isNoticed(opened);
    assert.ok(has.equals(readFileSync(file)));
    const again = await bench.service(opened.directory);
    assert.equal((await again.log.read(other.id, 0)).entries[0]?.content, 'other');
    assert.deepEqual(textsIn(file), ['other']);
  });
});
