import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { applyPatchTool } from '../../../src/agent/tools/edit/applyPatch';
import { createFileTool } from '../../../src/agent/tools/edit/createFile';
import { deleteFileTool } from '../../../src/agent/tools/edit/deleteFile';
import { renameFileTool } from '../../../src/agent/tools/edit/renameFile';
import { replaceInFileTool } from '../../../src/agent/tools/edit/replaceInFile';
import { writeFileTool } from '../../../src/agent/tools/edit/writeFile';
import { listFilesTool } from '../../../src/agent/tools/read/listFiles';
import { PathError } from '../../../src/services/files/pathError';
import { NeverRules } from '../../../src/services/git/neverRules';
import { ToolBench } from './support/toolBench';

const composed = '\u00dcbersicht.md';
const decomposed = 'U\u0308bersicht.md';

describe('names whose characters are composed in another way', () => {
  let bench: ToolBench;
  beforeEach(async () => {
    bench = await ToolBench.start();
    await mkdir(bench.file('docs'));
    await writeFile(bench.file('docs', decomposed), 'one\ntwo\n');
  });
  afterEach(() => bench.stop());

  const text = (name = decomposed): Promise<string> => readFile(bench.file('docs', name), 'utf8');
  const names = (): Promise<string[]> => readdir(bench.file('docs'));

  it('find the file, in a folder of the other form too', async () => {
    await mkdir(bench.file('Ame\u0301lie/stra\u00dfe'), { recursive: true });
    await writeFile(bench.file('Ame\u0301lie/stra\u00dfe/\u00e5.ts'), '');
    for (const [given, onDisk] of [
      [`docs/${composed}`, `docs/${decomposed}`],
      [bench.file('docs', composed), `docs/${decomposed}`],
      ['Am\u00e9lie/stra\u00dfe/a\u030a.ts', 'Ame\u0301lie/stra\u00dfe/\u00e5.ts'],
      ['am\u00e9lie/../docs/\u00dcbersicht.md', `docs/${decomposed}`],
    ] as const) {
      const found = await bench.paths.resolve(given);
      assert.deepEqual([found.exists, found.shown.normalize('NFC')], [true, onDisk.normalize('NFC')], given);
      assert.equal(await readFile(found.real, 'utf8'), await readFile(bench.file(onDisk), 'utf8'));
    }
    const made = await bench.paths.resolve('Am\u00e9lie/new.ts');
    assert.deepEqual([made.exists, path.dirname(made.real)], [false, bench.file('Ame\u0301lie')]);
  });

  it('edit the file in place, and make no second one that looks the same', async () => {
    const file = `docs/${composed}`;
    const { status } = await bench.attempt(replaceInFileTool(bench.editing), { path: file, oldText: 'one', newText: '1' });
    assert.deepEqual([status, await text(), (await names()).length], ['success', '1\ntwo\n', 1]);
    await bench.attempt(writeFileTool(bench.editing), { path: file, content: 'new\n' });
    assert.deepEqual([await text(), (await names()).length], ['new\n', 1]);
    const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n-new\n+newer\n*** End Patch`;
    await bench.attempt(applyPatchTool(bench.editing), { patch });
    assert.deepEqual([await text(), (await names()).length], ['newer\n', 1]);
    const created = await bench.attempt(createFileTool(bench.editing), { path: file, content: 'twin' });
    assert.deepEqual([created.status, await text(), (await names()).length], ['error', 'newer\n', 1]);
  });

  it('rename, list and delete the file', async () => {
    await mkdir(bench.file('docs/U\u0308'));
    await writeFile(bench.file('docs/U\u0308/x.md'), '');
    assert.equal(
      (await bench.attempt(listFilesTool(bench.paths), { path: 'docs/\u00dc' })).content.normalize('NFC'),
      'docs/\u00dc/x.md',
    );
    await bench.attempt(renameFileTool(bench.editing), { path: `docs/${composed}`, newPath: 'docs/\u00dc/new.md' });
    assert.deepEqual(await readdir(bench.file('docs/U\u0308')), ['new.md', 'x.md']);
    const { status } = await bench.attempt(deleteFileTool(bench.editing), { path: 'docs/\u00dc/new.md' });
    assert.deepEqual([status, await readdir(bench.file('docs/U\u0308'))], ['success', ['x.md']]);
  });

  it('mean the exact file where both exist', async () => {
    await writeFile(bench.file('docs', composed), 'exact');
    for (const name of await names()) {
      const { real } = await bench.paths.resolve(`docs/${name}`);
      assert.equal(await readFile(real, 'utf8'), await text(name));
    }
    const { real } = await bench.paths.resolve(`docs/${composed}`);
    assert.equal(await readFile(real, 'utf8'), 'exact');
  });

  it('lead through no link out of the workspace', async () => {
    await writeFile(path.join(bench.root, 'secret'), '');
    await symlink(path.join(bench.root, 'secret'), bench.file('docs/cafe\u0301'));
    await assert.rejects(
      bench.paths.resolve('docs/caf\u00e9'),
      (error) => error instanceof PathError && error.reason === 'outside',
    );
    await symlink('nowhere', bench.file('docs/noe\u0308l'));
    await assert.rejects(
      bench.paths.resolve('docs/no\u00ebl'),
      (error) => error instanceof PathError && error.reason === 'outside',
    );
    await symlink(bench.file('docs', decomposed), bench.file('docs/re\u0301sume\u0301'));
    await assert.rejects(
      bench.paths.assertNoLink('docs/r\u00e9sum\u00e9'),
      (error) => error instanceof PathError && error.reason === 'invalid',
    );
  });

  for (const [rule, name] of [
    [composed, decomposed],
    [decomposed, composed],
    ['\u00dcber*', decomposed],
  ] as const) {
    it(`close a file for the agent: ${JSON.stringify(rule)} closes ${JSON.stringify(name)}`, async () => {
      await writeFile(bench.file('.ollamacopilotignore'), `${rule}\n`);
      assert.equal(NeverRules.of(bench.file())?.isClosed(`docs/${name}`, false), true);
      for (const given of [composed, decomposed])
        await assert.rejects(
          bench.paths.resolve(`docs/${given}`),
          (error) => error instanceof PathError && error.reason === 'closed',
        );
    });
  }
});
