import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HostResult } from '../../src/protocol/hostApi';
import type { SessionSummary } from '../../src/protocol/webviewEvents';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, descriptionOf, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const updatedAt = Date.now() - 3_700_000;
const session = (id: string, title: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  ...{ id, title, mode: 'agent', model: null, state: 'idle' as const, createdAt: 0, updatedAt },
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
  ...{ hasMore: false, isComplete: true, isIndexed: true },
});

async function openHistory(sessions: SessionSummary[] = three, log?: TestLog): Promise<void> {
  app = await startApp({ sessions, ...(log === undefined ? {} : { log }) });
  app.port.emit('navigate', { page: 'history' });
  await app.settle();
}
const rows = () => all(app.root, 'button').filter((button) => nameOf(button) === 'Open');
/** What it does, and to which session. */
const said = (element: Element) =>
  element.matches('.row .open') ? `Open ${element.querySelector('.title')?.textContent ?? ''}` : nameOf(element);
const focused = () => said(document.activeElement as Element);

function write(text: string): void {
  const field = get(app.root, 'searchbox', 'Search sessions') as HTMLInputElement;
  field.focus();
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
/** Until what was typed has been searched for and the answer is there. */
async function search(text: string): Promise<void> {
  const { calls } = app.api.searchSessions.mock;
  const before = calls.length;
  write(text);
  await vi.waitUntil(() => calls.length > before, { timeout: 10_000, interval: 10 });
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
    expect(spokenText(get(app.root, 'alert'))).toContain('could not be read');
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
      await vi.waitUntil(() => calls.length > before, { timeout: 10_000, interval: 10 });
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

describe('the order of what was found', () => {
  it('is by match, or the newest first where a person says so', async () => {
    await openHistory();
    app.api.searchSessions.mockResolvedValue(found([three[0] as SessionSummary, 'a fox', [[2, 5]]]));
    expect(has(app.root, 'button', 'Newest first')).toBe(false);
    await search('fox');
    expect(app.api.searchSessions).toHaveBeenLastCalledWith({ query: 'fox', newestFirst: false, offset: 0, limit: 50 });
    const order = get(app.root, 'button', 'Newest first');
    expect(order.getAttribute('aria-pressed')).toBe('false');
    order.click();
    await app.settle();
    expect(order.getAttribute('aria-pressed')).toBe('true');
    expect(app.api.searchSessions).toHaveBeenLastCalledWith({ query: 'fox', newestFirst: true, offset: 0, limit: 50 });
  });
});

describe('what was found by meaning', () => {
  it('is asked for with a button, which says what to choose where no model is', async () => {
    await openHistory();
    const page = found([three[0] as SessionSummary, 'a fox', []]);
    app.api.searchSessions.mockResolvedValue(page);
    expect(has(app.root, 'button', 'By meaning')).toBe(false);
    await search('fox');
    const byMeaning = get(app.root, 'button', 'By meaning');
    expect(byMeaning.getAttribute('aria-pressed')).toBe('false');
    app.api.searchSessions.mockResolvedValue({ ...page, found: [], missingModel: { suggestion: 'all-minilm:latest' } });
    byMeaning.click();
    await app.settle();
    expect(byMeaning.getAttribute('aria-pressed')).toBe('true');
    expect(app.api.searchSessions).toHaveBeenLastCalledWith({
      ...{ query: 'fox', newestFirst: false, byMeaning: true, offset: 0, limit: 50 },
    });
    expect(app.root.textContent).toContain('choose a model in the setting embedding.model, for example all-minilm:latest.');
  });
});

describe('opening what was found', () => {
  /** A long session, of which a few turns come at first; the call of the third turn printed the words. */
  function longLog(): TestLog {
    const log = new TestLog('a');
    for (let turn = 1; turn <= 14; turn += 1) {
      log.user(`Question ${turn}`);
      log.add('thinking', `Thought ${turn}`, { durationMs: 1000 });
      log.call(`c${turn}`, 'run_terminal_command', { command: `echo ${turn}` });
      log.add('tool_result', `printed ${turn}`, {
        ...{ callId: `c${turn}`, name: 'run_terminal_command', status: 'success', display: `printed the fox ${turn}` },
      });
      log.add('assistant_output', `Answer ${turn}`, { end: 'complete' });
      log.add('run_end', '', { outcome: 'done' });
    }
    return log;
  }
  const hit = (seq: number) => ({
    ...found([three[0] as SessionSummary, 'the fox', [[4, 7]]]),
    found: [
      {
        session: three[0] as SessionSummary,
        title: { text: 'Alpha', marks: [] },
        line: { text: 'the fox', marks: [[4, 7] as [number, number]], seq },
      },
    ],
  });

  it('fetches the turn, unfolds what was found, and gives its message the focus', async () => {
    app = await startApp({ sessions: three, log: longLog(), page: 30, ready: { sessionId: null } });
    app.port.emit('navigate', { page: 'history' });
    await app.settle();
    app.api.searchSessions.mockResolvedValue(hit(16));
    await search('fox');
    rows()[0]?.click();
    await vi.waitUntil(() => app.root.textContent?.includes('printed the fox 3') === true, { timeout: 10_000, interval: 10 });
    const article = document.activeElement as HTMLElement;
    expect([nameOf(article), article.textContent?.includes('printed the fox 3')]).toEqual(['Assistant', true]);
    expect(app.root.textContent).not.toContain('printed the fox 4');

    // In the same session, what a person wrote and what was thought.
    for (const [seq, name, text] of [
      [20, 'Assistant', 'Thought 4'],
      [25, 'You', 'Question 5'],
    ] as const) {
      app.port.emit('navigate', { page: 'history' });
      await app.settle();
      app.api.searchSessions.mockResolvedValue(hit(seq));
      await search(`fox ${seq}`);
      rows()[0]?.click();
      const isThere = () => document.activeElement?.tagName === 'ARTICLE' && document.activeElement.textContent.includes(text);
      await vi.waitUntil(isThere, { timeout: 10_000, interval: 10 });
      expect(nameOf(document.activeElement as Element)).toBe(name);
    }
  });
});

describe('opening what was said before a message was edited', () => {
  it('says that it is no part of the conversation any more', async () => {
    const log = new TestLog('a');
    log.user('One');
    log.user('The fox');
    log.add('rewind', '', { fromSeq: 2 });
    log.user('The dog');
    const hit = (seq: number) => ({
      ...found([three[0] as SessionSummary, 'The fox', [[4, 7]]]),
      found: [
        {
          session: three[0] as SessionSummary,
          title: { text: 'Alpha', marks: [] },
          line: { text: 'The fox', marks: [[4, 7] as [number, number]], seq },
        },
      ],
    });
    app = await startApp({ sessions: three, log, ready: { sessionId: null } });
    const openHit = async (seq: number) => {
      app.port.emit('navigate', { page: 'history' });
      await app.settle();
      app.api.searchSessions.mockResolvedValue(hit(seq));
      await search(`fox ${seq}`);
      rows()[0]?.click();
    };
    const said = 'This was said before a message was edited. It is kept, but it is not part of the conversation any more.';
    const isSaid = () => app.root.textContent.includes(said);
    await openHit(2);
    await vi.waitUntil(isSaid, { timeout: 10_000, interval: 10 });
    expect(spokenText(get(app.root, 'log'))).toContain('The dog');
    get(app.root, 'button', 'Dismiss').click();
    await app.settle();
    expect([isSaid(), focused()]).toEqual([false, 'Message']);
    await openHit(4);
    await vi.waitUntil(() => document.activeElement?.tagName === 'ARTICLE', { timeout: 10_000, interval: 10 });
    expect([isSaid(), document.activeElement?.textContent.includes('The dog')]).toEqual([false, true]);
  });
});

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

describe('searching the sessions', () => {
  it('waits for a pause in typing, shows the line with its marks as text, and tells how many there are', async () => {
    await openHistory();
    app.api.searchSessions.mockResolvedValue(
      found([
        three[1] as SessionSummary,
        'a <b>fox</b> & a fox',
        [
          [5, 8],
          [17, 20],
        ],
      ]),
    );
    write('fo');
    await search('fox');
    expect(app.api.searchSessions).toHaveBeenCalledExactlyOnceWith({ query: 'fox', newestFirst: false, offset: 0, limit: 50 });
    expect(rows().map(said)).toEqual(['Open Beta']);
    expect([...app.root.querySelectorAll('mark')].map(({ textContent }) => textContent)).toEqual(['fox', 'fox']);
    expect(descriptionOf(rows()[0] as Element)).toContain('a <b> fox </b> & a fox');
    expect(all(app.root, 'status').map(spokenText)).toContain('1 session found');
  });

  it('shows the answer to what was typed last, in whatever order the answers come', async () => {
    await openHistory();
    let answerFirst: (page: SearchPage) => void = () => undefined;
    app.api.searchSessions.mockImplementationOnce(() => new Promise((resolve) => (answerFirst = resolve)));
    app.api.searchSessions.mockResolvedValueOnce(found([three[2] as SessionSummary, 'second', []]));
    await search('one');
    await search('two');
    answerFirst(found([three[0] as SessionSummary, 'first', []]));
    await app.settle();
    expect(rows().map(said)).toEqual(['Open Gamma']);
  });

  it('is cleared with Escape, and the arrow down leads to what was found', async () => {
    await openHistory();
    app.api.searchSessions.mockResolvedValue(found([three[2] as SessionSummary, 'x', [[0, 1]]]));
    await search('x');
    await app.press('ArrowDown');
    expect(focused()).toBe('Open Gamma');
    get(app.root, 'searchbox').focus();
    await app.press('Escape');
    expect((get(app.root, 'searchbox') as HTMLInputElement).value).toBe('');
    expect(rows()).toHaveLength(3);
    expect(focused()).toBe('Search sessions');
  });

  it('says when nothing was found, when it failed, and when there may be more', async () => {
    await openHistory();
    await search('nowhere');
    expect(app.root.textContent).toContain('Nothing found for “nowhere”');
    expect(all(app.root, 'status').map(spokenText)).toContain('No sessions found');
    app.api.searchSessions.mockRejectedValueOnce(new Error('locked'));
    await search('fails');
    expect(spokenText(get(app.root, 'alert'))).toContain('could not be read');
    app.api.searchSessions.mockResolvedValueOnce({
      ...found([three[0] as SessionSummary, 'x', []]),
      isComplete: false,
      hasMore: true,
    });
    await search('some');
    expect(app.root.textContent).toContain('Older messages are still being indexed');
    expect(all(app.root, 'status').map(spokenText)).toContain('More than 1 sessions found');
    get(app.root, 'button', 'Load more').click();
    await app.settle();
    expect(app.api.searchSessions).toHaveBeenLastCalledWith({ query: 'some', newestFirst: false, offset: 1, limit: 50 });
    app.api.searchSessions.mockResolvedValueOnce({ ...found(), isIndexed: false });
    await search('other');
    expect(app.root.textContent).toContain('no full-text index');
  });

  it('begins with the command, also on a page that is already there', async () => {
    app = await startApp({ sessions: three });
    app.port.emit('navigate', { page: 'history', search: true });
    await app.settle();
    expect(focused()).toBe('Search sessions');
    rows()[0]?.focus();
    app.port.emit('navigate', { page: 'history', search: true });
    await app.settle();
    expect(focused()).toBe('Search sessions');
  });

  it('is still there after a look at what was found', async () => {
    await openHistory();
    app.api.searchSessions.mockResolvedValue(found([three[2] as SessionSummary, 'x', [[0, 1]]]));
    await search('x');
    rows()[0]?.click();
    await app.settle();
    app.port.emit('navigate', { page: 'history' });
    await app.settle();
    expect((get(app.root, 'searchbox') as HTMLInputElement).value).toBe('x');
    expect(rows().map(said)).toEqual(['Open Gamma']);
  });
});
