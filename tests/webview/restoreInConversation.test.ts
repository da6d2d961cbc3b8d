import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RestorePlan } from '../../src/protocol/restore';
import { nothingLeftOut, nothingUncovered, startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { file, log, plan } from './support/restorePlan';
import { all, get, has, nameOf } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

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

describe('an answer that is replaced', () => {
  it('says before and after that its changes stay in the files, and restores the state before the first one', async () => {
    const entries = new TestLog();
    entries.user('Do it').checkpointId = 'ckpt_1';
    entries.call('c1', 'write_file', { path: 'a.ts' });
    const hashes = { beforeHash: null, afterHash: null };
    const change = { operation: 'create' as const, diff: '', additions: 1, deletions: 0 };
    entries.add('file_edit', '', { ...hashes, ...change, callId: 'c1', path: 'a.ts' });
    entries.add('tool_result', 'Written.', { callId: 'c1', name: 'write_file', status: 'success' });
    entries.add('assistant_output', 'Done.', { end: 'complete' });
    entries.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log: entries, plan });
    const hint = 'Retry. Removes this answer from the chat. Files are not changed.';
    expect(get(app.root, 'button', 'Retry').title).toBe(hint);
    const still = 'The changes from the replaced answer are still in the files.';
    expect(app.root.textContent).not.toContain(still);
    const before = entries.entries.length;
    entries.add('rewind', '', { fromSeq: 1 });
    entries.user('Do it').checkpointId = 'ckpt_2';
    entries.add('run_end', '', { outcome: 'done' });
    await app.sendEntries(entries, before + 1);
    expect(app.root.textContent).toContain(still);
    expect(get(app.root, 'button', 'Retry').title).toBe('Retry');
    await press('Restore checkpoint');
    expect(app.api.planRestore).toHaveBeenCalledWith({ sessionId: 's1', target: { kind: 'checkpoint', id: 'ckpt_1' } });
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
    await choose('b.ts will be reverted');
    await press('Restore 1 file');
    expect(app.api.restoreFiles).toHaveBeenLastCalledWith({ ...restore, files: ['/w/a.ts'] });
    await press('Restore checkpoint');
    await press('Restore 2 files');
    expect(app.api.restoreFiles).toHaveBeenLastCalledWith({ ...restore, files: ['/w/a.ts', '/w/b.ts'], fromSeq: 1 });
  });

  it('says so above the composer, with the way back, and dims what it has undone', async () => {
    const entries = restoredAll({ fromSeq: 1 });
    app = await startApp({ log: entries, plan: { ...whole, title: '' } });
    expect(bar()?.textContent).toContain('Restored 2 files to the state before “Do it”. Later messages are no longer sent');
    expect(app.root.querySelectorAll('.turn.undone')).toHaveLength(1);
    expect(app.root.textContent).toContain('Undone by a restore. No longer sent to the model.');
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

  it('can be dismissed above the composer, and is then undone in the chat', async () => {
    app = await startApp({ log: restoredAll({ fromSeq: 1 }), plan: { ...whole, title: '' } });
    await press('Dismiss');
    expect(bar()).toBeUndefined();
    expect(nameOf(document.activeElement as Element)).toBe('Message');
    expect(['Undo restore', 'Keep messages'].map((name) => has(app.root, 'button', name))).toEqual([true, true]);
  });

  it('is only in the chat where nothing can be done about it', async () => {
    app = await startApp({ log: restoredAll({ undoes: 'o0' }), missing: ['o1'] });
    expect(bar()).toBeUndefined();
    expect(get(app.root, 'article', 'Assistant').textContent).toContain('Undid the restore of 2 files');
  });

  it('leaves out the full stop of the message that it names', async () => {
    const title = 'Before user message: Add tests.';
    const entries = log();
    const data = { targetCheckpointId: 'ckpt_1', paths: ['a.ts', 'b.ts'], title, left: [], operationId: 'o1' };
    entries.add('restore', '', { ...data, fromSeq: 1 });
    app = await startApp({ log: entries });
    expect(bar()?.textContent).toContain('the state before “Add tests”. Later messages');
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
    expect(article.textContent).toContain('Restored 2 files to the state before “Do it”');
    expect(article.textContent).toContain('Not restored: d.ts (changed since then)');
    await press('Undo restore');
    const target = { kind: 'restore', id: 'o1' } as const;
    expect(app.api.restoreFiles).toHaveBeenCalledWith({
      sessionId: 's1',
      target,
      files: ['/w/a.ts', '/w/b.ts'],
      overwrite: [],
    });
  });

  it('says which files it deleted', async () => {
    const entries = log();
    const data = { targetCheckpointId: 'ckpt_1', left: [] };
    entries.add('restore', '', { ...data, title: 'Initial state', paths: ['a.md'], deleted: ['a.md'], operationId: 'o1' });
    entries.add('restore', '', { ...data, title: plan.title, paths: ['b.ts', 'c.ts'], deleted: ['c.ts'], operationId: 'o2' });
    app = await startApp({ log: entries });
    const { textContent } = get(app.root, 'article', 'Assistant');
    expect(textContent).toContain('Deleted a.md');
    expect(textContent).not.toContain('Restored a.md');
    expect(textContent).toContain('Restored 2 files to the state before “Do it” (c.ts deleted)');
  });

  it('offers the Git history back that was saved before a command', async () => {
    const entries = log();
    entries.add('tool_call', '', { callId: 'c1', name: 'run_terminal_command', input: { command: 'git stash drop' } });
    entries.add('tool_result', 'ok', { callId: 'c1', name: 'run_terminal_command', status: 'success' });
    const command = { callId: 'c1', before: 'b', after: 'a', files: [], count: 0, kept: [{ id: 7, folder: 'lib' }] };
    entries.add('checkpoint', '', { kind: 'command_after', title: 'After', command });
    app = await startApp({ log: entries });
    expect(app.root.textContent).toContain('The Git history in “lib” was saved before this command.');
    await press('Restore Git history in “lib”');
    expect(app.api.bringBackHistory).toHaveBeenCalledWith({ sessionId: 's1', id: 7 });
    expect(app.root.textContent).toContain('Restored as references in refs/ollama-copilot/kept-1/.');
    expect(has(app.root, 'button', 'Restore Git history in “lib”')).toBe(false);
  });

  it('names the part of a Git history that was not saved, and where data went that Git refused', async () => {
    const entries = log();
    entries.add('tool_call', '', { callId: 'c1', name: 'run_terminal_command', input: { command: 'rm -rf .git/objects' } });
    entries.add('tool_result', 'ok', { callId: 'c1', name: 'run_terminal_command', status: 'success' });
    const kept = [{ id: 8, folder: 'app', part: 'lfs' as const }];
    const uncovered = { histories: ['app', 'lib'].map((folder) => ({ folder, isGone: true })), gone: [], goneCount: 0 };
    const command = { callId: 'c1', before: 'b', after: 'a', files: [], count: 0, kept, uncovered };
    entries.add('checkpoint', '', { kind: 'command_after', title: 'After', command });
    app = await startApp({ log: entries });
    expect(app.root.textContent).toContain('The Git history in “app” was saved before this command, except for Git LFS files.');
    expect(app.root.textContent).toContain('The Git history in “lib” no longer exists.');
    vi.mocked(app.api.bringBackHistory).mockResolvedValueOnce({ place: null, previous: '/w/app/.git/before' });
    await press('Restore Git history in “app”');
    expect(app.root.textContent).toContain('Restored the repository. The previous content was moved to /w/app/.git/before.');
  });

  it('names the files of no checkpoint that a command deleted, below the command', async () => {
    const entries = log();
    entries.add('tool_call', '', { callId: 'c1', name: 'run_terminal_command', input: { command: 'rm -r notes' } });
    entries.add('tool_result', 'ok', { callId: 'c1', name: 'run_terminal_command', status: 'success' });
    const uncovered = { histories: [], gone: ['notes/2024.log'], goneCount: 3 };
    const command = { callId: 'c1', before: 'b', after: 'a', files: [], count: 0, uncovered };
    entries.add('checkpoint', '', { kind: 'command_after', title: 'After', command });
    app = await startApp({ log: entries });
    expect(get(app.root, 'article', 'Assistant').textContent).toContain(
      'Deleted and not in any checkpoint, because of ignore rules: “notes/2024.log”, 2 more',
    );
  });

  it('warns of a Git history that could not be saved before a command', async () => {
    const entries = log();
    entries.add('tool_call', '', { callId: 'c1', name: 'run_terminal_command', input: { command: 'git stash drop' } });
    entries.add('tool_result', 'ok', { callId: 'c1', name: 'run_terminal_command', status: 'success' });
    const command = { callId: 'c1', before: 'b', after: 'a', files: [], count: 0, unkept: ['lib'] };
    entries.add('checkpoint', '', { kind: 'command_after', title: 'After', command });
    app = await startApp({ log: entries });
    expect(app.root.textContent).toContain('Could not save the Git history in “lib” before this command.');
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
      'The Git history in “lib” no longer exists. Checkpoints do not include Git history, so a restore cannot recover it.',
      'Deleted and not in any checkpoint, because of ignore rules: “notes/2024.log”, 4 more',
      'A restore does not change Git commits or branches.',
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

  it('names what the plan does', async () => {
    app = await startApp({ log: restored(log(), { operationId: 'o1' }), plan });
    await press('Undo restore');
    expect(has(app.root, 'heading', 'Undo restore')).toBe(true);
    app.wrapper.unmount();
    app = await startApp({ log: restored(restored(log(), { operationId: 'o1' }), { operationId: 'o2', undoes: 'o1' }), plan });
    await press('Restore again');
    expect(has(app.root, 'heading', 'Restore again')).toBe(true);
  });

  it('that was undone and restored again says both', async () => {
    const twice = restored(restored(log(), { operationId: 'o1' }), { operationId: 'o2', undoes: 'o1' });
    app = await startApp({ log: restored(twice, { operationId: 'o3', undoes: 'o2' }) });
    expect(get(app.root, 'article', 'Assistant').textContent).toContain('Undid the restore of 2 files – restored again');
    expect(get(app.root, 'article', 'Assistant').textContent).toContain('Restored 2 files again');
    expect([has(app.root, 'button', 'Undo restore'), has(app.root, 'button', 'Restore again')]).toEqual([true, false]);
  });

  it('that was undone for one file says so, and can be undone for the other', async () => {
    const entries = restored(log(), { operationId: 'o1' });
    entries.add('restore', '', { targetCheckpointId: 'c', paths: ['a.ts'], operationId: 'o2', undoes: 'o1', left: [] });
    app = await startApp({ log: entries });
    const article = get(app.root, 'article', 'Assistant');
    expect(article.textContent).toContain('Restored 2 files to the state before “Do it” – 1 of 2 files undone');
    await press('Undo restore');
    expect(app.api.planRestore).toHaveBeenCalledWith({ sessionId: 's1', target: { kind: 'restore', id: 'o1' } });
  });

  it('that was undone says so, and can be done again', async () => {
    app = await startApp({ log: restored(restored(log(), { operationId: 'o1' }), { operationId: 'o2', undoes: 'o1' }) });
    const article = get(app.root, 'article', 'Assistant');
    expect(article.textContent).toContain('Restored 2 files to the state before “Do it” – undone');
    expect(article.textContent).toContain('Undid the restore of 2 files');
    expect(article.textContent).not.toContain('Undid the restore of 2 files –');
    expect(has(app.root, 'button', 'Undo restore')).toBe(false);
    await press('Restore again');
    expect(app.api.planRestore).toHaveBeenCalledWith({ sessionId: 's1', target: { kind: 'restore', id: 'o2' } });
  });
});
