import { afterEach, describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../src/protocol/webviewEvents';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const updatedAt = Date.now() - 3_700_000;
const session = (id: string, title: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  id,
  title,
  mode: 'agent',
  model: null,
  state: 'idle' as const,
  createdAt: 0,
  updatedAt,
  ...more,
});
const three = [session('a', 'Alpha'), session('b', 'Beta', { state: 'waiting' }), session('c', 'Gamma', { mode: 'ask' })];

async function openHistory(sessions: SessionSummary[] = three, log?: TestLog): Promise<void> {
  app = await startApp({ sessions, ...(log === undefined ? {} : { log }) });
  app.port.emit('navigate', { page: 'history' });
  await app.settle();
}
const rows = () => all(app.root, 'button').filter((button) => nameOf(button) === 'Open');
/** Returns the action of an element and the session that it applies to. */
const said = (element: Element) =>
  element.matches('.row .open') ? `Open ${element.querySelector('.title')?.textContent ?? ''}` : nameOf(element);
const focused = () => said(document.activeElement as Element);

describe('renaming a session', () => {
  it('happens in place: F2, Enter saves, the focus comes back', async () => {
    await openHistory();
    rows()[1]?.focus();
    await app.press('F2');
    const field = get(app.root, 'textbox', 'Title') as HTMLInputElement;
    expect([document.activeElement, field.value, field.selectionEnd]).toEqual([field, 'Beta', 4]);
    field.value = '  Better  ';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.press('Enter', { isComposing: true });
    expect(app.api.renameSession).not.toHaveBeenCalled();
    await app.press('Enter');
    expect(app.api.renameSession).toHaveBeenCalledExactlyOnceWith({ sessionId: 'b', title: 'Better' });
    expect([has(app.root, 'textbox'), focused()]).toEqual([false, 'Open Beta']);
  });

  it('is given up with Escape, without anything new, and where nothing is left', async () => {
    await openHistory();
    for (const [text, key] of [
      ['Better', 'Escape'],
      ['Alpha', 'Enter'],
      ['   ', 'Enter'],
    ] as const) {
      all(app.root, 'button', 'Rename')[0]?.click();
      await app.settle();
      const field = get(app.root, 'textbox', 'Title') as HTMLInputElement;
      field.value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await app.press(key);
      expect(focused()).toBe('Open Alpha');
    }
    expect(app.api.renameSession).not.toHaveBeenCalled();
  });

  it('keeps the words over a refresh and when the field is left, and its keys to itself', async () => {
    await openHistory();
    all(app.root, 'button', 'Rename')[0]?.click();
    await app.settle();
    const field = get(app.root, 'textbox', 'Title') as HTMLInputElement;
    field.value = 'Alphabet';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await app.press('Delete');
    await app.press('b');
    app.port.emit('sessionsChanged', { sessionId: 'b' });
    await app.settle();
    expect([field.isConnected, field.value]).toEqual([true, 'Alphabet']);
    expect(app.api.deleteSession).not.toHaveBeenCalled();
    field.blur();
    await app.settle();
    expect(app.api.renameSession).toHaveBeenCalledExactlyOnceWith({ sessionId: 'a', title: 'Alphabet' });
  });
});

describe('deleting a session', () => {
  it('asks the extension; the focus goes to the row that takes its place', async () => {
    await openHistory();
    app.api.listSessions.mockResolvedValue({
      sessions: [three[0], three[2]] as SessionSummary[],
      hasMore: false,
      nextOffset: null,
    });
    rows()[1]?.focus();
    await app.press('Delete');
    expect(app.api.deleteSession).toHaveBeenCalledExactlyOnceWith({ sessionId: 'b' });
    app.port.emit('sessionsChanged', { sessionId: 'b' });
    await app.settle();
    expect([rows().map(said), focused()]).toEqual([['Open Alpha', 'Open Gamma'], 'Open Gamma']);
  });

  it('shows an empty chat where it was in front, and nothing else where the person thought better of it', async () => {
    const log = new TestLog('a');
    log.user('still here');
    await openHistory(three, log);
    app.api.deleteSession.mockResolvedValueOnce({ isDeleted: false });
    for (const isThere of [true, false]) {
      all(app.root, 'button', 'Delete')[0]?.click();
      await app.settle();
      get(app.root, 'button', 'Back to chat').click();
      await app.settle();
      expect(has(app.root, 'article', 'You')).toBe(isThere);
      app.port.emit('navigate', { page: 'history' });
      await app.settle();
    }
  });
});

describe('the menu of a session', () => {
  it('opens with Shift+F10, moves with the keys, and gives the focus back with Escape', async () => {
    await openHistory();
    rows()[1]?.focus();
    await app.press('F10', { shiftKey: true });
    const menu = get(app.root, 'menu', 'Session actions');
    expect(all(menu, 'menuitem').map(nameOf)).toEqual(['Open', 'Rename', 'Export', 'Delete']);
    expect(focused()).toBe('Open');
    await app.press('ArrowDown');
    await app.press('d');
    expect(focused()).toBe('Delete');
    await app.press('Escape');
    expect([has(app.root, 'menu'), focused()]).toEqual([false, 'Open Beta']);
    expect(app.api.deleteSession).not.toHaveBeenCalled();
  });

  it('opens with the context menu key and with the pointer, and does what is chosen', async () => {
    await openHistory();
    rows()[2]?.focus();
    await app.press('ContextMenu');
    await app.press('End');
    await app.press('Enter');
    expect(app.api.deleteSession).toHaveBeenCalledExactlyOnceWith({ sessionId: 'c' });
    const event = new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: 40, clientY: 50 });
    rows()[0]?.dispatchEvent(event);
    await app.settle();
    expect(event.defaultPrevented).toBe(true);
    get(app.root, 'menuitem', 'Rename').click();
    await app.settle();
    expect((get(app.root, 'textbox', 'Title') as HTMLInputElement).value).toBe('Alpha');
  });

  it('closes with a press outside', async () => {
    await openHistory();
    rows()[0]?.focus();
    await app.press('F10', { shiftKey: true });
    get(app.root, 'searchbox').dispatchEvent(new Event('pointerdown', { bubbles: true }));
    await app.settle();
    expect(has(app.root, 'menu')).toBe(false);
  });
});
