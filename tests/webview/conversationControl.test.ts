import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ErrorAction } from '../../src/protocol/entries';
import { noTools, startApp, tools, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const running = { sessionId: 's1', state: 'running', activity: null } as const;
const field = (name: string) => get(app.root, 'textbox', name) as HTMLTextAreaElement;
const focused = () => nameOf(document.activeElement as Element);

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

function talk(): TestLog {
  const log = new TestLog();
  for (const text of ['one', 'two']) {
    log.user(text);
    log.add('assistant_output', `Answer to ${text}`, { end: 'complete' });
    log.add('run_end', '', { outcome: 'done' });
  }
  return log;
}

describe('a model that the server does not have', () => {
  const missing = () => {
    const log = new TestLog();
    log.user('one');
    log.add('error', 'The model “gone” is not installed.', {
      ...{ code: 'modelNotFound', actions: ['pullModel', 'selectModel', 'retry'], model: 'gone' },
    });
    log.add('run_end', '', { outcome: 'failed' });
    return log;
  };
  const error = () => get(app.root, 'group', 'Error');
  const buttons = () => all(error(), 'button').map(nameOf);
  const pulling = { name: 'gone', status: 'pulling', completed: 1, total: 4, bytesPerSecond: 1, message: null } as const;

  const select = async (agent: string | undefined) => {
    app.port.emit('models', { models: [tools], stale: false, selected: agent === undefined ? {} : { agent } });
    await app.settle();
  };
  const start = async () => {
    app = await startApp({ log: missing() });
    await select('gone');
  };

  it('is pulled from its error, which shows how far it is and then offers to try again', async () => {
    await start();
    expect(buttons()).toEqual(['Pull gone', 'Select model']);
    await press('Pull gone', error());
    expect(app.api.pullModel).toHaveBeenCalledExactlyOnceWith({ name: 'gone' });
    app.port.emit('pulls', [pulling]);
    await app.settle();
    expect(get(error(), 'progressbar', 'Pulling gone').getAttribute('aria-valuenow')).toBe('25');
    expect(buttons()).toEqual(['Cancel pulling gone', 'Select model']);
    app.port.emit('pulls', [{ ...pulling, status: 'failed', message: 'No space left.' }]);
    await app.settle();
    expect(spokenText(error())).toContain('No space left.');
    expect(buttons()).toEqual(['Pull gone again', 'Dismiss gone', 'Select model']);
    app.port.emit('pulls', []);
    app.port.emit('models', { models: [tools, { ...tools, name: 'gone:latest' }], stale: false, selected: { agent: 'gone' } });
    await app.settle();
    expect(buttons()).toEqual(['Retry', 'Pull gone']);
    await press('Retry', error());
    expect(app.api.retry).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', model: 'gone' });
  });

  it('is tried again with another one once that is selected, and while it is pulled', async () => {
    await start();
    expect(buttons()).toEqual(['Pull gone', 'Select model']);
    await select(tools.name);
    expect(buttons()).toEqual(['Retry', 'Pull gone']);
    await select('Gone:latest');
    expect(buttons()).toEqual(['Pull gone', 'Select model']);
    await select(undefined);
    expect(buttons()).toEqual(['Pull gone', 'Select model']);
    await select(tools.name);
    app.port.emit('pulls', [pulling]);
    await app.settle();
    expect(buttons()).toEqual(['Cancel pulling gone', 'Retry']);
    await press('Retry', error());
    expect(app.api.retry).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', model: tools.name });
  });

  it('is pulled first, and leaves two ways at most, where the answer had begun', async () => {
    const log = new TestLog();
    log.user('one');
    log.add('assistant_output', 'I beg', { end: 'stopped' });
    log.add('error', 'The model “gone” is not installed.', {
      ...{ code: 'modelNotFound', actions: ['pullModel', 'selectModel', 'retry'], model: 'gone' },
    });
    log.add('run_end', '', { outcome: 'failed' });
    app = await startApp({ log });
    await select('gone');
    expect(buttons()).toEqual(['Pull gone', 'Select model']);
    await select(tools.name);
    expect(buttons()).toEqual(['Continue', 'Retry']);
  });

  it('is offered by no error of long ago once it is there', async () => {
    const log = missing();
    log.user('two');
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    expect(buttons()).toEqual(['Pull gone', 'Select model']);
    app.port.emit('models', { models: [{ ...tools, name: 'gone:latest' }], stale: false, selected: {} });
    await app.settle();
    expect(buttons()).toEqual(['Select model']);
  });
});

describe('a message', () => {
  it('is edited in its place and sent again, by keyboard alone', async () => {
    app = await startApp({ log: talk() });
    const [first] = all(app.root, 'article', 'You');
    get(first as Element, 'button', 'Edit and resend').focus();
    (document.activeElement as HTMLElement).click();
    await app.settle();
    expect(focused()).toBe('Edit message');
    expect(field('Edit message').value).toBe('one');
    await write('one, better', 'Edit message');
    await app.press('Enter', { shiftKey: true });
    await app.press('Enter', { isComposing: true });
    expect(app.api.resend).not.toHaveBeenCalled();
    await app.press('Enter');
    expect(app.api.resend).toHaveBeenCalledExactlyOnceWith({
      ...{ sessionId: 's1', seq: 1, text: 'one, better', mode: 'agent', model: tools.name },
    });
    expect(has(app.root, 'textbox', 'Edit message')).toBe(false);
    expect(focused()).toBe('Message');
  });

  it('is recalled by ↑ in an empty composer, ready to be said in other words', async () => {
    app = await startApp({ log: talk(), run: running });
    await write('x');
    await app.press('ArrowUp');
    expect(field('Message').value).toBe('x');
    await write('');
    await app.press('ArrowUp');
    expect([field('Message').value, field('Message').selectionStart, focused()]).toEqual(['two', 3, 'Message']);
    expect(has(app.root, 'textbox', 'Edit message')).toBe(false);
  });

  it('is left as it was by Escape, which stops nothing', async () => {
    app = await startApp({ log: talk(), run: running });
    await press('Edit and resend', all(app.root, 'article', 'You')[1]);
    expect(field('Edit message').value).toBe('two');
    await write('something else', 'Edit message');
    await app.press('Escape');
    expect(has(app.root, 'textbox', 'Edit message')).toBe(false);
    expect(spokenText(all(app.root, 'article', 'You')[1] as Element)).toContain('two');
    expect(focused()).toBe('Edit and resend');
    expect([app.api.stop, app.api.resend].map((request) => request.mock.calls.length)).toEqual([0, 0]);
  });

  it('keeps what was begun in one while another is edited', async () => {
    app = await startApp({ log: talk() });
    const [first, second] = all(app.root, 'article', 'You') as unknown as [Element, Element];
    await press('Edit and resend', first);
    await write('one, half said', 'Edit message');
    await press('Edit and resend', second);
    expect(field('Edit message').value).toBe('two');
    await write('two, better', 'Edit message');
    await press('Edit and resend', first);
    expect(field('Edit message').value).toBe('one, half said');
    field('Edit message').focus();
    await app.press('Escape');
    expect(field('Edit message').value).toBe('two, better');
    field('Edit message').focus();
    await app.press('Escape');
    expect(has(app.root, 'textbox', 'Edit message')).toBe(false);
  });

  it('gives the focus back to the button that opened it', async () => {
    app = await startApp({ log: talk() });
    const [message] = all(app.root, 'article', 'You');
    get(message as Element, 'button', 'Edit and resend').focus();
    await press('Edit and resend', message);
    await press('Cancel');
    expect(document.activeElement).toBe(get(message as Element, 'button', 'Edit and resend'));
  });

  it('keeps what is being written through a reload and when it could not be sent', async () => {
    app = await startApp({ log: talk() });
    await press('Edit and resend', all(app.root, 'article', 'You')[1]);
    await write('half a thou', 'Edit message');
    const { value } = app.state;
    app.wrapper.unmount();
    app = await startApp({ log: talk(), state: value });
    expect(field('Edit message').value).toBe('half a thou');
    app.api.resend.mockRejectedValueOnce(new Error('The disk is full'));
    await press('Send', app.root.querySelector('.edit') as Element);
    expect(field('Edit message').value).toBe('half a thou');
    expect(spokenText(get(app.root, 'alert'))).toContain('The disk is full');
  });
});

describe('an answer', () => {
  const answered = () => {
    const log = new TestLog();
    for (const words of ['one', 'two']) {
      log.user(words, 'ask');
      log.add('assistant_output', `# About ${words}`, { end: 'complete' });
      log.call(`c-${words}`, 'read_file', { path: 'a' });
      log.add('tool_result', 'x', { callId: `c-${words}`, name: 'read_file', status: 'success' });
      log.add('assistant_output', 'That is *all*.', { end: 'complete' });
      Object.assign(log.add('run_end', '', { outcome: 'done' }), { model: noTools.name });
    }
    return log;
  };
  const answers = () => all(app.root, 'article', 'Assistant') as unknown as [Element, Element];

  it('is copied as it was written', async () => {
    const writeText = vi.fn(async () => undefined);
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
    app = await startApp({ log: answered() });
    await press('Copy', answers()[0]);
    expect(writeText).toHaveBeenCalledExactlyOnceWith('# About one\n\nThat is *all*.');
    vi.unstubAllGlobals();
  });

  it('is asked for again in its place, by the same model in the same mode', async () => {
    app = await startApp({ log: answered() });
    const again = { sessionId: 's1', mode: 'ask', model: noTools.name };
    await press('Retry', answers()[1]);
    expect(app.api.resend).toHaveBeenLastCalledWith({ ...again, seq: 7, text: 'two' });
    expect(focused()).toBe('Message');
    app.wrapper.unmount();
    app = await startApp({ log: answered() });
    await press('Retry', answers()[0]);
    expect(app.api.resend).toHaveBeenLastCalledWith({ ...again, seq: 1, text: 'one' });
  });

  it('is asked for from another model, by keyboard', async () => {
    app = await startApp({ log: answered() });
    const other = get(answers()[1], 'button', 'Answer with another model');
    other.focus();
    other.click();
    await app.settle();
    await app.press('Escape');
    expect(document.activeElement).toBe(other);
    other.click();
    await app.settle();
    expect(all(app.root, 'menuitem').map(nameOf)).toEqual([tools.name]);
    await app.press('Enter');
    expect(app.api.resend).toHaveBeenLastCalledWith({ sessionId: 's1', mode: 'ask', model: tools.name, seq: 7, text: 'two' });
  });

  it('is not asked for again while a run is at work', async () => {
    app = await startApp({ log: answered(), run: running });
    expect([has(app.root, 'button', 'Retry'), has(answers()[0], 'button', 'Copy')]).toEqual([false, true]);
  });
});

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
    expect(all(card, 'button').map(nameOf)).toEqual(['Retry', 'Retry with a larger limit', 'Stop']);
    await press('Stop', card);
    expect(all(card, 'button')).toEqual([]);
    expect(document.activeElement).toBe(get(app.root, 'textbox', 'Message'));
    app.wrapper.unmount();
    await ended('failed', (log) => void log.add('error', 'The model wrote 4,096 tokens.', { code: 'answerLimit', actions }));
    await press('Retry with a larger limit');
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

describe('a person who reads above', () => {
  let log: TestLog;
  let scroller: HTMLElement;

  /** The conversation is 1,000 px in a window of 200, read 100 px above its end. */
  async function readAbove(run: Parameters<typeof startApp>[0] = {}): Promise<void> {
    log = talk();
    app = await startApp({ log, ...run });
    scroller = get(app.root, 'log');
    const place = { scrollHeight: 1000, clientHeight: 200, scrollTop: 800 };
    for (const [name, value] of Object.entries(place)) Object.defineProperty(scroller, name, { value, writable: true });
    for (const top of [800, 700]) {
      scroller.scrollTop = top;
      scroller.dispatchEvent(new Event('scroll'));
    }
    await app.settle();
    expect(has(app.root, 'button', 'Scroll to bottom')).toBe(true);
  }
  async function begin(text: string): Promise<void> {
    log.user(text);
    await app.sendEntries(log, log.entries.length - 1);
    expect(spokenText(scroller)).toContain(text);
  }

  it('stays there when a queued message begins', async () => {
    await readAbove({ run: running, queued: [{ id: 'q1', text: 'next', attachments: [] }] });
    await begin('next');
    expect(scroller.scrollTop).toBe(700);
    expect(has(app.root, 'button', 'Scroll to bottom')).toBe(true);
  });

  it('stays there when a message of theirs is queued', async () => {
    await readAbove({ run: running });
    await write('next');
    await app.press('Enter');
    expect(app.api.enqueue).toHaveBeenCalledOnce();
    expect(scroller.scrollTop).toBe(700);
  });

  it('is shown what they send, and the turn that it begins', async () => {
    await readAbove();
    await write('three');
    await app.press('Enter');
    expect(scroller.scrollTop).toBe(1000);
    Object.defineProperty(scroller, 'scrollHeight', { value: 1200 });
    await begin('three');
    expect(scroller.scrollTop).toBe(1200);
    expect(has(app.root, 'button', 'Scroll to bottom')).toBe(false);
  });

  it('is shown what they say in other words', async () => {
    await readAbove();
    await press('Edit and resend', all(app.root, 'article', 'You')[0]);
    await press('Send', app.root.querySelector('.edit') as Element);
    expect(scroller.scrollTop).toBe(1000);
  });

  it('stays there when what they sent could not be', async () => {
    await readAbove();
    app.api.send.mockRejectedValueOnce(new Error('The disk is full'));
    await write('three');
    await app.press('Enter');
    expect(field('Message').value).toBe('three');
    expect(scroller.scrollTop).toBe(700);
  });
});

describe('a message sent while a run lives', () => {
  const queued = [
    { id: 'q1', text: 'next', attachments: [] },
    { id: 'q2', text: 'and then', attachments: [{ kind: 'file' as const, path: 'src/a.ts' }] },
  ];
  const rows = () => all(get(app.root, 'list', 'Queued messages'), 'listitem');

  it('waits above the composer', async () => {
    app = await startApp({ log: talk(), run: running });
    expect(has(app.root, 'list', 'Queued messages')).toBe(false);
    expect(has(app.root, 'button', 'Queue message')).toBe(false);
    await write('next');
    expect(has(app.root, 'button', 'Queue message')).toBe(true);
    await app.press('Enter');
    expect(app.api.enqueue).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', text: 'next', mode: 'agent', model: tools.name });
    expect(app.api.send).not.toHaveBeenCalled();
    expect(field('Message').value).toBe('');
    app.port.emit('queue', { sessionId: 'other', messages: queued });
    app.port.emit('queue', { sessionId: 's1', messages: queued.slice(0, 1) });
    await app.settle();
    expect(rows().map(spokenText)).toEqual(['Queued: next']);
    expect(all(rows()[0] as Element, 'button').map(nameOf)).toEqual(['Edit', 'Send now', 'Remove']);
  });

  it('takes one line, however long it is', async () => {
    app = await startApp({
      log: talk(),
      queued: [{ id: 'q1', text: `first\nsecond ${'x'.repeat(1_000_000)}`, attachments: [] }],
    });
    const line = `first second ${'x'.repeat(987)}…`;
    expect(rows().map(spokenText)).toEqual([`Queued: ${line}`]);
    expect(rows()[0]?.querySelector('[title]')?.getAttribute('title')).toBe(line);
  });

  it('is there after a reload, with a hint when nothing sends it any more', async () => {
    app = await startApp({ log: talk(), queued });
    expect(rows().map(spokenText)).toEqual(['Queued: next', 'Queued: and then']);
    expect(app.root.textContent).toContain('has not been sent');
    await press('Send now', rows()[1]);
    expect(app.api.sendQueued).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', id: 'q2' });
    expect(focused()).toBe('Message');
  });

  it('goes back into the composer before what is written there', async () => {
    app = await startApp({ log: talk(), run: running, queued });
    await write('a draft');
    await press('Edit', rows()[0]);
    expect(app.api.removeQueued).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', id: 'q1' });
    expect(field('Message').value).toBe('next\n\na draft');
    expect(focused()).toBe('Message');
    await press('Edit', rows()[1]);
    expect(has(app.root, 'button', 'Remove a.ts')).toBe(true);
  });

  it('is not in the composer as well when it had been sent already', async () => {
    app = await startApp({ log: talk(), run: running, queued });
    app.api.removeQueued.mockResolvedValueOnce({ isGone: true });
    await press('Edit', rows()[0]);
    expect(field('Message').value).toBe('');
  });

  it('is taken out', async () => {
    app = await startApp({ log: talk(), run: running, queued });
    await press('Remove', rows()[1]);
    expect(app.api.removeQueued).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', id: 'q2' });
  });

  it('is given back when it could not be kept', async () => {
    app = await startApp({ log: talk(), run: running });
    app.api.enqueue.mockRejectedValueOnce(new Error('The disk is full'));
    await write('next');
    await app.press('Enter');
    expect(field('Message').value).toBe('next');
  });

  it('is refused where another window runs the chat', async () => {
    app = await startApp({ log: talk(), run: { sessionId: 's1', state: 'elsewhere', activity: null } });
    await write('next');
    await app.press('Enter');
    expect([app.api.enqueue, app.api.send].map((request) => request.mock.calls.length)).toEqual([0, 0]);
    expect(app.root.textContent).toContain('Another window is working on this chat.');
    expect(field('Message').value).toBe('next');
  });
});

describe('two sessions that stream at once', () => {
  it('are left and come back to exact, each with its own words', async () => {
    const logs = [new TestLog('a'), new TestLog('b')] as const;
    for (const log of logs) {
      log.user(`Question ${log.sessionId}`);
      log.add('assistant_output', `Begun ${log.sessionId}`, {}, true);
    }
    app = await startApp();
    app.api.openSession.mockImplementation(async ({ sessionId, sinceRevision }) => {
      const log = logs.find((one) => one.sessionId === sessionId) as TestLog;
      return Promise.resolve({
        session: { id: sessionId, title: '', mode: 'ask', model: null, state: 'running', createdAt: 0, updatedAt: 0 },
        entries: log.entries.filter(({ revision }) => revision > sinceRevision),
        hasEarlier: false,
        revision: log.revision,
        run: { sessionId, state: 'running', activity: { kind: 'answering', since: 0 } },
      });
    });
    const show = async (sessionId: string) => {
      app.port.emit('navigate', { page: 'chat', sessionId });
      await app.settle();
    };
    const grow = async (log: TestLog, text: string) => {
      const { content } = log.entries[1] as { content: string };
      app.port.emit('log', { kind: 'delta', sessionId: log.sessionId, seq: 2, offset: content.length, text });
      log.change(2, { content: content + text });
      await app.settle();
    };
    await show('a');
    await grow(logs[0], ' and on');
    await show('b');
    expect(spokenText(get(app.root, 'log'))).toContain('Begun b');
    // What is said of the other one while it is not in front is not heard here.
    await grow(logs[0], ' and further');
    await grow(logs[1], ' too');
    expect(spokenText(get(app.root, 'log'))).toContain('Begun b too');
    expect(spokenText(get(app.root, 'log'))).not.toContain('further');
    await show('a');
    expect(spokenText(get(app.root, 'log'))).toContain('Begun a and on and further');
    expect(has(app.root, 'button', 'Stop')).toBe(true);
    await press('Stop');
    expect(app.api.stop).toHaveBeenCalledExactlyOnceWith({ sessionId: 'a' });
  });

  it('keep their own drafts when a message could not be sent', async () => {
    app = await startApp({ log: talk() });
    let fail: (error: Error) => void = () => undefined;
    app.api.send.mockImplementationOnce(() => new Promise((_, reject) => (fail = reject)));
    await write('for the first');
    await app.press('Enter');
    app.port.emit('navigate', { page: 'chat', sessionId: 's2' });
    await app.settle();
    fail(new Error('The disk is full'));
    await app.settle();
    expect(field('Message').value).toBe('');
    app.port.emit('navigate', { page: 'chat', sessionId: 's1' });
    await app.settle();
    expect(field('Message').value).toBe('for the first');
  });
});
