import { afterEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

describe('rows of tool calls', () => {
  function edit(log: TestLog, callId: string, path: string, status: 'success' | 'error' = 'success', more: object = {}): void {
    log.call(callId, 'replace_in_file', { path });
    if (status === 'success') {
      const diff = `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-old ${callId}\n+new ${callId}\n`;
      const hashes = { beforeHash: 'a'.repeat(64), afterHash: 'b'.repeat(64) };
      log.add('file_edit', '', { callId, path, operation: 'modify', diff, ...hashes, additions: 1, deletions: 1 });
    }
    log.add('tool_result', status, { callId, name: 'replace_in_file', status, details: { path, ...more } });
  }
  const rows = () => all(app.root, 'listitem').map(spokenText);

  it('show a deleted file as the others, not as code', async () => {
    const log = new TestLog();
    log.user('Clean up');
    edit(log, 'c1', 'src/a.ts');
    log.call('c2', 'delete_file', { path: 'src/gone.ts' });
    log.add('tool_result', 'success', { callId: 'c2', name: 'delete_file', status: 'success', details: {} });
    app = await startApp({ log });
    expect(has(app.root, 'button', 'Changed 2 files')).toBe(true);
    expect(app.root.querySelectorAll('.mono')).toHaveLength(0);
    expect(all(app.root, 'listitem').map((row) => row.querySelector('.path')?.textContent)).toEqual(['src/a.ts', 'src/gone.ts']);
  });

  it('count files, and list a file that was edited twice once', async () => {
    const log = new TestLog();
    log.user('Rename the function');
    edit(log, 'c1', 'src/a.ts');
    edit(log, 'c2', 'src/b.ts');
    edit(log, 'c3', 'src/a.ts');
    edit(log, 'c4', 'src/a.ts', 'error');
    app = await startApp({ log });
    expect(has(app.root, 'button', 'Changed 2 files')).toBe(true);
    expect(rows()).toEqual(['src/a.ts +2 −2 done', 'src/b.ts +1 −1 done', 'src/a.ts failed']);
    all(app.root, 'button', 'Details of src/a.ts')[0]?.click();
    await app.settle();
    expect(all(app.root, 'group', 'Changes to src/a.ts').map(spokenText)).toEqual([
      expect.stringContaining('new c1'),
      expect.stringContaining('new c3'),
    ]);
  });

  it('are one row by itself for edits of one file', async () => {
    const log = new TestLog();
    log.user('Rename the function');
    edit(log, 'c1', 'src/a.ts');
    edit(log, 'c2', 'src/a.ts');
    app = await startApp({ log });
    expect(rows()).toEqual(['Edited a.ts +2 −2 done']);
    expect(has(app.root, 'button', 'Changed 2 files')).toBe(false);
  });

  it('count what succeeded', async () => {
    const log = new TestLog();
    log.user('Rename the function');
    edit(log, 'c1', 'src/a.ts');
    edit(log, 'c2', 'src/b.ts', 'error');
    edit(log, 'c3', 'src/c.ts', 'error');
    log.add('run_end', '', { outcome: 'done' });
    log.user('Again');
    edit(log, 'c4', 'src/a.ts', 'error');
    edit(log, 'c5', 'src/b.ts', 'error');
    log.add('run_end', '', { outcome: 'done' });
    log.user('Look');
    for (const [callId, status] of [
      ['c6', 'success'],
      ['c7', 'error'],
    ] as const) {
      log.call(callId, 'search_workspace', { query: callId });
      log.add('tool_result', '', { callId, name: 'search_workspace', status });
    }
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    for (const title of ['Changed 1 of 3 files', 'Changed 0 of 2 files', 'Searched 1 of 2 times'])
      expect(has(app.root, 'button', title), title).toBe(true);
  });

  it('show the reason of a failure for the user, in full, and not that for the model', async () => {
    const reason = 'docs/fest.md ist schreibgeschützt und wurde daher nicht geändert.';
    const log = new TestLog();
    log.user('Change it');
    log.call('c1', 'replace_in_file', { path: 'docs/fest.md' });
    const failed = { name: 'replace_in_file', status: 'error', summary: reason, display: reason } as const;
    log.add('tool_result', 'replace_in_file failed: docs/fest.md is read-only.', { callId: 'c1', ...failed });
    app = await startApp({ log });
    expect(rows()).toEqual([`Could not edit fest.md failed ${reason}`]);
    get(app.root, 'button', 'Could not edit fest.md').click();
    await app.settle();
    expect(app.root.textContent).not.toContain('read-only');
    expect(app.root.textContent?.split(reason)).toHaveLength(2);
  });

  it('say once of a command that it was stopped', async () => {
    const log = new TestLog();
    log.user('Wait');
    log.call('c1', 'run_terminal_command', { command: 'sleep 300' });
    const stopped = { name: 'run_terminal_command', status: 'cancelled', summary: 'stopped' } as const;
    log.add('tool_result', '', { callId: 'c1', ...stopped });
    app = await startApp({ log });
    expect(rows()).toEqual(['Stopped sleep 300 cancelled']);
  });

  it('say what was corrected in an edit, also where another one of its file follows', async () => {
    const log = new TestLog();
    log.user('Rename the function');
    edit(log, 'c1', 'src/a.ts', 'success', { corrected: 'corrected: line numbers' });
    edit(log, 'c2', 'src/a.ts');
    app = await startApp({ log });
    expect(rows()).toEqual(['Edited a.ts corrected: line numbers +2 −2 done']);
  });

  it('keep no space for lines that were not removed', async () => {
    const log = new TestLog();
    log.user('Add a function');
    log.call('c1', 'create_file', { path: 'src/a.ts' });
    const hashes = { beforeHash: null, afterHash: 'a'.repeat(64) };
    log.add('file_edit', '', {
      callId: 'c1',
      path: 'src/a.ts',
      operation: 'create',
      diff: '',
      ...hashes,
      additions: 3,
      deletions: 0,
    });
    log.add('tool_result', '', { callId: 'c1', name: 'create_file', status: 'success', details: { path: 'src/a.ts' } });
    app = await startApp({ log });
    const counts = [...app.root.querySelectorAll('.counts > *')].map(({ textContent }) => textContent);
    expect(counts).toEqual(['+3']);
  });

  it('say of a command that was not approved that it was not run, and why', async () => {
    const log = new TestLog();
    log.user('Test it');
    const ask = (callId: string) => {
      log.call(callId, 'run_terminal_command', { command: `npm run ${callId}` });
      const question = { callId, approvalId: `a-${callId}`, kind: 'command', command: `npm run ${callId}` } as const;
      log.add('approval', '', { ...question, phase: 'requested' });
      return question;
    };
    const skipped = ask('c1');
    log.add('approval', '', { ...skipped, phase: 'decided', decision: 'denied', decidedBy: 'person' });
    log.add('tool_result', '', { callId: 'c1', name: 'run_terminal_command', status: 'denied', summary: 'skipped' });
    const stopped = ask('c2');
    log.add('approval', '', { ...stopped, phase: 'decided', decision: 'cancelled', decidedBy: 'run' });
    log.add('tool_result', '', { callId: 'c2', name: 'run_terminal_command', status: 'cancelled' });
    log.call('c3', 'run_terminal_command', { command: 'npm run c3' });
    log.add('tool_result', '', { callId: 'c3', name: 'run_terminal_command', status: 'cancelled' });
    const closed = { name: 'run_terminal_command', status: 'cancelled', summary: 'the window closed' } as const;
    log.call('c4', 'run_terminal_command', { command: 'npm run c4' });
    log.add('tool_result', '', { callId: 'c4', ...closed, details: { notRun: true } });
    ask('c5');
    app = await startApp({ log });
    expect(rows()).toEqual([
      'Not run: npm run c1 skipped',
      'Not run: npm run c2 cancelled',
      'Stopped npm run c3 cancelled',
      'Not run: npm run c4 the window closed cancelled',
      'Not run: npm run c5 the window closed cancelled',
    ]);
  });
});
