import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { lanceModuleIn } from '../../../src/services/codebase/lance/lanceModule';
import { CodebaseBench } from './codebaseBench';

interface Maker {
  connect(folder: string): Promise<{ createTable(name: string, rows: object[]): Promise<unknown>; close(): void }>;
}
const moduleFile = lanceModuleIn(__dirname);
const hasLance = moduleFile !== null;
const vectorOf = (text: string): number[] => [/dog|hound|puppy/i.test(text) ? 1 : 0, /tree|oak/i.test(text) ? 1 : 0, 0.1];

describe('an index that a team shares', () => {
  let bench: CodebaseBench;
  let folder: string;
  beforeEach(async () => {
    bench = await CodebaseBench.start({ 'a.txt': 'a hound here' });
    folder = path.join(bench.root, 'share', 'team.lance');
    bench.config.sharedUri = folder;
    bench.model = 'embed';
    bench.embed = async (model, input) => ({ model, embeddings: input.map(vectorOf) });
    await bench.codebase.settled();
    await bench.codebase.embed();
  });
  afterEach(() => bench.stop());
  const trouble = async () => (await bench.codebase.status()).shared?.trouble ?? null;
  const make = async (tables: Record<string, object[]>): Promise<void> => {
    mkdirSync(path.dirname(folder), { recursive: true });
    const connection = await (createRequire(__filename)(String(moduleFile)) as Maker).connect(folder);
    for (const [name, rows] of Object.entries(tables)) await connection.createTable(name, rows);
    connection.close();
  };
  const places = async () =>
    (await bench.find('puppy')).map(({ path: shown, file, first, last }) => [shown, file !== null, first, last]);

  it('is off unless it is set', async () => {
    bench.config.sharedUri = '';
    assert.deepEqual([await places(), (await bench.codebase.status()).shared], [[['a.txt', true, 1, 1]], null]);
  });

  it('that is not there keeps nothing from being found, is told, and is not made', async () => {
    assert.deepEqual(await places(), [['a.txt', true, 1, 1]]);
    assert.match(String(await trouble()), hasLance ? /ENOENT/ : /not installed/);
    assert.equal(existsSync(folder), false);
  });

  if (!hasLance) return;

  it('is searched beside the workspace, with whatever columns it has, and nothing is written to it', async () => {
    await make({
      code: [
        {
          path: 'lib/kennel.py',
          start_line: 7,
          end_line: 9,
          text: 'class Kennel: dogs',
          vector: vectorOf('dog'),
          model: 'embed',
        },
        { path: 'lib/wood.py', start_line: 1, end_line: 2, text: 'oak', vector: vectorOf('oak'), model: 'embed' },
      ],
      notes: [{ page_content: 'A puppy\nis young', embedding: vectorOf('puppy') }],
      others: [{ text: 'of another length', vector: [1, 2] }],
    });
    const before = readdirSync(folder, { recursive: true }).sort();
    const found = await places();
    assert.deepEqual(found[0], ['a.txt', true, 1, 1]);
    assert.deepEqual(found.slice(1, 3).sort(), [
      ['lib/kennel.py', false, 7, 9],
      ['notes', false, 1, 2],
    ]);
    assert.deepEqual([found.length, await trouble()], [4, null]);
    assert.deepEqual(readdirSync(folder, { recursive: true }).sort(), before);
  });

  it('of another model, of another length or without texts is told', async () => {
    await make({ code: [{ text: 'dog', vector: vectorOf('dog'), model: 'nomic' }] });
    assert.deepEqual(await places(), [['a.txt', true, 1, 1]]);
    assert.match(String(await trouble()), /another model than embed/);
    bench.config.sharedUri = folder = path.join(bench.root, 'share', 'second.lance');
    await make({ code: [{ text: 'dog', vector: [1, 2] }] });
    await places();
    assert.match(String(await trouble()), /vectors of 3 values/);
    bench.config.sharedUri = folder = path.join(bench.root, 'share', 'third.lance');
    await make({ code: [{ what: 'dog', vector: vectorOf('dog') }] });
    await places();
    assert.match(String(await trouble()), /no text/);
  });

  it('is not asked for a search by words alone', async () => {
    await make({ code: [{ text: 'hound', vector: vectorOf('dog') }] });
    const { finds } = await bench.codebase.find('hound', 10, new AbortController().signal, 'words');
    assert.deepEqual(
      finds.map(({ path: shown }) => shown),
      ['a.txt'],
    );
  });
});
