import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FileDiagnostic } from '../../../../src/agent/kernel/ports';
import type { ToolResult } from '../../../../src/agent/tools/kernel/tool';
import { getDiagnosticsTool } from '../../../../src/agent/tools/read/getDiagnostics';
import { ToolBench } from '../support/toolBench';

describe('get_diagnostics', () => {
  let bench: ToolBench;
  let asked: (string | null)[];
  beforeEach(async () => {
    asked = [];
    bench = await ToolBench.start();
    await mkdir(bench.file('src'));
    for (const file of ['a.ts', 'src/b.ts']) await writeFile(bench.file(file), '');
  });
  afterEach(() => bench.stop());

  function problem(file: string, severity: FileDiagnostic['severity'], line = 1): FileDiagnostic {
    return { file, line, column: 2, severity, message: `Something\n is  off ${line}`, source: 'ts' };
  }
  function diagnose(found: FileDiagnostic[], input: Record<string, unknown> = {}): Promise<ToolResult> {
    const diagnostics = async (path: string | null): Promise<FileDiagnostic[]> => {
      asked.push(path);
      return found;
    };
    return bench.run(getDiagnosticsTool(bench.access, { diagnostics }), input);
  }

  it('tells errors first, and nothing of files outside', async () => {
    const found = [
      problem(bench.file('a.ts'), 'warning'),
      problem(bench.file('src/b.ts'), 'error', 3),
      problem('/elsewhere/c.ts', 'error'),
    ];
    assert.deepEqual(await diagnose(found), {
      status: 'success',
      content: 'src/b.ts:3:2: error: Something is off 3 (ts)\na.ts:1:2: warning: Something is off 1 (ts)',
      summary: '1 error, 1 warning',
    });
    assert.deepEqual(asked, [null]);
  });

  it('tells those of one file or folder', async () => {
    const found = [problem(bench.file('a.ts'), 'error'), problem(bench.file('src/b.ts'), 'error')];
    assert.equal((await diagnose(found, { file: 'a.ts' })).content, 'a.ts:1:2: error: Something is off 1 (ts)');
    assert.equal((await diagnose(found, { path: 'src' })).content, 'src/b.ts:1:2: error: Something is off 1 (ts)');
    assert.deepEqual(asked, [bench.file('a.ts'), bench.file('src')]);
  });

  it('leaves out files with secrets, and says so', async () => {
    for (const file of ['.env', 'src/.env.local', 'my.sql']) await writeFile(bench.file(file), '');
    bench.settings['agent.sensitiveFilePatterns'] = { '*.sql': false };
    bench.session = { ...bench.session, auto_approve_sensitive_edits: 1 };
    const found = ['a.ts', '.env', 'src/.env.local', 'my.sql'].map((file) => problem(bench.file(file), 'error'));
    const note = (files: string) =>
      `[Left out, as the user is asked before such a file is read: ${files}. Give the path of one to ask for its problems.]`;
    const { content, summary } = await diagnose(found);
    assert.deepEqual(
      [content, summary],
      [`a.ts:1:2: error: Something is off 1 (ts)\n${note('.env, my.sql, src/.env.local')}`, '1 error'],
    );
    assert.match(
      (await diagnose(found, { path: 'src' })).content,
      /^The editor reports no problems in src\. .*\n\[Left out.*: src/,
    );
    assert.deepEqual(bench.questions, []);
  });

  it('leaves out a file whose text looks like a key', async () => {
    for (const [file, text] of Object.entries({ 'a.ts': 'const a = 1', 'b.ts': `const key = 'AIza${'a1B2c'.repeat(7)}';` }))
      await writeFile(bench.file(file), text);
    const found = ['a.ts', 'b.ts'].map((file) => problem(bench.file(file), 'error'));
    const { content } = await diagnose(found, {});
    assert.match(content, /^a\.ts:1:2: error: .*\n\[Left out, as the user is asked before such a file is read: b\.ts\./);
  });

  it('asks before it tells those of a file with secrets', async () => {
    await writeFile(bench.file('.env'), '');
    const found = [problem(bench.file('.env'), 'error')];
    bench.isApproved = false;
    const { status, content } = await diagnose(found, { path: '.env' });
    assert.deepEqual([status, asked], ['denied', []]);
    assert.doesNotMatch(content, /Something/);
    assert.deepEqual(bench.questions, [{ kind: 'read', path: '.env', reasons: ['may contain secrets'] }]);
    bench.isApproved = true;
    assert.equal((await diagnose(found, { path: '.env' })).content, '.env:1:2: error: Something is off 1 (ts)');
  });

  it('asks before it tells those of a file or folder outside', async () => {
    const outside = path.join(bench.root, 'outside').replaceAll(path.sep, '/');
    await mkdir(outside);
    for (const name of ['c.ts', '.env']) await writeFile(path.join(outside, name), '');
    const found = [bench.file('a.ts'), path.join(outside, 'c.ts'), path.join(outside, '.env')].map((file) =>
      problem(file, 'error'),
    );
    bench.isApproved = false;
    assert.equal((await diagnose(found, { path: '../outside/c.ts' })).status, 'denied');
    assert.deepEqual(bench.questions, [{ kind: 'read', path: `${outside}/c.ts`, reasons: ['outside the workspace'] }]);
    bench.isApproved = true;
    assert.equal(
      (await diagnose(found, { path: '../outside/c.ts' })).content,
      `${outside}/c.ts:1:2: error: Something is off 1 (ts)`,
    );
    const { content } = await diagnose(found, { path: outside });
    assert.match(content, /^[^\n]*\/c\.ts:1:2[^\n]*\n\[Left out.*: [^,]*\/\.env\. /);
  });

  it('says that there are none, or no such file', async () => {
    assert.deepEqual(await diagnose([], { path: 'a.ts' }), {
      status: 'success',
      content: 'The editor reports no problems in a.ts. It knows only files that a language extension has looked at.',
      summary: 'no problems',
      details: { path: 'a.ts' },
    });
    const { status, content } = await diagnose([], { path: 'none.ts' });
    assert.deepEqual([status, content], ['error', 'There is no file none.ts.']);
  });

  it('says what is left out of many', async () => {
    const found = Array.from({ length: 130 }, (_, index) => problem(bench.file('a.ts'), 'error', index + 1));
    const { content } = await diagnose(found);
    assert.equal(
      content.split('\n').at(-1),
      '[100 of 130 problems are shown, errors first. Give the path of a file or folder to see those of it.]',
    );
    const ofOne = await diagnose(found, { path: 'a.ts' });
    assert.match(ofOne.content, /\[100 of 130 problems are shown, errors first\. Mend these, then ask again\.\]$/);
  });
});
