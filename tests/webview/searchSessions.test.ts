import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HostResult } from '../../src/protocol/hostApi';
import type { SessionSummary } from '../../src/protocol/webviewEvents';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
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
    app.api.searchSessions.mockResolvedValue({ ...page, missingModel: { suggestion: 'all-minilm:latest' } });
    byMeaning.click();
    await app.settle();
    expect(byMeaning.getAttribute('aria-pressed')).toBe('true');
    expect(app.api.searchSessions).toHaveBeenLastCalledWith({
      query: 'fox',
      newestFirst: false,
      byMeaning: true,
      offset: 0,
      limit: 50,
    });
    expect(app.root.textContent).toContain(
      'Search by meaning is not available because no installed model is selected in the setting “Embedding model”, for example all-minilm:latest.',
    );
    expect(rows().map(said)).toEqual(['Open Alpha']);
    get(app.root, 'button', 'Open settings').click();
    await app.settle();
    expect(get(app.root, 'tab', 'Agent').getAttribute('aria-selected')).toBe('true');
  });

  it.each([
    [{ missingModel: { suggestion: null } }, 'your server has no model for the setting “Embedding model”.'],
    [
      { isUnavailable: true as const },
      'the model in the setting “Embedding model” has not indexed the chats or does not respond.',
    ],
  ])('says why it is not available: %o', async (state, reason) => {
    await openHistory();
    app.api.searchSessions.mockResolvedValue({ ...found([three[0] as SessionSummary, 'a fox', []]), ...state });
    await search('fox');
    expect(app.root.textContent).not.toContain('not available');
    get(app.root, 'button', 'By meaning').click();
    await app.settle();
    expect(app.root.textContent).toContain(`Search by meaning is not available because ${reason}`);
    expect(rows().map(said)).toEqual(['Open Alpha']);
    expect(has(app.root, 'button', 'Open settings')).toBe(true);
  });

  it('says where the index is rebuilt that is damaged', async () => {
    await openHistory();
    app.api.searchSessions.mockResolvedValue({ ...found([three[0] as SessionSummary, 'a fox', []]), isDamaged: true });
    await search('fox');
    expect(app.root.textContent).not.toContain('index is damaged');
    get(app.root, 'button', 'By meaning').click();
    await app.settle();
    expect(app.root.textContent).toContain('select “Rebuild chat search index” in the settings, under Advanced.');
    expect(app.root.textContent).toContain('a fox');
  });
});

describe('opening what was found', () => {
  /** A long session of which only a few turns are loaded at first. The call in each turn printed the words. */
  function longLog(): TestLog {
    const log = new TestLog('a');
    for (let turn = 1; turn <= 14; turn += 1) {
      log.user(`Question ${turn}`);
      log.add('thinking', `Thought ${turn}`, { durationMs: 1000 });
      log.call(`c${turn}`, 'run_terminal_command', { command: `echo ${turn}` });
      log.add('tool_result', `printed ${turn}`, {
        callId: `c${turn}`,
        name: 'run_terminal_command',
        status: 'success',
        display: `printed the fox ${turn}`,
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
    await vi.waitUntil(() => app.root.textContent?.includes('printed the fox 3') === true, untilState);
    const article = document.activeElement as HTMLElement;
    expect([nameOf(article), article.textContent?.includes('printed the fox 3')]).toEqual(['Assistant', true]);
    expect(app.root.textContent).not.toContain('printed the fox 4');

    // Matches in the same session: a thought and a user message.
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
      await vi.waitUntil(isThere, untilState);
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
    const said = 'These messages are from before an edit. They are stored, but are no longer part of the chat.';
    const isSaid = () => app.root.textContent.includes(said);
    await openHit(2);
    await vi.waitUntil(isSaid, untilState);
    expect(spokenText(get(app.root, 'log'))).toContain('The dog');
    get(app.root, 'button', 'Dismiss').click();
    await app.settle();
    expect([isSaid(), focused()]).toEqual([false, 'Message']);
    await openHit(4);
    await vi.waitUntil(() => document.activeElement?.tagName === 'ARTICLE', untilState);
    expect([isSaid(), document.activeElement?.textContent.includes('The dog')]).toEqual([false, true]);
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
    expect(spokenText(get(app.root, 'alert'))).toContain('Could not read the sessions');
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
    expect(app.root.textContent).not.toContain('searched as text');
    app.api.searchSessions.mockResolvedValueOnce({ ...found([three[0] as SessionSummary, 'rm -rf', []]), isAsText: true });
    await search('rm -rf');
    expect(app.root.textContent).toContain('Nothing found with these exclusions, so all words were searched as text.');
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
