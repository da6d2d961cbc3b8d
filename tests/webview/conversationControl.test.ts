import { afterEach, describe, expect, it, vi } from 'vitest';
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

function talk(...messages: string[]): TestLog {
  const log = new TestLog();
  for (const text of ['one', 'two', ...messages]) {
    log.user(text);
    log.add('assistant_output', `Answer to ${text}`, { end: 'complete' });
    log.add('run_end', '', { outcome: 'done' });
  }
  return log;
}

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
      sessionId: 's1',
      seq: 1,
      text: 'one, better',
      mode: 'agent',
      model: tools.name,
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

  it('is one of a row that ↑ walks back and ↓ walks forward, up to the empty composer', async () => {
    app = await startApp({ log: talk(), run: running });
    const walk = async (...keys: string[]) => {
      for (const key of keys) await app.press(key);
      return field('Message').value;
    };
    await write('');
    expect(await walk('ArrowDown')).toBe('');
    expect(await walk('ArrowUp', 'ArrowUp')).toBe('one');
    expect(await walk('ArrowUp')).toBe('one');
    expect(await walk('ArrowDown')).toBe('two');
    expect(await walk('ArrowDown', 'ArrowDown')).toBe('');
  });

  it('is not replaced by another one once it was edited', async () => {
    app = await startApp({ log: talk(), run: running });
    await write('');
    await app.press('ArrowUp');
    await write('two, better');
    await app.press('ArrowUp');
    await app.press('ArrowDown');
    expect(field('Message').value).toBe('two, better');
  });

  it('of several lines lets the arrows move the caret up to its first and last line', async () => {
    app = await startApp({ log: talk('three\nfour'), run: running });
    await write('');
    await app.press('ArrowUp');
    expect([field('Message').value, field('Message').selectionStart]).toEqual(['three\nfour', 5]);
    await app.press('ArrowDown');
    expect(field('Message').value).toBe('three\nfour');
    field('Message').setSelectionRange(7, 7);
    await app.press('ArrowUp');
    expect(field('Message').value).toBe('three\nfour');
    await app.press('ArrowDown');
    expect(field('Message').value).toBe('');
    await app.press('ArrowUp');
    await app.press('ArrowUp');
    expect(field('Message').value).toBe('two');
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

  it('shows its request in an editor', async () => {
    app = await startApp({ log: answered() });
    await press('Show request', answers()[0]);
    expect(app.api.showRequest).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', turn: 1 });
  });

  it('is not asked for again while a run is at work', async () => {
    app = await startApp({ log: answered(), run: running });
    expect([has(app.root, 'button', 'Retry'), has(answers()[0], 'button', 'Copy')]).toEqual([false, true]);
  });
});
