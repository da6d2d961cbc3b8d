import { afterEach, describe, expect, it } from 'vitest';
import { startApp, tools, type TestApp } from './support/fakeHost';
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

describe('a message sent while a run lives', () => {
  const queued = [
    { id: 'q1', text: 'next', mode: 'agent', attachments: [] },
    { id: 'q2', text: 'and then', mode: 'agent', attachments: [{ kind: 'file' as const, path: 'src/a.ts' }] },
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
    expect(rows().map(spokenText)).toEqual(['After this step: next']);
    expect(rows()[0]?.querySelector('[title]')?.getAttribute('title')).toBe(
      'The agent receives this message after the current step.\n\nnext',
    );
    expect(all(rows()[0] as Element, 'button').map(nameOf)).toEqual(['Edit', 'Send now', 'Remove']);
  });

  it('waits for the end of the run with another mode, as all later messages do', async () => {
    const other = { id: 'q3', text: 'a plan', mode: 'plan', attachments: [] };
    app = await startApp({ log: talk(), run: running, queued: [...queued.slice(0, 1), other, ...queued.slice(1)] });
    expect(rows().map(spokenText)).toEqual(['After this step: next', 'Queued: a plan', 'Queued: and then']);
  });

  it('takes one line, however long it is', async () => {
    app = await startApp({
      log: talk(),
      queued: [{ id: 'q1', text: `first\nsecond ${'x'.repeat(1_000_000)}`, mode: 'agent', attachments: [] }],
    });
    const line = `first second ${'x'.repeat(987)}…`;
    expect(rows().map(spokenText)).toEqual([`Queued: ${line}`]);
    expect(rows()[0]?.querySelector('[title]')?.getAttribute('title')).toBe(line);
  });

  it('is there after a reload, with a hint when nothing sends it any more', async () => {
    app = await startApp({ log: talk(), queued });
    expect(rows().map(spokenText)).toEqual(['Queued: next', 'Queued: and then']);
    expect(app.root.textContent).toContain('Not sent, because');
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
    expect(app.root.textContent).toContain('This chat is running in another window.');
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
    // Changes to the other chat are not received while it is hidden.
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
