import { afterEach, describe, expect, it } from 'vitest';
import { tools, noTools, startApp, type TestApp } from './support/fakeHost';
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

  it('shows why sending failed until the next message is sent or queued', async () => {
    app = await startApp({ log: new TestLog() });
    app.api.send.mockRejectedValueOnce(new Error('The disk is full'));
    await write('Hello');
    await app.press('Enter');
    expect(has(app.root, 'alert')).toBe(true);
    await app.press('Enter');
    expect(has(app.root, 'alert')).toBe(false);
    app.port.emit('problem', { message: 'A tool could not start' });
    await write('More');
    expect(has(app.root, 'alert')).toBe(true);
    await app.press('Enter');
    expect(has(app.root, 'alert')).toBe(false);
    expect(app.api.enqueue).toHaveBeenCalledOnce();
  });

  it('hides why sending failed when another or a new chat opens', async () => {
    app = await startApp({ log: new TestLog() });
    for (const sessionId of ['s2', null]) {
      app.api.send.mockRejectedValueOnce(new Error('The disk is full'));
      await write('Hello');
      await app.press('Enter');
      expect(has(app.root, 'alert')).toBe(true);
      app.port.emit('navigate', { page: 'chat', sessionId });
      await app.settle();
      expect(has(app.root, 'alert')).toBe(false);
    }
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
    expect(app.root.textContent).toContain(`${noTools.name} has no built-in tool support`);
  });

  it('says before sending that a model without tools sees no files in Ask mode', async () => {
    const note = `${noTools.name} cannot read files in Ask mode. Attach the files, or choose Agent mode.`;
    app = await startApp({ ready: { mode: 'ask' } });
    expect(app.root.textContent).toContain(note);
    get(app.root, 'button', `Model: ${noTools.name}`).click();
    await app.settle();
    expect(all(app.root, 'option').map(descriptionOf)[1]).toContain('cannot read files');
    await app.press('Home');
    await app.press('Enter');
    expect(app.api.selectModel).toHaveBeenCalledWith({ mode: 'ask', model: tools.name });
  });
});
