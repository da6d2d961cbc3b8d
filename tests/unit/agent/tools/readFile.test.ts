import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { readFileTool } from '../../../../src/agent/tools/read/readFile';
import type { ToolResult } from '../../../../src/agent/tools/kernel/tool';
import { formatInEnglish } from '../../../../src/types/format';
import { encodedAs } from '../support/legacyEncoding';
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

  it('gives the unsaved text of an editor', async () => {
    await writeFile(bench.file('a.txt'), 'saved\n');
    bench.editors.show(bench.file('a.txt'), 'alpha\nunsaved\n');
    assert.equal((await read({ path: 'a.txt' })).content, 'alpha\nunsaved');
    assert.match((await read({ path: 'a.txt', startLine: 2, endLine: 2 })).content, /^unsaved/);
  });

  const token = `ghp_${'a1B2'.repeat(9)}`;

  it('asks before it tells text that looks like a key, wherever that stands', async () => {
    bench.isApproved = false;
    const kept = ['-----BEGIN OPENSSH PRIVATE KEY-----', 'b3BlbnNzaC1rZXktdjEAAAAA', '-----END OPENSSH PRIVATE KEY-----'];
    const texts: [string, string | Buffer, string?][] = [
      ['notes.txt', `push with ${token}\n`],
      ['id.txt', kept.join('\n')],
      ['wide.txt', Buffer.from(`\ufeffaws = AKIAQ3EXZ5PLMN7RSTUV\n`, 'utf16le')],
      ['latin.txt', Buffer.concat([Buffer.from([0xe9, 0x0a]), Buffer.from(`xoxb-123456789012-abcdef`)])],
      ['.env.example', `GITHUB=${token}`],
      ['large.log', `${'x'.repeat(99)}\n`.repeat(4000) + token, '4001'],
    ];
    for (const [name, text, startLine] of texts) {
      await writeFile(bench.file(name), text);
      const { status, content } = await read({ path: name, ...(startLine !== undefined && { startLine: Number(startLine) }) });
      assert.deepEqual([status, content.includes(token)], ['denied', false], name);
    }
    assert.deepEqual(
      bench.questions.map(({ kind, path, reasons }) => [kind, path, reasons]),
      texts.map(([name]) => ['read', name, ['may contain a key or token']]),
    );
    // Part of a key is secret too. Text in an editor is checked like text on disk.
    assert.equal((await read({ path: 'id.txt', startLine: 2, endLine: 2 })).status, 'denied');
    await writeFile(bench.file('open.txt'), 'plain');
    bench.editors.show(bench.file('open.txt'), `plain ${token}`);
    assert.equal((await read({ path: 'open.txt' })).status, 'denied');
    bench.isApproved = true;
    assert.match((await read({ path: 'notes.txt' })).content, /push with ghp_/);
  });

  it('asks about a large file that holds a key anywhere, also where other lines are wanted', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const slice = 256 * 1024;
    const fill = 'some words of a log\n'.repeat(20_000);
    const large: [string, string | Buffer][] = [
      ['end.log', `${fill}${token}`],
      ['edge.log', `${fill.slice(0, slice - 20)} ${token}\n${fill}`],
      ['header.log', `${fill}\n-----BEGIN RSA PRIVATE KEY-----\n${'aB1c'.repeat(16)}\n${fill}`],
      ['wide.log', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`${fill} ${token}\n`, 'utf16le')])],
    ];
    bench.isApproved = false;
    for (const [name, text] of large) {
      await writeFile(bench.file(name), text);
      for (const again of [1, 2]) {
        bench.questions.length = 0;
        const { status } = await read({ path: name, startLine: 1, endLine: again });
        assert.deepEqual([status, bench.questions.length], ['denied', 1], name);
      }
    }
    bench.questions.length = 0;
    const code = `${fill.slice(0, slice - 30)} '-----BEGIN RSA PRIVATE KEY-----') return;\n${fill}`;
    await writeFile(bench.file('code.log'), code);
    assert.equal((await read({ path: 'code.log', endLine: 2 })).status, 'success');
    // Text that was added later is scanned too.
    await writeFile(bench.file('code.log'), `${code}${token}`);
    assert.equal((await read({ path: 'code.log', endLine: 2 })).status, 'denied');
  });

  it('asks about no code that is about keys, and about nothing that a person has freed', async () => {
    const code = [
      `const header = '-----BEGIN PRIVATE KEY-----';`,
      `if (text.startsWith('ghp_') || /AKIA[0-9A-Z]{16}/.test(text)) throw new Error('key');`,
      `see https://hooks.slack.com/services/ and sk_live_… or npm_config_registry`,
    ];
    await writeFile(bench.file('scan.ts'), code.join('\n'));
    await writeFile(bench.file('fixture.txt'), token);
    bench.settings['agent.sensitiveFilePatterns'] = { 'fixture.txt': true };
    for (const path of ['scan.ts', 'fixture.txt']) assert.equal((await read({ path })).status, 'success');
    assert.deepEqual(bench.questions, []);
  });

  it('reads the file that was asked about, and no other that is in its place after the answer', async () => {
    const outside = bench.file('..', 'private.txt');
    await writeFile(outside, 'hidden words');
    const swaps: [string, () => Promise<void>][] = [
      ['.env', async () => (await rm(bench.file('.env')), symlink(outside, bench.file('.env')))],
      [
        'sub/.env',
        async () => (await rename(bench.file('sub'), bench.file('was')), symlink(bench.file('other'), bench.file('sub'))),
      ],
      ['b.pem', async () => rename(bench.file('other/.env'), bench.file('b.pem'))],
    ];
    for (const folder of ['sub', 'other']) await mkdir(bench.file(folder));
    for (const name of ['.env', 'sub/.env', 'b.pem']) await writeFile(bench.file(name), 'asked about');
    await writeFile(bench.file('other/.env'), 'hidden words');
    for (const [path, swap] of swaps) {
      bench.onQuestion = swap;
      const { content } = await bench.attempt(readFileTool(bench.access, bench.editors), { path });
      assert.equal(content, `${path} was replaced by another file in the meantime, so it was not read. Read the file again.`);
    }
    assert.equal(bench.questions.length, 3);
  });

  it('does not wait for a pipe that is there after the answer', async () => {
    await writeFile(bench.file('.env'), 'asked about');
    bench.onQuestion = async () => {
      await rm(bench.file('.env'));
      execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', bench.file('.env')]);
    };
    const { content } = await bench.attempt(readFileTool(bench.access, bench.editors), { path: '.env' });
    assert.equal(content, '.env is not a regular file.');
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
      `${'é'.repeat(32_768)}\n[Line 1 is 200,000 bytes long; only its first 65,536 bytes are shown. To see the text around a word in it, use search_workspace.]\n[Lines 1 to 1 of 2. To read on, call read_file with startLine 2.]`,
    );
  });

  it('understands UTF-8 and UTF-16 with byte order marks, and Windows line ends', async () => {
    const text = 'grün\r\n🥛';
    await writeFile(bench.file('8.txt'), `\uFEFF${text}`);
    await writeFile(bench.file('16le.txt'), Buffer.from(`\uFEFF${text}`, 'utf16le'));
    await writeFile(bench.file('16be.txt'), Buffer.from(`\uFEFF${text}`, 'utf16le').swap16());
    for (const name of ['8.txt', '16le.txt', '16be.txt']) assert.equal((await read({ path: name })).content, 'grün\n🥛');
  });

  it('cuts a long line between characters, and tells how long it is', async () => {
    for (const [padding, length] of [
      ['', 300_000],
      ['a', 300_001],
      ['aaa', 300_003],
    ] as const) {
      await writeFile(bench.file('a.json'), `${padding}${'👍🏽'.repeat(37_500)}`);
      const { content } = await read({ path: 'a.json' });
      const [line = '', note] = content.split('\n');
      assert.match(line, /^a*(👍🏽)+$/u);
      assert.ok(Buffer.byteLength(line) > 65_520 && Buffer.byteLength(line) <= 65_536, `${Buffer.byteLength(line)}`);
      const shown = formatInEnglish(Buffer.byteLength(line));
      assert.equal(
        note,
        `[Line 1 is ${formatInEnglish(length)} bytes long; only its first ${shown} bytes are shown. To see the text around a word in it, use search_workspace.]`,
      );
    }
  });

  it('tells the length of a line in bytes of the file', async () => {
    await writeFile(bench.file('wide.txt'), Buffer.from(`\uFEFF${'é'.repeat(100_000)}\r\nend`, 'utf16le'));
    assert.match((await read({ path: 'wide.txt' })).content, /\n\[Line 1 is 200,000 bytes long;/);
    assert.equal((await read({ path: 'wide.txt', startLine: 2 })).content, 'end');
  });

  it('says that a file is in another encoding', async () => {
    const files: [string, Buffer][] = [
      ['latin.txt', Buffer.from('gr\xfcn\nrot\n', 'latin1')],
      ['broken.txt', Buffer.concat([Buffer.from('a\n'.repeat(100_000)), Buffer.from([0xc3]), Buffer.from('\nend\n')])],
      ['cut.txt', Buffer.from([0x61, 0xf0, 0x9f, 0xa5])],
      ['half.txt', Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x00, 0xd8, 0x62, 0x00])],
    ];
    for (const [name, bytes] of files) {
      await writeFile(bench.file(name), bytes);
      assert.match((await read({ path: name, endLine: 2 })).content, new RegExp(`\\[${name} is not encoded in UTF-8 or UTF-16`));
    }
    await writeFile(bench.file('good.txt'), `\uFFFD and 🥛\n${'é'.repeat(40_000)}\uFFFD`);
    assert.doesNotMatch((await read({ path: 'good.txt' })).content, /not encoded/);
  });

  it('gives the text of a file as the editor decodes it', async () => {
    await writeFile(bench.file('a.conf'), encodedAs('shift_jis', '# 設定\nname=東京\n'));
    assert.match((await read({ path: 'a.conf' })).content, /not encoded in UTF-8/);
    bench.editors.show(bench.file('a.conf'), '# 設定\nname=東京\n', 'shift_jis');
    assert.equal((await read({ path: 'a.conf' })).content, '# 設定\nname=東京');
    // An editor whose text is older than the file on disk loads the file again.
    await writeFile(bench.file('a.conf'), 'port=80\n');
    bench.editors.markSaved(bench.file('a.conf'));
    assert.equal((await read({ path: 'a.conf' })).content, 'port=80');
  });

  it('reads UTF-16 without a mark through the editor', async () => {
    await writeFile(bench.file('a.txt'), Buffer.from('grün\n', 'utf16le'));
    assert.equal((await read({ path: 'a.txt' })).status, 'error');
    bench.editors.show(bench.file('a.txt'), 'grün\n', 'utf-16le');
    assert.equal((await read({ path: 'a.txt' })).content, 'grün');
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
      const result = await read(input);
      assert.deepEqual([result.status, result.content], ['error', content]);
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
      const question = { kind: 'read', path: name, reasons: ['may contain secrets'] };
      assert.deepEqual(bench.questions, [question, question]);
    });
  }

  it('says that a file is empty', async () => {
    await writeFile(bench.file('a.txt'), '');
    assert.equal((await read({ path: 'a.txt' })).content, '(a.txt is empty.)');
  });
});
