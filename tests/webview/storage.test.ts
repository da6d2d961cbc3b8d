import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SessionSummary, StorageState } from '../../src/protocol/webviewEvents';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { get, has } from './support/roles';

let app: TestApp;
afterEach(() => app.wrapper.unmount());

const unavailable = (code: string, actions: NonNullable<StorageState['problem']>['actions']): StorageState => ({
  state: 'unavailable',
  problem: { code, message: `What is wrong: ${code}.`, folder: '/somewhere/storage', actions },
});
const damaged = unavailable('corrupt', ['setAside', 'retry', 'openFolder', 'chooseFolder', 'showLog']);
const locked = unavailable('locked', ['retry', 'openFolder', 'showLog']);
const open: StorageState = { state: 'open', problem: null };

const field = () => get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
async function type(text: string): Promise<void> {
  field().value = text;
  field().dispatchEvent(new Event('input'));
  await app.settle();
}
/** Makes the next `ready` report that the storage is open. */
function openWith(sessionId: string | null): void {
  const [first] = app.api.ready.mock.settledResults;
  if (first?.type !== 'fulfilled') throw new Error('The view has not started');
  app.api.ready.mockResolvedValueOnce({ ...first.value, sessionId, storage: open });
}
const logOf = (text: string): TestLog => {
  const log = new TestLog();
  log.user(text);
  return log;
};

describe('a view that is gone', () => {
  it('draws nothing that had been put off', async () => {
    app = await startApp();
    await type('Hello');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      get(app.root, 'button', 'Send').click();
      await vi.advanceTimersByTimeAsync(0);
      expect(app.api.send).toHaveBeenCalled();
      app.wrapper.unmount();
      const frames = vi.spyOn(window, 'requestAnimationFrame');
      await vi.advanceTimersByTimeAsync(2_200);
      expect(frames).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('storage that does not open', () => {
  it('says why, where, and offers every way out by its name', async () => {
    app = await startApp({ ready: { storage: damaged } });
    const box = get(app.root, 'alert', 'Chat history');
    expect(box.textContent).toContain('What is wrong: corrupt.');
    expect(box.textContent).toContain('/somewhere/storage');
    const ways = {
      'Set aside and start fresh': 'setAside',
      'Try again': 'retry',
      'Open folder': 'openFolder',
      'Choose another folder': 'chooseFolder',
      'Show log': 'showLog',
    };
    for (const [name, action] of Object.entries(ways)) {
      get(box, 'button', name).click();
      await app.settle();
      expect(app.api.actOnStorage.mock.lastCall?.[0]).toEqual({ action });
    }
  });

  it('is why a run was cut off, where it was lost in the middle of one', async () => {
    const log = logOf('A long task');
    log.add('assistant_output', 'Half of', {}, true);
    app = await startApp({ log, run: { sessionId: log.sessionId, state: 'running', activity: null } });
    expect(app.root.textContent).not.toContain('Interrupted');
    app.port.emit('storage', damaged);
    app.port.emit('runState', { sessionId: log.sessionId, state: 'idle', activity: null });
    await app.settle();
    expect(app.root.textContent).toContain('Interrupted: the chat history is damaged');
    expect(app.root.textContent).not.toContain('the window closed');
  });

  it('leaves models and connection to be seen and checked', async () => {
    app = await startApp({
      ready: {
        storage: damaged,
        connection: { state: 'unreachable', baseUrl: 'http://localhost:11434', version: null, message: null, demo: false },
      },
    });
    get(app.root, 'button', 'Model: qwen3:14b');
    get(app.root, 'button', 'Check again').click();
    await app.settle();
    expect(app.api.testConnection).toHaveBeenCalledOnce();
  });

  it('keeps what is written, says that it cannot be sent, and sends nothing', async () => {
    app = await startApp({ ready: { storage: damaged } });
    await type('Words of mine');
    await app.press('Enter', {}, field());
    expect(app.api.send).not.toHaveBeenCalled();
    expect(field().value).toBe('Words of mine');
    expect(app.root.textContent).toContain('you cannot send messages');
  });

  it('tries again by itself before sending what may go now, and sends it when it does', async () => {
    app = await startApp({ ready: { storage: locked } });
    await type('Words of mine');
    app.api.actOnStorage.mockResolvedValueOnce(locked);
    await app.press('Enter', {}, field());
    expect(app.api.send).not.toHaveBeenCalled();
    expect(field().value).toBe('Words of mine');
    app.api.actOnStorage.mockResolvedValueOnce(open);
    openWith('another session');
    await app.press('Enter', {}, field());
    expect(app.api.send.mock.lastCall?.[0]).toMatchObject({ sessionId: null, text: 'Words of mine' });
    expect(has(app.root, 'alert', 'Chat history')).toBe(false);
  });

  it('keeps a mode that the user chooses while the view asks again', async () => {
    app = await startApp({ ready: { storage: damaged } });
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    const ready = app.api.ready.getMockImplementation();
    app.api.ready.mockImplementationOnce(async (input) => {
      await isAnswered;
      return ready?.(input) as never;
    });
    app.port.emit('storage', open);
    await app.settle();
    get(app.root, 'button', 'Mode: Agent').click();
    await app.settle();
    get(app.root, 'option', 'Ask').click();
    await app.settle();
    answer();
    await app.settle();
    expect(has(app.root, 'button', 'Mode: Ask')).toBe(true);
  });

  it('comes back by itself: the session last shown is there once the storage is', async () => {
    const log = logOf('From before');
    app = await startApp({ log, ready: { storage: locked, sessionId: null } });
    openWith(log.sessionId);
    app.port.emit('storage', open);
    await app.settle();
    expect(get(app.root, 'log', 'Conversation').textContent).toContain('From before');
  });

  it('tells of itself beside a conversation, whose draft survives that it is gone', async () => {
    const log = logOf('From before');
    app = await startApp({ log });
    await type('And now?');
    app.port.emit('storage', damaged);
    await app.settle();
    get(app.root, 'alert', 'Chat history');
    expect(get(app.root, 'log', 'Conversation').textContent).toContain('From before');
    openWith(null);
    app.port.emit('storage', open);
    await app.settle();
    expect(get(app.root, 'log', 'Conversation').textContent).toBe('');
    expect(field().value).toBe('And now?');
  });
});

describe('storage that was emptied', () => {
  const signUpForm: SessionSummary = {
    id: 'a',
    title: 'Sign-up form',
    mode: 'agent',
    model: null,
    state: 'idle',
    createdAt: 0,
    updatedAt: 0,
  };

  /** Simulates the extension's messages while it deletes everything, and afterwards. */
  async function emptied(): Promise<void> {
    openWith(null);
    app.port.emit('storage', { state: 'opening', problem: null });
    app.port.emit('storage', open);
    await app.settle();
  }

  it('leaves an empty chat', async () => {
    app = await startApp({ log: logOf('From before') });
    await emptied();
    expect(get(app.root, 'log', 'Conversation').textContent).toBe('');
  });

  it('leaves an empty history', async () => {
    app = await startApp({ sessions: [signUpForm] });
    app.port.emit('navigate', { page: 'history' });
    await app.settle();
    expect(app.root.textContent).toContain('Sign-up form');
    app.api.listSessions.mockResolvedValue({ sessions: [], hasMore: false, nextOffset: null });
    await emptied();
    expect(app.root.textContent).not.toContain('Sign-up form');
  });

  it('leaves nothing on the settings page of what was stored', async () => {
    app = await startApp();
    app.port.emit('navigate', { page: 'settings' });
    await app.settle();
    get(app.root, 'tab', 'Checkpoints').click();
    await app.settle();
    get(app.root, 'button', 'Sign-up form').click();
    await app.settle();
    expect(has(app.root, 'list', 'Checkpoints of this chat')).toBe(true);
    const none = {
      bytes: 0,
      limit: 5e9,
      objects: 0,
      checkpoints: 0,
      sessions: [],
      approved: { count: 0, oldest: null },
      originals: 0,
      freeable: 0,
    };
    app.api.readCheckpointStorage.mockResolvedValue(none);
    const measured = app.api.measureStorage.mock.calls.length;
    await emptied();
    expect(has(app.root, 'list', 'Stored by chat')).toBe(false);
    expect(get(app.root, 'tabpanel').textContent).toContain('No checkpoints yet.');
    expect(app.api.measureStorage.mock.calls.length).toBe(measured + 1);
  });

  it('is not measured where nobody has looked at it', async () => {
    app = await startApp();
    app.port.emit('navigate', { page: 'settings' });
    await app.settle();
    await emptied();
    expect(app.api.readCheckpointStorage).not.toHaveBeenCalled();
  });
});

describe('words that could not be sent', () => {
  it('come back before what has been typed since', async () => {
    app = await startApp();
    let fail: (error: Error) => void = () => undefined;
    app.api.send.mockImplementationOnce(() => new Promise((_resolve, reject) => (fail = reject)));
    await type('First');
    await app.press('Enter', {}, field());
    await type('Second');
    fail(new Error('The disk is full.'));
    await app.settle();
    expect(field().value).toBe('First\n\nSecond');
    expect(app.root.textContent).toContain('The disk is full.');
  });

  it('and a failure outside the conversation, are told', async () => {
    app = await startApp();
    app.port.emit('problem', { message: 'The end of this answer is not kept.' });
    await app.settle();
    expect(app.root.textContent).toContain('The end of this answer is not kept.');
  });
});
