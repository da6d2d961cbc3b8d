import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { replaceInFileTool } from '../../../../src/agent/tools/edit/replaceInFile';
import type { ToolResult } from '../../../../src/agent/tools/kernel/tool';
import { watcher } from '../support/editorDoubles';
import { ToolBench } from '../support/toolBench';

describe('replace_in_file', () => {
  let bench: ToolBench;
  beforeEach(async () => void (bench = await ToolBench.start()));
  afterEach(() => bench.stop());

  /** Edits `a.ts`, which contains `before`. Resolves with the result and the new text. */
  async function replace(before: string, input: Record<string, unknown>): Promise<{ result: ToolResult; after: string }> {
    await writeFile(bench.file('a.ts'), before);
    const result = await bench.attempt(replaceInFileTool(bench.editing), { path: 'a.ts', ...input });
    return { result, after: await readFile(bench.file('a.ts'), 'utf8') };
  }

  const replaced: [string, string, Record<string, unknown>, string][] = [
    ['exactly', 'a\nb\nc\n', { oldText: 'b\n', newText: 'x\ny\n' }, 'a\nx\ny\nc\n'],
    ['inside a line', 'let a = 1;\n', { oldText: 'a = 1', newText: 'b = 2' }, 'let b = 2;\n'],
    ['with nothing', 'a\nb\nc\n', { oldText: 'b\n', newText: '' }, 'a\nc\n'],
    ['with what looks like a pattern', 'a(b)\n', { oldText: '(b)', newText: '$& $1 $$' }, 'a$& $1 $$\n'],
    ['everywhere when asked', 'x x\nx\n', { oldText: 'x', newText: 'xx', replaceAll: true }, 'xx xx\nxx\n'],
    ['over CRLF', 'a\r\nb\r\nc\r\n', { oldText: 'a\nb', newText: 'x\ny' }, 'x\r\ny\r\nc\r\n'],
    ['with CRLF given for LF', 'a\nb\nc\n', { oldText: 'a\r\nb\r\n', newText: 'x\r\n' }, 'x\nc\n'],
    ['among mixed ends, which stay', 'a\nb\r\nc\r\nd\n', { oldText: 'c', newText: 'x\ny' }, 'a\nb\r\nx\ny\r\nd\n'],
    [
      'a line among others that are given too, whose mixed ends stay',
      'a\nb\r\nc\nd\r\ne\n',
      { oldText: 'b\nc\nd\n', newText: 'b\nx\ny\nd\n' },
      'a\nb\r\nx\ny\nd\r\ne\n',
    ],
    ['without an end of the file', 'a\nb', { oldText: 'b', newText: 'c' }, 'a\nc'],
    ['the last line with its end, which stays', 'a\r\nb\r\n', { oldText: 'b\n', newText: 'c' }, 'a\r\nc\r\n'],
    ['the last line with nothing', 'a\nb\n', { oldText: 'b\n', newText: '' }, 'a\n'],
    ['a file that is all of it', 'a', { oldText: 'a', newText: '' }, ''],
    ['with other names for the arguments', 'a\n', { old_string: 'a', new_string: 'b' }, 'b\n'],
  ];
  for (const [name, before, input, expected] of replaced) {
    it(`replaces ${name}`, async () => {
      const { result, after } = await replace(before, input);
      assert.deepEqual([result.status, after], ['success', expected], result.content);
    });
  }

  const tolerant: [string, string, Record<string, unknown>, string][] = [
    [
      'lines that are indented further in the file',
      'if (a) {\n    one();\n\n    two();\n}\n',
      { oldText: 'one();\n\ntwo();', newText: 'three();\nif (b) {\n  four();\n}' },
      'if (a) {\n    three();\n    if (b) {\n      four();\n    }\n}\n',
    ],
    ['spaces at the ends of lines', 'a \nb\t\nc\n', { oldText: 'a\nb', newText: 'x' }, 'x\nc\n'],
    ['tabs for spaces', '\tif (a) {\n\t\tb();\n\t}\n', { oldText: '  if (a) {\n    b();\n  }', newText: '\tb();' }, '\tb();\n'],
    ['a whole line with its end', '  a\n  b\n', { oldText: ' a\n', newText: ' x\n' }, '  x\n  b\n'],
    ['over CRLF', '  a\r\n  b\r\n', { oldText: 'a\nb', newText: 'x\ny' }, '  x\r\n  y\r\n'],
  ];
  for (const [name, before, input, expected] of tolerant) {
    it(`finds ${name}`, async () => {
      const { result, after } = await replace(before, input);
      assert.equal(after, expected, result.content);
      if (before.includes('  a\n  b')) return;
      assert.match(result.content, /^oldText was found by its words; its spaces are different in the file\.\n/);
    });
  }

  it('says where it is when it is there several times', async () => {
    const { result, after } = await replace('x\ny\n  x\n', { oldText: 'x', newText: 'z' });
    assert.equal(
      result.content,
      'oldText is in a.ts 2 times, at lines 1, 3. Nothing was changed. Give more of the lines around the place, or set replaceAll to true.',
    );
    assert.equal(after, 'x\ny\n  x\n');
    const loose = await replace('a( 1 )\n  foo();  \nb\n\tfoo();\n', { oldText: '    foo();\n', newText: 'z' });
    assert.match(loose.result.content, /2 times, at lines 2, 4\./);
  });

  it('shows the nearest lines with their numbers when it is not there', async () => {
    const before = `${'filler\n'.repeat(40)}function add(first, second) {\n  return first + second;\n}\n${'other\n'.repeat(40)}`;
    const { result, after } = await replace(before, {
      oldText: 'function add(a, b) {\n  return a + b;\n}\n',
      newText: 'x',
    });
    assert.deepEqual([result.status, after], ['error', before]);
    assert.equal(
      result.content,
      [
        'oldText was not found in a.ts. Nothing was changed. The nearest lines, with their numbers:',
        '41: function add(first, second) {',
        '42:   return first + second;',
        '43: }',
        'Copy oldText from the file as it is, without the numbers.',
      ].join('\n'),
    );
  });

  it('says so when nothing is like it', async () => {
    const { result } = await replace('a\n', { oldText: 'quite another thing', newText: 'x' });
    assert.match(result.content, /Nothing in it is like it: read the file again\.$/);
  });

  it('refuses an empty text to look for, a replacement that changes nothing, and a missing file', async () => {
    const answers = [
      (await replace('a\n', { oldText: '', newText: 'x' })).result.content,
      (await replace('a\n', { oldText: 'a', newText: 'a' })).result.content,
      (await bench.attempt(replaceInFileTool(bench.editing), { path: 'b.ts', oldText: 'a', newText: 'b' })).content,
    ];
    assert.deepEqual(answers, [
      'oldText is empty. Give the text to replace, or use write_file for a whole file.',
      'oldText and newText are the same, so there is nothing to change.',
      'There is no file b.ts. Use create_file for a new file.',
    ]);
  });

  for (const isFreed of [false, true]) {
    describe(`in what nobody was asked about, sensitive edits ${isFreed ? 'allowed' : 'asked about'}`, () => {
      const secret = 'TOKEN=hidden value\nOTHER=hidden value\n';
      const places: [string, () => string, string][] = [
        ['a file with secrets', () => bench.file('.env'), 'may contain secrets'],
        ['a file outside', () => `${bench.root}/outside.txt`, 'outside the workspace'],
      ];
      beforeEach(async () => {
        bench.session = { ...bench.session, auto_approve_sensitive_edits: isFreed ? 1 : 0 };
        for (const [, file] of places) await writeFile(file(), secret);
      });
      const attempt = (file: string, oldText: string) =>
        bench.attempt(replaceInFileTool(bench.editing), { path: file, oldText, newText: 'x' });

      for (const [name, file, reason] of places) {
        it(`tells nothing of ${name} before a person agrees`, async () => {
          bench.isApproved = false;
          const told = [await attempt(file(), 'TOKEN=guessed value'), await attempt(file(), 'hidden')];
          assert.deepEqual(
            bench.questions.map(({ kind, reasons }) => [kind, reasons]),
            [
              ['read', [reason]],
              ['read', [reason]],
            ],
          );
          assert.deepEqual(
            told.map(({ status, summary }) => [status, summary]),
            [
              ['denied', 'rejected'],
              ['denied', 'rejected'],
            ],
          );
          assert.doesNotMatch(JSON.stringify(told), /hidden|line/);
          assert.equal(told[0]?.content, told[1]?.content);
          bench.isApproved = true;
          assert.match((await attempt(file(), 'TOKEN=guessed value')).content, /\n1: TOKEN=hidden value\n/);
        });
      }

      it('says alike that a change and an answer were rejected', async () => {
        bench.isApproved = false;
        const { content } = await attempt(`${bench.root}/outside.txt`, 'guess');
        assert.equal((await attempt(`${bench.root}/outside.txt`, 'TOKEN')).content, content);
        assert.deepEqual(
          bench.questions.map(({ kind }) => kind),
          ['read', 'edit'],
        );
      });

      it('tells of a change that nobody was asked about only that it was made', async () => {
        const file = bench.file('.env');
        bench.diagnostics = watcher([], [{ file, line: 1, column: 1, severity: 'error', message: 'Unexpected hidden value' }]);
        const { status, content } = await bench.attempt(replaceInFileTool(bench.editing), {
          path: '.env',
          oldText: 'hidden value',
          newText: 'x',
          replaceAll: true,
        });
        assert.equal(status, 'success');
        assert.equal(/Replaced in 2 places/.test(content), !isFreed);
        assert.equal(/Unexpected hidden value/.test(content), !isFreed);
      });
    });
  }

  it('looks in the unsaved text of an editor', async () => {
    await writeFile(bench.file('a.ts'), 'old\n');
    bench.editors.show(bench.file('a.ts'), 'old\nunsaved\n');
    await bench.attempt(replaceInFileTool(bench.editing), { path: 'a.ts', oldText: 'unsaved', newText: 'saved' });
    assert.equal(await readFile(bench.file('a.ts'), 'utf8'), 'old\nsaved\n');
  });

  it('is done with 20,000 lines of which none fits', async () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join('');
    const { result } = await replace(before, { oldText: before.replaceAll('line', 'row'), newText: 'x' });
    assert.equal(result.status, 'error');
  });
});
