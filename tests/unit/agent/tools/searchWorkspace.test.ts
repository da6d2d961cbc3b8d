import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { ToolResult } from '../../../../src/agent/tools/kernel/tool';
import { searchWorkspaceTool } from '../../../../src/agent/tools/read/searchWorkspace';
import { SearchError, type TextMatches, type TextQuery } from '../../../../src/services/search/textQuery';
import { ToolBench } from '../support/toolBench';

describe('search_workspace', () => {
  let bench: ToolBench;
  let queries: TextQuery[];
  beforeEach(async () => {
    bench = await ToolBench.start();
    queries = [];
  });
  afterEach(() => bench.stop());

  function search(input: Record<string, unknown>, answer: TextMatches | Error, on = bench): Promise<ToolResult> {
    const searcher = {
      search: async (query: TextQuery) => {
        queries.push(query);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    };
    return on.run(searchWorkspaceTool(on.access, searcher), input);
  }
  const matches = (path: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ path, line: index + 1, text: `line ${index + 1}` }));

  it('leaves out files whose text looks like a key, and does not tell that they match', async () => {
    const token = `glpat-${'a1B2'.repeat(5)}`;
    await writeFile(bench.file('keys.txt'), `line 1\ntoken ${token}\n`);
    await writeFile(bench.file('free.txt'), `line 1 ${token}\n`);
    await writeFile(bench.file('large.txt'), `${'line 1\n'.repeat(50_000)}${token}`);
    bench.settings['agent.sensitiveFilePatterns'] = { 'free.txt': true };
    const found = [...matches('keys.txt', 2), ...matches('free.txt', 1), ...matches('large.txt', 1)];
    const { content } = await search(
      { q: 'line' },
      { matches: [...found, { path: 'large.txt', line: 50_001, text: token }], cut: null },
    );
    assert.equal(content, 'free.txt:1: line 1');
    const none = await search({ q: 'token' }, { matches: matches('keys.txt', 1), cut: null });
    assert.equal(none.content, (await search({ q: 'token' }, { matches: [], cut: null })).content);
  });

  it('tells how long a line is of which it shows only a part', async () => {
    const part = { line: 1, text: '…needle 🥛…' };
    const found = [
      { path: 'a.json', ...part, lineBytes: 300_019 },
      { path: 'b.ts', ...part, lineBytes: 400 },
    ];
    assert.equal(
      (await search({ query: 'needle' }, { matches: found, cut: null })).content,
      'a.json:1: …needle 🥛…\nb.ts:1: …needle 🥛…\n[Line 1 of a.json is 300,019 bytes long; only the part around the match is shown.]',
    );
  });

  it('refuses an include that would take long, before it searches', async () => {
    await assert.rejects(search({ query: 'line', include: `src,${'{a,b}'.repeat(40)}` }, { matches: [], cut: null }), {
      code: 'alternatives',
    });
    assert.deepEqual(queries, []);
  });

  it('gives the lines with their places, in order', async () => {
    const found = [...matches('b.ts', 1), ...matches('a.ts', 2).reverse()];
    assert.deepEqual(await search({ q: 'line', path: 'src' }, { matches: found, cut: null }), {
      status: 'success',
      content: 'a.ts:1: line 1\na.ts:2: line 2\nb.ts:1: line 1',
      summary: '3 lines in 2 files',
    });
    assert.deepEqual(queries, [
      { folder: bench.folders[0]?.path, text: 'line', isRegex: false, include: 'src', sensitive: [{}, {}], prefix: '' },
    ]);
  });

  it('shows a part of many, from every file, and says what is left out', async () => {
    const found = Array.from({ length: 6 }, (_, index) => matches(`${index}.ts`, 30)).flat();
    const { content, summary } = await search({ query: 'line' }, { matches: found, cut: null });
    const lines = content.split('\n');
    assert.equal(lines.filter((line) => line.includes(': line')).length, 100);
    assert.equal(lines[20], '[10 more lines in 0.ts]');
    assert.equal(lines.at(-1), '[100 of 180 lines are shown. Use a longer query, or search in fewer files with include.]');
    assert.equal(summary, '180 lines in 6 files');
  });

  it('says that the search itself was cut short', async () => {
    const byCount = await search({ query: 'line' }, { matches: matches('a.ts', 1), cut: 'count' });
    assert.match(byCount.content, /\[1 of 1 or more lines are shown\./);
    const byTime = await search({ query: 'line' }, { matches: [], cut: 'time' });
    assert.match(byTime.content, /^Nothing found for line\.\n\[Not searched: .*\]\n\[The search was stopped after 20 s;/);
  });

  it('says that more may be in a file of which so much was found that it was not searched to its end', async () => {
    const { content, summary } = await search({ query: 'line' }, { matches: matches('a.ts', 100), cut: null });
    assert.match(content, /\[At least 80 more lines in a\.ts\]\n\[20 of 100 or more lines are shown\./);
    assert.equal(summary, '100+ lines in 1+ files');
  });

  it('says that nothing was found', async () => {
    assert.deepEqual(await search({ query: 'x' }, { matches: [], cut: null }), {
      status: 'success',
      content:
        'Nothing found for x.\n[Not searched: files that git ignores, that may hold secrets, that are no text or larger than 2 MB. Read such a file with read_file.]',
      summary: 'nothing found',
    });
  });

  it('tells what is wrong with a pattern or a query of several lines', async () => {
    const { status, content } = await search({ query: '(', isRegex: true }, new SearchError('pattern', 'unclosed group'));
    assert.deepEqual(
      [status, content],
      ['error', '( is not a valid regular expression: unclosed group. Search with isRegex false for plain text.'],
    );
    for (const input of [{ query: 'a\nb' }, { query: 'a\\nb', isRegex: true }])
      assert.match((await search(input, { matches: [], cut: null })).content, /several lines/);
    for (const query of ['bar\\r', 'a[^\\]]\\r$'])
      assert.match((await search({ query, isRegex: true }, { matches: [], cut: null })).content, /without their ends/);
    const inOneLine = ['a\\\\nb', 'a[^\\n]*b', '[^\\]\\r\\n]+', '[^\\r]\\w'].map((query) => ({ query, isRegex: true }));
    for (const input of [{ query: 'a\\nb' }, { query: 'a\\r' }, ...inOneLine])
      assert.match((await search(input, { matches: [], cut: null })).content, /Nothing found/);
  });

  it('searches every folder of the workspace, or the one that include begins with', async () => {
    const several = await ToolBench.start('one', 'two');
    const { content } = await search({ query: 'l' }, { matches: matches('a.ts', 1), cut: null }, several);
    assert.equal(content, 'one/a.ts:1: line 1\ntwo/a.ts:1: line 1');
    queries = [];
    await search({ query: 'l', include: 'two/src/*.ts' }, { matches: [], cut: null }, several);
    assert.deepEqual(
      queries.map(({ include }) => include),
      ['src/*.ts'],
    );
    assert.deepEqual(
      queries.map(({ prefix }) => prefix),
      ['two/'],
    );
    const asked = async (include: string) => {
      queries = [];
      await search({ query: 'l', include }, { matches: [], cut: null }, several);
      return queries.map((one) => [one.prefix, one.include]);
    };
    assert.deepEqual(await asked('one/src/*.ts, two/lib, *.md'), [
      ['one/', 'src/*.ts,*.md'],
      ['two/', 'lib,*.md'],
    ]);
    assert.deepEqual(await asked('./two/, one/{a,b}.ts'), [
      ['one/', '{a,b}.ts'],
      ['two/', undefined],
    ]);
    const [one = '', two = ''] = (await several.paths.roots()).map(({ real }) => real);
    assert.deepEqual(await asked(`${one}/src/*.ts, ${two}`), [
      ['one/', 'src/*.ts'],
      ['two/', undefined],
    ]);
    await several.stop();
  });

  it('takes an absolute path into the workspace for the place that it names', async () => {
    const [root = ''] = (await bench.paths.roots()).map(({ real }) => real);
    const asked = async (include: string) => {
      queries = [];
      await search({ query: 'l', include }, { matches: [], cut: null });
      return queries.map((one) => one.include);
    };
    assert.deepEqual(await asked(`${root}/src/**/*.ts`), ['src/**/*.ts']);
    assert.deepEqual(await asked(`${root}/`), [undefined]);
    assert.deepEqual(await asked('src,lib/*.ts'), ['src,lib/*.ts']);
    assert.deepEqual(await asked('src/**, '), ['src/**']);
    assert.deepEqual(await asked(' '), [undefined]);
  });
});
