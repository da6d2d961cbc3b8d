import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../../support/vscode/location';
import { CodebaseBench } from './codebaseBench';

const compiled = path.join(__dirname, '../../../src');
const packages = path.join(repository, 'node_modules');
const parser = '@vscode/tree-sitter-wasm';

describe('a grammar that is broken', () => {
  let bench: CodebaseBench;
  let wasm: string;

  /** Copies the product, so that grammars can be broken. Linked files would load from their real location. */
  beforeEach(async () => {
    bench = await CodebaseBench.start({
      'words.py': 'def walrus_price():\n    return 1\n',
      'words.js': 'function zebraPrice() {\n  return 1;\n}\n',
    });
    const copy = path.join(bench.root, 'product');
    cpSync(compiled, path.join(copy, 'out/src'), { recursive: true });
    mkdirSync(path.join(copy, 'node_modules/@vscode'), { recursive: true });
    for (const name of readdirSync(packages).filter((one) => one !== '@vscode'))
      symlinkSync(path.join(packages, name), path.join(copy, 'node_modules', name), 'dir');
    cpSync(path.join(packages, parser), path.join(copy, 'node_modules', parser), { recursive: true });
    wasm = path.join(copy, 'node_modules', parser, 'wasm');
    bench.workerPath = path.join(copy, 'out/src/services/codebase/codebaseWorker.js');
    await bench.reopen();
  });
  afterEach(() => bench.stop());

  const whole = () => readFileSync(path.join(wasm, 'tree-sitter-python.wasm'));
  const found = async () => [await bench.paths('walrus price'), await bench.paths('zebra price')].map(([first]) => first);
  const breakages: [string, (file: string) => void][] = [
    ['cut off', (file) => writeFileSync(file, whole().subarray(0, 30_000))],
    ['of other bytes', (file) => writeFileSync(file, whole().fill(0xfe, 20_000, 60_000))],
    ['no grammar at all', (file) => writeFileSync(file, Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]))],
    ['missing', (file) => rmSync(file)],
  ];
  for (const [how, breakIt] of breakages)
    it(`${how}: the words of its files are found, and those of others by their syntax`, async () => {
      breakIt(path.join(wasm, 'tree-sitter-python.wasm'));
      await bench.codebase.settled();
      assert.deepEqual(await found(), ['words.py', 'words.js']);
      const [other] = await bench.find('zebra price');
      assert.deepEqual(other?.symbols, ['zebraPrice']);
    });

  it('in the parser itself: all words are found', async () => {
    writeFileSync(path.join(wasm, 'tree-sitter.wasm'), 'nonsense');
    await bench.codebase.settled();
    assert.deepEqual(await found(), ['words.py', 'words.js']);
  });
});
