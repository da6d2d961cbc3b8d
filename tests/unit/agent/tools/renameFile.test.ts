import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileDiagnostic } from '../../../../src/agent/kernel/ports';
import { readFileTool } from '../../../../src/agent/tools/read/readFile';
import { renameFileTool } from '../../../../src/agent/tools/edit/renameFile';
import { ToolBench } from '../support/toolBench';

describe('rename_file', () => {
  let bench: ToolBench;
  beforeEach(async () => void (bench = await ToolBench.start()));
  afterEach(() => bench.stop());

  const rename = (from: string, newPath: string) => bench.attempt(renameFileTool(bench.editing), { path: from, newPath });

  it('moves a file with its folders, and tells of both ends first', async () => {
    await writeFile(bench.file('a.txt'), 'one\n', { mode: 0o640 });
    assert.deepEqual(await rename('a.txt', 'src/deep/b.txt'), {
      status: 'success',
      content: 'Renamed a.txt to src/deep/b.txt. What refers to it by its old name is not changed.',
      summary: 'to src/deep/b.txt',
      details: { path: 'src/deep/b.txt' },
    });
    assert.deepEqual(
      bench.touches.map(({ shown, before, mode, operation }) => ({ shown, before, mode, operation })),
      [
        { shown: 'a.txt', before: Buffer.from('one\n'), mode: 0o640, operation: 'rename' },
        { shown: 'src/deep/b.txt', before: null, mode: null, operation: 'rename' },
      ],
    );
    const [edit] = bench.edits;
    assert.deepEqual(
      [edit?.path, edit?.newPath, edit?.additions, edit?.beforeHash],
      ['a.txt', 'src/deep/b.txt', 0, edit?.afterHash],
    );
    assert.deepEqual([await readdir(bench.file()), await readFile(bench.file('src/deep/b.txt'), 'utf8')], [['src'], 'one\n']);
  });

  it('asks before a file with secrets gets a name under which it could be read, whatever the session allows', async () => {
    bench.session = { ...bench.session, auto_approve_sensitive_edits: 1 };
    await writeFile(bench.file('.env'), 'TOKEN=hidden\n');
    const read = (one: string) => bench.attempt(readFileTool(bench.access, bench.editors), { path: one });
    bench.isApproved = false;
    assert.equal((await rename('.env', 'e.txt')).status, 'denied');
    assert.equal((await read('.env')).status, 'denied');
    assert.deepEqual(
      bench.questions.map(({ kind, reasons }) => [kind, reasons]),
      [
        ['edit', ['may contain secrets']],
        ['read', ['may contain secrets']],
      ],
    );
    assert.deepEqual(await readdir(bench.file()), ['.env']);
    assert.equal(
      (await rename('.env', '.env.local')).status,
      'success',
      'as secret as before, so as freely as the session allows',
    );
    bench.isApproved = true;
    assert.equal((await rename('.env.local', 'e.txt')).status, 'success');
    assert.equal(bench.questions.length, 3);
    assert.match((await read('e.txt')).content, /hidden/);
  });

  it('tells the problems that it has under its new name alone, and new ones of other files that may be read', async () => {
    await writeFile(bench.file('a.ts'), 'text');
    const problem = (name: string, line: number, message: string): FileDiagnostic => ({
      file: bench.file(name),
      line,
      column: 1,
      severity: 'error',
      message,
      source: 'ts',
    });
    bench.diagnostics = {
      watch: (path) => ({
        changes: async () => ({
          before: path === bench.file('a.ts') ? [problem('a.ts', 5, 'old')] : [],
          after: path === bench.file('b.ts') ? [problem('b.ts', 5, 'old'), problem('b.ts', 1, 'no ./c')] : [],
        }),
        dispose: () => undefined,
      }),
    };
    const before = [problem('a.ts', 5, 'old'), problem('main.ts', 7, 'as ever')];
    const broken = [problem('main.ts', 1, 'no ./a'), problem('main.ts', 8, 'as ever'), problem('.env', 1, 'hidden')];
    const outside = { ...problem('x.ts', 1, 'no ./a'), file: path.join(bench.root, 'x.ts') };
    bench.problems = () => (existsSync(bench.file('a.ts')) ? before : [...broken, outside, problem('b.ts', 1, 'no ./c')]);
    assert.deepEqual((await rename('a.ts', 'b.ts')).content.split('\n').slice(1), [
      'The editor now reports a new problem in it:',
      'b.ts:1:1: error: no ./c (ts)',
      '[1 more were there before.]',
      'The editor now reports a new problem in other files:',
      'main.ts:1:1: error: no ./a (ts)',
    ]);
  });

  it('waits for what is said of both names together', async () => {
    await writeFile(bench.file('a.ts'), 'text');
    const waiting = new Set<string>();
    let together: string[] = [];
    bench.diagnostics = {
      watch: (file) => ({
        changes: async () => {
          waiting.add(path.basename(file));
          await nextTurn();
          together = together.length > 0 ? together : [...waiting];
          waiting.delete(path.basename(file));
          return { before: [], after: [] };
        },
        dispose: () => undefined,
      }),
    };
    assert.equal((await rename('a.ts', 'b.ts')).status, 'success');
    assert.deepEqual(together.sort(), ['a.ts', 'b.ts']);
  });

  it('takes the editor with it, its unsaved text saved', async () => {
    await writeFile(bench.file('a.txt'), 'one\n');
    bench.editors.show(bench.file('a.txt'), 'unsaved\n');
    await rename('a.txt', 'b.txt');
    assert.deepEqual(bench.editors.renamed, [[bench.file('a.txt'), bench.file('b.txt')]]);
    assert.equal(await readFile(bench.file('b.txt'), 'utf8'), 'unsaved\n');
  });

  it('never takes the place of another file, and leaves no folders behind', async () => {
    await writeFile(bench.file('a.txt'), 'a');
    await writeFile(bench.file('b.txt'), 'b');
    await symlink('b.txt', bench.file('link'));
    await mkdir(bench.file('folder'));
    const answers = [];
    for (const [from, to] of [
      ['a.txt', 'b.txt'],
      ['a.txt', 'folder'],
      ['a.txt', 'folder/'],
      ['link', 'c.txt'],
      ['gone.txt', 'c.txt'],
      ['folder', 'other'],
    ] as const)
      answers.push((await rename(from, to)).content);
    assert.deepEqual(answers, [
      'b.txt already exists, so nothing was changed. Read the file, or choose another path.',
      'folder already exists, so nothing was changed. Read the file, or choose another path.',
      'folder/ names a folder; give the path of a file.',
      'link is a link. Give the path of its target.',
      'There is no file gone.txt.',
      'folder is a folder, not a file.',
    ]);
    bench.onTouch = ({ shown }) =>
      shown === 'x/c.txt' ? mkdir(bench.file('x')).then(() => writeFile(bench.file('x/c.txt'), 'c')) : undefined;
    assert.match((await rename('a.txt', 'x/c.txt')).content, /x\/c\.txt already exists/);
    assert.deepEqual([await readFile(bench.file('a.txt'), 'utf8'), await readFile(bench.file('x/c.txt'), 'utf8')], ['a', 'c']);
  });
});
