import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createFileTool } from '../../../../src/agent/tools/edit/createFile';
import { createAtomically } from '../../../../src/services/files/atomicWrite';
import { noWriteNotes } from '../../../../src/services/files/unfinishedWrites';
import { assertReal, inNewFolders } from '../../../../src/services/files/newFolders';
import { PathError } from '../../../../src/services/files/pathError';
import type { ToolResult } from '../../../../src/agent/tools/kernel/tool';
import { ToolBench } from '../support/toolBench';

const taken = (): Error => new Error('taken');
const made: string[] = [];
const told = { note: (folders: readonly string[]) => Promise.resolve(void made.push(...folders)), taken };

describe('create_file', () => {
  let bench: ToolBench;
  beforeEach(async () => void (bench = await ToolBench.start()));
  afterEach(() => bench.stop());

  const create = (input: Record<string, unknown>): Promise<ToolResult> => bench.attempt(createFileTool(bench.editing), input);

  it('writes the file with its folders and records the edit', async () => {
    assert.deepEqual(await create({ path: 'src/deep/a.txt', content: 'one\ntwo' }), {
      status: 'success',
      content: 'Created src/deep/a.txt (2 lines).',
      summary: '+2',
      details: { path: 'src/deep/a.txt' },
    });
    assert.equal(await readFile(bench.file('src/deep/a.txt'), 'utf8'), 'one\ntwo');
    assert.deepEqual(bench.edits, [
      {
        path: 'src/deep/a.txt',
        operation: 'create',
        diff: '--- /dev/null\n+++ b/src/deep/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n',
        beforeHash: null,
        afterHash: createHash('sha256').update('one\ntwo').digest('hex'),
        additions: 2,
        deletions: 0,
      },
    ]);
    assert.deepEqual(bench.touches, [
      {
        sessionId: 'session',
        callId: 'call',
        path: bench.file('src/deep/a.txt'),
        shown: 'src/deep/a.txt',
        operation: 'create',
        before: null,
        mode: null,
      },
    ]);
    assert.deepEqual(await readdir(bench.file('src/deep')), ['a.txt']);
  });

  it('creates an empty file', async () => {
    await create({ path: 'empty', content: '' });
    assert.equal(await readFile(bench.file('empty'), 'utf8'), '');
    assert.deepEqual([bench.edits[0]?.additions, bench.edits[0]?.diff], [0, '--- /dev/null\n+++ b/empty\n']);
  });

  it('refuses a path that exists, whatever it is, and changes nothing', async () => {
    await writeFile(bench.file('a.txt'), 'mine');
    await mkdir(bench.file('folder'));
    await symlink('a.txt', bench.file('link'));
    for (const [path, shown] of Object.entries({ 'a.txt': 'a.txt', folder: 'folder', link: 'a.txt' })) {
      const { status, content } = await create({ path, content: 'yours' });
      const english = `${shown} already exists, so nothing was changed. Read the file, or choose another path.`;
      assert.deepEqual([status, content], ['error', english]);
    }
    assert.equal(await readFile(bench.file('a.txt'), 'utf8'), 'mine');
    assert.deepEqual(bench.edits, []);
    assert.deepEqual((await readdir(bench.file())).sort(), ['a.txt', 'folder', 'link']);
  });

  it('refuses a path that names a folder', async () => {
    assert.equal((await create({ path: 'folder/', content: '' })).status, 'error');
  });

  it('never overwrites a file that someone else was quicker to create', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => createAtomically(bench.file('race'), Buffer.from(`${index}`), noWriteNotes)),
    );
    const winners = all.flatMap((one, index) => (one.status === 'fulfilled' ? [index] : []));
    const codes = all.flatMap((one) => (one.status === 'rejected' ? [(one.reason as NodeJS.ErrnoException).code] : []));
    assert.deepEqual([winners.length, new Set(codes)], [1, new Set(['EEXIST'])]);
    assert.equal(await readFile(bench.file('race'), 'utf8'), String(winners[0]));
    assert.deepEqual(await readdir(bench.file()), ['race']);
  });

  it('leaves no folder behind when there is no file in the end', async () => {
    bench.stopping.abort();
    await assert.rejects(create({ path: 'new/deep/a.txt', content: 'x' }));
    assert.deepEqual(await readdir(bench.file()), []);
    await mkdir(bench.file('kept'));
    const theirs = () => writeFile(bench.file('kept/new/theirs'), '');
    await assert.rejects(
      inNewFolders(bench.file('kept/new/deep/a.txt'), () => theirs().then(() => Promise.reject(new Error('full'))), told),
      /^Error: full$/,
    );
    assert.deepEqual(await readdir(bench.file('kept/new')), ['theirs']);
    made.length = 0;
    await inNewFolders(bench.file('kept/two/deep/a.txt'), () => Promise.resolve(), told);
    assert.deepEqual(made, [bench.file('kept/two'), bench.file('kept/two/deep')]);
  });

  it('makes no folder through a link that was put in the way', async () => {
    await mkdir(bench.file('elsewhere'));
    await symlink('elsewhere', bench.file('a'));
    await symlink('nowhere', bench.file('b'));
    for (const path of ['a/new', 'b', 'b/new']) {
      await assert.rejects(
        inNewFolders(bench.file(path, 'a.txt'), () => Promise.resolve(), told),
        PathError,
      );
    }
    assert.deepEqual(await readdir(bench.file('elsewhere')), []);
    await assert.rejects(assertReal(bench.file('a')), PathError);
  });

  it('leaves nothing behind when it is stopped before the file is there', async () => {
    bench.stopping.abort();
    await assert.rejects(create({ path: 'a.txt', content: 'x' }));
    assert.deepEqual(await readdir(bench.file()), []);
  });
});
