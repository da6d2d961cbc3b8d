import { afterEach, describe, expect, it } from 'vitest';
import { tools, embedding, noTools, startApp, type TestApp } from './support/fakeHost';
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

describe('the composer', () => {
  it('has the names that others rely on', async () => {
    app = await startApp();
    expect(has(app.root, 'textbox', 'Message')).toBe(true);
    expect(all(app.root, 'button').map(nameOf)).toEqual(expect.arrayContaining(['Mode: Agent', `Model: ${tools.name}`, 'Send']));
    expect(has(app.root, 'button', 'Stop')).toBe(false);
  });

  it('sends with Enter, takes a new line with Shift+Enter, and leaves Enter to an input method', async () => {
    app = await startApp({ log: new TestLog() });
    await write('Hello');
    await app.press('Enter', { shiftKey: true });
    await app.press('Enter', { isComposing: true });
    expect(app.api.send).not.toHaveBeenCalled();
    await app.press('Enter');
    expect(app.api.send).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', text: 'Hello', mode: 'agent', model: tools.name });
    expect((get(app.root, 'textbox', 'Message') as HTMLTextAreaElement).value).toBe('');
  });

  it('gives the words back when they could not be sent, and says why', async () => {
    app = await startApp();
    app.api.send.mockRejectedValueOnce(new Error('The disk is full'));
    await write('Hello');
    get(app.root, 'button', 'Send').click();
    await app.settle();
    expect((get(app.root, 'textbox', 'Message') as HTMLTextAreaElement).value).toBe('Hello');
    expect(spokenText(get(app.root, 'alert'))).toContain('The disk is full');
  });

  it('keeps a draft over a reload', async () => {
    app = await startApp();
    await write('half a thou');
    const { value } = app.state;
    app.wrapper.unmount();
    app = await startApp({ state: value });
    expect((get(app.root, 'textbox', 'Message') as HTMLTextAreaElement).value).toBe('half a thou');
  });

  it('shows the first message of a new chat at once, and keeps what is typed until the chat is there', async () => {
    const log = new TestLog();
    app = await startApp({ log, ready: { sessionId: null } });
    let answer: (sent: { sessionId: string }) => void = () => undefined;
    app.api.send.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
    const field = get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
    const write = async (text: string) => {
      field.value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await app.settle();
    };
    field.focus();
    await write('What is this project?');
    await app.press('Enter');
    expect(spokenText(get(app.root, 'article', 'You'))).toContain('What is this project?');
    expect(app.root.textContent).not.toContain('Opening…');

    await write('Answer in German');
    field.setSelectionRange(6, 6);
    log.user('What is this project?');
    answer({ sessionId: log.sessionId });
    await app.settle();
    expect(get(app.root, 'textbox', 'Message')).toBe(field);
    expect([field.value, field.selectionStart, document.activeElement]).toEqual(['Answer in German', 6, field]);
    expect(
      all(app.root, 'article')
        .map(nameOf)
        .filter((name) => name === 'You'),
    ).toHaveLength(1);
    expect(app.state.value).toMatchObject({ drafts: { [log.sessionId]: 'Answer in German' } });
  });

  it('gives back the first message of a chat that could not be begun', async () => {
    app = await startApp({ ready: { sessionId: null } });
    app.api.send.mockRejectedValue(new Error('no'));
    const field = get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
    field.value = 'What is this project?';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.settle();
    field.focus();
    await app.press('Enter');
    await app.settle();
    expect(has(app.root, 'article', 'You')).toBe(false);
    expect(field.value).toBe('What is this project?');
  });

  it('opens the session that a first message began', async () => {
    app = await startApp();
    const log = new TestLog('new');
    log.user('Hello');
    app.api.send.mockResolvedValueOnce({ sessionId: 'new' });
    app.api.openSession.mockResolvedValueOnce({
      session: { id: 'new', title: '', mode: 'agent', model: null, state: 'running', createdAt: 0, updatedAt: 0 },
      entries: [...log.entries],
      revision: 1,
      hasEarlier: false,
      run: { sessionId: 'new', state: 'running', activity: { kind: 'loading', model: 'tiny:1b', since: Date.now() } },
    });
    await write('Hello');
    await app.press('Enter');
    expect(app.api.openSession).toHaveBeenCalledWith({ sessionId: 'new', sinceRevision: 0 });
    expect(spokenText(get(app.root, 'article', 'You'))).toContain('Hello');
    expect(spokenText(get(app.root, 'article', 'Assistant'))).toContain('Loading tiny:1b into memory…');
    expect(has(app.root, 'button', 'Stop')).toBe(true);
  });

  it('says before sending that a model has no tools of its own for Agent mode', async () => {
    app = await startApp({ ready: { models: { models: [noTools], stale: false, selected: { agent: noTools.name } } } });
    expect(app.root.textContent).toContain(`${noTools.name} has no tools of its own and has to write its calls as text`);
  });

  it('says before sending that a model without tools sees no files in Ask mode', async () => {
    const note = `${noTools.name} cannot look at files in Ask mode. Attach what it needs, or choose Agent mode.`;
    app = await startApp({ ready: { mode: 'ask' } });
    expect(app.root.textContent).toContain(note);
    get(app.root, 'button', `Model: ${noTools.name}`).click();
    await app.settle();
    expect(all(app.root, 'option').map(descriptionOf)[1]).toContain('cannot look at files');
    await app.press('Home');
    await app.press('Enter');
    expect(app.api.selectModel).toHaveBeenCalledWith({ mode: 'ask', model: tools.name });
  });
});

describe('the pickers', () => {
  it('choose a mode by keyboard', async () => {
    app = await startApp();
    const button = get(app.root, 'button', 'Mode: Agent');
    expect(button.getAttribute('aria-haspopup')).toBe('listbox');
    button.focus();
    await app.press('ArrowDown');
    const list = get(app.root, 'listbox', 'Mode');
    expect(document.activeElement).toBe(list);
    expect(all(list, 'option').map(nameOf)).toEqual(['Agent', 'Plan', 'Ask', 'Edit']);
    await app.press('End');
    await app.press('Enter');
    expect(app.api.selectMode).toHaveBeenCalledWith({ mode: 'edit' });
    expect(nameOf(document.activeElement as Element)).toBe('Mode: Edit');
    expect(has(app.root, 'listbox')).toBe(false);
  });

  it('choose a model by typing its first letters, and offer only those that chat', async () => {
    app = await startApp();
    get(app.root, 'button', `Model: ${tools.name}`).click();
    await app.settle();
    const options = all(app.root, 'option');
    expect(options.map(nameOf)).toEqual([tools.name, noTools.name]);
    expect(options.map(descriptionOf)).toEqual([
      '9.3 GB · 40k context · loaded , tools , thinking'.replaceAll(' ,', ','),
      '8.1 GB · 128k context, vision no tools',
    ]);
    await app.press('g');
    await app.press('e');
    const active = get(app.root, 'listbox').getAttribute('aria-activedescendant');
    expect(document.getElementById(active ?? '')?.getAttribute('aria-label')).toBe(noTools.name);
    await app.press('Enter');
    expect(app.api.selectModel).toHaveBeenCalledWith({ mode: 'agent', model: noTools.name });
  });

  it('keep the model that was just chosen, whatever is told of before it was saved', async () => {
    app = await startApp();
    let saved = (): void => undefined;
    app.api.selectModel.mockReturnValueOnce(new Promise((resolve) => (saved = () => resolve({}))));
    get(app.root, 'button', `Model: ${tools.name}`).click();
    await app.settle();
    await app.press('End');
    await app.press('Enter');
    const told = (agent: string) => app.port.emit('models', { models: [tools, noTools], stale: false, selected: { agent } });
    told(tools.name);
    await app.settle();
    expect(has(app.root, 'button', `Model: ${noTools.name}`)).toBe(true);
    saved();
    await app.settle();
    expect(has(app.root, 'button', `Model: ${noTools.name}`)).toBe(true);
    told(tools.name);
    await app.settle();
    expect(has(app.root, 'button', `Model: ${tools.name}`)).toBe(true);
  });

  it('list the model that is chosen though it cannot chat, say so, and do not choose it again', async () => {
    app = await startApp({
      ready: { models: { models: [tools, embedding], stale: false, selected: { agent: embedding.name, ask: tools.name } } },
    });
    get(app.root, 'button', `Model: ${embedding.name}`).click();
    await app.settle();
    const options = all(app.root, 'option');
    expect(options.map((option) => [nameOf(option), option.getAttribute('aria-disabled')])).toEqual([
      [tools.name, 'false'],
      [embedding.name, 'true'],
    ]);
    expect(descriptionOf(options[1] as Element)).toContain('cannot chat');
    await app.press('Enter');
    expect(has(app.root, 'listbox')).toBe(true);
    await app.press('Home');
    await app.press('Enter');
    expect(app.api.selectModel).toHaveBeenCalledExactlyOnceWith({ mode: 'agent', model: tools.name });
  });

  it('close with Escape without stopping a run, and with a press outside', async () => {
    const log = new TestLog();
    log.user('Hello');
    app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
    get(app.root, 'button', 'Mode: Agent').click();
    await app.settle();
    await app.press('Escape');
    expect(has(app.root, 'listbox')).toBe(false);
    expect(nameOf(document.activeElement as Element)).toBe('Mode: Agent');
    expect(app.api.stop).not.toHaveBeenCalled();

    get(app.root, 'button', 'Mode: Agent').click();
    await app.settle();
    get(app.root, 'textbox', 'Message').dispatchEvent(new Event('pointerdown', { bubbles: true }));
    await app.settle();
    expect(has(app.root, 'listbox')).toBe(false);
    await app.press('Escape');
    expect(app.api.stop).toHaveBeenCalledWith({ sessionId: 's1' });
  });
});

describe('an approval', () => {
  async function asked(): Promise<TestLog> {
    const log = new TestLog();
    log.user('Run the tests');
    log.call('c1', 'run_terminal_command', { command: 'npm test' });
    app = await startApp({ log, run: { sessionId: 's1', state: 'running', activity: null } });
    await write('what I write next');
    log.add('approval', '', {
      ...{ approvalId: 'a1', callId: 'c1', phase: 'requested', kind: 'command', command: 'npm test', cwd: 'packages/app' },
      ...{ severity: 'medium', reasons: ['runs tests'] },
    });
    await app.sendEntries(log, 2);
    return log;
  }

  it('shows the command, where, how grave and why, is announced, and leaves the focus where it is', async () => {
    await asked();
    const card = get(app.root, 'group', 'Approve command');
    expect(descriptionOf(card)).toBe('npm test medium risk in packages/app · runs tests');
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
    // The element that takes the focus when somebody clicks there.
    text?.closest<HTMLElement>('[tabindex], button')?.focus();
    await app.press('Escape');
    await app.press('Escape', { repeat: true });
    expect(app.api.decideApproval).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', approvalId: 'a1', approve: false });
    expect(app.api.stop).not.toHaveBeenCalled();
  });
});

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
    expect(get(conversation, 'button', 'Read 2 files').getAttribute('aria-expanded')).toBe('true');
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
    const log = new TestLog();
    log.user('one');
    const waiting = (since: number) => ({
      ...{ sessionId: 's1', state: 'running' as const },
      activity: { kind: 'loading' as const, model: 'tiny:1b', since },
    });
    app = await startApp({ log, run: waiting(Date.now()) });
    expect(app.root.textContent).toContain('Loading tiny:1b into memory…');
    expect(has(app.root, 'button', 'Stop waiting')).toBe(false);
    app.port.emit('runState', waiting(Date.now() - 11_000));
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

  it('shows the last turns of a long one first, and the earlier ones on demand', async () => {
    const log = new TestLog();
    for (let turn = 0; turn < 100; turn += 1) log.user(`message ${turn}`);
    app = await startApp({ log });
    expect(all(app.root, 'article', 'You')).toHaveLength(30);
    get(app.root, 'button', 'Show 70 earlier messages').click();
    await app.settle();
    expect(all(app.root, 'article', 'You')).toHaveLength(60);
  });

  it('shows a few earlier turns at a time to somebody who scrolls up', async () => {
    const log = new TestLog();
    for (let turn = 0; turn < 100; turn += 1) log.user(`message ${turn}`);
    app = await startApp({ log });
    const conversation = get(app.root, 'log', 'Conversation');
    Object.defineProperty(conversation, 'scrollHeight', { value: 3_000 });
    conversation.scrollTop = 100;
    conversation.dispatchEvent(new WheelEvent('wheel', { deltaY: -50 }));
    for (const shown of [36, 42]) {
      conversation.dispatchEvent(new Event('scroll'));
      await app.settle();
      expect(all(app.root, 'article', 'You')).toHaveLength(shown);
    }
  });

  it('takes no turn away from somebody who reads the first ones when another begins', async () => {
    const log = new TestLog();
    for (let turn = 0; turn < 100; turn += 1) log.user(`message ${turn}`);
    app = await startApp({ log });
    const conversation = get(app.root, 'log', 'Conversation');
    const shown = () => all(app.root, 'article', 'You').map((article) => /message \d+/.exec(spokenText(article))?.[0]);
    Object.defineProperty(conversation, 'scrollHeight', { get: () => 100 * shown().length });
    conversation.scrollTop = 400;
    conversation.dispatchEvent(new WheelEvent('wheel', { deltaY: -50 }));
    log.user('message 100');
    log.user('message 101');
    await app.sendEntries(log, 100);
    expect([shown().length, shown()[0], shown().at(-1), conversation.scrollTop]).toEqual([
      ...[32, 'message 70', 'message 101', 400],
    ]);
  });

  it('fetches what is further back, turn by turn, until nothing is left', async () => {
    const log = new TestLog();
    for (let turn = 0; turn < 100; turn += 1) {
      log.user(`message ${turn}`);
      log.add('assistant_output', `answer ${turn}`, { end: 'complete' });
    }
    app = await startApp({ log, page: 50 });
    const shown = () => all(app.root, 'article', 'You').map(spokenText);
    expect(shown()).toHaveLength(25);
    const seen = [shown().length];
    while (has(app.root, 'button', 'Show earlier messages') && seen.length < 20) {
      get(app.root, 'button', 'Show earlier messages').click();
      await app.settle();
      seen.push(shown().length);
    }
    while (seen.length < 20 && seen[seen.length - 1] !== 100) {
      all(app.root, 'button')
        .find((button) => nameOf(button).startsWith('Show '))
        ?.click();
      await app.settle();
      seen.push(shown().length);
    }
    expect([shown()[0], shown()[99]].map((text) => text?.match(/message \d+/)?.[0])).toEqual(['message 0', 'message 99']);
    expect([...seen].sort((a, b) => a - b)).toEqual(seen);
    expect(app.api.earlierEntries.mock.calls.map(([{ beforeSeq }]) => beforeSeq)).toEqual([151, 101, 51]);
  });

  it('passes over what a rewind took out, and says when earlier messages could not be read', async () => {
    const log = new TestLog();
    log.user('the first');
    for (let index = 0; index < 60; index += 1) log.user(`taken back ${index}`);
    log.add('rewind', '', { fromSeq: 2 });
    for (let index = 0; index < 5; index += 1) log.user(`kept ${index}`);
    app = await startApp({ log, page: 4 });
    expect(all(app.root, 'article', 'You')).toHaveLength(4);
    app.api.earlierEntries.mockRejectedValueOnce(new Error('The disk is gone'));
    get(app.root, 'button', 'Show earlier messages').click();
    await app.settle();
    expect(spokenText(get(app.root, 'alert'))).toContain('The disk is gone');
    for (let step = 0; step < 3 && has(app.root, 'button', 'Show earlier messages'); step += 1) {
      get(app.root, 'button', 'Show earlier messages').click();
      await app.settle();
    }
    expect(all(app.root, 'article', 'You').map((article) => /the first|kept \d|taken/.exec(spokenText(article))?.[0])).toEqual([
      ...['the first', 'kept 0', 'kept 1', 'kept 2', 'kept 3', 'kept 4'],
    ]);
  });

  it('is walked message by message with Ctrl+↑ and Ctrl+↓, which leads back to the composer', async () => {
    const log = new TestLog();
    log.user('one');
    log.add('assistant_output', 'Yes.', { end: 'complete' });
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    const [question, answer] = all(app.root, 'article');
    get(app.root, 'textbox', 'Message').focus();
    await app.press('ArrowUp', { ctrlKey: true, shiftKey: true });
    expect(nameOf(document.activeElement as Element)).toBe('Message');
    for (const expected of [answer, question, question]) {
      await app.press('ArrowUp', { ctrlKey: true });
      expect(document.activeElement).toBe(expected);
    }
    await app.press('ArrowDown', { ctrlKey: true });
    expect(document.activeElement).toBe(answer);
    await app.press('ArrowDown', { ctrlKey: true });
    expect(nameOf(document.activeElement as Element)).toBe('Message');
  });

  it('is walked on into the earlier messages of a long one', async () => {
    const log = new TestLog();
    for (let turn = 0; turn < 40; turn += 1) log.user(`message ${turn}`);
    app = await startApp({ log });
    all(app.root, 'article', 'You')[0]?.focus();
    await app.press('ArrowUp', { ctrlKey: true });
    const messages = all(app.root, 'article');
    const index = messages.indexOf(document.activeElement as HTMLElement);
    expect(spokenText(messages[index + 1] as Element)).toContain('message 10');
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
    expect(app.root.textContent).toContain('Nothing answered at http://localhost:11434 (127.0.0.1, ::1).');
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
    expect(app.root.textContent).toContain('Get a model that can use tools');
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

  it('warns where a token travels unencrypted', async () => {
    const connection = { state: 'connected' as const, baseUrl: 'http://box:11434', version: '1', message: null, demo: false };
    app = await startApp({ ready: { connection: { ...connection, isTokenExposed: true } } });
    expect(app.root.textContent).toContain('The token travels unencrypted to http://box:11434.');
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
