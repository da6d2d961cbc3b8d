import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { readFileTool } from '../../../../src/agent/tools/readFile';
import type { ToolResult } from '../../../../src/agent/tool';
import { ToolBench } from '../support/toolBench';

describe('read_file', () => {
  let bench: ToolBench;
  beforeEach(async () => void (bench = await ToolBench.start()));
  afterEach(() => bench.stop());

  const read = (input: Record<string, unknown>): Promise<ToolResult> =>
    bench.run(readFileTool(bench.access, bench.editors), input);
  const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');

  it('gives the whole of a small file', async () => {
    await writeFile(bench.file('a.txt'), 'alpha\nbeta\n');
    assert.deepEqual(await read({ path: 'a.txt' }), {
      status: 'success',
      content: 'alpha\nbeta',
      summary: '2 lines',
      details: { path: 'a.txt', startLine: 1, endLine: 2 },
    });
  });

  it('gives the lines that were asked for', async () => {
    await writeFile(bench.file('a.txt'), numbered(10));
    assert.deepEqual(await read({ path: 'a.txt', start_line: '3', endLine: 4 }), {
      status: 'success',
      content: 'line 3\nline 4',
      summary: 'lines 3–4 of 10',
      details: { path: 'a.txt', startLine: 3, endLine: 4 },
    });
  });

  it('stops after 2,000 lines and says how to go on', async () => {
    await writeFile(bench.file('a.txt'), numbered(2500));
    const { content, summary } = await read({ path: 'a.txt' });
    assert.equal(summary, 'lines 1–2000 of 2500');
    assert.equal(content, `${numbered(2000)}\n[Lines 1 to 2000 of 2500. To read on, call read_file with startLine 2001.]`);
    assert.equal((await read({ path: 'a.txt', startLine: 2001 })).content.split('\n').length, 500);
  });

  it('stops at 64 KB, at the end of a line', async () => {
    await writeFile(bench.file('a.txt'), Array.from({ length: 100 }, () => 'x'.repeat(999)).join('\n'));
    const { content } = await read({ path: 'a.txt' });
    const lines = content.split('\n');
    assert.equal(lines.length, 66);
    assert.equal(lines.pop(), '[Lines 1 to 65 of 100. To read on, call read_file with startLine 66.]');
    assert.equal(new Set(lines).size, 1);
  });

  it('cuts a line that is longer than all that may be read', async () => {
    await writeFile(bench.file('a.txt'), `${'é'.repeat(100_000)}\nend`);
    const { content } = await read({ path: 'a.txt' });
    assert.equal(
      content,
      `${'é'.repeat(32_768)}\n[Line 1 is longer than 64 KB; the rest of it is left out. To see what stands around a text in it, use search_workspace.]\n[Lines 1 to 1 of 2. To read on, call read_file with startLine 2.]`,
    );
  });

  it('understands UTF-8 and UTF-16 with byte order marks, and Windows line ends', async () => {
    const text = 'grün\r\n🥛';
    await writeFile(bench.file('8.txt'), `\uFEFF${text}`);
    await writeFile(bench.file('16le.txt'), Buffer.from(`\uFEFF${text}`, 'utf16le'));
    await writeFile(bench.file('16be.txt'), Buffer.from(`\uFEFF${text}`, 'utf16le').swap16());
    for (const name of ['8.txt', '16le.txt', '16be.txt']) assert.equal((await read({ path: name })).content, 'grün\n🥛');
  });

  const refusals: [string, Record<string, unknown>, string][] = [
    ['a missing file', { path: 'none.txt' }, 'There is no file none.txt.'],
    ['a folder', { path: 'folder' }, 'folder is a folder, not a file.'],
    ['a binary file', { path: 'binary' }, 'binary is a binary file (4 bytes), so it cannot be read as text.'],
    ['a pipe', { path: 'pipe' }, 'pipe is not a regular file.'],
    ['lines beyond the end', { path: 'a.txt', startLine: 9 }, 'a.txt has only 2 lines; startLine was 9.'],
    ['lines in the wrong order', { path: 'a.txt', startLine: 5, endLine: 2 }, 'endLine (2) is before startLine (5).'],
  ];
  for (const [what, input, content] of refusals) {
    it(`refuses ${what} in words that the model can use`, async () => {
      await writeFile(bench.file('a.txt'), 'one\ntwo');
      await writeFile(bench.file('binary'), Buffer.from([1, 0, 2, 3]));
      await mkdir(bench.file('folder'));
      execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', bench.file('pipe')]);
      assert.deepEqual(await read(input), { status: 'error', content });
    });
  }

  for (const [given, name] of [
    ['.env', '.env'],
    ['keys\\server.pem', 'keys/server.pem'],
    ['harmless.txt', '.env'],
  ] as const) {
    it(`asks before ${given} is read (${name})`, async () => {
      await mkdir(bench.file('keys'));
      await writeFile(bench.file(name), 'TOKEN=1');
      if (given === 'harmless.txt') await symlink(bench.file(name), bench.file(given));
      assert.equal((await read({ path: given })).content, 'TOKEN=1');
      bench.isApproved = false;
      const declined = await read({ path: given });
      assert.deepEqual([declined.status, declined.content.includes('TOKEN')], ['denied', false]);
      const question = { kind: 'read', path: name, reasons: ['may hold secrets'] };
      assert.deepEqual(bench.questions, [question, question]);
    });
  }

  it('says that a file is empty', async () => {
    await writeFile(bench.file('a.txt'), '');
    assert.equal((await read({ path: 'a.txt' })).content, '(a.txt is empty.)');
  });
});
