import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AttachmentRef } from '../../src/protocol/entries';
import { expandCommand } from '../../src/webview/composer/slash/slashCommands';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf } from './support/roles';

let app: TestApp;
afterEach(() => {
  vi.unstubAllGlobals();
  app?.wrapper.unmount();
  document.body.replaceChildren();
});
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
async function emit(...event: Parameters<TestApp['port']['emit']>): Promise<void> {
  app.port.emit(...event);
  await app.settle();
}

describe('slash commands', () => {
  it('expand also where their name has a hyphen, with the words that follow', () => {
    expect(expandCommand('/security-review of src')).toMatch(/^Look for security problems [\s\S]*\n\nof src$/);
  });

  const options = () => all(app.root, 'option').map(nameOf);

  it('open with / as the first letter, filter as one types, and close where it is no command', async () => {
    app = await startApp();
    await write('/');
    expect(nameOf(get(app.root, 'listbox', 'Commands'))).toBe('Commands');
    expect(options()).toEqual([
      '/explain',
      '/fix',
      '/tests',
      '/doc',
      '/review',
      '/security-review',
      '/explore',
      '/init',
      '/new',
      '/compact',
      '/model',
      '/history',
      '/settings',
    ]);
    expect(document.getElementById(field().getAttribute('aria-activedescendant') ?? '')?.getAttribute('aria-label')).toBe(
      '/explain',
    );
    await write('/f');
    expect(options()).toEqual(['/fix']);
    await write('/security-r');
    expect(options()).toEqual(['/security-review']);
    await write('/usr/bin');
    expect(has(app.root, 'listbox')).toBe(false);
    await write('a /');
    expect(has(app.root, 'listbox')).toBe(false);
    expect(field().hasAttribute('aria-activedescendant')).toBe(false);
  });

  it('are chosen by keyboard: a request is written out, about what is in the editor, and not sent', async () => {
    app = await startApp();
    await emit('inEditor', { items: [{ item: lines, isSent: false }] });
    await write('/');
    await app.press('ArrowDown');
    await app.press('ArrowUp');
    await app.press('Enter', {}, field());
    expect(field().value).toBe(explain);
    expect(removable()).toEqual(['Remove app.ts:10-24']);
    expect(app.api.send).not.toHaveBeenCalled();
  });

  it('can be reached in their list, which scrolls, and chosen there; the field has the focus again', async () => {
    app = await startApp({ log: new TestLog() });
    await write('/');
    const list = get(app.root, 'listbox', 'Commands');
    list.focus();
    expect(document.activeElement).toBe(list);
    await app.press('ArrowDown');
    expect(list.getAttribute('aria-activedescendant')).toBe(get(app.root, 'option', '/fix').id);
    await app.press('Escape');
    expect([has(app.root, 'listbox', 'Commands'), document.activeElement]).toEqual([false, field()]);
    await write('/n');
    get(app.root, 'listbox', 'Commands').focus();
    await app.press('Enter');
    expect([app.api.newChat.mock.calls.length, document.activeElement]).toEqual([1, field()]);
  });

  it('are prompts of the workspace too: written out, and not sent', async () => {
    app = await startApp();
    app.api.listPrompts.mockResolvedValue({
      prompts: [{ name: 'changelog', description: 'Write the changelog', text: 'List what changed.' }],
    });
    await write('/');
    await write('/chan');
    expect(options()).toEqual(['/changelog']);
    await app.press('Enter', {}, field());
    expect(field().value).toBe('List what changed.');
    expect(app.api.send).not.toHaveBeenCalled();
  });

  it('do what they say: a new chat, the model picker, the history, the settings', async () => {
    app = await startApp({ log: new TestLog() });
    await write('/new');
    await app.press('Tab');
    expect([app.api.newChat.mock.calls.length, field().value]).toEqual([1, '']);
    await write('/mod');
    await app.press('Enter');
    expect(has(app.root, 'listbox', 'Model')).toBe(true);
    await app.press('Escape');
    await write('/sett');
    await app.press('Enter');
    expect(has(app.root, 'tab', 'Connection')).toBe(true);
    await app.press('Escape');
    await write('/hist');
    await app.press('Enter');
    expect(has(app.root, 'searchbox') || has(app.root, 'heading', 'History')).toBe(true);
  });

  it('leave with Escape, which stops nothing then, and the words stay', async () => {
    app = await startApp({ log: new TestLog(), run: { sessionId: 's1', state: 'running', activity: null } });
    await write('/f');
    await app.press('Escape');
    expect([has(app.root, 'listbox'), field().value]).toEqual([false, '/f']);
    expect(app.api.stop).not.toHaveBeenCalled();
    await write('/fi');
    expect(options()).toEqual(['/fix']);
  });

  it('are written out when the message is sent, alone and with more words behind them', () => {
    expect(expandCommand('/explain the loop\nin it')).toBe(`${explain}\n\nthe loop\nin it`);
    expect(expandCommand('/explain ')).toBe(explain);
    expect(['/new', '/new and more', '/etc/hosts is odd', 'a /fix b'].map(expandCommand)).toEqual([
      '/new',
      '/new and more',
      '/etc/hosts is odd',
      'a /fix b',
    ]);
  });
});
