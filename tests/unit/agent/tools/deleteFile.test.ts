import assert from 'node:assert/strict';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { deleteFileTool } from '../../../../src/agent/tools/edit/deleteFile';
import { ToolBench } from '../support/toolBench';

describe('delete_file', () => {
  let bench: ToolBench;
  beforeEach(async () => void (bench = await ToolBench.start()));
  afterEach(() => bench.stop());

  const remove = (path: string) => bench.attempt(deleteFileTool(bench.editing), { path });

  it('deletes a file, and tells what it was first', async () => {
    await writeFile(bench.file('a.txt'), 'one\ntwo\n');
    bench.onTouch = async () => assert.deepEqual(await readdir(bench.file()), ['a.txt']);
    assert.deepEqual(await remove('a.txt'), {
      status: 'success',
      content: 'Deleted a.txt (2 lines).',
      summary: '−2',
      details: { path: 'a.txt' },
    });
    assert.deepEqual(bench.touches[0]?.before, Buffer.from('one\ntwo\n'));
    assert.equal(bench.edits[0]?.diff, '--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n');
    assert.deepEqual(await readdir(bench.file()), []);
  });

  it('deletes a binary file', async () => {
    await writeFile(bench.file('a.png'), Buffer.from([0x89, 0, 1]));
    assert.equal((await remove('a.png')).status, 'success');
    assert.deepEqual([bench.edits[0]?.deletions, bench.touches[0]?.before], [0, Buffer.from([0x89, 0, 1])]);
  });

  it('keeps the unsaved text of an editor', async () => {
    await writeFile(bench.file('a.txt'), 'one\n');
    bench.editors.show(bench.file('a.txt'), 'one\nunsaved\n');
    await remove('a.txt');
    assert.deepEqual(bench.touches[0]?.before, Buffer.from('one\nunsaved\n'));
    assert.equal(bench.editors.textOf(bench.file('a.txt')), 'one\nunsaved\n');
  });

  it('refuses a folder, a link, what is read-only and what is not there', async () => {
    await mkdir(bench.file('folder'));
    await writeFile(bench.file('a.txt'), 'a', { mode: 0o444 });
    await symlink('a.txt', bench.file('link'));
    const answers = [];
    for (const path of ['folder', 'link', 'a.txt', 'gone.txt']) answers.push((await remove(path)).content);
    assert.deepEqual(answers, [
      'folder is a folder, not a file.',
      'link is a link. Give the path of its target.',
      'a.txt is read-only, so it was not changed. Tell the user what you would have changed.',
      'There is no file gone.txt.',
    ]);
    assert.deepEqual((await readdir(bench.file())).sort(), ['a.txt', 'folder', 'link']);
  });
});
