import { afterEach, describe, expect, it } from 'vitest';
import { RequestFailure } from '../../src/protocol/rpc';
import type { PlannedFile, RestorePlan, UnapprovedFile, WorkSession } from '../../src/protocol/restore';
import type { ChangedFileState } from '../../src/protocol/changedFiles';
import { nothingLeftOut, nothingUncovered, startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const file = (shown: string, more: Partial<PlannedFile> = {}): PlannedFile => ({
  ...{ file: `/w/${shown}`, shown, action: 'write', reason: null, exists: true, hash: 'abc' },
  ...more,
});
const plan: RestorePlan = {
  title: 'Before user message: Do it',
  files: [
    file('a.ts'),
    file('b.ts', { action: 'create', exists: false }),
    file('c.ts', { action: 'delete', hash: null }),
    file('d.ts', { action: 'conflict', reason: 'changedSince' }),
    file('e.bin', { action: 'keep', reason: 'notStored' }),
  ],
  leftOut: nothingLeftOut,
  uncovered: nothingUncovered,
};

function log(): TestLog {
  const entries = new TestLog();
  entries.user('Do it').checkpointId = 'ckpt_1';
  entries.add('assistant_output', 'Done.', { end: 'complete' });
  entries.add('run_end', '', { outcome: 'done' });
  return entries;
}

function restored(entries: TestLog, data: { operationId: string; undoes?: string }): TestLog {
  const left = [{ path: 'd.ts', reason: 'changedSince' as const }];
  entries.add('restore', '', { targetCheckpointId: 'ckpt_1', paths: ['a.ts', 'b.ts'], title: plan.title, left, ...data });
  return entries;
}

async function press(name: string): Promise<void> {
  get(app.root, 'button', name).click();
  await app.settle();
}

async function choose(name: string): Promise<void> {
  get(app.root, 'checkbox', name).click();
  await app.settle();
}

const region = () => get(app.root, 'region', 'Restore plan');
const isChecked = (name: string) => (get(app.root, 'checkbox', name) as HTMLInputElement).checked;

describe('restoring a checkpoint', () => {
  it('is offered on messages that have one', async () => {
    const entries = log();
    entries.user('No checkpoint');
    app = await startApp({ log: entries });
    expect(app.root.querySelectorAll('[aria-label="Restore checkpoint"]').length).toBe(1);
  });

  it('is not offered on messages whose checkpoint was not taken, or is there no more', async () => {
    app = await startApp({ log: log(), missing: ['ckpt_1'] });
    const offered = () => has(app.root, 'button', 'Restore checkpoint') || has(app.root, 'button', 'Compare with checkpoint');
    expect(offered()).toBe(false);
    app.api.listMissingCheckpoints.mockResolvedValue({ ids: [] });
    app.port.emit('runState', { sessionId: 's1', state: 'idle', activity: null });
    await app.settle();
    expect(offered()).toBe(true);
    app.api.listMissingCheckpoints.mockResolvedValue({ ids: ['ckpt_1'] });
    app.api.planRestore.mockRejectedValueOnce(new RequestFailure('notFound', 'This checkpoint no longer exists.'));
    await press('Restore checkpoint');
    expect(offered()).toBe(false);
  });

  it('says in one line what the checkpoint does not hold, and nothing where it holds all', async () => {
    const leave = (count: number, unstableCount: number) => {
      const reasonOf = (index: number) => (index < count - unstableCount ? ('tooLarge' as const) : ('unstable' as const));
      const files = Array.from({ length: Math.min(count, 20) }, (_, index) => ({
        path: `${index}.bin`,
        reason: reasonOf(index),
      }));
      app.api.planRestore.mockResolvedValueOnce({ ...plan, leftOut: { count, unstableCount, files } });
    };
    app = await startApp({ log: log(), plan });
    await press('Restore checkpoint');
    expect(spokenText(region())).not.toMatch(/checkpoint$|in this checkpoint|changing/);
    for (const [count, unstableCount, line] of [
      [1, 0, '1 file is not in this checkpoint'],
      [1200, 0, '1,200 files are not in this checkpoint'],
      [100, 80, '20 files are not in this checkpoint · 80 files were changing while the checkpoint was taken'],
      [1, 1, '1 file was changing while the checkpoint was taken'],
      [2, 2, '2 files were changing while the checkpoint was taken'],
    ] as const) {
      leave(count, unstableCount);
      await press('Restore checkpoint');
      const button = get(app.root, 'button', line);
      expect(button.getAttribute('aria-expanded')).toBe('false');
    }
    await press('2 files were changing while the checkpoint was taken');
    expect(spokenText(region())).toMatch(/may be of no one moment\..* 0\.bin 1\.bin/);
  });

  it('shows the plan first, with what others have changed left out', async () => {
    app = await startApp({ log: log(), plan });
    await press('Restore checkpoint');
    expect(app.api.planRestore).toHaveBeenCalledWith({ sessionId: 's1', target: { kind: 'checkpoint', id: 'ckpt_1' } });
    expect(document.activeElement).toBe(region());
    const text = spokenText(region());
    expect(text).toContain('Restore to before “Do it”');
    expect(text).toMatch(/a\.ts.*is changed back/);
    expect(text).toMatch(/b\.ts.*comes back/);
    expect(text).toMatch(/c\.ts.*is deleted/);
    expect(text).toMatch(/d\.ts.*Changed since, by hand or by another chat/);
    expect(text).toMatch(/These stay as they are:.*e\.bin.*does not hold it/);
    expect(['a.ts is changed back', 'd.ts is changed back'].map(isChecked)).toEqual([true, false]);
    expect(app.api.restoreFiles).not.toHaveBeenCalled();
    await press('Compare a.ts');
    expect(app.api.compareFile).toHaveBeenCalledWith({
      file: '/w/a.ts',
      shown: 'a.ts',
      exists: true,
      hash: 'abc',
      isBase: false,
    });
  });

  it('restores what is chosen, and replaces a conflict only where it is', async () => {
    app = await startApp({ log: log(), plan });
    await press('Restore checkpoint');
    await choose('b.ts comes back');
    await choose('d.ts is changed back');
    await press('Restore 3 files');
    expect(app.api.restoreFiles).toHaveBeenCalledWith({
      sessionId: 's1',
      target: { kind: 'checkpoint', id: 'ckpt_1' },
      files: ['/w/a.ts', '/w/c.ts', '/w/d.ts'],
      overwrite: ['/w/d.ts'],
    });
    expect(has(app.root, 'region', 'Restore plan')).toBe(false);
  });

  it('says of each file what neither it nor its undo brings back, and what stays for a pipe', async () => {
    app = await startApp({ log: log() });
    const files = [
      file('a.ts', { loses: ['links', 'owner'] }),
      file('b.ts', { action: 'create', exists: false, loses: ['emptyFolder'] }),
      file('c.ts', { action: 'keep', reason: 'notAFile', exists: false }),
    ];
    app.api.planRestore.mockResolvedValueOnce({ ...plan, files });
    await press('Restore checkpoint');
    const about = (name: string) =>
      document.getElementById(get(app.root, 'checkbox', name).getAttribute('aria-describedby') ?? '');
    expect(about('a.ts is changed back')?.textContent).toBe(
      'Has other names (hard links), which stay as they are · Its owner, group or special mode bits cannot be brought back',
    );
    expect(about('b.ts comes back')?.textContent).toBe('An empty folder in its place is removed');
    expect(region().textContent).toContain('A pipe, a socket or a device is in its place');
  });

  it('takes all or none at once, but never a conflict', async () => {
    app = await startApp({ log: log(), plan });
    await press('Restore checkpoint');
    await choose('All that nobody else has changed');
    expect((get(app.root, 'button', 'Restore 0 files') as HTMLButtonElement).disabled).toBe(true);
    await choose('All that nobody else has changed');
    await press('Restore 3 files');
    expect(app.api.restoreFiles.mock.calls[0]?.[0].overwrite).toEqual([]);
  });

  it('is given up with Escape, and the focus goes back', async () => {
    app = await startApp({ log: log(), plan });
    get(app.root, 'button', 'Restore checkpoint').focus();
    await press('Restore checkpoint');
    await app.press('Escape');
    expect(has(app.root, 'region', 'Restore plan')).toBe(false);
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Restore checkpoint');
    expect(app.api.restoreFiles).not.toHaveBeenCalled();
  });

  it('says so where there is nothing to do, and keeps the plan where it fails', async () => {
    app = await startApp({
      log: log(),
      plan: { title: plan.title, files: [], leftOut: nothingLeftOut, uncovered: nothingUncovered },
    });
    await press('Restore checkpoint');
    expect(region().textContent).toContain('There is nothing to restore');
    await press('Close');
    app.api.planRestore.mockResolvedValueOnce(plan);
    app.api.restoreFiles.mockRejectedValueOnce(new Error('The agent is working in this workspace.'));
    await press('Restore checkpoint');
    await press('Restore 3 files');
    expect(has(app.root, 'region', 'Restore plan')).toBe(true);
    expect(app.root.textContent).toContain('The agent is working in this workspace.');
  });
});

describe('what a command changed', () => {
  function ran(count: number): TestLog {
    const entries = new TestLog();
    entries.user('Do it');
    entries.add('tool_call', '', { callId: 'c1', name: 'run_terminal_command', input: { command: 'make' }, label: 'make' });
    entries.add('tool_result', 'Exit code: 0', { callId: 'c1', name: 'run_terminal_command', status: 'success' });
    if (count === 0) return entries;
    const files = [
      { path: 'src/a.ts', status: 'modified' as const, lines: { additions: 4, deletions: 1 } },
      { path: 'logo.png', status: 'created' as const, lines: null },
    ].slice(0, count);
    const command = { callId: 'c1', before: 'ckpt_1', after: 'ckpt_2', files, count };
    entries.add('checkpoint', '', { kind: 'command_after', title: 'After command: make', command });
    return entries;
  }

  it('stands under its row and opens to the files, each and all to be compared', async () => {
    app = await startApp({ log: ran(2) });
    expect(has(app.root, 'list', 'Changed while the command ran')).toBe(false);
    await press('Changed 2 files');
    const list = get(app.root, 'list', 'Changed while the command ran');
    expect(all(list, 'listitem').map(spokenText)).toEqual(['modified src/a.ts 4 lines added, 1 removed', 'created logo.png']);
    await press('Review src/a.ts');
    await press('Compare before and after the command');
    const between = { sessionId: 's1', before: 'ckpt_1', after: 'ckpt_2' };
    expect(app.api.compareCommand.mock.calls).toEqual([[{ ...between, path: 'src/a.ts' }], [{ ...between, path: undefined }]]);
    await press('Changed 2 files');
    expect(has(app.root, 'list', 'Changed while the command ran')).toBe(false);
  });

  it('is counted where it is more than is listed, and is not there where it is nothing', async () => {
    app = await startApp({ log: ran(1234) });
    await press('Changed 1,234 files');
    expect(get(app.root, 'list', 'Changed while the command ran').textContent).toContain('and 1,232 more');
    app.wrapper.unmount();
    app = await startApp({ log: ran(0) });
    expect(app.root.textContent).not.toContain('Changed');
  });
});

describe('comparing with a checkpoint', () => {
  it('opens what has changed since', async () => {
    app = await startApp({ log: log() });
    await press('Compare with checkpoint');
    expect(app.api.compareWithCheckpoint).toHaveBeenCalledWith({ sessionId: 's1', checkpointId: 'ckpt_1' });
  });
});

const unapproved = (shown: string, more: Partial<UnapprovedFile> = {}): UnapprovedFile => ({
  ...{ path: `/w/${shown}`, shown, status: 'modified', lines: { additions: 2, deletions: 1 }, hash: 'abc' },
  ...more,
});
const workSession: WorkSession = {
  ...{ name: 'session_1', approvedCheckpointId: 'ckpt_0', lastApprovedAt: null, count: 3, earlier: [] },
  files: [
    unapproved('a.ts', { source: 'agent' }),
    unapproved('made.txt', { status: 'created', hash: null, source: 'command' }),
    unapproved('gone.txt', { status: 'deleted' }),
  ],
};
const pending: ChangedFileState = {
  ...{ path: '/w/a.ts', shown: 'a.ts', status: 'modified', lines: { additions: 2, deletions: 1 }, places: [1] },
};

describe('the work session', () => {
  const section = () => get(app.root, 'region', 'Work session');
  const rows = () => all(section(), 'listitem').map((row) => spokenText(row));
  const open = (count = 3) => press(`Work session: ${count} files since the last approval`);

  it('is closed by itself, apart from what waits for an answer, and lists files by who changed them', async () => {
    const files = [...workSession.files, unapproved('other.ts', { source: 'chat' })];
    app = await startApp({ log: log(), changed: [pending], workSession: { ...workSession, files, count: 4 } });
    expect(get(app.root, 'region', 'Files changed').textContent).toContain('1 file changed');
    expect(rows()).toEqual([]);
    await open(4);
    expect(all(section(), 'list').map((list) => [nameOf(list), spokenText(list)])).toEqual([
      ['Edited by this chat', expect.stringMatching(/modified.*a\.ts/)],
      ['Changed by commands of this chat', expect.stringMatching(/created.*made\.txt/)],
      ['Edited by other chats', expect.stringMatching(/modified.*other\.ts/)],
      ['Other changes in the workspace', expect.stringMatching(/deleted.*gone\.txt/)],
    ]);
    expect(has(app.root, 'button', 'Keep made.txt')).toBe(false);
    await press('Review gone.txt');
    expect(app.api.compareFile).toHaveBeenCalledWith({
      ...{ file: '/w/gone.txt', shown: 'gone.txt', exists: false, hash: 'abc', isBase: true },
    });
  });

  it('tells of the work sessions before it, and goes back to what was approved in one', async () => {
    const at = Date.UTC(2026, 0, 5);
    const earlier = [
      { name: 'session_2', outcome: 'reset' as const, closedAt: at, message: null, checkpointId: null },
      { name: 'session_1', outcome: 'approved' as const, closedAt: at, message: 'Form', checkpointId: 'ckpt_1' },
    ];
    app = await startApp({ log: log(), changed: [pending], workSession: { ...workSession, name: 'session_3', earlier } });
    await open();
    await press('Session 3 active');
    const items = all(get(app.root, 'list', 'Earlier work sessions'), 'listitem').map((item) => spokenText(item));
    expect(items).toEqual([expect.stringMatching(/^Session 2 reset /), expect.stringMatching(/^Session 1 approved /)]);
    expect(has(app.root, 'button', 'Restore what was approved in Session 2')).toBe(false);
    await press('Restore what was approved in Session 1');
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
    expect(rows()[3]).toMatch(/z\.txt/);
    expect(has(app.root, 'button', 'Show more (1)')).toBe(false);
    // What the extension tells by itself is of now.
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
    app.port.emit('changes', { sessionId: 's1', files: [] });
    await app.settle();
    expect(has(app.root, 'region', 'Files changed')).toBe(false);
    expect(nameOf(document.activeElement as Element)).toBe('Message');
    expect(spokenText(section())).toBe('Work session: 3 files since the last approval');
  });

  it('is reset by a plan', async () => {
    app = await startApp({ log: log(), workSession, plan });
    await open();
    await press('Reset to approved');
    expect(region().textContent).toContain('Reset to approved');
    await press('Restore 3 files');
    expect(app.api.restoreFiles.mock.calls[0]?.[0].target).toEqual({ kind: 'approved' });
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
    expect(['Approve session', 'Reset to approved'].map(isDisabled)).toEqual([true, true]);
  });

  it('says in the conversation what was approved', async () => {
    const entries = log();
    entries.add('review', '', { action: 'approve', scope: 'all', paths: ['a.ts', 'b.ts'], workSession: 'session_1' });
    app = await startApp({ log: entries });
    expect(get(app.root, 'article', 'Assistant').textContent).toContain('Approved 2 files');
    expect(has(app.root, 'button', 'Take back')).toBe(false);
  });

  it('is shown to be restored where a command asks for it', async () => {
    app = await startApp({ log: log(), plan });
    app.port.emit('restore', { target: { kind: 'approved' } });
    await app.settle();
    expect(has(app.root, 'region', 'Restore plan')).toBe(true);
  });
});

describe('a restore of all files from a message', () => {
  const whole: RestorePlan = {
    title: plan.title,
    files: [file('a.ts'), file('b.ts')],
    leftOut: nothingLeftOut,
    uncovered: nothingUncovered,
  };
  const restoredAll = (more: { undoes?: string; operationId?: string; fromSeq?: number }) => {
    const entries = log();
    const data = { targetCheckpointId: 'ckpt_1', paths: ['a.ts', 'b.ts'], title: plan.title, left: [] };
    entries.add('restore', '', { ...data, operationId: 'o1', ...more });
    return entries;
  };
  const bar = () => all(app.root, 'status').find((element) => element.textContent?.includes('estore') === true);

  it('undoes what was said since, one of a part of them does not', async () => {
    app = await startApp({ log: log(), plan: whole });
    const restore = { sessionId: 's1', target: { kind: 'checkpoint', id: 'ckpt_1' }, overwrite: [] };
    await press('Restore checkpoint');
    await choose('b.ts is changed back');
    await press('Restore 1 file');
    expect(app.api.restoreFiles).toHaveBeenLastCalledWith({ ...restore, files: ['/w/a.ts'] });
    await press('Restore checkpoint');
    await press('Restore 2 files');
    expect(app.api.restoreFiles).toHaveBeenLastCalledWith({ ...restore, files: ['/w/a.ts', '/w/b.ts'], fromSeq: 1 });
  });

  it('says so above the composer, with the way back, and dims what it has undone', async () => {
    const entries = restoredAll({ fromSeq: 1 });
    app = await startApp({ log: entries, plan: { ...whole, title: '' } });
    expect(bar()?.textContent).toContain('Restored 2 files to before “Do it”. The later messages are undone');
    expect(app.root.querySelectorAll('.turn.undone')).toHaveLength(1);
    expect(app.root.textContent).toContain('Undone by a restore. The model does not see this any more.');
    await press('Keep messages');
    expect(app.api.keepTurns).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', seq: 4 });
    expect(nameOf(document.activeElement as Element)).toBe('Message');
    await press('Undo restore');
    const target = { kind: 'restore', id: 'o1' };
    expect(app.api.restoreFiles.mock.lastCall?.[0]).toMatchObject({ target, files: ['/w/a.ts', '/w/b.ts'] });
    entries.add('restore', '', { targetCheckpointId: 'c', paths: ['a.ts', 'b.ts'], operationId: 'o2', undoes: 'o1', left: [] });
    await app.sendEntries(entries, 4);
    expect(app.root.querySelectorAll('.turn.undone')).toHaveLength(0);
    expect(bar()?.textContent).toContain('Undid the restore of 2 files');
    expect(has(app.root, 'button', 'Keep messages')).toBe(false);
    expect(has(app.root, 'button', 'Restore again')).toBe(true);
  });

  it('leaves the place above the composer with the next message, and what it has undone can still be kept', async () => {
    const entries = restoredAll({ fromSeq: 1 });
    entries.user('Something else');
    entries.add('assistant_output', 'Well.', { end: 'complete' });
    entries.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log: entries });
    expect(bar()).toBeUndefined();
    expect(app.root.querySelectorAll('.turn.undone')).toHaveLength(1);
    expect(['Undo restore', 'Keep messages'].map((name) => has(app.root, 'button', name))).toEqual([true, true]);
    entries.add('turns_kept', '', { restoreSeq: 4 });
    await app.sendEntries(entries, 7);
    expect(app.root.querySelectorAll('.turn.undone')).toHaveLength(0);
  });
});

describe('a restore in the conversation', () => {
  it('says what was restored and what was left, and is undone without a second word', async () => {
    app = await startApp({
      log: restored(log(), { operationId: 'o1' }),
      plan: { title: '', files: [file('a.ts'), file('b.ts')], leftOut: nothingLeftOut, uncovered: nothingUncovered },
    });
    const article = get(app.root, 'article', 'Assistant');
    expect(article.textContent).toContain('Restored 2 files to before “Do it”');
    expect(article.textContent).toContain('Left as they are: d.ts (changed since)');
    await press('Undo restore');
    const target = { kind: 'restore', id: 'o1' } as const;
    expect(app.api.restoreFiles).toHaveBeenCalledWith({
      ...{ sessionId: 's1', target, files: ['/w/a.ts', '/w/b.ts'], overwrite: [] },
    });
  });

  it('offers the Git history back that was saved before a command', async () => {
    const entries = log();
    entries.add('tool_call', '', { callId: 'c1', name: 'run_terminal_command', input: { command: 'git stash drop' } });
    entries.add('tool_result', 'ok', { callId: 'c1', name: 'run_terminal_command', status: 'success' });
    const command = { callId: 'c1', before: 'b', after: 'a', files: [], count: 0, kept: [{ id: 7, folder: 'lib' }] };
    entries.add('checkpoint', '', { kind: 'command_after', title: 'After', command });
    app = await startApp({ log: entries });
    expect(app.root.textContent).toContain('The Git history in “lib” was saved before this command.');
    await press('Restore Git history');
    expect(app.api.bringBackHistory).toHaveBeenCalledWith({ sessionId: 's1', id: 7 });
    expect(app.root.textContent).toContain('Restored as references in refs/ollama-copilot/kept-1/.');
    expect(has(app.root, 'button', 'Restore Git history')).toBe(false);
  });

  it('warns of a Git history that could not be saved before a command', async () => {
    const entries = log();
    entries.add('tool_call', '', { callId: 'c1', name: 'run_terminal_command', input: { command: 'git stash drop' } });
    entries.add('tool_result', 'ok', { callId: 'c1', name: 'run_terminal_command', status: 'success' });
    const command = { callId: 'c1', before: 'b', after: 'a', files: [], count: 0, unkept: ['lib'] };
    entries.add('checkpoint', '', { kind: 'command_after', title: 'After', command });
    app = await startApp({ log: entries });
    expect(app.root.textContent).toContain('The Git history in “lib” could not be saved before this command.');
    expect(app.root.textContent).not.toContain('not covered');
  });

  it('says in the plan and in the result which Git histories and left-out files no checkpoint holds', async () => {
    const uncovered = {
      histories: [
        { folder: '.', isGone: false },
        { folder: 'lib', isGone: true },
      ],
      gone: ['notes/2024.log'],
      goneCount: 5,
    };
    const entries = log();
    entries.add('restore', '', { targetCheckpointId: 'ckpt_1', paths: ['a.ts'], uncovered, operationId: 'o1' });
    app = await startApp({ log: entries, plan: { ...plan, files: [], uncovered } });
    const says = [
      'The Git history in “lib” is gone. Checkpoints do not cover Git history, so a restore does not bring it back.',
      'Gone, and not in any checkpoint because of the ignore rules: “notes/2024.log”, 4 more',
      'The Git history in “.” is not covered by checkpoints.',
    ];
    for (const text of says) expect(get(app.root, 'article', 'Assistant').textContent).toContain(text);
    await press('Restore checkpoint');
    for (const text of says) expect(region().textContent).toContain(text);
  });

  it('is not offered to be undone where the checkpoint before it is gone, also since the settings page was opened', async () => {
    const again = restored(restored(log(), { operationId: 'o1' }), { operationId: 'o2', undoes: 'o1' });
    app = await startApp({ log: again, missing: ['o2'] });
    expect(has(app.root, 'button', 'Restore again')).toBe(false);
    expect(get(app.root, 'article', 'Assistant').textContent).toContain('Undid the restore of 2 files');
    app.wrapper.unmount();
    app = await startApp({ log: restored(log(), { operationId: 'o1' }) });
    expect(has(app.root, 'button', 'Undo restore')).toBe(true);
    app.api.listMissingCheckpoints.mockResolvedValue({ ids: ['o1'] });
    app.port.emit('navigate', { page: 'settings' });
    await app.settle();
    await app.press('Escape');
    expect(has(app.root, 'button', 'Undo restore')).toBe(false);
    expect(has(app.root, 'button', 'Restore checkpoint')).toBe(true);
  });

  it('asks before it is undone where something has changed since', async () => {
    app = await startApp({ log: restored(log(), { operationId: 'o1' }), plan });
    await press('Undo restore');
    expect(has(app.root, 'region', 'Restore plan')).toBe(true);
    expect(app.api.restoreFiles).not.toHaveBeenCalled();
  });

  it('that was undone says so, and can be done again', async () => {
    app = await startApp({ log: restored(restored(log(), { operationId: 'o1' }), { operationId: 'o2', undoes: 'o1' }) });
    const article = get(app.root, 'article', 'Assistant');
    expect(article.textContent).toContain('undone');
    expect(article.textContent).toContain('Undid the restore of 2 files');
    expect(has(app.root, 'button', 'Undo restore')).toBe(false);
    await press('Restore again');
    expect(app.api.planRestore).toHaveBeenCalledWith({ sessionId: 's1', target: { kind: 'restore', id: 'o2' } });
  });
});
