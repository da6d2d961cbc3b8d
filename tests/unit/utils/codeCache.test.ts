import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CodeCache } from '../../../src/utils/codeCache';

describe('CodeCache', () => {
  let root: string;
  let folder: string;
  let caches: string;
  let cache: string;

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-code-'));
    folder = path.join(root, 'dist');
    caches = path.join(root, 'storage', 'code');
    cache = path.join(caches, 'host.js.cache');
    mkdirSync(folder);
    write('host.js', "exports.answer = () => 'one';");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const write = (name: string, source: string) => writeFileSync(path.join(folder, name), source);

  /** Returns the result of the file, and the number of caches written after the start. */
  async function start() {
    const writes: (() => Promise<void>)[] = [];
    const code = new CodeCache(path.join(folder, 'host.js'), caches, (writeCache) => writes.push(writeCache));
    const answer = (code.load('./host.js') as { answer: () => unknown }).answer();
    for (const writeCache of writes) await writeCache();
    return { answer, written: writes.length };
  }

  it('runs a file as Node does: its exports, its place, what is beside it once, and what Node has', async () => {
    write(
      'host.js',
      "exports.answer = () => [require('./part.js'), require('./part.js'), require('node:path'), __filename, __dirname];",
    );
    write('part.js', 'module.exports = { made: {} };');
    const [one, other, ...rest] = (await start()).answer as unknown[];
    assert.deepEqual(one, { made: {} });
    assert.equal(one, other);
    assert.deepEqual(rest, [path, path.join(folder, 'host.js'), folder]);
  });

  it('lets a file import what Node has, compiled anew or not', async () => {
    write('host.js', "exports.answer = () => import('node:path').then(({ sep }) => sep);");
    for (const written of [1, 0]) {
      const { answer, written: caches } = await start();
      assert.deepEqual([await (answer as Promise<string>), caches], [path.sep, written]);
    }
  });

  it('leaves file and line in what is thrown', async () => {
    write('host.js', "exports.answer = () => {\n  throw new Error('no');\n};");
    await assert.rejects(start(), ({ stack }: Error) => stack?.includes(`${path.join(folder, 'host.js')}:2:`) === true);
  });

  it('tries a file again that could not be loaded before', () => {
    const code = new CodeCache(path.join(folder, 'host.js'), caches, () => undefined);
    assert.throws(() => code.load('./part.js'), { code: 'ENOENT' });
    write('part.js', "throw new Error('not yet');");
    assert.throws(() => code.load('./part.js'), /not yet/);
    write('part.js', 'module.exports = 1;');
    assert.equal(code.load('./part.js'), 1);
  });

  it('writes what was compiled once, and takes it from then on', async () => {
    assert.deepEqual(await start(), { answer: 'one', written: 1 });
    assert.deepEqual(await start(), { answer: 'one', written: 0 });
  });

  it('keeps a cache for each file, and makes only that anew which does not fit', async () => {
    write('host.js', "exports.answer = () => require('./part.js');");
    write('part.js', "module.exports = 'one';");
    assert.deepEqual(await start(), { answer: 'one', written: 2 });
    write('part.js', "module.exports = 'two';");
    assert.deepEqual(await start(), { answer: 'two', written: 1 });
  });

  it('never runs a former source, of the same length as it may be', async () => {
    await start();
    write('host.js', "exports.answer = () => 'two';");
    assert.deepEqual(await start(), { answer: 'two', written: 1 });
    assert.deepEqual(await start(), { answer: 'two', written: 0 });
  });

  const damages: [name: string, damage: (content: Buffer) => Buffer][] = [
    ['is empty', () => Buffer.alloc(0)],
    ['was cut off', (content) => content.subarray(0, content.length - 1)],
    ['has a byte changed', (content) => content.map((byte, index) => (index === content.length - 9 ? byte ^ 1 : byte)) as Buffer],
    ['is something else', () => Buffer.alloc(1_000, 'x')],
  ];
  for (const [name, damage] of damages) {
    it(`does not believe a cache that ${name}, and writes another`, async () => {
      await start();
      const content = readFileSync(cache);
      writeFileSync(cache, damage(content));
      assert.deepEqual(await start(), { answer: 'one', written: 1 });
      assert.deepEqual(await start(), { answer: 'one', written: 0 });
    });
  }

  it('works where there is no place for it', async () => {
    writeFileSync(path.join(root, 'storage'), 'a file where the folder would be');
    assert.deepEqual(await start(), { answer: 'one', written: 1 });
    assert.equal(existsSync(cache), false);
    assert.deepEqual(await start(), { answer: 'one', written: 1 });
  });
});
