import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { replaceLinesTool } from '../../../../src/agent/tools/edit/replaceLines';
import { ToolBench } from '../support/toolBench';

describe('replace_lines', () => {
  let bench: ToolBench;
  beforeEach(async () => {
    bench = await ToolBench.start();
    bench.history = { failures: () => 3, hasSeenLines: () => true, hasLineEdits: true };
  });
  afterEach(() => bench.stop());

  async function replace(before: string, startLine: number, endLine: number, newText: string, more: object = {}) {
    await writeFile(bench.file('a.ts'), before);
    const result = await bench.attempt(replaceLinesTool(bench.editing), { path: 'a.ts', startLine, endLine, newText, ...more });
    return { ...result, text: await readFile(bench.file('a.ts'), 'utf8') };
  }

  const replaced: [string, string, number, number, string, string][] = [
    ['a line', 'a\nb\nc\n', 2, 2, 'x', 'a\nx\nc\n'],
    ['a line, with its end', 'a\nb\nc\n', 2, 2, 'x\n', 'a\nx\nc\n'],
    ['lines by more', 'a\nb\nc\n', 1, 2, 'x\ny\nz', 'x\ny\nz\nc\n'],
    ['lines by nothing', 'a\nb\nc\n', 2, 3, '', 'a\n'],
    ['a line by an empty one', 'a\nb\nc\n', 2, 2, '\n', 'a\n\nc\n'],
    ['the last line of a file that does not end it', 'a\nb', 2, 2, 'x\n', 'a\nx'],
    ['over CRLF', 'a\r\nb\r\nc\r\n', 2, 2, 'x\ny', 'a\r\nx\r\ny\r\nc\r\n'],
    ['lines with the numbers that they were shown with', 'a\n  b\n', 2, 2, '2:   c\n3:   d', 'a\n  c\n  d\n'],
    ['what begins with another number', 'a\n1: b\n', 2, 2, '1: c', 'a\n1: c\n'],
    ['lines that begin with their own numbers in the file', '1: one\n2: two\n', 2, 2, '2: zwei', '1: one\n2: zwei\n'],
    ['a line below one that begins with its number', '1: one\n\n', 2, 2, '2: two', '1: one\n2: two\n'],
  ];
  for (const [name, before, first, last, newText, after] of replaced) {
    it(`replaces ${name}`, async () => {
      const { status, text, content } = await replace(before, first, last, newText);
      assert.deepEqual([status, text], ['success', after], content);
    });
  }

  it('shows the lines that are there now, so that the next edit has the right numbers', async () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join('');
    const { content, details } = await replace(before, 10, 11, 'ten');
    const shown = ['7: line 7', '8: line 8', '9: line 9', '10: ten', '11: line 12', '12: line 13', '13: line 14'];
    assert.equal(
      content,
      `Changed a.ts: 1 line added, 2 lines removed.\nThe lines there are now, with their numbers:\n${shown.join('\n')}`,
    );
    assert.deepEqual(details, { path: 'a.ts', startLine: 7, endLine: 13 });
  });

  it('refuses lines that are not there, or that the model was not shown as they are', async () => {
    assert.match((await replace('a\nb\n', 2, 3, 'x')).content, /a\.ts has 2 lines; endLine was 3/);
    assert.match((await replace('a\nb\n', 2, 1, 'x')).content, /endLine \(1\) is before startLine \(2\)/);
    bench.history = { failures: () => 3, hasSeenLines: () => false, hasLineEdits: true };
    const { status, content, text } = await replace('a\nb\n', 2, 2, 'x');
    assert.deepEqual([status, text], ['error', 'a\nb\n']);
    assert.match(content, /a\.ts has to be read first, since its line numbers may be others now/);
  });

  it('asks as every edit does, and tells nothing of a file that nobody was asked about', async () => {
    await writeFile(bench.file('.env'), 'KEY=1\n');
    bench.isApproved = false;
    const denied = await bench.attempt(replaceLinesTool(bench.editing), {
      path: '.env',
      startLine: 1,
      endLine: 1,
      newText: 'KEY=2',
    });
    assert.deepEqual([denied.status, await readFile(bench.file('.env'), 'utf8')], ['denied', 'KEY=1\n']);
    assert.equal(bench.questions[0]?.path, '.env');
    const beyond = await bench.attempt(replaceLinesTool(bench.editing), { path: '.env', startLine: 1, endLine: 9, newText: '' });
    assert.equal(beyond.status, 'denied');
    bench.session = { ...bench.session, auto_approve_sensitive_edits: 1 };
    const { content, status } = await bench.attempt(replaceLinesTool(bench.editing), {
      path: '.env',
      startLine: 1,
      endLine: 1,
      newText: 'KEY=2',
    });
    assert.deepEqual([status, content], ['success', 'Changed .env: 1 line added, 1 line removed.']);
  });
});
