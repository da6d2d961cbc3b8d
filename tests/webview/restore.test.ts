import { afterEach, describe, expect, it } from 'vitest';
import { RequestFailure } from '../../src/protocol/rpc';
import { nothingLeftOut, nothingUncovered, startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { file, log, plan } from './support/restorePlan';
import { all, get, has, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

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
      [100, 80, '20 files are not in this checkpoint · 80 files changed while the checkpoint was created'],
      [1, 1, '1 file changed while the checkpoint was created'],
      [2, 2, '2 files changed while the checkpoint was created'],
    ] as const) {
      leave(count, unstableCount);
      await press('Restore checkpoint');
      const button = get(app.root, 'button', line);
      expect(button.getAttribute('aria-expanded')).toBe('false');
    }
    await press('2 files changed while the checkpoint was created');
    expect(spokenText(region())).toMatch(/may be inconsistent\..* 0\.bin 1\.bin/);
  });

  it('says why a folder with a storage of chats is not in the checkpoint', async () => {
    const leftOut = { count: 1, unstableCount: 0, files: [{ path: 'chats', reason: 'storage' as const }] };
    app = await startApp({ log: log(), plan: { ...plan, leftOut } });
    await press('Restore checkpoint');
    await press('1 file is not in this checkpoint');
    expect(spokenText(region())).toMatch(
      /contains chats and checkpoints of Ollama Copilot, so checkpoints leave it out\..* chats/,
    );
  });

  it('shows the plan first, with what others have changed left out', async () => {
    app = await startApp({ log: log(), plan });
    await press('Restore checkpoint');
    expect(app.api.planRestore).toHaveBeenCalledWith({ sessionId: 's1', target: { kind: 'checkpoint', id: 'ckpt_1' } });
    expect(document.activeElement).toBe(region());
    const text = spokenText(region());
    expect(text).toContain('Restore the state before “Do it”');
    expect(text).toMatch(/a\.ts.*will be reverted/);
    expect(text).toMatch(/b\.ts.*will be created/);
    expect(text).toMatch(/c\.ts.*will be deleted/);
    expect(text).toMatch(/Not restored:.*e\.bin.*Not in the checkpoint/);
    expect(['a.ts will be reverted', 'd.ts will be reverted'].map(isChecked)).toEqual([true, false]);
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

  it('says how many of your edits are left if all else is restored', async () => {
    const byHand = { action: 'conflict', reason: 'changedSince', isByHand: true } as const;
    app = await startApp({ log: log(), plan: { ...plan, files: [file('a.ts'), file('c.ts', byHand), file('d.ts', byHand)] } });
    await press('Restore checkpoint');
    const left = () => get(region(), 'status').textContent;
    expect(left()).toBe('2 files edited by you will not be restored.');
    await choose('d.ts will be reverted');
    expect(left()).toBe('1 file edited by you will not be restored.');
    await choose('All files edited by you');
    expect(left()).toBe('');
  });

  it('shows your edits in a group of their own, with a selection, and says how many are left', async () => {
    const byHand = { action: 'conflict', isByHand: true } as const;
    const files = [
      file('a.ts'),
      file('b.ts', { action: 'conflict', reason: 'changedSince' }),
      file('c.ts', { ...byHand, reason: 'changedSince' }),
      file('d.ts', { ...byHand, reason: 'unsaved' }),
    ];
    app = await startApp({ log: log(), plan: { ...plan, files } });
    await press('Restore checkpoint');
    const rowsOf = (name: string) => all(get(app.root, 'list', name), 'listitem').map(spokenText);
    const left = () => get(region(), 'status').textContent;
    expect(rowsOf('Edited by you')).toEqual([
      'c.ts will be reverted',
      'd.ts will be reverted Has unsaved changes, which will be saved first',
    ]);
    expect(rowsOf('Other files')).toEqual([
      'b.ts will be reverted Changed again since then by this or another chat',
      'a.ts will be reverted',
    ]);
    expect(left()).toBe('3 of 4 files will not be restored.');
    await choose('d.ts will be reverted');
    await choose('All files edited by you');
    expect(left()).toBe('1 of 4 files will not be restored.');
    await press('Restore 3 files');
    expect(app.api.restoreFiles.mock.calls[0]?.[0]).toMatchObject({
      files: ['/w/a.ts', '/w/d.ts', '/w/c.ts'],
      overwrite: ['/w/c.ts', '/w/d.ts'],
    });
  });

  it('shows no group of your edits where there are none', async () => {
    app = await startApp({ log: log(), plan: { ...plan, files: [file('a.ts')] } });
    await press('Restore checkpoint');
    expect(spokenText(region())).not.toMatch(/Edited by you|Other files/);
    expect(has(region(), 'status')).toBe(false);
  });

  it('restores what is chosen, and replaces a conflict only where it is', async () => {
    app = await startApp({ log: log(), plan });
    await press('Restore checkpoint');
    await choose('b.ts will be created');
    await choose('d.ts will be reverted');
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
    expect(about('a.ts will be reverted')?.textContent).toBe(
      'Other hard links to this file are not changed · Owner, group or special permissions cannot be restored',
    );
    expect(about('b.ts will be created')?.textContent).toBe('The empty folder at this path will be deleted');
    expect(region().textContent).toContain('The path is now a pipe, a socket or a device');
  });

  it('takes all or none at once, but never a conflict', async () => {
    app = await startApp({ log: log(), plan });
    await press('Restore checkpoint');
    await choose('All files without conflicts');
    expect((get(app.root, 'button', 'Restore 0 files') as HTMLButtonElement).disabled).toBe(true);
    await choose('All files without conflicts');
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

  it('names the folders of the checkpoint that are not open', async () => {
    const closedFolders = ['/home/me/old'];
    app = await startApp({ log: log(), plan: { ...plan, files: [], closedFolders } });
    await press('Restore checkpoint');
    expect(region().textContent).toContain('No files differ in the open folders.');
    expect(region().textContent).toContain('folders that are not open: “/home/me/old”.');
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
    expect(has(app.root, 'list', 'Changes while the command was running')).toBe(false);
    await press('Changed 2 files');
    const list = get(app.root, 'list', 'Changes while the command was running');
    expect(all(list, 'listitem').map(spokenText)).toEqual(['modified src/a.ts 4 lines added, 1 removed', 'created logo.png']);
    await press('Review src/a.ts');
    await press('Compare before and after the command');
    const between = { sessionId: 's1', before: 'ckpt_1', after: 'ckpt_2' };
    expect(app.api.compareCommand.mock.calls).toEqual([[{ ...between, path: 'src/a.ts' }], [{ ...between, path: undefined }]]);
    await press('Changed 2 files');
    expect(has(app.root, 'list', 'Changes while the command was running')).toBe(false);
  });

  it('is counted where it is more than is listed, and is not there where it is nothing', async () => {
    app = await startApp({ log: ran(1234) });
    await press('Changed 1,234 files');
    expect(get(app.root, 'list', 'Changes while the command was running').textContent).toContain('and 1,232 more');
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

  it('is closed when a message is sent after it, as its files may change', async () => {
    const entries = log();
    app = await startApp({ log: entries, plan });
    await press('Restore checkpoint');
    expect(has(app.root, 'region', 'Restore plan')).toBe(true);
    app.port.emit('runState', { sessionId: 's1', state: 'idle', activity: null });
    await app.settle();
    expect(has(app.root, 'region', 'Restore plan')).toBe(true);
    const entry = entries.user('Go on');
    app.port.emit('log', { kind: 'entry', sessionId: 's1', revision: entries.revision, entry });
    await app.settle();
    expect(has(app.root, 'region', 'Restore plan')).toBe(false);
    await press('Restore checkpoint');
    expect(has(app.root, 'region', 'Restore plan')).toBe(true);
  });
});
