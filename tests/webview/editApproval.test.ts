import { afterEach, describe, expect, it } from 'vitest';
import { changedWords } from '../../src/webview/common/texts/changedWords';
import { diffCounts, parseDiffLines } from '../../src/protocol/text/diffLines';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, descriptionOf, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => app.wrapper.unmount());

const diff = '--- a/.env\n+++ b/.env\n@@ -1,2 +1,3 @@\n A=1\n-B=2\n+B=3\n+C=\u202e4\n';

/** Shows a session in which an edit waits for approval. */
async function asked(more: Record<string, unknown> = {}): Promise<TestLog> {
  const log = new TestLog();
  log.user('Set B');
  log.call('c1', 'replace_in_file', { path: '.env', oldText: 'B=2', newText: 'B=3' });
  log.add('approval', '', {
    approvalId: 'a1',
    callId: 'c1',
    phase: 'requested',
    kind: 'edit',
    path: '.env',
    operation: 'modify',
    diff,
    reasons: ['may contain secrets'],
    ...more,
  });
  app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
  return log;
}

describe('an edit that waits for approval', () => {
  it('shows the file, why it asks and what would change, and is announced', async () => {
    await asked();
    const card = get(app.root, 'group', 'Approve edit');
    expect(descriptionOf(card)).toBe('.env May contain secrets');
    expect(all(card, 'button').map(nameOf)).toEqual(['.env', 'Apply', 'Reject']);
    expect(spokenText(get(card, 'group', 'Changes to .env'))).toBe('A=1 − B=2 + B=3 + C=⟨U+202E⟩4');
    expect(spokenText(card)).toContain('Edit file');
    expect(all(app.root, 'status').map(spokenText).join()).toContain('Approve edit:.env. Press Control+Enter to apply it.');
  });

  const escape = () => new KeyboardEvent('keydown', { key: 'Escape', bubbles: true });
  const ways: [string, boolean, (card: Element) => void][] = [
    ['applied by its button', true, (card) => get(card, 'button', 'Apply').click()],
    ['rejected by its button', false, (card) => get(card, 'button', 'Reject').click()],
    ['rejected with Esc', false, (card) => get(card, 'button', 'Apply').dispatchEvent(escape())],
  ];
  for (const [name, approve, act] of ways) {
    it(`is ${name}`, async () => {
      await asked();
      act(get(app.root, 'group', 'Approve edit'));
      await app.settle();
      expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', approvalId: 'a1', approve });
    });
  }

  it('is applied with Ctrl+Enter once it could be read', async () => {
    await asked();
    app.pass(500);
    await app.press('Enter', { ctrlKey: true });
    expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', approvalId: 'a1', approve: true });
  });

  it('is rejected by default and applied by no key if it can affect what runs', async () => {
    await asked({ severity: 'high', reasons: ['outside the workspace'] });
    const card = get(app.root, 'group', 'Approve edit');
    expect(all(card, 'button').map(nameOf)).toEqual(['.env', 'Reject', 'Apply']);
    expect(get(card, 'button', 'Reject').className).toContain('primary');
    expect(get(card, 'button', 'Apply').className).not.toContain('primary');
    expect(get(card, 'button', 'Apply').title).not.toContain('Ctrl');
    expect(all(app.root, 'status').map(spokenText).join()).toContain('Approve edit:.env. High risk.');
    app.pass(500);
    await app.press('Enter', { ctrlKey: true });
    expect(app.api.decideApproval).not.toHaveBeenCalled();
    get(card, 'button', 'Apply').click();
    await app.settle();
    expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', approvalId: 'a1', approve: true });
  });

  it('says when a file is to be moved, and where', async () => {
    await asked({
      operation: 'rename',
      newPath: '/elsewhere/x',
      diff: '',
      reasons: ['outside the workspace', 'may contain secrets'],
    });
    const card = get(app.root, 'group', 'Approve edit');
    expect(descriptionOf(card)).toBe('.env /elsewhere/x Outside the workspace · may contain secrets');
    expect(spokenText(card)).toContain('Rename file');
    expect(has(card, 'group', 'Changes to .env')).toBe(false);
  });

  it('gives way to the row when it is decided', async () => {
    const log = await asked();
    log.add('approval', '', { approvalId: 'a1', callId: 'c1', phase: 'decided', kind: 'edit', decision: 'denied' });
    log.add('tool_result', 'Rejected.', { callId: 'c1', name: 'replace_in_file', status: 'denied', summary: 'rejected' });
    await app.sendEntries(log, 3);
    expect(has(app.root, 'group', 'Approve edit')).toBe(false);
    expect(spokenText(get(app.root, 'listitem'))).toBe('Did not edit.env skipped');
  });
});

describe('a row of an edit', () => {
  it('tells the lines and opens to the difference; a rename tells both names', async () => {
    const log = new TestLog();
    log.user('Go');
    log.call('c1', 'replace_in_file', { path: 'a.ts' });
    const hashes = { beforeHash: null, afterHash: null };
    log.add('file_edit', '', { ...hashes, callId: 'c1', path: 'a.ts', operation: 'modify', diff, additions: 2, deletions: 1 });
    log.add('tool_result', 'Changed.', { callId: 'c1', name: 'replace_in_file', status: 'success', summary: '+2 −1' });
    log.add('assistant_output', 'And now.', { end: 'complete' });
    log.add('tool_call', '', {
      callId: 'c2',
      name: 'rename_file',
      input: { from: 'a.ts', to: 'b.ts' },
      label: 'a.ts → src/b.ts',
    });
    const renamed = { path: 'a.ts', newPath: 'src/b.ts', operation: 'rename' as const, diff: '', additions: 0, deletions: 0 };
    log.add('file_edit', '', { ...hashes, callId: 'c2', ...renamed });
    log.add('tool_result', 'Renamed.', { callId: 'c2', name: 'rename_file', status: 'success', summary: 'to src/b.ts' });
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    expect(all(app.root, 'listitem').map(spokenText)).toEqual(['Edited a.ts +2 −1 done', 'Renamed a.ts to b.ts done']);
    get(app.root, 'button', 'Edited a.ts').click();
    await app.settle();
    expect(spokenText(get(app.root, 'group', 'Changes to a.ts'))).toContain('− B=2 + B=3');
  });
});

describe('the words of a diff', () => {
  const marked = (diffText: string) => {
    const lines = parseDiffLines(diffText);
    return changedWords(lines).map((part, index) => part && lines[index]?.text.slice(part.start, part.end));
  };

  it('are marked where a line differs from the one it replaces', () => {
    const long = (version: string) => `{ "name": "versand", "version": "${version}", "private": true }`;
    expect(marked(`--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-${long('1.0.0')}\n+${long('1.2.0')}\n`)).toEqual([null, '0', '2']);
    expect(marked('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a = [one]\n+a = [one, 😀two]\n')).toEqual([null, ', 😀two']);
  });

  it('are not marked in new lines, nor where the lines have little in common', () => {
    expect(marked('--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a = 1\n+a = 2\n+b = 3\n')).toEqual([null, null, null]);
    expect(marked('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one two\n+three four\n')).toEqual([null, null]);
  });

  it('are marked in a card, whose long lines wrap', async () => {
    await asked({ diff: '--- a/p.json\n+++ b/p.json\n@@ -1 +1 @@\n-{ "version": "1.0.0" }\n+{ "version": "1.2.0" }\n' });
    const group = get(get(app.root, 'group', 'Approve edit'), 'group', 'Changes to .env');
    expect([...group.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual(['0', '2']);
    expect(group.querySelector('.wrapped')).not.toBeNull();
    expect(group.textContent).toContain('{ "version": "1.2.0" }');
  });
});

describe('the lines of a diff', () => {
  it('begin with the name of each file where there are several, and none of them is taken for one', () => {
    const several = '--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- drop\n-++ x\n+-- keep\n+++ y\n\n--- a/old\n+++ b/new\n';
    const shown = parseDiffLines(`${several}\n--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+z\n`);
    expect(shown.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      ...['place q.sql', 'removed -- drop', 'removed ++ x', 'added -- keep', 'added ++ y'],
      ...['place old → new', 'place made', 'added z'],
    ]);
  });

  it('says what a long one leaves out', () => {
    const cut = `${diff}\\ 1,200 more lines of this diff are left out.\n`;
    expect(parseDiffLines(cut).at(-1)).toEqual({
      kind: 'place',
      text: '1,200 more lines of this diff are left out.',
      before: null,
      after: null,
    });
    expect(diffCounts(diff)).toEqual({ additions: 2, deletions: 1 });
  });
});

describe('an edit that a model is writing into its text', () => {
  it('shows its last lines, what it is about and how long it is by now', async () => {
    const log = new TestLog();
    log.user('Go');
    const draft = { path: 'src/a.ts', lines: ['-old', '+new', '+ne'], additions: 2, deletions: 1 };
    const activity = { kind: 'preparing' as const, work: 'edit' as const, since: Date.now(), draft };
    app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity } });
    expect(spokenText(get(app.root, 'log'))).toContain('Preparing an edit src/a.ts +2 −1');
    expect(spokenText(get(app.root, 'group', 'The edit so far'))).toBe('− old + new + ne');
  });
});
