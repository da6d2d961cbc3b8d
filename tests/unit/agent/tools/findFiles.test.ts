import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import type { ToolResult } from '../../../../src/agent/tools/kernel/tool';
import { findFilesTool } from '../../../../src/agent/tools/read/findFiles';
import { systemClock } from '../../../../src/utils/clock';
import { ToolBench } from '../support/toolBench';

describe('find_files', () => {
  let bench: ToolBench;
  beforeEach(async () => {
    bench = await ToolBench.start();
    for (const folder of ['src/Form', 'node_modules', 'out']) await mkdir(bench.file(folder), { recursive: true });
    for (const file of ['src/Form/signup.ts', 'src/signup.test.ts', 'node_modules/signup.ts', 'out/signup.ts', '.env'])
      await writeFile(bench.file(file), '');
    await writeFile(bench.file('.gitignore'), 'out');
    await symlink(bench.root, bench.file('src/signup-link'));
  });
  afterEach(() => bench.stop());

  const find = (pattern: string): Promise<ToolResult> => bench.run(findFilesTool(bench.paths, systemClock), { pattern });

  const ignored = '[Files that git ignores are left out. To see those of a folder, give it to list_files.]';
  const cases: [pattern: string, content: string][] = [
    ['**/*.test.ts', 'src/signup.test.ts'],
    ['SIGNUP.*', 'src/Form/signup.ts\nsrc/signup.test.ts'],
    ['signup', 'src/Form/signup.ts\nsrc/signup-link\nsrc/signup.test.ts'],
    ['form/sign', 'src/Form/signup.ts'],
    ['src/*/', 'src/Form/\nsrc/signup-link\nsrc/signup.test.ts'],
    ['.env', '.env'],
    ['*.rs', `No file matches *.rs. Try a shorter part of the name.\n${ignored}`],
    ['rust', `No file matches rust. Try another part of the name, or list_files.\n${ignored}`],
  ];
  for (const [pattern, content] of cases) {
    it(`${pattern} → ${content.replaceAll('\n', ', ')}`, async () => assert.equal((await find(pattern)).content, content));
  }

  it('finds names of the other Unicode form, as a Mac may have them', async () => {
    const decomposed = 'U\u0308bersicht.md';
    await writeFile(bench.file(decomposed), '');
    for (const pattern of ['\u00fcbersicht', '**/\u00dcber*.md', 'u\u0308bersicht'])
      assert.equal((await find(pattern)).content, decomposed);
  });

  it('finds files whose names contain brackets and braces, beside those that the glob means', async () => {
    const files = [
      'app/[id]/page.tsx',
      'app/i/page.tsx',
      'app/[[...step-by]]/page.tsx',
      'app/(group)/@modal/[id].tsx',
      '{{name}}/#a.py',
    ];
    for (const file of files) {
      await mkdir(bench.file(file, '..'), { recursive: true });
      await writeFile(bench.file(file), '');
    }
    const found = async (pattern: string): Promise<string[]> => (await find(pattern)).content.split('\n');
    assert.deepEqual(await found('app/[id]/page.tsx'), ['app/[id]/page.tsx', 'app/i/page.tsx']);
    assert.deepEqual(await found('app/[[...step-by]]/page.tsx'), ['app/[[...step-by]]/page.tsx']);
    assert.deepEqual(await found('[...step'), ['app/[[...step-by]]/']);
    assert.deepEqual(await found('app/(group)/**/[id]*'), ['app/(group)/@modal/[id].tsx']);
    assert.deepEqual(await found('{{name}}/#*'), ['{{name}}/#a.py']);
  });

  it('refuses a pattern that would take long, and says why', async () => {
    await assert.rejects(find('{a,b}'.repeat(40)), {
      modelMessage: 'The pattern has too many alternatives in braces. Use fewer.',
    });
  });

  it('says that there are more', async () => {
    for (let index = 0; index < 210; index += 1) await writeFile(bench.file(`${index}.css`), '');
    const { content, summary } = await find('*.css');
    const lines = content.split('\n');
    assert.deepEqual(
      [lines.length, lines.at(-1), summary],
      [201, '[Only the first 200 are listed; there are more. Use a narrower pattern.]', '200+ files'],
    );
  });

  it('stops when the time is up, and says so', async () => {
    const clock = {
      ...systemClock,
      now: (
        (times) => () =>
          (times += 10_000)
      )(0),
    };
    const { content } = await bench.run(findFilesTool(bench.paths, clock), { pattern: 'signup' });
    assert.match(content, /\[The search was stopped after 15 s; there may be more\./);
  });

  it('ends on Stop', async () => {
    bench.stopping.abort();
    await assert.rejects(find('*'), { name: 'AbortError' });
  });

  it('takes and gives paths with the name of the folder where there are several', async () => {
    const several = await ToolBench.start('one', 'two');
    await writeFile(several.file('a.txt'), '');
    const tool = findFilesTool(several.paths, systemClock);
    for (const pattern of ['*.txt', 'one/*.txt']) assert.equal((await several.run(tool, { pattern })).content, 'one/a.txt');
    await several.stop();
  });
});
