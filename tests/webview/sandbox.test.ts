import { afterEach, describe, expect, it } from 'vitest';
import type { RestorePlan } from '../../src/protocol/restore';
import type { SandboxEvents } from '../../src/protocol/toolFacts';
import { nothingLeftOut, nothingUncovered, startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const press = async (name: string) => {
  get(app.root, 'button', name).click();
  await app.settle();
};

function ran(sandbox: SandboxEvents | undefined): TestLog {
  const log = new TestLog();
  log.user('Do it');
  log.add('tool_call', '', { callId: 'c1', name: 'run_terminal_command', input: { command: 'make' }, label: 'make' });
  const status = { callId: 'c1', name: 'run_terminal_command', status: 'success' as const };
  log.add('tool_result', 'Exit code: 0', { ...status, ...(sandbox && { sandbox }) });
  const files = [{ path: 'src/a.ts', status: 'modified' as const, lines: { additions: 4, deletions: 1 } }];
  const command = { callId: 'c1', before: 'ckpt_1', after: 'ckpt_2', files, count: 1 };
  log.add('checkpoint', '', { kind: 'command_after', title: 'After command: make', command });
  return log;
}

describe('the row of a command', () => {
  it('shows that it ran in the sandbox, what was denied and what was restored', async () => {
    const denials = [
      { kind: 'network' as const, target: 'a.example' },
      { kind: 'network' as const, target: null },
      { kind: 'write' as const, target: '/etc/x' },
    ];
    app = await startApp({ log: ran({ denials, reverted: ['lib/.git/config'] }) });
    const text = spokenText(app.root);
    expect(text).toContain('Ran in the sandbox');
    expect(text).toContain('The sandbox denied: network access to a.example, network access, writing /etc/x');
    expect(text).toContain('The sandbox restored: lib/.git/config');
  });

  it('shows the shield alone where nothing was denied, and nothing where it ran outside', async () => {
    app = await startApp({ log: ran({ denials: [], reverted: [] }) });
    expect([spokenText(app.root).includes('Ran in the sandbox'), app.root.textContent?.includes('denied')]).toEqual([
      true,
      false,
    ]);
    app.wrapper.unmount();
    app = await startApp({ log: ran(undefined) });
    expect(spokenText(app.root)).not.toContain('sandbox');
  });

  const file = { file: '/work/src/a.ts', shown: 'src/a.ts', action: 'write', reason: null, exists: true, hash: 'a' } as const;
  const plan = (files: RestorePlan['files']): RestorePlan => ({
    title: 'Before command: make',
    files,
    leftOut: nothingLeftOut,
    uncovered: nothingUncovered,
  });

  it('undoes the command at once where nothing changed its files since', async () => {
    app = await startApp({ log: ran(undefined) });
    app.api.planCommandUndo.mockResolvedValueOnce(plan([file]));
    await press('Undo command');
    expect(app.api.planCommandUndo).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', before: 'ckpt_1', after: 'ckpt_2' });
    expect(app.api.restoreFiles).toHaveBeenCalledExactlyOnceWith({
      sessionId: 's1',
      target: { kind: 'checkpoint', id: 'ckpt_1' },
      files: ['/work/src/a.ts'],
      overwrite: [],
      undoneCall: 'c1',
    });
  });

  it('says that the changes were undone, without the button, until that is undone', async () => {
    const log = ran(undefined);
    const restored = { targetCheckpointId: 'ckpt_1', paths: ['src/a.ts'], title: 'Before command: make', left: [] };
    log.add('restore', '', { ...restored, operationId: 'o1', undoneCall: 'c1' });
    app = await startApp({ log });
    expect(app.root.textContent).toContain('Changed 1 file – undone');
    expect(app.root.textContent).not.toContain('+4');
    expect(app.root.textContent).toContain('Undid the changes of the command “make” to src/a.ts');
    expect(has(app.root, 'button', 'Undo command')).toBe(false);
    const entry = log.add('restore', '', { ...restored, operationId: 'o2', undoes: 'o1' });
    app.port.emit('log', { kind: 'entry', sessionId: 's1', revision: entry.revision, entry });
    await app.settle();
    expect(app.root.textContent).toContain('+4');
    expect(has(app.root, 'button', 'Undo command')).toBe(true);
  });

  it('is named where only some of its changes were undone', async () => {
    const log = ran(undefined);
    const restored = { targetCheckpointId: 'ckpt_1', paths: ['src/a.ts'], deleted: ['src/a.ts'], title: 'Before command: make' };
    log.add('restore', '', { ...restored, left: [], operationId: 'o1' });
    app = await startApp({ log });
    expect(app.root.textContent).toContain('Restored src/a.ts to the state before the command “make” (src/a.ts deleted)');
    expect(has(app.root, 'button', 'Undo command')).toBe(true);
  });

  it('keeps the focus in the row when the pressed button goes', async () => {
    const log = ran(undefined);
    app = await startApp({ log });
    app.api.planCommandUndo.mockResolvedValueOnce(plan([file]));
    get(app.root, 'button', 'Undo command').focus();
    await press('Undo command');
    const data = { targetCheckpointId: 'ckpt_1', paths: ['src/a.ts'], title: 'Before command: make', left: [] };
    const entry = log.add('restore', '', { ...data, operationId: 'o1', undoneCall: 'c1' });
    app.port.emit('log', { kind: 'entry', sessionId: 's1', revision: entry.revision, entry });
    await app.settle();
    expect(document.activeElement?.textContent).toContain('Changed 1 file');
  });

  it('shows the plan first where a file changed again since', async () => {
    app = await startApp({ log: ran(undefined) });
    app.api.planCommandUndo.mockResolvedValueOnce(plan([file, { ...file, action: 'conflict', reason: 'changedSince' }]));
    await press('Undo command');
    expect(has(app.root, 'region', 'Restore plan')).toBe(true);
    expect(has(app.root, 'heading', 'Undo the changes of the command “make”')).toBe(true);
    expect(app.api.restoreFiles).not.toHaveBeenCalled();
  });
});

describe('a command that the sandbox blocked', () => {
  const denial = { kind: 'network', target: 'a.example' } as const;
  async function ask(host: string | null) {
    const log = new TestLog();
    log.user('Install it');
    log.call('c1', 'run_terminal_command', { command: 'npm install' });
    app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
    log.add('approval', '', {
      approvalId: 'a1',
      callId: 'c1',
      phase: 'requested',
      kind: 'command',
      command: 'npm install',
      cwd: '.',
      severity: 'medium',
      reasons: ['the sandbox denied: network access to a.example'],
      sandbox: { denials: [denial], host },
    });
    await app.sendEntries(log, 2);
    return get(app.root, 'group', 'Approve access that the sandbox blocked');
  }

  it('offers the host first, then to skip, and to run it outside once', async () => {
    const card = await ask('a.example');
    const buttons = all(card, 'button');
    expect(buttons.map((button) => [nameOf(button), button.classList.contains('primary')])).toEqual([
      ['Allow a.example for this session', true],
      ['Skip', false],
      ['Run outside the sandbox once', false],
    ]);
    expect(spokenText(card)).toContain('npm install');
    expect(spokenText(card)).toContain('medium risk');
    expect(all(app.root, 'status').map(spokenText).join()).toContain('The sandbox blocked a command: npm install.');
    await press('Allow a.example for this session');
    const answer = { sessionId: 's1', approvalId: 'a1', approve: true, host: true };
    expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith(answer);
  });

  it('skips with Escape and by default without a host, and no key runs it outside', async () => {
    const card = await ask(null);
    expect(all(card, 'button').map((button) => [nameOf(button), button.classList.contains('primary')])).toEqual([
      ['Skip', true],
      ['Run outside the sandbox once', false],
    ]);
    app.pass(500);
    for (const place of [get(card, 'button', 'Skip'), get(app.root, 'textbox', 'Message')]) {
      place.focus();
      await app.press('Enter', { ctrlKey: true });
    }
    expect(app.api.decideApproval).not.toHaveBeenCalled();
    get(card, 'button', 'Skip').focus();
    await app.press('Escape');
    expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', approvalId: 'a1', approve: false });
  });

  it('runs outside the sandbox when that is pressed', async () => {
    await ask('a.example');
    await press('Run outside the sandbox once');
    expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', approvalId: 'a1', approve: true });
  });
});
