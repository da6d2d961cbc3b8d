import { afterEach, describe, expect, it } from 'vitest';
import { startApp, tools, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf, spokenText } from './support/roles';

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
  const none = { commands: false, sensitiveEdits: false, allowedCommands: [], files: [] };
  const openTools = async () => {
    get(app.root, 'button', 'Tools').click();
    await app.settle();
    return get(app.root, 'group', 'What the agent may do without asking');
  };

  it('is chosen under Tools, shown as a chip while it is on, and taken back there', async () => {
    app = await startApp({ log: talk() });
    expect(has(app.root, 'button', 'Ask before safe commands again')).toBe(false);
    const tools = await openTools();
    get(tools, 'checkbox', 'Run safe commands').click();
    await app.settle();
    expect(app.api.changeGrants).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', commands: true });
    app.port.emit('grants', { sessionId: 's1', grants: { ...none, commands: true, sensitiveEdits: true } });
    await app.settle();
    get(app.root, 'button', 'Ask before sensitive edits again').click();
    get(app.root, 'button', 'Ask before safe commands again').click();
    await app.settle();
    expect(app.api.changeGrants.mock.calls.slice(1).map(([change]) => change)).toEqual([
      { sessionId: 's1', sensitiveEdits: false },
      { sessionId: 's1', commands: false },
    ]);
  });

  it('closes with Escape, which gives the focus back and stops nothing', async () => {
    app = await startApp({ log: talk(), run: { sessionId: 's1', state: 'running', activity: null } });
    const tools = await openTools();
    get(tools, 'checkbox', 'Run safe commands').focus();
    await app.press('Escape');
    expect(nameOf(document.activeElement as Element)).toBe('Tools');
    expect(has(app.root, 'group', 'What the agent may do without asking')).toBe(false);
    expect(app.api.stop).not.toHaveBeenCalled();
  });

  it('is for a new chat what the settings say until it is changed, and goes with its first message', async () => {
    app = await startApp({ ready: { grants: { ...none, commands: true } } });
    get(app.root, 'button', 'Ask before safe commands again').click();
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

  it('is a pattern of files, which asks until it is ticked, and is forgotten there or by its chip', async () => {
    app = await startApp({ log: talk() });
    const files = (...given: [string, boolean][]) => given.map(([pattern, isFree]) => ({ pattern, isFree }));
    const tools = await openTools();
    const field = get(tools, 'textbox', 'Pattern of files') as HTMLInputElement;
    field.value = ' *.sql ';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
    get(tools, 'button', 'Ask first').click();
    await app.settle();
    expect([app.api.changeGrants.mock.lastCall, field.value]).toEqual([
      [{ sessionId: 's1', files: files(['*.sql', false]) }],
      '',
    ]);
    expect(has(app.root, 'button', 'Ask before these files again')).toBe(false);
    const both = files(['*.sql', false], ['data/**', true]);
    app.port.emit('grants', { sessionId: 's1', grants: { ...none, files: both } });
    await app.settle();
    // However long the extension takes, and whatever it tells of the time before.
    app.api.changeGrants.mockReturnValue(new Promise(() => undefined));
    const press = async (role: 'checkbox' | 'button', name: string) => {
      get(app.root, role, name).click();
      await app.settle();
    };
    await press('checkbox', 'Use data/** without asking');
    await press('checkbox', 'Use *.sql without asking');
    app.port.emit('grants', { sessionId: 's1', grants: { ...none, commands: true, files: both } });
    await app.settle();
    await press('button', 'Ask before these files again');
    await press('button', 'Forget data/**');
    expect(app.api.changeGrants.mock.calls.slice(1).map(([change]) => change.files)).toEqual([
      files(['*.sql', false], ['data/**', false]),
      files(['*.sql', true], ['data/**', false]),
      files(['data/**', false]),
      [],
    ]);
    expect(nameOf(document.activeElement as Element)).toBe('Pattern of files');
  });

  it('goes with the first message too, where it is a pattern of files', async () => {
    app = await startApp();
    await openTools();
    for (const [role, name, value] of [
      ['Pattern of files', 'Ask first', '*.sql'],
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
      ...{ commands: false, sensitiveEdits: false },
      files: [{ pattern: '*.sql', isFree: false }],
    });
  });

  it('can be more in Ask mode where it is files: nothing runs or is edited there', async () => {
    const models = { models: [tools], stale: false, selected: { agent: tools.name, ask: tools.name } };
    app = await startApp({ ready: { mode: 'ask', models, grants: { ...none, files: [{ pattern: '*.sql', isFree: true }] } } });
    const picker = await openTools();
    expect([...all(picker, 'checkbox'), ...all(picker, 'button')].map(nameOf)).toEqual([
      'Use *.sql without asking',
      'Forget *.sql',
      'Ask first',
    ]);
    get(app.root, 'button', 'Ask before these files again').click();
    await app.settle();
    expect(all(picker, 'checkbox')).toEqual([]);
  });

  it('is in sight in every mode, for a run may go on in another; a model that can do nothing is offered no more', async () => {
    app = await startApp({ ready: { mode: 'ask', grants: { ...none, commands: true } } });
    expect([has(app.root, 'button', 'Tools'), has(app.root, 'button', 'Ask before safe commands again')]).toEqual([false, true]);
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
    expect(spokenText(get(card, 'group', 'Changes since you allowed this'))).toContain('+ two');
    const always = get(card, 'button', 'Always allow in this session');
    expect(always.title).toContain('Covers exactly this command in this folder, and the workspace files that it names');
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
    expect(spokenText(app.root)).toContain('Runs npm test');
    get(app.root, 'button', 'Ask before allowed commands again').click();
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

  it('has its risk said once where the parts of the command differ', async () => {
    const log = new TestLog();
    log.user('Test it');
    log.call('c1', 'run_terminal_command', { command: 'ls && sudo x' });
    log.add('approval', '', {
      ...{ approvalId: 'a1', callId: 'c1', phase: 'requested', kind: 'command', command: 'ls && sudo x', severity: 'critical' },
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
