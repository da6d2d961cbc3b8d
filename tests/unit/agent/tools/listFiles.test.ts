import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ToolResult } from '../../../../src/agent/tools/kernel/tool';
import { listFilesTool } from '../../../../src/agent/tools/read/listFiles';
import { findFilesTool } from '../../../../src/agent/tools/read/findFiles';
import { systemClock } from '../../../../src/utils/clock';
import { temporaryName } from '../../../../src/utils/files/temporaryName';
import { ToolBench } from '../support/toolBench';

describe('list_files', () => {
  let bench: ToolBench;
  beforeEach(async () => void (bench = await ToolBench.start()));
  afterEach(() => bench.stop());

  const list = (input: Record<string, unknown> = {}): Promise<ToolResult> => bench.run(listFilesTool(bench.paths), input);

  async function fill(): Promise<void> {
    for (const folder of ['src/deep', 'node_modules/x', 'dist']) await mkdir(bench.file(folder), { recursive: true });
    for (const file of ['a.txt', '.env', 'src/b.ts', 'src/deep/c.ts', 'node_modules/x/d.js', 'dist/e.js', 'z.log'])
      await writeFile(bench.file(file), '');
    await writeFile(bench.file('.gitignore'), 'dist/\n*.log\n');
    await symlink(bench.root, bench.file('link'));
  }

  const note =
    '[Left out because they are ignored: dist/, node_modules/, z.log. To see inside an ignored folder, give its path.]';

  it('names what is in the workspace folder, and what is ignored there', async () => {
    await fill();
    assert.deepEqual(await list({ path: './' }), {
      status: 'success',
      content: `.env\n.gitignore\na.txt\nlink (link)\nsrc/\n${note}`,
      summary: '5 entries',
      details: { path: '.' },
    });
  });

  it('passes over what is just being written beside a file, and nothing else', async () => {
    await writeFile(bench.file('a.tmp'), '');
    await writeFile(bench.file(temporaryName()), '');
    assert.equal((await list()).content, 'a.tmp');
    assert.equal((await bench.run(findFilesTool(bench.paths, systemClock), { pattern: '**/*.tmp' })).content, 'a.tmp');
  });

  it('goes into folders but neither into ignored ones nor through links', async () => {
    await fill();
    const { content } = await list({ recursive: 'true' });
    assert.equal(content, `.env\n.gitignore\na.txt\nlink (link)\nsrc/\nsrc/b.ts\nsrc/deep/\nsrc/deep/c.ts\n${note}`);
  });

  it('gives paths that can be used as they are', async () => {
    await fill();
    assert.equal((await list({ directory: 'src' })).content, 'src/b.ts\nsrc/deep/');
  });

  it('shows an ignored folder that is asked for by name', async () => {
    await fill();
    assert.equal((await list({ path: 'dist' })).content, 'dist/e.js');
    assert.equal((await list({ path: 'node_modules/x' })).content, 'node_modules/x/d.js');
  });

  it('says what is left out of a long list, and keeps the shallow ones', async () => {
    await mkdir(bench.file('a'));
    for (let index = 0; index < 300; index += 1) {
      await writeFile(bench.file(`a/${index}`), '');
      await writeFile(bench.file(`z${index}`), '');
    }
    const { content, summary } = await list({ recursive: true });
    const lines = content.split('\n');
    assert.deepEqual([lines.length, lines.filter((line) => line.startsWith('z')).length, summary], [501, 300, '500+ entries']);
    assert.equal(
      lines.at(-1),
      '[Only the first 500 are listed; there are more. Give the path of a folder to list that one, or look for names with find_files.]',
    );
    bench.missing.add('find_files');
    assert.match((await list({ recursive: true })).content, /there are more\. Give the path of a folder to list that one\.\]$/);
  });

  it('refuses what is no folder or has no place on this machine', async () => {
    await fill();
    const { status, content } = await list({ path: 'a.txt' });
    assert.deepEqual([status, content], ['error', 'a.txt is a file, not a folder. Read it with read_file.']);
    assert.equal((await list({ path: 'none' })).content, 'There is no folder none.');
    for (const path of ['~', '//server/share']) await assert.rejects(list({ path }), /relative to the workspace/);
    assert.deepEqual(bench.questions, []);
  });

  it('asks before it lists what is outside, by its real path', async () => {
    const outside = path.join(bench.root, 'outside');
    await mkdir(path.join(outside, 'in'), { recursive: true });
    await writeFile(path.join(outside, 'in/b.txt'), '');
    await symlink(outside, bench.file('exit'));
    bench.isApproved = false;
    for (const given of ['../outside', 'exit', outside]) {
      const { status, content } = await bench.attempt(listFilesTool(bench.paths), { path: given });
      assert.equal(status, 'denied', given);
      assert.doesNotMatch(content, /b\.txt|in\//);
    }
    const names = 'lists the names in this folder';
    const all = 'lists all files in this folder and its subfolders';
    const question = (what: string) => ({ kind: 'read', path: `${outside}/`, reasons: ['outside the workspace', what] });
    assert.deepEqual(bench.questions.splice(0), [question(names), question(names), question(names)]);
    bench.isApproved = true;
    assert.equal((await list({ path: 'exit', recursive: true })).content, `${outside}/in/\n${outside}/in/b.txt`);
    assert.deepEqual(bench.questions, [question(all)]);
  });

  it('says that a folder is empty', async () => {
    assert.equal((await list()).content, '(. is empty.)');
  });

  it('begins with the folders where there are several', async () => {
    const several = await ToolBench.start('one', 'two');
    const tool = listFilesTool(several.paths);
    await writeFile(several.file('a.txt'), '');
    assert.equal((await several.run(tool, {})).content, 'one/\ntwo/');
    assert.equal((await several.run(tool, { recursive: true })).content, 'one/a.txt');
    assert.equal((await several.run(tool, { path: 'one' })).content, 'one/a.txt');
    await several.stop();
  });
});
