import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AttachmentRef } from '../../src/protocol/entries';
import { droppedUris } from '../../src/webview/composer/chipText';
import { image, noTools, startApp, tools, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf } from './support/roles';

let app: TestApp;
afterEach(() => {
  vi.unstubAllGlobals();
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const file: AttachmentRef = { kind: 'file', path: 'src/app.ts' };
const lines: AttachmentRef = { kind: 'selection', path: 'src/app.ts', startLine: 10, endLine: 24 };
const explain = 'Explain how this code works, step by step, and point out anything surprising.';

const field = () => get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
const removable = () =>
  all(app.root, 'button')
    .map(nameOf)
    .filter((name) => name.startsWith('Remove '));
async function write(text: string): Promise<void> {
  field().focus();
  field().value = text;
  field().dispatchEvent(new Event('input', { bubbles: true }));
  await app.settle();
}
async function press(name: string): Promise<void> {
  get(app.root, 'button', name).click();
  await app.settle();
}
async function emit(...event: Parameters<TestApp['port']['emit']>): Promise<void> {
  app.port.emit(...event);
  await app.settle();
}

describe('context of a message', () => {
  it('is added by a command, once each, is removable, and goes with the message', async () => {
    app = await startApp({ log: new TestLog() });
    await emit('attach', { items: [file, lines] });
    await emit('attach', { items: [lines] });
    expect(removable()).toEqual(['Remove app.ts', 'Remove app.ts:10-24']);
    expect(document.activeElement).toBe(field());
    await press('Remove app.ts');
    await write('Why?');
    await app.press('Enter');
    expect(app.api.send).toHaveBeenCalledExactlyOnceWith({
      sessionId: 's1',
      text: 'Why?',
      mode: 'agent',
      model: tools.name,
      attachments: [lines],
    });
    expect(removable()).toEqual([]);
  });

  it('names no model for an image where none can look at it', async () => {
    app = await startApp({ log: new TestLog() });
    await emit('models', { models: [tools], stale: false, selected: { agent: tools.name } });
    await emit('attach', { items: [{ kind: 'image', path: 'shot.png', image: image('a') }] });
    expect(app.root.textContent).toContain('qwen3:14b cannot read images. Choose a model with vision, or remove the image.');
  });

  it('shows what was found in the workspace, and opens it there', async () => {
    const log = new TestLog();
    const place = { path: 'src/app.ts', startLine: 3, endLine: 9 };
    const places = [place, { path: 'src/other.ts', startLine: 1, endLine: 4 }];
    log.add('user_input', 'Where?', {
      mode: 'ask',
      attachments: [{ kind: 'workspace', path: '@workspace', content: 'x', places }],
    });
    app = await startApp({ log });
    const row = get(app.root, 'button', 'Found 2 places in 2 files');
    expect(row.getAttribute('aria-expanded')).toBe('false');
    row.click();
    await app.settle();
    get(app.root, 'button', 'Open src/app.ts, lines 3 to 9').click();
    await app.settle();
    expect(app.api.openFile).toHaveBeenLastCalledWith(expect.objectContaining(place));
  });

  it('comes back with the words when it could not be sent', async () => {
    app = await startApp({ log: new TestLog() });
    app.api.send.mockRejectedValueOnce(new Error('The file src/app.ts no longer exists.'));
    await emit('attach', { items: [file] });
    await write('Why?');
    await app.press('Enter');
    expect([field().value, removable()]).toEqual(['Why?', ['Remove app.ts']]);
  });

  it('is kept over a reload, beside the draft', async () => {
    app = await startApp();
    await emit('attach', { items: [file] });
    await write('half a thou');
    const { value } = app.state;
    app.wrapper.unmount();
    app = await startApp({ state: value });
    expect([field().value, removable()]).toEqual(['half a thou', ['Remove app.ts']]);
  });

  it('is picked with Add context; what cannot be attached is told', async () => {
    app = await startApp();
    app.api.addContext.mockResolvedValueOnce({ items: [file], problems: ['a.bin is a binary file.'] });
    await press('Add context');
    expect(removable()).toEqual(['Remove app.ts']);
    expect(get(app.root, 'alert').textContent).toContain('a.bin is a binary file.');
  });

  it('goes to the chat that it was asked from, whatever is in front by then', async () => {
    app = await startApp({ log: new TestLog() });
    let pick: () => void = () => undefined;
    app.api.addContext.mockReturnValueOnce(new Promise((resolve) => (pick = () => resolve({ items: [file], problems: [] }))));
    await press('Add context');
    await emit('navigate', { page: 'chat', sessionId: 's2' });
    pick();
    await app.settle();
    expect(removable()).toEqual([]);
    await emit('navigate', { page: 'chat', sessionId: 's1' });
    expect(removable()).toEqual(['Remove app.ts']);
  });

  it('comes back with the words of a queued message to the chat where it waited', async () => {
    const queued = [{ id: 'q1', text: 'And then?', mode: 'agent', attachments: [file] }];
    for (const isGone of [false, true]) {
      const log = new TestLog();
      log.user('one');
      app = await startApp({ log, queued, run: { sessionId: 's1', state: 'running', activity: null } });
      let answer: () => void = () => undefined;
      app.api.removeQueued.mockReturnValueOnce(new Promise((resolve) => (answer = () => resolve({ isGone }))));
      get(get(app.root, 'list', 'Queued messages'), 'button', 'Edit').click();
      await app.settle();
      await emit('navigate', { page: 'chat', sessionId: 's2' });
      answer();
      await app.settle();
      expect([field().value, removable()]).toEqual(['', []]);
      await emit('navigate', { page: 'chat', sessionId: 's1' });
      expect([field().value, removable()]).toEqual(isGone ? ['', []] : ['And then?', ['Remove app.ts']]);
      app.wrapper.unmount();
    }
    app = await startApp();
  });

  it('stays with a question that could not be asked, in the chat that it was asked in', async () => {
    app = await startApp({ log: new TestLog() });
    let fail: () => void = () => undefined;
    app.api.send.mockReturnValueOnce(new Promise((_resolve, reject) => (fail = () => reject(new Error('The disk is full')))));
    await emit('ask', { prompt: 'explain', items: [lines] });
    await emit('navigate', { page: 'chat', sessionId: 's1' });
    fail();
    await app.settle();
    expect([field().value, removable()]).toEqual(['', []]);
    await emit('navigate', { page: 'chat', sessionId: null });
    expect([field().value, removable()]).toEqual([explain, ['Remove app.ts:10-24']]);
  });

  it('takes files that are dropped on the composer', async () => {
    app = await startApp();
    app.api.attachFiles.mockResolvedValueOnce({ items: [file], problems: [] });
    const drop = new Event('drop', { bubbles: true, cancelable: true });
    const list = 'file:///project/src/app.ts\r\nfile:///project/src/app.ts\r\n';
    Object.assign(drop, {
      dataTransfer: { types: ['text/uri-list'], getData: (type: string) => (type === 'text/uri-list' ? list : '') },
    });
    field().dispatchEvent(drop);
    await app.settle();
    expect(app.api.attachFiles).toHaveBeenCalledWith({ uris: ['file:///project/src/app.ts'] });
    expect(removable()).toEqual(['Remove app.ts']);
    expect(droppedUris({ getData: () => '# comment\n\n' })).toEqual([]);
  });

  it('leaves text that is dropped to the field', async () => {
    app = await startApp();
    for (const type of ['dragover', 'drop']) {
      const event = new Event(type, { bubbles: true, cancelable: true });
      Object.assign(event, { dataTransfer: { types: ['text/plain'], getData: () => 'a word' } });
      field().dispatchEvent(event);
      expect(event.defaultPrevented).toBe(false);
    }
    expect(app.api.attachFiles).not.toHaveBeenCalled();
    expect(app.root.querySelector('.composer.over')).toBeNull();
  });

  it('what is in the editor goes with the message while it is shown, dashed, until it is removed or pinned', async () => {
    app = await startApp({ log: new TestLog() });
    const open: AttachmentRef = { kind: 'editor', path: 'src/app.ts' };
    const both = [open, lines].map((item) => ({ item, isSent: true }));
    await emit('inEditor', { items: both });
    expect(removable()).toEqual(['Remove app.ts:10-24']);
    const chip = get(app.root, 'button', 'Pin app.ts:10-24');
    expect(chip.closest('.implicit')).not.toBeNull();
    expect(chip.title).toContain('Sent while this chip is shown');
    await write('One');
    await app.press('Enter');
    const message = { sessionId: 's1', mode: 'agent', model: tools.name };
    expect(app.api.send).toHaveBeenLastCalledWith({ ...message, text: 'One', attachments: [lines] });
    await press('Remove app.ts:10-24');
    expect(removable()).toEqual(['Remove app.ts']);
    await emit('inEditor', {
      items: [
        { item: open, isSent: true },
        { item: lines, isSent: false },
      ],
    });
    expect(removable()).toEqual(['Remove app.ts']);
    await emit('inEditor', { items: [open, { ...lines, endLine: 20 }].map((item) => ({ item, isSent: item === open })) });
    expect(removable()).toEqual(['Remove app.ts', 'Remove app.ts:10-20']);
  });

  it('what was in the editor before the view came up is shown and sent, and what was removed stays out after a reload', async () => {
    const inEditor = [{ item: { kind: 'editor' as const, path: 'src/app.ts' }, isSent: true }];
    app = await startApp({ log: new TestLog(), ready: { inEditor } });
    expect(get(app.root, 'button', 'Pin app.ts').closest('.implicit')).not.toBeNull();
    await write('What does this do?');
    await app.press('Enter');
    const message = { sessionId: 's1', text: 'What does this do?', mode: 'agent', model: tools.name };
    expect(app.api.send).toHaveBeenLastCalledWith({ ...message, attachments: [inEditor[0]?.item] });
    await press('Remove app.ts');
    const state = app.state.value;
    app.wrapper.unmount();
    app = await startApp({ log: new TestLog(), ready: { inEditor }, state });
    expect(removable()).toEqual([]);
  });

  it('what is in the editor and may contain secrets says so on its chip', async () => {
    const item: AttachmentRef = { kind: 'editor', path: '.env' };
    app = await startApp({ log: new TestLog(), ready: { inEditor: [{ item, isSent: false, mayBeSecret: true }] } });
    const chip = get(app.root, 'button', 'Attach .env. Not sent: may contain secrets');
    expect(chip.textContent).toContain('Not sent: may contain secrets');
    await write('One');
    await app.press('Enter');
    expect(app.api.send).toHaveBeenLastCalledWith({ sessionId: 's1', text: 'One', mode: 'agent', model: tools.name });
  });

  it('what is in the editor is pinned, or left out, with one press', async () => {
    app = await startApp({ log: new TestLog() });
    const message = { sessionId: 's1', mode: 'agent', model: tools.name };
    const open: AttachmentRef = { kind: 'editor', path: 'src/app.ts' };
    await emit('inEditor', { items: [open, lines].map((item) => ({ item, isSent: true })) });
    await press('Pin app.ts:10-24');
    expect(get(app.root, 'button', 'Open app.ts:10-24').closest('.attached')).not.toBeNull();
    expect(removable()).toEqual(['Remove app.ts:10-24']);
    await emit('inEditor', { items: [{ item: { kind: 'editor', path: 'src/other.ts' }, isSent: true }] });
    expect(removable()).toEqual(['Remove app.ts:10-24', 'Remove other.ts']);
    await press('Pin other.ts');
    await write('Two');
    await app.press('Enter');
    const pinned = [lines, { kind: 'file', path: 'src/other.ts' }];
    expect(app.api.send).toHaveBeenLastCalledWith({ ...message, text: 'Two', attachments: pinned });
  });

  it('what is in the editor and may be secret, or is switched off, is offered and not sent until it is attached', async () => {
    app = await startApp({ log: new TestLog() });
    await emit('inEditor', { items: [{ item: lines, isSent: false }] });
    const chip = get(app.root, 'button', 'Attach app.ts:10-24');
    expect(chip.closest('.suggested')).not.toBeNull();
    expect(chip.title).toContain('Not sent until you attach it');
    await write('One');
    await app.press('Enter');
    expect(app.api.send).toHaveBeenLastCalledWith({ sessionId: 's1', text: 'One', mode: 'agent', model: tools.name });
    await press('Attach app.ts:10-24');
    expect(has(app.root, 'button', 'Attach app.ts:10-24')).toBe(false);
    expect(get(app.root, 'button', 'Open app.ts:10-24').closest('.attached')).not.toBeNull();
    await emit('inEditor', { items: [{ item: file, isSent: false }] });
    await press('Remove app.ts');
    expect(has(app.root, 'button', 'Attach app.ts')).toBe(false);
  });

  it('is shown on the message that was sent, and opens the file at its lines', async () => {
    const log = new TestLog();
    log.add('user_input', 'Why?', { mode: 'ask', attachments: [{ ...lines, content: 'code' }] });
    app = await startApp({ log });
    get(get(app.root, 'article', 'You'), 'button', 'Open app.ts:10-24').click();
    await app.settle();
    expect(app.api.openFile).toHaveBeenCalledWith({ path: 'src/app.ts', startLine: 10, endLine: 24 });
  });

  it('is dashed on the message that was sent if it was only open in the editor', async () => {
    const log = new TestLog();
    const open = { kind: 'editor' as const, path: 'src/app.ts', content: 'typescript, the cursor is in line 3' };
    log.add('user_input', 'Why?', { mode: 'ask', attachments: [open, { kind: 'file', path: 'src/b.ts', content: 'code' }] });
    app = await startApp({ log });
    const message = get(app.root, 'article', 'You');
    const chip = get(message, 'button', 'Open app.ts');
    expect(chip.title).toBe('src/app.ts: open in the editor. Its name was sent, without its content.');
    const borders = [chip, get(message, 'button', 'Open b.ts')].map((one) => one.parentElement?.classList.contains('open-file'));
    expect(borders).toEqual([true, false]);
  });

  it('an editor command asks about it in a new chat, in Ask mode, and leaves what is being written alone', async () => {
    app = await startApp({ log: new TestLog() });
    await write('half a thou');
    await emit('ask', { prompt: 'explain', items: [lines] });
    expect(app.api.send).toHaveBeenCalledExactlyOnceWith({
      sessionId: null,
      text: explain,
      mode: 'ask',
      model: noTools.name,
      attachments: [lines],
    });
    expect(app.state.value).toMatchObject({ drafts: { s1: 'half a thou' } });
  });
});

describe('a draft', () => {
  it('tells the host which items of the editor are sent with it', async () => {
    app = await startApp();
    const selection = { kind: 'selection', path: 'src/a.ts', startLine: 1, endLine: 900 } as const;
    await emit('inEditor', { items: [{ item: selection, isSent: true }] });
    expect(app.api.prepare).toHaveBeenLastCalledWith({ sessionId: null, attachments: [], implicit: [selection] });
  });

  it('is prepared when the user goes back to it and when its attachments change', async () => {
    const log = new TestLog();
    app = await startApp({ log });
    const returnTo = async () => {
      field().blur();
      field().focus();
      await app.settle();
    };
    await returnTo();
    expect(app.api.prepare).not.toHaveBeenCalled();
    await write('Explain');
    await returnTo();
    await emit('attach', { items: [file] });
    const { sessionId } = log;
    expect(app.api.prepare.mock.calls).toEqual([[{ sessionId, attachments: [] }], [{ sessionId, attachments: [file] }]]);
  });
});
