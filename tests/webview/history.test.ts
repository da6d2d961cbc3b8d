import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HostResult } from '../../src/protocol/hostApi';
import type { SessionSummary } from '../../src/protocol/webviewEvents';
import { startApp, type TestApp } from './support/fakeHost';
import type { TestLog } from './support/log';
import { all, descriptionOf, get, has, nameOf, spokenText } from './support/roles';
import { untilState } from './support/untilState';

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

type SearchPage = HostResult<'searchSessions'>;
const found = (...rows: [SessionSummary, string | null, [number, number][]][]): SearchPage => ({
  found: rows.map(([summary, text, marks]) => ({
    session: summary,
    title: { text: summary.title, marks: [] },
    line: text === null ? null : { text, marks, seq: 1 },
  })),
  hasMore: false,
  isComplete: true,
  isIndexed: true,
});

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

function write(text: string): void {
  const field = get(app.root, 'searchbox', 'Search sessions') as HTMLInputElement;
  field.focus();
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
/** Types a text and waits until its search results are shown. */
async function search(text: string): Promise<void> {
  const { calls } = app.api.searchSessions.mock;
  const before = calls.length;
  write(text);
  await vi.waitUntil(() => calls.length > before, untilState);
  await app.settle();
}

describe('the list of sessions', () => {
  it('exports one, by its button and its menu, and all of them', async () => {
    await openHistory();
    const buttons = all(app.root, 'button').filter((button) => nameOf(button) === 'Export');
    expect(buttons.map(descriptionOf)).toEqual(['Alpha', 'Beta', 'Gamma']);
    buttons[1]?.click();
    await app.settle();
    expect(app.api.exportSession.mock.calls).toEqual([[{ sessionId: 'b' }]]);
    rows()[2]?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, clientX: 5, clientY: 5 }));
    await app.settle();
    get(app.root, 'menuitem', 'Export').click();
    await app.settle();
    expect(app.api.exportSession.mock.calls[1]).toEqual([{ sessionId: 'c' }]);
    get(app.root, 'button', 'Export all sessions').click();
    await app.settle();
    expect(app.api.runCommand.mock.calls).toEqual([[{ command: 'exportAllSessions' }]]);
  });

  it('is read afresh each time it is shown, and shows no old rows meanwhile', async () => {
    await openHistory();
    get(app.root, 'button', 'Back to chat').click();
    await app.settle();
    let answer: (page: HostResult<'listSessions'>) => void = () => undefined;
    app.api.listSessions.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
    app.port.emit('navigate', { page: 'history' });
    await app.settle();
    expect(rows()).toEqual([]);
    expect(app.root.textContent).toContain('Loading sessions…');
    answer({ sessions: [session('d', 'Delta'), ...three], hasMore: false, nextOffset: null });
    await app.settle();
    expect(rows().map(said)).toEqual(['Open Delta', 'Open Alpha', 'Open Beta', 'Open Gamma']);
  });

  it('says which of them were imported', async () => {
    await openHistory([session('a', 'Alpha', { isImported: true }), session('b', 'Beta')]);
    expect(rows().map(descriptionOf)).toEqual(['Alpha Agent, imported 1 h ago', 'Beta Agent, 1 h ago']);
  });

  it('marks those of the inline chat', async () => {
    await openHistory([session('a', 'Alpha', { mode: 'edit', isInline: true }), session('b', 'Beta')]);
    expect(rows().map(descriptionOf)).toEqual(['Alpha Edit, Inline chat 1 h ago', 'Beta Agent, 1 h ago']);
  });

  it('returns to the mode that the user selected last in a new chat', async () => {
    const inline = session('a', 'Alpha', { mode: 'edit', isInline: true });
    await openHistory([inline]);
    const run = { sessionId: 'a', state: 'idle', activity: null } as const;
    app.api.openSession.mockResolvedValueOnce({ session: inline, entries: [], hasEarlier: false, revision: 0, run });
    rows()[0]?.click();
    await app.settle();
    expect(has(app.root, 'button', 'Mode: Edit')).toBe(true);
    app.port.emit('navigate', { page: 'chat', sessionId: null });
    await app.settle();
    expect(has(app.root, 'button', 'Mode: Agent')).toBe(true);
  });

  it('lists them; arrows and letters move, Enter opens', async () => {
    await openHistory();
    const buttons = rows();
    expect(all(get(app.root, 'list', 'Sessions'), 'listitem')).toHaveLength(3);
    expect(buttons.map(said)).toEqual(['Open Alpha', 'Open Beta', 'Open Gamma']);
    expect(buttons.map(descriptionOf)).toEqual([
      'Alpha Agent, 1 h ago',
      'Beta Agent, waiting for you 1 h ago',
      'Gamma Ask, 1 h ago',
    ]);
    expect(buttons.map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1]);
    buttons[0]?.focus();
    await app.press('ArrowDown');
    expect(focused()).toBe('Open Beta');
    await app.press('g');
    expect(focused()).toBe('Open Gamma');
    (document.activeElement as HTMLElement).click();
    await app.settle();
    expect(app.api.openSession).toHaveBeenCalledWith({ sessionId: 'c', sinceRevision: 0 });
    expect(has(app.root, 'button', 'Mode: Agent')).toBe(true);
  });

  it('shows the lines of a session that wait for an answer, and none where there are none', async () => {
    const nothing = { additions: 0, deletions: 0 };
    await openHistory([
      session('a', 'Alpha', { pending: { additions: 24, deletions: 3 } }),
      session('b', 'Beta', { pending: nothing }),
    ]);
    const [alpha, beta] = all(get(app.root, 'list', 'Sessions'), 'listitem').map((row) => spokenText(row));
    expect(alpha).toMatch(/24 lines added, 3 removed/);
    expect(beta).not.toMatch(/added/);
  });

  it('says when it is empty, and when it could not be read', async () => {
    await openHistory([]);
    expect(app.root.textContent).toContain('No sessions yet');
    app.api.listSessions.mockRejectedValueOnce(new Error('locked'));
    app.port.emit('sessionsChanged', { sessionId: null });
    await app.settle();
    expect(spokenText(get(app.root, 'alert'))).toContain('Could not read the sessions');
    get(app.root, 'button', 'Try again').click();
    await app.settle();
    expect(has(app.root, 'alert')).toBe(false);
    get(app.root, 'button', 'Back to chat').click();
    await app.settle();
    expect(has(app.root, 'textbox', 'Message')).toBe(true);
  });

  it('loads more on demand', async () => {
    app = await startApp();
    app.api.listSessions.mockResolvedValueOnce({ sessions: [session('a', 'Alpha')], hasMore: true, nextOffset: 1 });
    app.api.listSessions.mockResolvedValueOnce({ sessions: [session('b', 'Beta')], hasMore: false, nextOffset: null });
    app.port.emit('navigate', { page: 'history' });
    await app.settle();
    get(app.root, 'button', 'Load more').click();
    await app.settle();
    expect(app.api.listSessions).toHaveBeenLastCalledWith({ offset: 1, limit: 50 });
    expect(rows().map(said)).toEqual(['Open Alpha', 'Open Beta']);
    expect(has(app.root, 'button', 'Load more')).toBe(false);
  });
});

describe('a long list of sessions', () => {
  const many = Array.from({ length: 260 }, (_unused, index) =>
    session(`s${index}`, `Chat ${index}`, { updatedAt: updatedAt - index }),
  );

  it('keeps its later rows when something changes in the first ones', async () => {
    app = await startApp();
    app.api.listSessions.mockImplementation(async ({ offset, limit }) =>
      Promise.resolve({
        sessions: many.slice(offset, offset + limit),
        ...(offset + limit < many.length ? { hasMore: true, nextOffset: offset + limit } : { hasMore: false, nextOffset: null }),
      }),
    );
    app.port.emit('navigate', { page: 'history' });
    await app.settle();
    for (let page = 0; page < 5; page += 1) {
      get(app.root, 'button', 'Load more').click();
      await app.settle();
    }
    expect(rows()).toHaveLength(260);
    many.unshift(session('new', 'New one'));
    app.port.emit('sessionsChanged', { sessionId: 'new' });
    await app.settle();
    expect(app.api.listSessions).toHaveBeenLastCalledWith({ offset: 0, limit: 200 });
    expect(rows()).toHaveLength(261);
    expect(rows().map(said).at(0)).toBe('Open New one');
    expect(rows().map(said).at(-1)).toBe('Open Chat 259');
    expect(has(app.root, 'button', 'Load more')).toBe(false);
  });

  it('keeps them of what a search found, too, but for one that is deleted, and none for other words', async () => {
    const matches = Array.from({ length: 260 }, (_unused, index) => session(`m${index}`, `Match ${index}`));
    await openHistory();
    app.api.searchSessions.mockImplementation(async ({ offset, limit }) => ({
      ...found(...matches.slice(offset, offset + limit).map((match): [SessionSummary, null, []] => [match, null, []])),
      hasMore: offset + limit < matches.length,
    }));
    await search('match');
    for (let page = 0; page < 5; page += 1) {
      get(app.root, 'button', 'Load more').click();
      await app.settle();
    }
    expect(rows()).toHaveLength(260);
    const changed = async () => {
      const { calls } = app.api.searchSessions.mock;
      const before = calls.length;
      app.port.emit('sessionsChanged', { sessionId: null });
      app.pass(500);
      await vi.waitUntil(() => calls.length > before, untilState);
      await app.settle();
    };
    matches.unshift(session('new', 'New match'));
    matches.splice(51, 1);
    await changed();
    expect(app.api.searchSessions).toHaveBeenLastCalledWith({ query: 'match', newestFirst: false, offset: 0, limit: 200 });
    const names = () => rows().map(said);
    expect(names()).toEqual(matches.map(({ title }) => `Open ${title}`));
    expect(has(app.root, 'button', 'Load more')).toBe(false);

    rows().at(-1)?.focus();
    await app.press('Delete');
    matches.pop();
    await changed();
    expect(names()).toEqual(matches.map(({ title }) => `Open ${title}`));

    await search('other');
    expect(rows()).toHaveLength(50);
    expect(has(app.root, 'button', 'Load more')).toBe(true);
  });
});
