import { afterEach, describe, expect, it } from 'vitest';
import type { ErrorAction } from '../../src/protocol/entries';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const running = { sessionId: 's1', state: 'running', activity: null } as const;
const field = (name: string) => get(app.root, 'textbox', name) as HTMLTextAreaElement;

async function press(name: string, root: Element = app.root): Promise<void> {
  get(root, 'button', name).click();
  await app.settle();
}

async function write(text: string, name = 'Message'): Promise<void> {
  field(name).focus();
  field(name).value = text;
  field(name).dispatchEvent(new Event('input', { bubbles: true }));
  await app.settle();
}

describe('a run that ended early', () => {
  const ended = async (outcome: 'stopped' | 'limit' | 'failed', fill: (log: TestLog) => void): Promise<string[]> => {
    const log = new TestLog();
    log.user('one');
    fill(log);
    log.add('run_end', '', { outcome });
    app = await startApp({ log });
    const names = all(get(app.root, 'article', 'Assistant'), 'button').map(nameOf);
    return names.filter((name) => ['Continue', 'Retry', 'Show log'].includes(name));
  };
  const partial = (log: TestLog) => void log.add('assistant_output', 'Half of', { end: 'incomplete' });
  const worked = (log: TestLog) => {
    log.call('c1', 'read_file', { path: 'a' });
    log.add('tool_result', 'x', { callId: 'c1', name: 'read_file', status: 'success' });
  };
  const broken = (log: TestLog) => void log.add('error', 'It broke off.', { code: 'stream', actions: ['retry', 'showLog'] });

  it('by the limit of an answer offers to retry, also with a larger limit, or to leave it', async () => {
    const actions: ErrorAction[] = ['retry', 'retryLarger', 'stop'];
    await ended('failed', (log) => {
      worked(log);
      log.add('error', 'The model wrote 4,096 tokens.', { code: 'answerLimit', actions });
    });
    const card = get(app.root, 'group', 'Error');
    expect(all(card, 'button').map(nameOf)).toEqual(['Retry', 'Retry with a higher limit', 'Stop']);
    await press('Stop', card);
    expect(all(card, 'button')).toEqual([]);
    expect(document.activeElement).toBe(get(app.root, 'textbox', 'Message'));
    app.wrapper.unmount();
    await ended('failed', (log) => void log.add('error', 'The model wrote 4,096 tokens.', { code: 'answerLimit', actions }));
    await press('Retry with a higher limit');
    expect(app.api.retry).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', model: 'qwen3:14b', isLarger: true });
  });

  it('in the middle of an answer goes on, or begins again', async () => {
    expect(await ended('stopped', partial)).toEqual(['Continue', 'Retry']);
    await press('Continue');
    expect(app.api.continueRun).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', model: 'qwen3:14b' });
  });

  it('has its ways again at once when it could not go on', async () => {
    await ended('stopped', partial);
    for (const way of ['Continue', 'Retry']) {
      const request = way === 'Continue' ? app.api.continueRun : app.api.retry;
      request.mockRejectedValueOnce(new Error('The chat history could not be read.'));
      await press(way);
      expect(spokenText(get(app.root, 'alert'))).toContain('The chat history could not be read.');
      expect([has(app.root, 'button', 'Continue'), has(app.root, 'button', 'Stop')]).toEqual([true, false]);
    }
  });

  it('at a limit goes on', async () => {
    const notice = { level: 'warning', code: 'maxIterations' } as const;
    const names = await ended('limit', (log) => {
      worked(log);
      log.add('system_message', 'Stopped after 25 steps.', notice);
    });
    expect(names).toEqual(['Continue']);
  });

  it('with an error has both ways in its place', async () => {
    const names = await ended('failed', (log) => {
      partial(log);
      broken(log);
    });
    expect(names).toEqual(['Continue', 'Retry']);
    expect(all(get(app.root, 'group', 'Error'), 'button').map(nameOf)).toContain('Continue');
  });

  it('again after a Retry has its ways in the last place only', async () => {
    const twice = (log: TestLog) => {
      partial(log);
      broken(log);
      log.add('run_end', '', { outcome: 'failed' });
      partial(log);
    };
    const failed = (log: TestLog) => {
      twice(log);
      broken(log);
    };
    expect(await ended('failed', failed)).toEqual(['Show log', 'Continue', 'Retry']);
    expect(all(app.root, 'group', 'Error').map((error) => has(error, 'button', 'Retry'))).toEqual([false, true]);
    app.wrapper.unmount();
    expect(await ended('stopped', twice)).toEqual(['Show log', 'Continue', 'Retry']);
    expect(has(get(app.root, 'group', 'Error'), 'button', 'Retry')).toBe(false);
  });

  it('before it said anything begins again', async () => {
    expect(await ended('stopped', () => undefined)).toEqual(['Retry']);
    app.wrapper.unmount();
    expect(await ended('failed', broken)).toEqual(['Retry', 'Show log']);
  });

  it('goes on in the same article and the same text', async () => {
    const log = new TestLog();
    log.user('one');
    log.add('assistant_output', 'Half of', { end: 'stopped' });
    log.add('run_end', '', { outcome: 'stopped' });
    app = await startApp({ log });
    app.port.emit('runState', running);
    log.add('system_message', '', { level: 'info', code: 'continued' });
    log.add('assistant_output', 'the way', {}, true);
    await app.sendEntries(log, 3);
    expect(all(app.root, 'article', 'Assistant')).toHaveLength(1);
    expect(app.root.textContent).toContain('Half of the way');
    expect(app.root.textContent).not.toContain('Stopped');
  });
});

describe('a question that a killed run has left', () => {
  const asked = { callId: 'c1', approvalId: 'a1', phase: 'requested', kind: 'command', command: 'ls', cwd: '.' } as const;
  const killed = async (): Promise<TestLog> => {
    const log = new TestLog();
    log.user('List them');
    log.call('c1', 'run_terminal_command', { command: 'ls' });
    log.add('approval', '', asked);
    app = await startApp({ log });
    return log;
  };
  const isAsked = () => has(app.root, 'group', 'Approve command');

  it('is not asked again while the run that goes on begins', async () => {
    const log = await killed();
    app.api.continueRun.mockReturnValueOnce(new Promise(() => undefined));
    await press('Continue');
    expect(isAsked()).toBe(false);
    app.port.emit('runState', running);
    await app.settle();
    expect(isAsked()).toBe(false);
    expect(get(app.root, 'button', 'Stop')).toBeDefined();

    log.add('system_message', '', { level: 'info', code: 'continued' });
    log.call('c2', 'run_terminal_command', { command: 'ls' });
    log.add('approval', '', { ...asked, callId: 'c2', approvalId: 'a2' });
    await app.sendEntries(log, 3);
    get(get(app.root, 'group', 'Approve command'), 'button', 'Run').click();
    await app.settle();
    expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', approvalId: 'a2', approve: true });
  });

  it('waits still where the run was not stopped for another message', async () => {
    const log = new TestLog();
    log.user('List them');
    log.call('c1', 'run_terminal_command', { command: 'ls' });
    log.add('approval', '', asked);
    app = await startApp({ log, run: running });
    await press('Edit and resend', get(app.root, 'article', 'You'));
    app.api.resend.mockRejectedValueOnce(new Error('The message is gone'));
    await press('Send', app.root.querySelector('.edit') as Element);
    expect(app.api.resend).toHaveBeenCalledOnce();
    expect(isAsked()).toBe(true);
  });

  it('is not asked again while another message is sent, or a run begins that was asked for elsewhere', async () => {
    await killed();
    app.api.send.mockReturnValueOnce(new Promise(() => undefined));
    await write('Something else');
    await press('Send');
    expect(isAsked()).toBe(false);
    app.wrapper.unmount();

    await killed();
    app.port.emit('runState', running);
    await app.settle();
    expect(isAsked()).toBe(false);
  });
});
