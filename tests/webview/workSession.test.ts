import { afterEach, describe, expect, it } from 'vitest';
import type { UnapprovedFile, WorkSession } from '../../src/protocol/restore';
import type { ChangedFileState } from '../../src/protocol/changedFiles';
import { nothingLeftOut, nothingUncovered, startApp, type TestApp } from './support/fakeHost';
import { file, log, plan } from './support/restorePlan';
import { all, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

async function press(name: string): Promise<void> {
  get(app.root, 'button', name).click();
  await app.settle();
}

const region = () => get(app.root, 'region', 'Restore plan');

const unapproved = (shown: string, more: Partial<UnapprovedFile> = {}): UnapprovedFile => ({
  path: `/w/${shown}`,
  shown,
  status: 'modified',
  lines: { additions: 2, deletions: 1 },
  hash: 'abc',
  ...more,
});
const workSession: WorkSession = {
  name: 'session_1',
  approvedCheckpointId: 'ckpt_0',
  lastApprovedAt: null,
  count: 3,
  earlier: [],
  files: [
    unapproved('a.ts', { source: 'agent' }),
    unapproved('made.txt', { status: 'created', hash: null, source: 'command' }),
    unapproved('gone.txt', { status: 'deleted' }),
  ],
};
const pending: ChangedFileState = {
  path: '/w/a.ts',
  shown: 'a.ts',
  status: 'modified',
  lines: { additions: 2, deletions: 1 },
  places: [1],
};

describe('the work session', () => {
  const section = () => get(app.root, 'region', 'Work session');
  const rows = () => all(section(), 'listitem').map((row) => spokenText(row));
  const open = (count = 3) => press(`${count} files changed in this work session`);

  it('is closed by itself, apart from what waits for an answer, and lists files by who changed them', async () => {
    const more = [unapproved('b.ts', { source: 'agent' }), unapproved('other.ts', { source: 'chat' })];
    const files = [...workSession.files, ...more];
    app = await startApp({ log: log(), changed: [pending], workSession: { ...workSession, files, count: 5 } });
    expect(get(app.root, 'region', 'Files changed').textContent).toContain('1 file changed');
    expect(rows()).toEqual([]);
    await open(5);
    expect(all(section(), 'list').map((list) => [nameOf(list), spokenText(list)])).toEqual([
      ['Edited by this chat', expect.stringMatching(/modified.*b\.ts/)],
      ['Changed by commands in this chat', expect.stringMatching(/created.*made\.txt/)],
      ['Edited by other chats', expect.stringMatching(/modified.*other\.ts/)],
      ['Other changes in the workspace', expect.stringMatching(/deleted.*gone\.txt/)],
    ]);
    expect(has(app.root, 'button', 'Keep made.txt')).toBe(false);
    await press('Review gone.txt');
    expect(app.api.compareFile).toHaveBeenCalledWith({
      file: '/w/gone.txt',
      shown: 'gone.txt',
      exists: false,
      hash: 'abc',
      isBase: true,
    });
  });

  it('lists a file once: under its own changes only when none of them is pending', async () => {
    app = await startApp({ log: log(), changed: [pending], workSession });
    await open();
    expect(section().textContent).toContain('“Approve session” marks the current state of all files as good');
    expect(section().textContent).toContain('1 more under pending changes');
    expect(all(app.root, 'button').filter((button) => nameOf(button) === 'Undo a.ts')).toHaveLength(1);
    app.port.emit('changes', { sessionId: 's1', files: [], revertible: [] });
    await app.settle();
    expect(has(section(), 'button', 'Undo a.ts')).toBe(true);
    expect(section().textContent).not.toContain('under pending changes');
  });

  it('tells of the work sessions before it, and goes back to what was approved in one', async () => {
    const at = Date.UTC(2026, 0, 5);
    const earlier = [
      { name: 'session_2', outcome: 'reset' as const, closedAt: at, message: null, checkpointId: null },
      { name: 'session_1', outcome: 'approved' as const, closedAt: at, message: 'Form', checkpointId: 'ckpt_1' },
    ];
    app = await startApp({ log: log(), changed: [pending], workSession: { ...workSession, name: 'session_3', earlier } });
    await open();
    await press('Work session 3 active');
    const items = all(get(app.root, 'list', 'Earlier work sessions'), 'listitem').map((item) => spokenText(item));
    expect(items).toEqual([expect.stringMatching(/^Work session 2 reset /), expect.stringMatching(/^Work session 1 approved /)]);
    expect(has(app.root, 'button', 'Restore approved state: Work session 2')).toBe(false);
    await press('Restore approved state: Work session 1');
    expect(app.api.planRestore).toHaveBeenCalledWith(
      expect.objectContaining({ sessionId: 's1', target: { kind: 'checkpoint', id: 'ckpt_1' } }),
    );
  });

  it('lists further files on demand, where not all are', async () => {
    const whole = { ...workSession, count: 4 };
    app = await startApp({ log: log(), changed: [pending], workSession: whole });
    await open(4);
    app.api.getWorkSession.mockResolvedValueOnce({ workSession: { ...whole, files: [unapproved('z.txt')] } });
    await press('Show more (1)');
    expect(app.api.getWorkSession).toHaveBeenLastCalledWith({ sessionId: 's1', from: 3 });
    expect(rows().at(-1)).toMatch(/z\.txt/);
    expect(has(app.root, 'button', 'Show more (1)')).toBe(false);
    // A report that the extension sends on its own replaces the current state.
    const fewer = { ...workSession, files: [unapproved('only.txt')], count: 2 };
    app.port.emit('workSession', { sessionId: 's1', workSession: whole });
    await app.settle();
    app.api.getWorkSession.mockResolvedValueOnce({ workSession: { ...fewer, files: [] } });
    app.api.getWorkSession.mockResolvedValueOnce({ workSession: fewer });
    await press('Show more (1)');
    expect(app.api.getWorkSession).toHaveBeenLastCalledWith({ sessionId: 's1' });
    expect(rows().some((row) => row.includes('made.txt'))).toBe(false);
    app.port.emit('workSession', { sessionId: 's1', workSession: whole });
    await app.settle();
    expect(has(app.root, 'button', 'Show more (1)')).toBe(true);
  });

  it('is approved as a whole', async () => {
    app = await startApp({ log: log(), workSession });
    await open();
    await press('Approve session');
    expect(app.api.approveSession).toHaveBeenCalledWith({ sessionId: 's1' });
    app.port.emit('workSession', { sessionId: 's1', workSession: { ...workSession, files: [], count: 0 } });
    await app.settle();
    expect(has(app.root, 'region', 'Work session')).toBe(false);
  });

  it('leaves what the person kept out of the list of files that wait, which is gone', async () => {
    app = await startApp({ log: log(), changed: [pending], workSession });
    get(app.root, 'button', 'Keep a.ts').focus();
    await press('Keep a.ts');
    app.port.emit('changes', { sessionId: 's1', files: [], revertible: [] });
    await app.settle();
    expect(has(app.root, 'region', 'Files changed')).toBe(false);
    expect(nameOf(document.activeElement as Element)).toBe('Message');
    expect(spokenText(section())).toBe('3 files changed in this work session');
  });

  it('says so where this chat has changed no file', async () => {
    const files = [unapproved('other.ts', { source: 'chat' }), unapproved('gone.txt')];
    app = await startApp({ log: log(), workSession: { ...workSession, files, count: 2 } });
    expect(spokenText(section())).toBe('2 files changed in the workspace, none by this chat');
    app.port.emit('workSession', { sessionId: 's1', workSession: { ...workSession, files: files.slice(1), count: 1 } });
    await app.settle();
    expect(spokenText(section())).toBe('1 file changed in the workspace, not by this chat');
    // Files that are not listed may have been changed by this chat.
    app.port.emit('workSession', { sessionId: 's1', workSession: { ...workSession, files, count: 9 } });
    await app.settle();
    expect(spokenText(section())).toBe('9 files changed in this work session');
  });

  it('is reset by a plan', async () => {
    app = await startApp({ log: log(), workSession, plan });
    await open();
    await press('Reset work session');
    expect(region().textContent).toContain('Reset work session');
    await press('Restore 3 files');
    expect(app.api.restoreFiles.mock.calls[0]?.[0].target).toEqual({ kind: 'approved' });
  });

  it('names the approved state only after an approval', async () => {
    const approved = { ...workSession, lastApprovedAt: Date.UTC(2026, 0, 5) };
    app = await startApp({ log: log(), workSession: approved, plan });
    await press('3 files changed since the last approved state');
    expect(has(app.root, 'button', 'Reset work session')).toBe(false);
    await press('Reset to approved');
    expect(region().textContent).toContain('Reset to approved');
  });

  it('gives a single file back at once, or asks where somebody has changed it', async () => {
    app = await startApp({
      log: log(),
      changed: [pending],
      workSession,
      plan: { title: '', files: [file('made.txt')], leftOut: nothingLeftOut, uncovered: nothingUncovered },
    });
    await open();
    await press('Undo made.txt');
    const target = { kind: 'checkpoint', id: 'ckpt_0' } as const;
    expect(app.api.planRestore).toHaveBeenCalledWith({ sessionId: 's1', target, files: ['/w/made.txt'] });
    expect(app.api.restoreFiles).toHaveBeenCalledWith({ sessionId: 's1', target, files: ['/w/made.txt'], overwrite: [] });
    app.api.planRestore.mockResolvedValueOnce(plan);
    await press('Undo gone.txt');
    expect(has(app.root, 'region', 'Restore plan')).toBe(true);
    expect(app.api.restoreFiles).toHaveBeenCalledTimes(1);
  });

  it('cannot be approved or reset while the agent works', async () => {
    app = await startApp({ log: log(), workSession, run: { sessionId: 's1', state: 'running', activity: null } });
    await open();
    const isDisabled = (name: string) => (get(app.root, 'button', name) as HTMLButtonElement).disabled;
    expect(['Approve session', 'Reset work session'].map(isDisabled)).toEqual([true, true]);
  });

  it('says in the conversation what was approved', async () => {
    const entries = log();
    entries.add('review', '', { action: 'approve', scope: 'all', paths: ['a.ts', 'b.ts'], workSession: 'session_1' });
    app = await startApp({ log: entries });
    expect(get(app.root, 'article', 'Assistant').textContent).toContain('Approved 2 files');
    expect(['Undo Keep', 'Reapply'].map((name) => has(app.root, 'button', name))).toEqual([false, false]);
  });

  it('is shown to be restored where a command asks for it', async () => {
    app = await startApp({ log: log(), plan });
    app.port.emit('restore', { target: { kind: 'approved' } });
    await app.settle();
    expect(has(app.root, 'region', 'Restore plan')).toBe(true);
  });
});
