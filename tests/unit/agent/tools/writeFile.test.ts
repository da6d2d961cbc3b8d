import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { applyPatchTool } from '../../../../src/agent/tools/edit/applyPatch';
import { createFileTool } from '../../../../src/agent/tools/edit/createFile';
import { deleteFileTool } from '../../../../src/agent/tools/edit/deleteFile';
import { renameFileTool } from '../../../../src/agent/tools/edit/renameFile';
import { replaceInFileTool } from '../../../../src/agent/tools/edit/replaceInFile';
import { writeFileTool } from '../../../../src/agent/tools/edit/writeFile';
import { readFileTool } from '../../../../src/agent/tools/read/readFile';
import type { FileDiagnostic } from '../../../../src/agent/kernel/ports';
import type { ToolResult } from '../../../../src/agent/tools/kernel/tool';
import { CancelledError } from '../../../../src/utils/errors';
import { encodedAs } from '../support/legacyEncoding';
import { watcher } from '../support/editorDoubles';
import { ToolBench } from '../support/toolBench';

describe('write_file', () => {
  let bench: ToolBench;
  beforeEach(async () => void (bench = await ToolBench.start()));
  afterEach(() => bench.stop());

  const write = (path: string, content: string): Promise<ToolResult> =>
    bench.attempt(writeFileTool(bench.editing), { path, content });
  const onDisk = (name: string): Promise<string> => readFile(bench.file(name), 'utf8');

  it('replaces the text, tells the lines, records the difference and what was there before', async () => {
    await writeFile(bench.file('a.txt'), 'one\ntwo\nthree\n', { mode: 0o640 });
    assert.deepEqual(await write('a.txt', 'one\n2\nthree\nfour\n'), {
      status: 'success',
      content: 'Changed a.txt: 2 lines added, 1 line removed.',
      summary: '+2 −1',
      details: { path: 'a.txt' },
    });
    assert.equal(await onDisk('a.txt'), 'one\n2\nthree\nfour\n');
    assert.equal(bench.edits[0]?.diff, '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n');
    assert.deepEqual(bench.touches, [
      {
        sessionId: 'session',
        callId: 'call',
        path: bench.file('a.txt'),
        shown: 'a.txt',
        operation: 'modify',
        before: Buffer.from('one\ntwo\nthree\n'),
        mode: 0o640,
      },
    ]);
    assert.deepEqual(await readdir(bench.file()), ['a.txt']);
  });

  describe('in a file that the person changes after the model knew it', () => {
    const read = (): Promise<ToolResult> =>
      bench.run(readFileTool(bench.access, bench.editors, bench.changes), { path: 'a.txt' });
    const replace = (oldText: string, newText: string): Promise<ToolResult> =>
      bench.run(replaceInFileTool(bench.editing), { path: 'a.txt', oldText, newText });

    it('keeps their lines, after a reading', async () => {
      await writeFile(bench.file('a.txt'), 'one\r\ntwo\r\nthree\r\n');
      await read();
      await writeFile(bench.file('a.txt'), 'one\r\ntwo\r\nthree\r\nmine\r\n');
      assert.equal((await write('a.txt', '1\ntwo\nthree\n')).summary, '+1 −1');
      assert.equal(await onDisk('a.txt'), '1\r\ntwo\r\nthree\r\nmine\r\n');
      assert.equal((await write('a.txt', '1\n2\nthree\n')).summary, '+1 −1');
      assert.equal(await onDisk('a.txt'), '1\r\n2\r\nthree\r\nmine\r\n');
    });

    it('keeps their lines, after an edit of the model beside them', async () => {
      await write('a.txt', 'one\ntwo\nthree\nfour');
      await writeFile(bench.file('a.txt'), 'mine\none\ntwo\nthree\nfour');
      await replace('three', '3');
      assert.equal((await write('a.txt', 'one\n2\n3\nfour\n')).summary, '+1 −1');
      assert.equal(await onDisk('a.txt'), 'mine\none\n2\n3\nfour');
    });

    it('writes nothing over a line that both changed, until it has read the file again', async () => {
      await write('a.txt', 'one\ntwo\n');
      await writeFile(bench.file('a.txt'), 'one\nmine\n');
      for (const text of ['one\n2\n', '']) {
        const { status, content } = await write('a.txt', text);
        assert.deepEqual(
          [status, content],
          ['error', 'a.txt was changed in the meantime, so nothing was written. Read the file again.'],
        );
      }
      assert.equal(await onDisk('a.txt'), 'one\nmine\n');
      await read();
      assert.equal((await write('a.txt', 'one\n2\n')).status, 'success');
      assert.equal(await onDisk('a.txt'), 'one\n2\n');
    });

    it('knows its own lines, whichever tool wrote them', async () => {
      await writeFile(bench.file('a.txt'), 'one\ntwo\nthree\n');
      await read();
      const patch = '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n+patched\n two\n three\n';
      assert.equal((await bench.run(applyPatchTool(bench.editing), { patch })).status, 'success');
      await write('a.txt', 'one\ntwo\nthree\n');
      assert.equal(await onDisk('a.txt'), 'one\ntwo\nthree\n');
      await bench.run(deleteFileTool(bench.editing), { path: 'a.txt' });
      await bench.run(createFileTool(bench.editing), { path: 'a.txt', content: 'one\nnew\n' });
      await write('a.txt', 'one\n');
      assert.equal(await onDisk('a.txt'), 'one\n');
    });

    it('keeps their lines in a file that it renamed', async () => {
      await write('old.txt', 'one\ntwo\nthree\n');
      await bench.run(renameFileTool(bench.editing), { path: 'old.txt', newPath: 'a.txt' });
      await writeFile(bench.file('a.txt'), 'mine\none\ntwo\nthree\n');
      await write('a.txt', 'one\ntwo\n3\n');
      assert.equal(await onDisk('a.txt'), 'mine\none\ntwo\n3\n');
    });

    it('writes a line once that it knows from a command', async () => {
      await writeFile(bench.file('a.txt'), 'one\ntwo\n');
      await read();
      await writeFile(bench.file('a.txt'), 'one\ngenerated\ntwo\nmine\n');
      await write('a.txt', 'one\ngenerated\n2\n');
      assert.equal(await onDisk('a.txt'), 'one\ngenerated\n2\nmine\n');
    });

    it('repeats an edit that they undid', async () => {
      await writeFile(bench.file('a.txt'), 'one\ntwo\nthree\n');
      await read();
      const wanted = '1\ntwo\n3\n';
      for (const undone of ['one\ntwo\nthree\n', 'one\ntwo\n3\n', 'one\ntwo\nthree\n']) {
        await write('a.txt', wanted);
        assert.equal(await onDisk('a.txt'), wanted);
        await writeFile(bench.file('a.txt'), undone);
      }
    });
  });

  it('confirms no guess at what a file with secrets says', async () => {
    await writeFile(bench.file('.env'), 'TOKEN=hidden\n');
    bench.isApproved = false;
    for (const isFreed of [0, 1] as const) {
      bench.session = { ...bench.session, auto_approve_sensitive_edits: isFreed };
      const { status, content } = await write('.env', 'TOKEN=hidden\n');
      assert.deepEqual([status, content.includes('exactly this text')], ['denied', false]);
    }
    assert.deepEqual(
      bench.questions.map(({ kind, reasons }) => [kind, reasons]),
      [
        ['read', ['may contain secrets']],
        ['read', ['may contain secrets']],
      ],
    );
  });

  describe('in a file that is not in UTF-8', () => {
    const text = '# 設定\nname=東京\nport=80\n';
    const bytes = encodedAs('shift_jis', text);
    const stored = (): Promise<Buffer> => readFile(bench.file('a.conf'));
    beforeEach(() => writeFile(bench.file('a.conf'), bytes));

    it('keeps the encoding that the editor has', async () => {
      bench.editors.show(bench.file('a.conf'), text, 'shift_jis');
      assert.equal((await write('a.conf', text.replace('port', 'title=大阪\nport'))).status, 'success');
      assert.deepEqual(await stored(), encodedAs('shift_jis', '# 設定\nname=東京\ntitle=大阪\nport=80\n'));
    });

    it('writes no character that the encoding of the editor lacks', async () => {
      bench.editors.show(bench.file('a.conf'), text, 'shift_jis');
      const { status, content } = await write('a.conf', text.replace('80', '🥛'));
      assert.equal(status, 'error');
      assert.match(content, /a\.conf is encoded in shift_jis, which has no “🥛”/);
      assert.deepEqual(await stored(), bytes);
    });

    it('changes nothing while no editor has the file, or one has decoded it wrongly', async () => {
      const wrong = bytes.toString('utf8');
      for (const shown of [null, wrong, wrong.replace('80', '81')]) {
        if (shown !== null) bench.editors.show(bench.file('a.conf'), shown);
        const { status, content } = await write('a.conf', wrong.replace('port', 'title=x\nport'));
        assert.equal(status, 'error');
        assert.match(content, /a\.conf is not encoded in UTF-8 or UTF-16/);
        assert.deepEqual(await stored(), bytes);
      }
    });
  });

  it('writes no replacement characters that the file did not have', async () => {
    await writeFile(bench.file('a.txt'), 'grün\n');
    const { status, content } = await write('a.txt', 'gr\uFFFDn\nrot\n');
    assert.equal(status, 'error');
    assert.match(content, /U\+FFFD/);
    assert.equal(await onDisk('a.txt'), 'grün\n');
    await writeFile(bench.file('b.txt'), 'has \uFFFD\n');
    assert.equal((await write('b.txt', 'has \uFFFD still\n')).status, 'success');
    assert.equal(await onDisk('b.txt'), 'has \uFFFD still\n');
  });

  it('writes no half of a character', async () => {
    await writeFile(bench.file('a.txt'), 'one\n');
    assert.equal((await write('a.txt', 'two \ud83e\n')).status, 'error');
    assert.equal(await onDisk('a.txt'), 'one\n');
  });

  it('changes nothing when it is stopped at the last moment', async () => {
    await writeFile(bench.file('a.txt'), 'one\n');
    const get = bench.editors.get.bind(bench.editors);
    let looks = 0;
    bench.editors.get = (file) => {
      // The first call reads the file, the second checks that it is unchanged.
      if ((looks += 1) === 2) bench.stopping.abort();
      return get(file);
    };
    await assert.rejects(write('a.txt', 'two\n'), CancelledError);
    assert.deepEqual([looks, await onDisk('a.txt'), await readdir(bench.file())], [2, 'one\n', ['a.txt']]);
  });

  it('shows a person what it will replace, but nothing that is to be asked about', async () => {
    const before = writeFileTool(bench.editing).textBefore;
    await writeFile(bench.file('a.txt'), 'one\n');
    await writeFile(bench.file('.env'), 'TOKEN=hidden\n');
    await writeFile(`${bench.root}/outside.txt`, 'one\n');
    const shown = [];
    for (const name of ['a.txt', '.env', `${bench.root}/outside.txt`, 'none.txt']) shown.push(await before?.(name, 'session'));
    assert.deepEqual(shown, ['one\n', null, null, null]);
  });

  it('creates what is not there', async () => {
    assert.equal((await write('src/new.txt', 'hi')).content, 'Created src/new.txt (1 line).');
    assert.equal(bench.edits[0]?.operation, 'create');
  });

  const kept: [string, Buffer, string, Buffer][] = [
    ['CRLF', Buffer.from('a\r\nb\r\n'), 'a\nc\n', Buffer.from('a\r\nc\r\n')],
    ['LF, though the model writes CRLF', Buffer.from('a\nb\n'), 'a\r\nc\r\n', Buffer.from('a\nc\n')],
    [
      'each line end of lines that stay, where they are mixed, and gives new lines the usual one',
      Buffer.from('a\r\nb\nc\r\nd\r\n\ne\n\n'),
      'a\nb\nnew\nd\n\nmore\ne\n\n',
      Buffer.from('a\r\nb\nnew\nd\r\n\nmore\ne\n\n'),
    ],
    ['mixed line ends without a final one', Buffer.from('a\r\nb\nc\r\nd'), 'a\nb\nx\nd', Buffer.from('a\r\nb\nx\r\nd')],
    ['a missing final newline', Buffer.from('a\nb'), 'a\nc\n', Buffer.from('a\nc')],
    ['the final newline', Buffer.from('a\nb\n'), 'a\nc', Buffer.from('a\nc\n')],
    ['the byte order mark', Buffer.from('\ufeffa\n'), 'ü\n', Buffer.from('\ufeffü\n')],
    ['UTF-16 LE', Buffer.from('\ufeffa\r\n', 'utf16le'), '🥛\n', Buffer.from('\ufeff🥛\r\n', 'utf16le')],
    ['UTF-16 BE', Buffer.from('\ufeffa\n', 'utf16le').swap16(), 'ü\n', Buffer.from('\ufeffü\n', 'utf16le').swap16()],
  ];
  for (const [name, before, content, after] of kept) {
    it(`keeps ${name}`, async () => {
      await writeFile(bench.file('a.txt'), before);
      await write('a.txt', content);
      assert.deepEqual(await readFile(bench.file('a.txt')), after);
    });
  }

  it('keeps the permissions, and the link through which it was asked', async () => {
    await writeFile(bench.file('run.sh'), 'a\n');
    await chmod(bench.file('run.sh'), 0o755);
    await symlink('run.sh', bench.file('link'));
    assert.equal((await write('link', 'b\n')).content, 'Changed run.sh: 1 line added, 1 line removed.');
    assert.equal((await stat(bench.file('run.sh'))).mode & 0o777, 0o755);
    assert.equal(await onDisk('link'), 'b\n');
    assert.deepEqual((await readdir(bench.file())).sort(), ['link', 'run.sh']);
  });

  it('says so when nothing changes', async () => {
    await writeFile(bench.file('a.txt'), 'a\r\n');
    assert.equal((await write('a.txt', 'a')).content, 'a.txt already has exactly this text, so nothing was changed.');
    assert.deepEqual([bench.edits, bench.touches], [[], []]);
  });

  it('empties a file only when asked to', async () => {
    await writeFile(bench.file('a.txt'), 'a\n');
    await write('a.txt', '');
    assert.equal(await onDisk('a.txt'), '');
  });

  it('refuses what it could damage, and changes nothing', async () => {
    await writeFile(bench.file('image.png'), Buffer.from([0x89, 0x50, 0, 1]));
    await writeFile(bench.file('latin.txt'), Buffer.from('grün\n', 'latin1'));
    await writeFile(bench.file('locked.txt'), 'a\n', { mode: 0o444 });
    await writeFile(bench.file('large.txt'), '');
    await truncate(bench.file('large.txt'), 21 * 1024 * 1024);
    await writeFile(bench.file('book.ipynb'), '{}');
    bench.editors.held.add(bench.file('book.ipynb'));
    await mkdir(bench.file('folder'));
    const contents = [];
    for (const name of ['image.png', 'latin.txt', 'locked.txt', 'large.txt', 'book.ipynb', 'folder', 'folder/'])
      contents.push((await write(name, 'x')).content);
    assert.deepEqual(contents, [
      'image.png is a binary file, so its text cannot be changed.',
      'latin.txt is not encoded in UTF-8 or UTF-16, so changing it would damage it. Ask the user to open it in the editor with its encoding, or to save it as UTF-8.',
      'locked.txt is read-only, so it was not changed. Tell the user what you would have changed.',
      'large.txt is too large for this tool: 21 MB, the limit is 20 MB.',
      'book.ipynb has unsaved changes in an editor that is no text editor. Ask the user to save or close it.',
      'folder is a folder, not a file.',
      'folder/ names a folder; give the path of a file.',
    ]);
    assert.deepEqual([bench.touches, bench.edits], [[], []]);
  });

  it('tells the problems that the file has now, new ones first', async () => {
    await writeFile(bench.file('a.ts'), 'a\n');
    const problem = (line: number, message: string, severity: FileDiagnostic['severity'] = 'error'): FileDiagnostic => ({
      file: bench.file('a.ts'),
      line,
      column: 1,
      severity,
      message,
      source: 'ts',
    });
    bench.diagnostics = watcher(
      [problem(5, 'old')],
      [problem(1, 'meh', 'warning'), problem(9, 'old'), problem(7, 'new'), problem(2, 'hint', 'hint')],
    );
    assert.equal(
      (await write('a.ts', 'b\n')).content,
      [
        'Changed a.ts: 1 line added, 1 line removed.',
        'The editor now reports 2 new problems in it:',
        'a.ts:7:1: error: new (ts)',
        'a.ts:1:1: warning: meh (ts)',
        '[1 more were there before.]',
      ].join('\n'),
    );
  });

  it('tells ten of many problems, and by which of the means that there are the others are seen', async () => {
    const place = { file: bench.file('a.ts'), column: 1, severity: 'error', message: 'new', source: 'ts' } as const;
    bench.diagnostics = watcher(
      [],
      Array.from({ length: 12 }, (_, index) => ({ ...place, line: index + 1 })),
    );
    const lastOf = async (text: string) => (await write('a.ts', text)).content.split('\n').at(-1);
    await writeFile(bench.file('a.ts'), 'a\n');
    assert.equal(await lastOf('b\n'), '[2 more; get_diagnostics tells all.]');
    bench.missing.add('get_diagnostics');
    assert.equal(await lastOf('c\n'), '[2 more; the compiler or linter, run as a command, tells all.]');
  });

  describe('with the file in an editor', () => {
    it('edits there and saves; unsaved text is what is changed, and what can be had back', async () => {
      await writeFile(bench.file('a.txt'), 'one\n');
      bench.editors.show(bench.file('a.txt'), 'one\nunsaved\n');
      await write('a.txt', 'one\nunsaved\nadded\n');
      assert.deepEqual(
        [await onDisk('a.txt'), bench.editors.textOf(bench.file('a.txt'))],
        ['one\nunsaved\nadded\n', 'one\nunsaved\nadded\n'],
      );
      assert.deepEqual(bench.touches[0]?.before, Buffer.from('one\nunsaved\n'));
      assert.deepEqual([bench.edits[0]?.additions, bench.edits[0]?.deletions], [1, 0]);
    });

    it('tells of what formatters do on saving, and hashes what is there then', async () => {
      await writeFile(bench.file('a.txt'), 'a\n');
      bench.editors.show(bench.file('a.txt'));
      bench.editors.format = (text) => text.toUpperCase();
      const { content } = await write('a.txt', 'b\n');
      assert.match(content, /The editor formatted it on saving; read it before you change it again\./);
      assert.equal(await onDisk('a.txt'), 'B\n');
      assert.match(bench.edits[0]?.diff ?? '', /\n\+B\n/);
    });

    it('leaves everything as it is when the person types in the same line meanwhile, and shows the model that line', async () => {
      await writeFile(bench.file('a.txt'), 'a\nz\n');
      bench.editors.show(bench.file('a.txt'));
      bench.onTouch = () => bench.editors.show(bench.file('a.txt'), 'typed\nz\n');
      const { content, summary, details } = await write('a.txt', 'b\nz\n');
      assert.equal(
        content,
        'a.txt was changed in the meantime, so nothing was written. Its text there now, with line numbers that are not part of it:\n1: typed\n2: z',
      );
      assert.deepEqual([summary, details], ['changed in the meantime', { path: 'a.txt', startLine: 1, endLine: 2 }]);
      assert.deepEqual([await onDisk('a.txt'), bench.editors.textOf(bench.file('a.txt'))], ['a\nz\n', 'typed\nz\n']);
      assert.deepEqual([bench.edits, bench.withdrawn], [[], [bench.file('a.txt')]]);
    });

    it('keeps what the person types in another line meanwhile, and records the change without it', async () => {
      await writeFile(bench.file('a.txt'), 'a\nz\n');
      bench.editors.show(bench.file('a.txt'));
      bench.onTouch = () => bench.editors.show(bench.file('a.txt'), 'a\nz\ntyped');
      assert.equal((await write('a.txt', 'b\nz\n')).content, 'Changed a.txt: 1 line added, 1 line removed.');
      assert.deepEqual([await onDisk('a.txt'), bench.editors.textOf(bench.file('a.txt'))], ['b\nz\ntyped', 'b\nz\ntyped']);
      assert.deepEqual([bench.edits[0]?.additions, bench.edits[0]?.deletions, bench.withdrawn], [1, 1, []]);
    });

    it('says so when the editor cannot save', async () => {
      await writeFile(bench.file('a.txt'), 'a\n');
      bench.editors.show(bench.file('a.txt'), 'mine\n');
      bench.editors.canSave = false;
      assert.equal((await write('a.txt', 'b\n')).content, 'The editor could not save the file.');
      assert.deepEqual(bench.edits, []);
    });

    it('does not make a file of a name under which an editor holds unsaved text', async () => {
      bench.editors.show(bench.file('gone.txt'), 'only here\n');
      assert.match((await write('gone.txt', 'b\n')).content, /an editor holds unsaved text of that name/);
    });
  });

  it('leaves a file that somebody else changes meanwhile', async () => {
    await writeFile(bench.file('a.txt'), 'a\n');
    bench.onTouch = () => writeFile(bench.file('a.txt'), 'theirs\n');
    assert.match((await write('a.txt', 'b\n')).content, /changed in the meantime/);
    assert.equal(await onDisk('a.txt'), 'theirs\n');
    assert.deepEqual(await readdir(bench.file()), ['a.txt']);
  });

  it('changes nothing when what it was cannot be kept', async () => {
    await writeFile(bench.file('a.txt'), 'a\n');
    bench.onTouch = () => Promise.reject(new Error('no room'));
    await assert.rejects(write('a.txt', 'b\n'), /no room/);
    await assert.rejects(write('new/b.txt', 'b\n'), /no room/);
    assert.deepEqual([await onDisk('a.txt'), await readdir(bench.file())], ['a\n', ['a.txt']]);
  });
});
