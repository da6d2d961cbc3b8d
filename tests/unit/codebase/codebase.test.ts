import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CodebaseBench } from './codebaseBench';
import { Chance } from '../../support/hostile';
import { runSeed } from '../../support/rounds';

const token = `glpat-${'a1B2'.repeat(5)}`;

describe('the index of the workspace', () => {
  let bench: CodebaseBench;
  afterEach(() => bench.stop());

  it('finds code by words, however the names in it are written', async () => {
    bench = await CodebaseBench.start({
      'src/users.ts': 'export function getUserName(id: number) {\n  return names.get(id);\n}\n',
      'src/prices.py': 'def total_price(items):\n    return sum(items)\n',
      'src/other.ts': 'export const nothing = 1;\n',
    });
    assert.equal((await bench.paths('where is the name of a user read?'))[0], 'src/users.ts');
    assert.equal((await bench.paths('get_user_name'))[0], 'src/users.ts');
    assert.equal((await bench.paths('totalPrice'))[0], 'src/prices.py');
    const [found] = await bench.find('total price');
    assert.deepEqual(found, {
      path: 'src/prices.py',
      file: bench.file('src/prices.py'),
      first: 1,
      last: 3,
      symbols: ['total_price'],
      text: 'def total_price(items):\n    return sum(items)\n',
      by: ['words', 'symbol', 'path'],
    });
  });

  it('takes settings as the editor gives them, which no worker takes as they are', async () => {
    bench = await CodebaseBench.start({ 'a.ts': 'export const walrus = 1;\n', 'private.ts': 'export const walrus = 2;\n' });
    bench.config.sensitive = new Proxy({ 'private.ts': false }, {});
    await bench.reopen();
    await bench.codebase.settled();
    assert.deepEqual(await bench.paths('walrus'), ['a.ts']);
  });

  it('leaves out what a person has closed, from the moment on that they say so', async () => {
    bench = await CodebaseBench.start({ 'a.ts': 'export const walrus = 1;\n', 'clients/b.ts': 'export const walrus = 2;\n' });
    assert.equal((await bench.paths('walrus')).length, 2);
    writeFileSync(bench.file('.ollamacopilotignore'), 'clients/\n');
    await bench.codebase.updateFiles([bench.file('.ollamacopilotignore')]);
    await bench.codebase.settled();
    assert.deepEqual(await bench.paths('walrus'), ['a.ts']);
  });

  it('knows the one place that defines a symbol, and none where several do', async () => {
    bench = await CodebaseBench.start({
      'src/users.ts':
        '// getUserName is below\nexport function getUserName(id: number) {\n  return id;\n}\nfunction twice() {}\n',
      'src/store.ts': 'export class Store {\n  load() {\n    return getUserName(1);\n  }\n}\nexport const twice = 1;\n',
      'src/cache.ts': 'export class Cache {\n  load() {}\n}\n',
      'tests/users.test.ts': 'function getUserName() {}\nfunction onlyInTests() {}\n',
      'README.md': '# Store\n\n## onlyAHeading\n',
    });
    await bench.codebase.settled();
    const names = ['getUserName', 'Store', 'Store.load', 'load', 'twice', 'onlyInTests', 'onlyAHeading', 'username', 'a b', '$'];
    const found = await bench.codebase.symbols(names, new AbortController().signal);
    assert.deepEqual(
      found.map((place) => place && `${place.path}:${place.line}`),
      ['src/users.ts:2', 'src/store.ts:1', 'src/store.ts:2', null, null, 'tests/users.test.ts:2', null, null, null, null],
    );
    bench.config.isEnabled = false;
    assert.deepEqual(await bench.codebase.symbols(['Store'], new AbortController().signal), [null]);
  });

  it('puts a definition before its uses, and cuts by syntax where there is a grammar', async () => {
    const use = Array.from({ length: 8 }, (_, index) => `log(parseInvoice(${index}));`).join('\n');
    const long = `class Invoices {\n  first() {\n${'    // words here\n'.repeat(110)}  }\n  parseInvoice(text) {\n    return text;\n  }\n}\n`;
    bench = await CodebaseBench.start({ 'uses.js': use, 'invoices.js': long });
    await bench.codebase.settled();
    const [found] = await bench.find('parse invoice');
    assert.equal(found?.path, 'invoices.js');
    assert.ok(found.symbols.includes('parseInvoice'), found.symbols.join());
    assert.ok(found.first > 10, `begins at line ${found.first}`);
  });

  it('leaves out what is ignored, secret, binary, generated or large', async () => {
    bench = await CodebaseBench.start({
      '.gitignore': 'ignored.txt\nbuilt/\n',
      'ignored.txt': 'zebra',
      'built/a.txt': 'zebra',
      'node_modules/a/index.js': 'zebra',
      '.env': 'ZEBRA=1',
      'keys.txt': `zebra ${token}`,
      'binary.bin': 'zebra\0zebra',
      'package-lock.json': '{"zebra":1}',
      'generated.ts': '// @generated\nexport const zebra = 1;',
      'large.txt': 'zebra '.repeat(200_000),
      'kept.txt': 'zebra',
    });
    await symlink(bench.file('ignored.txt'), bench.file('link.txt'));
    assert.deepEqual(await bench.paths('zebra'), ['kept.txt']);
    await bench.codebase.updateFiles(
      ['ignored.txt', 'keys.txt', '.env', 'link.txt', 'built/a.txt'].map((name) => bench.file(name)),
    );
    assert.deepEqual(await bench.paths('zebra'), ['kept.txt']);
  });

  it('follows changes, deletions, renames and rules of what is ignored', async () => {
    bench = await CodebaseBench.start({ 'a.txt': 'apple', 'b.txt': 'banana' });
    assert.deepEqual(await bench.paths('apple'), ['a.txt']);
    await bench.codebase.updateFiles([await bench.write('a.txt', 'cherry')]);
    assert.deepEqual([await bench.paths('apple'), await bench.paths('cherry')], [[], ['a.txt']]);
    await rename(bench.file('b.txt'), bench.file('c.txt'));
    await bench.codebase.updateFiles([bench.file('b.txt'), bench.file('c.txt')]);
    assert.deepEqual(await bench.paths('banana'), ['c.txt']);
    await rm(bench.file('a.txt'));
    await bench.codebase.updateFiles([bench.file('a.txt')]);
    assert.deepEqual(await bench.paths('cherry'), []);
    await bench.codebase.updateFiles([await bench.write('.gitignore', 'c.txt\n')]);
    assert.deepEqual(await bench.paths('banana'), []);
  });

  it('shows nothing that is not in the files any more, told of it or not', async () => {
    bench = await CodebaseBench.start({ 'a.txt': 'apple', 'b.txt': 'apple' });
    assert.equal((await bench.paths('apple')).length, 2);
    await bench.write('a.txt', 'other words');
    await rm(bench.file('b.txt'));
    assert.deepEqual(await bench.find('apple'), []);
    assert.deepEqual(await bench.paths('words'), ['a.txt']);
  });

  it('is searched after the changes that are being looked up', async () => {
    bench = await CodebaseBench.start({ 'a.txt': 'apple' });
    assert.deepEqual(await bench.paths('apple'), ['a.txt']);
    const changed = bench.write('b.txt', 'banana').then((file) => setTimeout(200, [file]));
    void bench.codebase.updateFiles(changed);
    assert.deepEqual(await bench.paths('banana'), ['b.txt']);
  });

  it('takes what a person has listed out of the index at once', async () => {
    bench = await CodebaseBench.start({ 'notes/a.txt': 'apple' });
    assert.deepEqual(await bench.paths('apple'), ['notes/a.txt']);
    bench.config.sensitive = { 'notes/**': false };
    assert.deepEqual(await bench.find('apple'), []);
    await bench.codebase.updateFiles(null);
    assert.equal((await bench.codebase.states())[0]?.state.files, 0);
  });

  it('is still there after a restart, and only what differs is read', async () => {
    bench = await CodebaseBench.start({ 'a.txt': 'apple', 'b.txt': 'banana' });
    await bench.codebase.settled();
    await bench.reopen();
    await bench.write('b.txt', 'cherry');
    assert.deepEqual([await bench.paths('apple'), await bench.paths('cherry')], [['a.txt'], ['b.txt']]);
  });

  it('is kept by one window, read by others, and taken over when that one closes', async () => {
    bench = await CodebaseBench.start({ 'a.txt': 'apple' });
    await bench.codebase.settled();
    const other = bench.open();
    try {
      assert.deepEqual(await bench.paths('apple', other), ['a.txt']);
      assert.equal((await other.states())[0]?.state.isKeptElsewhere, true);
      await bench.codebase.dispose();
      await other.updateFiles([await bench.write('b.txt', 'banana')]);
      assert.deepEqual(await bench.paths('banana', other), ['b.txt']);
    } finally {
      await other.dispose();
    }
  });

  it('is made anew where it is damaged, of another format or asked for', async () => {
    bench = await CodebaseBench.start({ 'a.txt': 'apple '.repeat(50) });
    await bench.codebase.settled();
    await bench.codebase.dispose();
    const name = readdirSync(bench.directory).find((one) => one.endsWith('.sqlite')) ?? '';
    for (const damage of ['no database at all', '']) {
      writeFileSync(path.join(bench.directory, name), damage);
      bench.codebase = bench.open();
      assert.deepEqual(await bench.paths('apple'), ['a.txt']);
      await bench.codebase.recreate();
      assert.deepEqual(await bench.paths('apple'), ['a.txt']);
      await bench.codebase.dispose();
    }
  });

  it('has an index for each folder of the workspace', async () => {
    bench = await CodebaseBench.start({ 'a.txt': 'apple' }, ['one', 'two']);
    await bench.write('../two/b.txt', 'apple');
    assert.deepEqual((await bench.paths('apple')).sort(), ['one/a.txt', 'two/b.txt']);
  });

  it('takes no more than it may', async () => {
    const random = new Chance(runSeed());
    bench = await CodebaseBench.start();
    for (let index = 0; index < 400; index += 1)
      await bench.write(`f${index}.txt`, `apple ${random.next()} ${'word '.repeat(200)}`);
    bench.config.maxBytes = 100_000;
    const { isPartial } = await bench.codebase.find('apple', 10, new AbortController().signal);
    assert.equal(isPartial, true);
    assert.equal((await bench.codebase.states())[0]?.state.isFull, true);
  });

  it('says that it is off', async () => {
    bench = await CodebaseBench.start();
    bench.config.isEnabled = false;
    await assert.rejects(bench.find('apple'), { code: 'unavailable' });
  });
});
