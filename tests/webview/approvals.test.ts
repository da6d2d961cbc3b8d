import { afterEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, descriptionOf, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

async function write(text: string): Promise<void> {
  const field = get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
  field.focus();
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await app.settle();
}

describe('an approval', () => {
  async function asked(): Promise<TestLog> {
    const log = new TestLog();
    log.user('Run the tests');
    log.call('c1', 'run_terminal_command', { command: 'npm test' });
    app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
    await write('what I write next');
    log.add('approval', '', {
      approvalId: 'a1',
      callId: 'c1',
      phase: 'requested',
      kind: 'command',
      command: 'npm test',
      cwd: 'packages/app',
      severity: 'medium',
      reasons: ['runs tests'],
    });
    await app.sendEntries(log, 2);
    return log;
  }

  it('shows the command, where, how grave and why, is announced, and leaves the focus where it is', async () => {
    await asked();
    const card = get(app.root, 'group', 'Approve command');
    expect(descriptionOf(card)).toBe('npm test medium risk Runs tests · starts in packages/app');
    expect(all(card, 'button').map(nameOf)).toEqual(['Run', 'Skip']);
    expect(all(app.root, 'status').map(spokenText).join()).toContain('Approve command: npm test');
    expect(spokenText(get(app.root, 'listitem'))).toContain('waiting for approval');
    expect(nameOf(document.activeElement as Element)).toBe('Message');
  });

  const beRead = () => app.pass(500);

  it('is given with Ctrl+Enter from the composer, once', async () => {
    const log = await asked();
    beRead();
    await app.press('Enter', { ctrlKey: true });
    await app.press('Enter', { ctrlKey: true });
    expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', approvalId: 'a1', approve: true });
    expect(app.api.send).not.toHaveBeenCalled();
    log.add('approval', '', { approvalId: 'a1', callId: 'c1', phase: 'decided', kind: 'command', decision: 'approved' });
    await app.sendEntries(log, 3);
    expect(has(app.root, 'group', 'Approve command')).toBe(false);
    expect(spokenText(get(app.root, 'listitem'))).toBe('Running npm test running');
    await app.press('Enter', { ctrlKey: true });
    expect(app.api.decideApproval).toHaveBeenCalledTimes(1);
  });

  it('is not given by a key that is held down, nor by one pressed as the card comes up', async () => {
    await asked();
    await app.press('Enter', { ctrlKey: true });
    expect(app.api.decideApproval).not.toHaveBeenCalled();
    beRead();
    await app.press('Enter', { ctrlKey: true, repeat: true });
    expect(app.api.decideApproval).not.toHaveBeenCalled();
    await app.press('Enter', { ctrlKey: true });
    expect(app.api.decideApproval).toHaveBeenCalledTimes(1);
  });

  it('counts as seen from when the chat is in front', async () => {
    await asked();
    app.port.emit('navigate', { page: 'history' });
    await app.settle();
    beRead();
    get(app.root, 'button', 'Back to chat').click();
    await app.settle();
    await app.press('Enter', { ctrlKey: true });
    expect(app.api.decideApproval).not.toHaveBeenCalled();
  });

  it('is skipped with Escape on it; elsewhere Escape stops the run', async () => {
    await asked();
    get(app.root, 'button', 'Skip').focus();
    await app.press('Escape');
    expect(app.api.decideApproval).toHaveBeenCalledWith({ sessionId: 's1', approvalId: 'a1', approve: false });
    expect(app.api.stop).not.toHaveBeenCalled();
    get(app.root, 'textbox', 'Message').focus();
    await app.press('Escape');
    expect(app.api.stop).toHaveBeenCalledWith({ sessionId: 's1' });
  });
});

describe('Escape on an approval card', () => {
  it('skips the card after a click on its text, and does not end the run while it is held down', async () => {
    const log = new TestLog();
    log.user('Run the tests');
    log.call('c1', 'run_terminal_command', { command: 'npm test' });
    log.add('approval', '', { approvalId: 'a1', callId: 'c1', phase: 'requested', kind: 'command', command: 'npm test' });
    app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
    const text = get(app.root, 'group', 'Approve command').querySelector('pre');
    // The element that receives the focus on a click there.
    text?.closest<HTMLElement>('[tabindex], button')?.focus();
    await app.press('Escape');
    await app.press('Escape', { repeat: true });
    expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', approvalId: 'a1', approve: false });
    expect(app.api.stop).not.toHaveBeenCalled();
  });
});
