import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { CodePlace, CodeSymbol, LanguagePort } from '../../../../src/agent/kernel/languagePort';
import { languageTools } from '../../../../src/agent/tools/language/languageTools';
import type { ToolResult } from '../../../../src/agent/tools/kernel/tool';
import { ToolBench } from '../support/toolBench';

const cart = [
  'export class Cart {',
  '  total(): number {',
  '    return sum(1);',
  '  }',
  '}',
  'function sum(a: number) {}',
  '',
].join('\n');

describe('Tools that ask language extensions', () => {
  let bench: ToolBench;
  let asked: CodePlace[];
  let places: CodePlace[];
  let outline: CodeSymbol[] | null;
  let hover: string[];

  beforeEach(async () => {
    bench = await ToolBench.start();
    await mkdir(bench.file('src'));
    await writeFile(bench.file('src/cart.ts'), cart);
    await writeFile(bench.file('.gitignore'), 'built.ts\n');
    for (const name of ['built.ts', '.env']) await writeFile(bench.file(name), 'sum(2)\n');
    asked = [];
    places = [];
    hover = ['function sum(a: number): void', ' ', 'Adds.'];
    const file = bench.file('src/cart.ts');
    const symbol = (name: string, kind: string, line: number, column: number, endLine: number, children: CodeSymbol[] = []) => ({
      file,
      name,
      kind,
      line,
      column,
      endLine,
      children,
    });
    outline = [symbol('Cart', 'class', 1, 14, 5, [symbol('total', 'method', 2, 3, 4)]), symbol('sum', 'function', 6, 10, 6)];
  });
  afterEach(() => bench.stop());

  const language: LanguagePort = {
    text: async (path) => ({ text: await readFile(path, 'utf8'), language: 'typescript' }),
    symbols: async () => outline,
    find: async () => places.map((place) => ({ ...place, name: 'sum', kind: 'function', endLine: 9, children: [] })),
    related: async (_relation, place) => {
      asked.push(place);
      return places;
    },
    hover: async () => hover,
    hierarchy: async (kind) =>
      kind === 'callers' ? places.map((place) => ({ ...place, name: 'total', kind: 'method', endLine: 4, children: [] })) : [],
  };

  function run(name: string, input: Record<string, unknown>): Promise<ToolResult> {
    const tool = languageTools({ access: bench.access, language }).find((one) => one.name === name);
    assert.ok(tool);
    return bench.run(tool, input);
  }

  const at = (path: string, line: number, column = 1): CodePlace => ({ file: bench.file(path), line, column });

  it('are offered in one order', () => {
    assert.deepEqual(
      languageTools({ access: bench.access, language }).map(({ name }) => name),
      [
        ...['get_document_symbols', 'find_symbol', 'find_definition', 'find_references', 'find_implementations'],
        ...['get_hover_info', 'get_call_hierarchy', 'get_type_hierarchy'],
      ],
    );
  });

  it('take a symbol by its name, as models write it, or by its place', async () => {
    places = [at('src/cart.ts', 6, 10)];
    for (const input of [
      { symbolName: 'sum' },
      { name: 'sum()' },
      { symbol: 'Cart.sum' },
      { line: 3, character: 12 },
      { lineNumber: 6 },
    ])
      assert.equal(
        (await run('find_definition', { path: 'src/cart.ts', ...input })).content,
        'src/cart.ts:6: function sum(a: number) {}',
      );
    assert.deepEqual(asked, [
      ...[at('src/cart.ts', 6, 10), at('src/cart.ts', 6, 10), at('src/cart.ts', 6, 10)],
      ...[at('src/cart.ts', 3, 12), at('src/cart.ts', 6, 10)],
    ]);
  });

  it('take the one nearest to a line where a name stands more than once, also without an outline', async () => {
    outline = null;
    await writeFile(bench.file('src/cart.ts'), 'ärger = 1\nx\ny\nprint(ärger)\n');
    await run('find_references', { path: 'src/cart.ts', symbolName: 'ärger', line: 4 });
    await run('find_references', { path: 'src/cart.ts', symbolName: 'ärger' });
    assert.deepEqual(asked, [at('src/cart.ts', 4, 7), at('src/cart.ts', 1, 1)]);
  });

  it('say which names are like one that is not there, and what else to do', async () => {
    const { status, content } = await run('find_references', { path: 'src/cart.ts', symbolName: 'totals' });
    assert.deepEqual([status, content.includes('Like it: total (line 2).')], ['error', true]);
    assert.match((await run('find_references', { path: 'src/cart.ts' })).content, /symbolName, or line/);
    assert.match((await run('find_references', { path: 'src/cart.ts', line: 70 })).content, /has 7 lines/);
    assert.match((await run('find_references', { path: 'src/none.ts', symbolName: 'a' })).content, /no file src\/none.ts/);
  });

  it('tell each place once, and leave no trace of files that may not be seen', async () => {
    places = [
      at('src/cart.ts', 3, 12),
      at('built.ts', 1),
      at('.env', 1),
      { ...at('', 1), file: '/etc/hosts' },
      at('src/cart.ts', 3, 12),
    ];
    const { content, summary } = await run('find_references', { path: 'src/cart.ts', symbolName: 'sum' });
    assert.deepEqual([content, summary], ['src/cart.ts:3: return sum(1);', '1 place']);
    places = [at('.env', 1)];
    const hidden = await run('find_references', { path: 'src/cart.ts', symbolName: 'sum' });
    places = [];
    assert.deepEqual(hidden, await run('find_references', { path: 'src/cart.ts', symbolName: 'sum' }));
    assert.match(hidden.content, /use search_workspace/);
  });

  it('name the first hundred of many', async () => {
    places = Array.from({ length: 250 }, (_unused, index) => at('src/cart.ts', 1, index + 1));
    const lines = (await run('find_references', { path: 'src/cart.ts', symbolName: 'sum' })).content.split('\n');
    assert.deepEqual([lines.length, lines.at(-1)], [101, '[100 of 250 are shown.]']);
  });

  it('tell outlines, symbols of the workspace, types and calls', async () => {
    places = [at('src/cart.ts', 6, 10)];
    assert.equal(
      (await run('get_document_symbols', { path: 'src/cart.ts' })).content,
      '1-5: class Cart\n  2-4: method total\n6: function sum',
    );
    assert.equal((await run('find_symbol', { query: 'sum' })).content, 'function sum  src/cart.ts:6: function sum(a: number) {}');
    assert.equal(
      (await run('get_hover_info', { path: 'src/cart.ts', symbolName: 'sum' })).content,
      'src/cart.ts:6\nfunction sum(a: number): void\n\nAdds.',
    );
    assert.equal(
      (await run('get_call_hierarchy', { path: 'src/cart.ts', symbolName: 'sum' })).content,
      'Called by:\n  total  src/cart.ts:6: function sum(a: number) {}',
    );
    assert.match((await run('get_type_hierarchy', { path: 'src/cart.ts', symbolName: 'Cart' })).content, /knows no relation/);
  });

  it('give the first 4,000 characters of a long documentation', async () => {
    const documentation = async (length: number) => {
      hover = [`(${'x'.repeat(length - 2)})`];
      return (await run('get_hover_info', { path: 'src/cart.ts', symbolName: 'sum' })).content;
    };
    assert.equal(await documentation(4000), `src/cart.ts:6\n(${'x'.repeat(3998)})`);
    assert.equal(await documentation(4001), `src/cart.ts:6\n(${'x'.repeat(3999)}…\n[Cut after 4000 characters.]`);
  });

  it('ask before they look into a file with secrets', async () => {
    bench.isApproved = false;
    assert.equal((await run('get_document_symbols', { path: '.env' })).status, 'denied');
    assert.equal((await run('find_references', { path: '.env', symbolName: 'sum' })).status, 'denied');
    assert.equal(bench.questions.length, 2);
  });
});
