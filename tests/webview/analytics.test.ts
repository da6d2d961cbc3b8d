import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Statistics } from '../../src/protocol/requests/statisticsRequests';
import { startApp, type TestApp } from './support/fakeHost';
import { all, get, has, nameOf } from './support/roles';
import { untilState } from './support/untilState';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const nothing: Statistics = {
  tokensByDay: [],
  models: [],
  tools: [],
  toolsByDay: [],
  sessions: [],
  edits: [],
  compactions: 0,
  completions: { shown: 0, accepted: 0, retained: null },
};
const some: Statistics = {
  tokensByDay: [
    { day: '2026-11-01', prompt: 100, answer: 20 },
    { day: '2026-11-03', prompt: 300, answer: 80 },
  ],
  models: [{ model: 'qwen', answers: 4, promptTokens: 400, answerTokens: 100, firstTokenMs: 1500, tokensPerSecond: 12.34 }],
  tools: [{ tool: 'read_file', calls: 10, successes: 6, failures: 2, averageMs: 40, averageWaitMs: 9000 }],
  toolsByDay: [{ day: '2026-11-03', calls: 10, failures: 2 }],
  sessions: [{ sessionId: 's', title: 'Parser', tools: [{ tool: 'read_file', calls: 10 }] }],
  edits: [{ model: 'qwen', kept: 3, undone: 1, pending: 0 }],
  completions: { shown: 50, accepted: 20, retained: 0.75 },
  compactions: 2,
};

async function openAnalytics(statistics: Statistics): Promise<void> {
  app = await startApp({});
  app.api.readStatistics.mockImplementation(async () => statistics);
  app.port.emit('navigate', { page: 'analytics' });
  await app.settle();
}
const pictures = () => all(app.root, 'img').map(nameOf);

describe('the page of analytics', () => {
  it('has a picture of each figure, with a table behind it', async () => {
    await openAnalytics(some);
    expect(pictures()).toEqual([
      'Tokens per day. Highest value: Nov 3, 2026, 300 · 80',
      'Tool calls by result. Highest value: read_file, 10 · 75 % · 40 ms · 9.0 s',
      'Time to first token by model. Highest value: qwen, 1.5 s · 4',
      'Tokens per second by model. Highest value: qwen, 12.3 · 400 · 100',
      'Tool calls per day. Highest value: Nov 3, 2026, 10 · 2',
      'Files changed, by model. Highest value: qwen, 3 · 1 · 0',
      'Tool calls in recent chats. Highest value: Parser, 10 · read_file 10',
    ]);
    expect(app.root.textContent).toContain(
      'Inline suggestions: 50 shown, 20 accepted · 75% of the accepted text kept after 5 minutes',
    );
    expect(app.root.textContent).toContain('Chat summaries: 2');
    expect(app.root.textContent).toContain('on this computer only');
    expect(app.root.querySelector('table')).toBeNull();
    get(app.root, 'button', 'Table: Tokens per day').click();
    await app.settle();
    const cells = [...app.root.querySelectorAll('table tr')].map((row) => [...row.children].map((cell) => cell.textContent));
    expect(cells).toEqual([
      ['Day', 'Input', 'Output'],
      ['Nov 1, 2026', '100', '20'],
      ['Nov 2, 2026', '0', '0'],
      ['Nov 3, 2026', '300', '80'],
    ]);
  });

  it('asks for the range that is chosen', async () => {
    await openAnalytics(some);
    get(app.root, 'button', '1 year').click();
    get(app.root, 'button', 'All').click();
    await app.settle();
    expect(app.api.readStatistics.mock.calls).toEqual([[{ days: 30 }], [{ days: 365 }], [{ days: null }]]);
    expect(get(app.root, 'button', 'All').getAttribute('aria-pressed')).toBe('true');
  });

  it('says where nothing was counted, and where it could not be read', async () => {
    await openAnalytics(nothing);
    expect(app.root.textContent).toContain('No data in this time range.');
    app.api.readStatistics.mockRejectedValueOnce(new Error('no'));
    get(app.root, 'button', '7 days').click();
    await app.settle();
    expect(has(app.root, 'alert')).toBe(true);
    get(app.root, 'button', 'Try again').click();
    await vi.waitUntil(() => !has(app.root, 'alert'), untilState);
  });

  it('deletes the figures through the host, and shows what is left', async () => {
    await openAnalytics(some);
    app.api.deleteStatistics.mockResolvedValueOnce({ isDeleted: true });
    app.api.readStatistics.mockImplementation(async () => nothing);
    get(app.root, 'button', 'Delete statistics').click();
    await app.settle();
    expect(app.root.textContent).toContain('No data in this time range.');
  });
});
