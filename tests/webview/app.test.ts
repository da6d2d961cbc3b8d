import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { tools, startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf, spokenText } from './support/roles';

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

describe('a conversation', () => {
  it('is a log before anything was said, too', async () => {
    app = await startApp();
    expect(get(app.root, 'log', 'Conversation').textContent).toBe('');
  });

  it('is a polite log of articles, one of the assistant for each of a person', async () => {
    const log = new TestLog();
    log.user('one');
    log.add('thinking', 'hm', { durationMs: 6000 });
    log.add('assistant_output', 'I look.', { end: 'complete' });
    log.call('c1', 'read_file', { path: 'src/a.ts' });
    log.add('tool_result', 'text', {
      callId: 'c1',
      name: 'read_file',
      status: 'success',
      details: { path: 'src/a.ts', startLine: 1, endLine: 8 },
    });
    log.call('c2', 'read_file', { path: 'src/b.ts' });
    log.add('tool_result', 'no such file', { callId: 'c2', name: 'read_file', status: 'error' });
    log.add('assistant_output', 'Done.', { end: 'complete' });
    log.add('run_end', '', { outcome: 'done' });
    log.user('two');
    log.add('assistant_output', 'Yes.', { end: 'complete' });
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    const conversation = get(app.root, 'log', 'Conversation');
    expect(conversation.getAttribute('aria-live')).toBe('polite');
    expect(all(conversation, 'article').map(nameOf)).toEqual(['You', 'Assistant', 'You', 'Assistant']);
    const thoughts = get(conversation, 'button', 'Thought for 6s');
    expect(thoughts.getAttribute('aria-expanded')).toBe('false');
    expect(get(conversation, 'button', 'Read 1 of 2 files').getAttribute('aria-expanded')).toBe('true');
    expect(all(conversation, 'listitem').map(spokenText)).toEqual(['src/a.ts done', 'src/b.ts failed']);
    get(conversation, 'button', 'src/a.ts').click();
    await app.settle();
    expect(app.api.openFile).toHaveBeenCalledWith({ path: 'src/a.ts', startLine: 1, endLine: 8 });
    get(conversation, 'button', 'Details of src/b.ts').click();
    await app.settle();
    expect(app.root.textContent).toContain('no such file');
  });

  it('streams, and folds the thoughts when the answer begins', async () => {
    const log = new TestLog();
    log.user('one');
    app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: { kind: 'answering', since: 0 } } });
    const thinking = log.add('thinking', 'hm', {}, true);
    await app.sendEntries(log, 1);
    expect(get(app.root, 'button', 'Thinking…').getAttribute('aria-expanded')).toBe('true');
    app.port.emit('log', { kind: 'delta', sessionId: 's1', seq: 2, offset: 2, text: ' so it is' });
    await app.settle();
    expect(app.root.textContent).toContain('hm so it is');
    const closed = log.change(thinking.seq, { content: 'hm so it is', isOpen: false, data: { durationMs: 2100 } });
    app.port.emit('log', { kind: 'entry', sessionId: 's1', revision: closed.revision, entry: closed });
    await app.settle();
    expect(get(app.root, 'button', 'Thought for 2s').getAttribute('aria-expanded')).toBe('false');
    expect(app.root.textContent).not.toContain('hm so it is');
  });

  it('tells a screen reader when an answer that it saw begin is complete, and of no other', async () => {
    const spoken = () => all(app.root, 'status').map(spokenText).join();
    const log = new TestLog();
    log.user('one');
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    expect(spoken()).not.toContain('The answer is complete.');
    log.user('two');
    app.port.emit('runState', { sessionId: 's1', state: 'running', activity: { kind: 'answering', since: 0 } });
    await app.sendEntries(log, 2);
    log.add('assistant_output', 'Yes.', { end: 'complete' });
    log.add('run_end', '', { outcome: 'done' });
    await app.sendEntries(log, 3);
    app.port.emit('runState', { sessionId: 's1', state: 'idle', activity: null });
    await app.settle();
    expect(spoken()).toContain('The answer is complete.');
  });

  it('says how a run ended and offers Retry where it helps', async () => {
    const log = new TestLog();
    log.user('one');
    log.add('assistant_output', 'I beg', { end: 'stopped' });
    log.add('run_end', '', { outcome: 'stopped' });
    app = await startApp({ log });
    expect(spokenText(get(app.root, 'article', 'Assistant'))).toContain('Stopped');
    get(app.root, 'button', 'Retry').click();
    await app.settle();
    expect(app.api.retry).toHaveBeenCalledWith({ sessionId: 's1', model: tools.name });
  });

  it('shows an error with its cause and the ways out', async () => {
    const log = new TestLog();
    log.user('one');
    log.add('error', 'Ollama does not answer.', {
      code: 'connection',
      detail: 'ECONNREFUSED',
      actions: ['startOllama', 'retry', 'openSettings'],
    });
    log.add('run_end', '', { outcome: 'failed' });
    app = await startApp({ log });
    const error = get(app.root, 'group', 'Error');
    expect(all(error, 'button').map(nameOf)).toEqual(['Details', 'How to start Ollama', 'Retry', 'Open settings']);
    get(error, 'button', 'How to start Ollama').click();
    await app.settle();
    expect(error.textContent).toContain('ollama serve');
    get(error, 'button', 'Open settings').click();
    await app.settle();
    expect(get(app.root, 'tab', 'Connection').getAttribute('aria-selected')).toBe('true');
  });

  it('leads from an error about the context window to where it is set, and that once', async () => {
    const log = new TestLog();
    log.user('one');
    log.add('error', 'Too long.', { code: 'contextOverflow', actions: ['newSession', 'openSettings'] });
    log.add('run_end', '', { outcome: 'failed' });
    app = await startApp({ log });
    const selected = () =>
      all(app.root, 'tab')
        .find((tab) => tab.getAttribute('aria-selected') === 'true')
        ?.textContent?.trim();
    get(app.root, 'button', 'Open settings').click();
    await app.settle();
    expect(selected()).toBe('Chat');
    get(app.root, 'button', 'Back to chat').click();
    await app.settle();
    app.port.emit('navigate', { page: 'settings' });
    await app.settle();
    expect(selected()).toBe('Connection');
  });

  it('says how to start Ollama where the address is of this machine, with its port, and nowhere else', async () => {
    const log = new TestLog();
    log.user('one');
    log.add('error', 'Ollama does not answer.', { code: 'connection', actions: ['startOllama', 'retry', 'openSettings'] });
    log.add('run_end', '', { outcome: 'failed' });
    const connection = {
      state: 'unreachable' as const,
      baseUrl: 'http://gpu-box:11434',
      version: null,
      message: null,
      demo: false,
    };
    app = await startApp({ log, ready: { connection, system: 'wsl', windowsHost: '172.240.32.1' } });
    const error = get(app.root, 'group', 'Error');
    expect(all(error, 'button').map(nameOf)).toEqual(['Retry', 'Open settings']);
    app.port.emit('connection', { ...connection, baseUrl: 'http://localhost:9999' });
    await app.settle();
    get(error, 'button', 'How to start Ollama').click();
    await app.settle();
    expect(error.textContent).toContain('http://172.240.32.1:9999');
  });

  it('offers to stop a wait once it is long, and says why it may be', async () => {
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
    onTestFinished(() => clock.mockRestore());
    const log = new TestLog();
    log.user('one');
    const waiting = (since: number) => ({
      sessionId: 's1',
      state: 'running' as const,
      activity: { kind: 'loading' as const, model: 'tiny:1b', since },
    });
    app = await startApp({ log, run: waiting(now) });
    expect(app.root.textContent).toContain('Loading tiny:1b into memory…');
    expect(has(app.root, 'button', 'Stop waiting')).toBe(false);
    app.port.emit('runState', waiting(now - 11_000));
    await app.settle();
    expect(app.root.textContent).toContain('A large model takes a while to load');
    get(app.root, 'button', 'Stop waiting').click();
    await app.settle();
    expect(app.api.stop).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1' });
    expect(has(app.root, 'button', 'Stop waiting')).toBe(false);
  });

  it('does not flash an end before a run that was just asked for is known to live', async () => {
    const log = new TestLog();
    log.user('one');
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    await write('two');
    await app.press('Enter');
    log.user('two');
    await app.sendEntries(log, 2);
    expect(app.root.textContent).not.toContain('Interrupted');
    expect(has(app.root, 'button', 'Stop')).toBe(true);
  });

  it('asks for what it missed when it is shown again', async () => {
    const log = new TestLog();
    log.user('one');
    app = await startApp({ log });
    log.add('assistant_output', 'while you were away', { end: 'complete' });
    log.add('run_end', '', { outcome: 'done' });
    document.dispatchEvent(new Event('visibilitychange'));
    await app.settle();
    expect(app.api.openSession).toHaveBeenLastCalledWith({ sessionId: 's1', sinceRevision: 1 });
    expect(app.root.textContent).toContain('while you were away');
  });
});

describe('the way to a first answer', () => {
  it('says where it looked and how to start, and looks again on demand', async () => {
    app = await startApp({
      ready: {
        models: { models: [], stale: false, selected: {} },
        connection: { state: 'unreachable', baseUrl: 'http://localhost:11434', version: null, message: null, demo: false },
      },
    });
    expect(app.root.textContent).toContain('No response from http://localhost:11434 (127.0.0.1, ::1).');
    get(app.root, 'button', 'Check again').click();
    await app.settle();
    expect(app.api.testConnection).toHaveBeenCalled();
    app.port.emit('connection', {
      state: 'connected',
      baseUrl: 'http://localhost:11434',
      version: '1',
      message: null,
      demo: false,
    });
    await app.settle();
    expect(app.root.textContent).toContain('Pull a model that supports tools');
    app.port.emit('models', { models: [tools], stale: false, selected: { agent: tools.name } });
    await app.settle();
    expect(app.root.textContent).toContain('What would you like to do in sample?');
  });

  it('fills the composer with an example', async () => {
    app = await startApp();
    get(app.root, 'button', 'Find the failing test and fix it').click();
    await app.settle();
    const field = get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
    expect(field.value).toBe('Find the failing test and fix it');
    get(app.root, 'button', 'Write a README for this project').click();
    await app.settle();
    expect(field.value).toBe('Find the failing test and fix it\n\nWrite a README for this project');
    expect(document.activeElement).toBe(field);
  });

  it('labels the demonstration', async () => {
    const connection = { state: 'connected' as const, baseUrl: 'http://127.0.0.1:1', version: null, message: null, demo: true };
    app = await startApp({ ready: { connection } });
    expect(app.root.textContent).toContain('Demo: the answers are scripted');
  });

  it('warns where a token is sent unencrypted', async () => {
    const connection = { state: 'connected' as const, baseUrl: 'http://box:11434', version: '1', message: null, demo: false };
    app = await startApp({ ready: { connection: { ...connection, isTokenExposed: true } } });
    expect(app.root.textContent).toContain('The access token is sent unencrypted to http://box:11434.');
    app.port.emit('connection', connection);
    await app.settle();
    expect(app.root.textContent).not.toContain('unencrypted');
  });

  it('speaks the language of the bundle it is given', async () => {
    app = await startApp({ ready: { l10n: { Send: 'Senden', 'Mode: {0}': 'Modus: {0}' } } });
    expect(has(app.root, 'button', 'Senden')).toBe(true);
    expect(has(app.root, 'button', 'Modus: Agent')).toBe(true);
    app.wrapper.unmount();
    app = await startApp();
  });
});
