import { afterEach, describe, expect, it } from 'vitest';
import { settings, startApp, tools, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, descriptionOf, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

function talk(): TestLog {
  const log = new TestLog();
  log.user('Start the server');
  log.add('run_end', '', { outcome: 'done' });
  return log;
}

describe('commands in the background', () => {
  const commands = [
    { id: 'terminal-1', command: 'npm run dev' },
    { id: 'terminal-2', command: 'tsc --watch' },
  ];

  it('are listed while they run, and end by a button, after which the focus is where one writes', async () => {
    app = await startApp({ log: talk(), background: commands });
    const list = get(app.root, 'list', 'Running in the background');
    expect(all(list, 'listitem').map(spokenText)).toEqual(['npm run dev', 'tsc --watch']);
    get(list, 'button', 'Stop tsc --watch').click();
    await app.settle();
    expect(app.api.stopBackground).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', id: 'terminal-2' });
    expect(nameOf(document.activeElement as Element)).toBe('Message');
  });

  it('come and go with what the extension tells of this session', async () => {
    app = await startApp({ log: talk() });
    expect(has(app.root, 'list', 'Running in the background')).toBe(false);
    app.port.emit('background', { sessionId: 'another', commands });
    await app.settle();
    expect(has(app.root, 'list', 'Running in the background')).toBe(false);
    app.port.emit('background', { sessionId: 's1', commands });
    await app.settle();
    expect(all(get(app.root, 'list', 'Running in the background'), 'listitem').length).toBe(2);
    app.port.emit('background', { sessionId: 's1', commands: [] });
    await app.settle();
    expect(has(app.root, 'list', 'Running in the background')).toBe(false);
  });
});

describe('what runs without a question', () => {
  const none = { commands: false, sandbox: false, hosts: [], sensitiveEdits: false, allowedCommands: [], files: [] };
  const openTools = async () => {
    get(app.root, 'button', 'Tools').click();
    await app.settle();
    return get(app.root, 'group', 'Auto-approve and tools');
  };

  it('is chosen under Tools, shown as a chip while it is on, and taken back there', async () => {
    app = await startApp({ log: talk() });
    expect(has(app.root, 'button', 'Ask before read-only commands again')).toBe(false);
    const tools = await openTools();
    get(tools, 'radio', 'Run read-only commands').click();
    await app.settle();
    expect(app.api.changeGrants).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', commands: true, sandbox: false });
    app.port.emit('grants', { sessionId: 's1', grants: { ...none, commands: true, sensitiveEdits: true } });
    await app.settle();
    get(app.root, 'button', 'Ask before sensitive edits again').click();
    get(app.root, 'button', 'Ask before read-only commands again').click();
    await app.settle();
    expect(app.api.changeGrants.mock.calls.slice(1).map(([change]) => change)).toEqual([
      { sessionId: 's1', sensitiveEdits: false },
      { sessionId: 's1', commands: false },
    ]);
  });

  it('is the sandbox by one choice of three, with a chip for the level and for each host', async () => {
    app = await startApp({ log: talk() });
    const picker = await openTools();
    const levels = () => (all(picker, 'radio') as HTMLInputElement[]).map((one) => [nameOf(one), one.checked, one.disabled]);
    expect(levels()).toEqual([
      ['Ask', true, false],
      ['Run read-only commands', false, false],
      ['Run in the sandbox', false, false],
    ]);
    get(picker, 'radio', 'Run in the sandbox').click();
    await app.settle();
    expect(app.api.changeGrants).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', commands: false, sandbox: true });
    expect(levels()[0]).toEqual(['Ask', true, false]);
    const hosts = ['registry.example', 'files.example'];
    app.port.emit('grants', { sessionId: 's1', grants: { ...none, sandbox: true, hosts } });
    await app.settle();
    expect(levels()[2]).toEqual(['Run in the sandbox', true, false]);
    expect(spokenText(app.root)).toContain('Without asking: commands in the sandbox');
    get(app.root, 'button', 'Stop allowing registry.example').click();
    get(app.root, 'button', 'Require approval for commands').click();
    await app.settle();
    expect(app.api.changeGrants.mock.calls.slice(1).map(([change]) => change)).toEqual([
      { sessionId: 's1', hosts: ['files.example'] },
      { sessionId: 's1', sandbox: false },
    ]);
  });

  it('cannot be the sandbox where it does not start: the choice names the reason and what to install', async () => {
    const state = { isAvailable: false, reason: 'bubblewrap is missing.', fix: 'sudo apt install bubblewrap' } as const;
    app = await startApp({ log: talk(), sandbox: state });
    const picker = await openTools();
    const choice = get(picker, 'radio', 'Run in the sandbox') as HTMLInputElement;
    expect(choice.disabled).toBe(true);
    expect(descriptionOf(choice)).toContain(
      'Not available: bubblewrap is missing. To make it available, run: sudo apt install bubblewrap',
    );
    expect(choice.closest('[title]')?.getAttribute('title')).toBe('Not available: bubblewrap is missing.');
    choice.click();
    await app.settle();
    expect(app.api.changeGrants).not.toHaveBeenCalled();
  });

  it('cannot be the sandbox before it is known to start, and says so', async () => {
    app = await startApp({ log: talk() });
    let fail = (): void => undefined;
    app.api.sandboxState.mockReturnValue(new Promise((_resolve, reject) => (fail = () => reject(new Error('broken')))));
    const picker = await openTools();
    const choice = () => get(picker, 'radio', 'Run in the sandbox') as HTMLInputElement;
    const shown = () => [choice().disabled, choice().closest('[title]')?.getAttribute('title')];
    const checking = 'Checking whether the sandbox is available…';
    expect(shown()).toEqual([true, checking]);
    expect(descriptionOf(choice())).toContain(checking);
    fail();
    await app.settle();
    expect(shown()).toEqual([true, 'Could not check whether the sandbox is available.']);
  });

  it('goes with the first message where it is the sandbox', async () => {
    app = await startApp();
    get(await openTools(), 'radio', 'Run in the sandbox').click();
    await app.settle();
    const field = get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
    field.value = 'hi';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
    get(app.root, 'button', 'Send').click();
    await app.settle();
    expect(app.api.send.mock.calls[0]?.[0].grants).toEqual({ commands: false, sandbox: true, sensitiveEdits: false });
  });

  it('closes with Escape, which gives the focus back and stops nothing', async () => {
    app = await startApp({ log: talk(), run: { sessionId: 's1', state: 'running', activity: null } });
    const tools = await openTools();
    get(tools, 'radio', 'Run read-only commands').focus();
    await app.press('Escape');
    expect(nameOf(document.activeElement as Element)).toBe('Tools');
    expect(has(app.root, 'group', 'Auto-approve and tools')).toBe(false);
    expect(app.api.stop).not.toHaveBeenCalled();
  });

  it('is for a new chat what the settings say until it is changed, and goes with its first message', async () => {
    app = await startApp({ ready: { grants: { ...none, commands: true } } });
    get(app.root, 'button', 'Ask before read-only commands again').click();
    await app.settle();
    const tools = await openTools();
    get(tools, 'checkbox', 'Edit sensitive files').click();
    await app.settle();
    const field = get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
    field.value = 'hi';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
    get(app.root, 'button', 'Send').click();
    await app.settle();
    expect(app.api.send.mock.calls[0]?.[0].grants).toEqual({ commands: false, sensitiveEdits: true });
    expect(app.api.changeGrants).not.toHaveBeenCalled();
  });

  it('follows the settings in an open view, except what was changed for the new chat', async () => {
    app = await startApp({ ready: { grants: none } });
    const set = async (values: Record<string, boolean>) => {
      const changed = settings.settings.map((one) => (one.key in values ? { ...one, value: values[one.key] } : one));
      app.port.emit('settings', { ...settings, settings: changed });
      await app.settle();
    };
    await set({ 'agent.sandbox.enabled': true });
    expect(has(app.root, 'button', 'Require approval for commands')).toBe(true);
    get(app.root, 'button', 'Require approval for commands').click();
    await app.settle();
    await set({ 'agent.sandbox.enabled': true, 'agent.autoApproveCommands': true });
    expect(has(app.root, 'button', 'Require approval for commands')).toBe(false);
    expect(has(app.root, 'button', 'Ask before read-only commands again')).toBe(true);
  });

  it('is a pattern of files, which asks until it is ticked, and is forgotten there or by its chip', async () => {
    app = await startApp({ log: talk() });
    const files = (...given: [string, boolean][]) => given.map(([pattern, isFree]) => ({ pattern, isFree }));
    const tools = await openTools();
    const field = get(tools, 'textbox', 'File pattern') as HTMLInputElement;
    field.value = ' *.sql ';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
    get(tools, 'button', 'Add pattern').click();
    await app.settle();
    expect([app.api.changeGrants.mock.lastCall, field.value]).toEqual([
      [{ sessionId: 's1', files: files(['*.sql', false]) }],
      '',
    ]);
    expect(has(app.root, 'button', 'Ask again about these files')).toBe(false);
    const both = files(['*.sql', false], ['data/**', true]);
    app.port.emit('grants', { sessionId: 's1', grants: { ...none, files: both } });
    await app.settle();
    // The extension never responds, and it reports an older state.
    app.api.changeGrants.mockReturnValue(new Promise(() => undefined));
    const press = async (role: 'checkbox' | 'button', name: string) => {
      get(app.root, role, name).click();
      await app.settle();
    };
    await press('checkbox', 'Read and edit data/** without asking');
    await press('checkbox', 'Read and edit *.sql without asking');
    app.port.emit('grants', { sessionId: 's1', grants: { ...none, commands: true, files: both } });
    await app.settle();
    await press('button', 'Ask again about these files');
    await press('button', 'Forget data/**');
    expect(app.api.changeGrants.mock.calls.slice(1).map(([change]) => change.files)).toEqual([
      files(['*.sql', false], ['data/**', false]),
      files(['*.sql', true], ['data/**', false]),
      files(['data/**', false]),
      [],
    ]);
    expect(nameOf(document.activeElement as Element)).toBe('File pattern');
  });

  it('goes with the first message too, where it is a pattern of files', async () => {
    app = await startApp();
    await openTools();
    for (const [role, name, value] of [
      ['File pattern', 'Add pattern', '*.sql'],
      ['Message', 'Send', 'hi'],
    ] as const) {
      const field = get(app.root, 'textbox', role) as HTMLInputElement;
      field.value = value;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await app.settle();
      get(app.root, 'button', name).click();
      await app.settle();
    }
    expect(app.api.send.mock.calls[0]?.[0].grants).toEqual({
      commands: false,
      sensitiveEdits: false,
      files: [{ pattern: '*.sql', isFree: false }],
    });
  });

  it('can be more in Ask mode where it is files: nothing runs or is edited there', async () => {
    const models = { models: [tools], stale: false, selected: { agent: tools.name, ask: tools.name } };
    app = await startApp({ ready: { mode: 'ask', models, grants: { ...none, files: [{ pattern: '*.sql', isFree: true }] } } });
    const picker = await openTools();
    expect([...all(picker, 'checkbox'), ...all(picker, 'button')].map(nameOf)).toEqual([
      'Read and edit *.sql without asking',
      'Forget *.sql',
      'Add pattern',
    ]);
    get(app.root, 'button', 'Ask again about these files').click();
    await app.settle();
    expect(all(picker, 'checkbox')).toEqual([]);
  });

  it('is in sight in every mode, for a run may go on in another; a model that can do nothing is offered no more', async () => {
    app = await startApp({ ready: { mode: 'ask', grants: { ...none, commands: true } } });
    expect([has(app.root, 'button', 'Tools'), has(app.root, 'button', 'Ask before read-only commands again')]).toEqual([
      false,
      true,
    ]);
  });

  it('is a command that is allowed for the session where that is offered, and forgotten by its chip', async () => {
    const log = new TestLog();
    log.user('Test it');
    log.call('c1', 'run_terminal_command', { command: 'npm test' });
    const question = {
      callId: 'c1',
      phase: 'requested',
      kind: 'command',
      command: 'npm test',
      cwd: '.',
      severity: 'medium',
    } as const;
    const diff = '--- a/x.js\n+++ b/x.js\n@@ -1 +1 @@\n-one\n+two\n';
    log.add('approval', '', { ...question, diff, approvalId: 'a1', canAllowAlways: true });
    app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
    const card = get(app.root, 'group', 'Approve command');
    expect(spokenText(get(card, 'group', 'Changes since you approved this'))).toContain('+ two');
    const always = get(card, 'button', 'Always allow in this session');
    expect(always.title).toContain('If the agent changes a workspace file that the command names, you are asked once');
    always.click();
    await app.settle();
    expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({
      sessionId: 's1',
      approvalId: 'a1',
      approve: true,
      always: true,
    });
    app.port.emit('grants', { sessionId: 's1', grants: { ...none, allowedCommands: [{ command: 'npm test', cwd: '.' }] } });
    await app.settle();
    expect(spokenText(app.root)).toContain('Without asking: npm test');
    get(app.root, 'button', 'Ask again before running allowed commands').click();
    await app.settle();
    expect(app.api.changeGrants).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', forgetCommands: true });
  });

  it('does not offer that for a critical command, where skipping is the default and no key runs it', async () => {
    const log = new TestLog();
    log.user('Test it');
    log.call('c1', 'run_terminal_command', { command: 'sudo x' });
    const question = {
      callId: 'c1',
      phase: 'requested',
      kind: 'command',
      command: 'sudo x',
      cwd: '.',
      severity: 'critical',
      parts: [{ text: 'sudo x', severity: 'critical' as const }],
    } as const;
    app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
    log.add('approval', '', { ...question, parts: [...question.parts], approvalId: 'a1', canAllowAlways: false });
    await app.sendEntries(log, 2);
    const card = get(app.root, 'group', 'Approve command');
    expect(all(card, 'button').map(nameOf)).toEqual(['Skip', 'Run']);
    expect(
      all(card, 'button')
        .filter((button) => button.classList.contains('primary'))
        .map(nameOf),
    ).toEqual(['Skip']);
    expect(get(card, 'button', 'Run').title).toBe('');
    expect(spokenText(card).match(/critical/g)).toHaveLength(1);
    expect(all(app.root, 'status').map(spokenText).join()).toContain('Approve command: sudo x. Critical risk.');
    app.pass(500);
    for (const place of [get(card, 'button', 'Run'), get(app.root, 'textbox', 'Message'), card]) {
      place.focus();
      await app.press('Enter', { ctrlKey: true });
    }
    expect(app.api.decideApproval).not.toHaveBeenCalled();
    get(card, 'button', 'Run').click();
    await app.settle();
    expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', approvalId: 'a1', approve: true });
  });

  it('has skipping as the default for a high-risk command too, which no key runs', async () => {
    const log = new TestLog();
    log.user('Clean up');
    log.call('c1', 'run_terminal_command', { command: 'rm -rf dist' });
    app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
    const question = { callId: 'c1', phase: 'requested', kind: 'command', command: 'rm -rf dist', cwd: '.' } as const;
    log.add('approval', '', { ...question, severity: 'high', approvalId: 'a1', canAllowAlways: true });
    await app.sendEntries(log, 2);
    const buttons = all(get(app.root, 'group', 'Approve command'), 'button') as HTMLButtonElement[];
    expect(buttons.map((button) => [nameOf(button), button.classList.contains('primary')])).toEqual([
      ['Skip', true],
      ['Run', false],
      ['Always allow in this session', false],
    ]);
    expect(buttons[1]?.title).toBe('');
    expect(all(app.root, 'status').map(spokenText).join()).toContain('Approve command: rm -rf dist. High risk.');
    app.pass(500);
    await app.press('Enter', { ctrlKey: true });
    expect(app.api.decideApproval).not.toHaveBeenCalled();
    buttons[1]?.click();
    await app.settle();
    expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', approvalId: 'a1', approve: true });
  });

  it('has its risk said once where the parts of the command differ', async () => {
    const log = new TestLog();
    log.user('Test it');
    log.call('c1', 'run_terminal_command', { command: 'ls && sudo x' });
    log.add('approval', '', {
      approvalId: 'a1',
      callId: 'c1',
      phase: 'requested',
      kind: 'command',
      command: 'ls && sudo x',
      severity: 'critical',
      parts: [
        { text: 'ls', severity: 'low' },
        { text: 'sudo x', severity: 'critical' },
      ],
    });
    app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
    const card = get(app.root, 'group', 'Approve command');
    expect(spokenText(card).match(/critical/g)).toHaveLength(1);
    const seen = card.cloneNode(true) as HTMLElement;
    for (const hidden of seen.querySelectorAll('.spoken')) hidden.remove();
    expect(seen.textContent?.match(/critical/g)).toHaveLength(1);
  });
});
