import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Statistics } from '../../src/protocol/requests/statisticsRequests';
import { startApp, type TestApp } from './support/fakeHost';
import { all, get, has, nameOf } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const nothing: Statistics = {
  ...{ tokensByDay: [], models: [], tools: [], toolsByDay: [], sessions: [], edits: [], compactions: 0 },
  completions: { shown: 0, accepted: 0, retained: null },
};
const some: Statistics = {
  tokensByDay: [
    { day: '2026-11-01', prompt: 100, answer: 20 },
    { day: '2026-11-03', prompt: 300, answer: 80 },
  ],
  models: [{ model: 'qwen', answers: 4, promptTokens: 400, answerTokens: 100, firstTokenMs: 1500, tokensPerSecond: 12.34 }],
  tools: [{ tool: 'read_file', calls: 10, successes: 6, failures: 2, averageMs: 40 }],
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
      'Tokens a day: most in 2026-11-03, 300 · 80',
      'Tools by count and success: most in read_file, 10 · 75 % · 40 ms',
      'Time to the first token, by model: most in qwen, 1.5 s · 4',
      'Tokens a second, by model: most in qwen, 12.3 · 400 · 100',
      'Calls of tools a day: most in 2026-11-03, 10 · 2',
      'Changed files, by model: most in qwen, 3 · 1 · 0',
      'Tools of the last sessions: most in Parser, 10 · read_file 10',
    ]);
    expect(app.root.textContent).toContain('Suggestions: 50 shown, 20 accepted · 75 % of it still there after 5 min');
    expect(app.root.textContent).toContain('Summaries that made room: 2');
    expect(app.root.textContent).toContain('sent nowhere');
    expect(app.root.querySelector('table')).toBeNull();
    get(app.root, 'button', 'Table : Tokens a day').click();
    await app.settle();
    const cells = [...app.root.querySelectorAll('table tr')].map((row) => [...row.children].map((cell) => cell.textContent));
    expect(cells).toEqual([
      ['Day', 'Read', 'Written'],
      ['2026-11-01', '100', '20'],
      ['2026-11-02', '0', '0'],
      ['2026-11-03', '300', '80'],
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
    expect(app.root.textContent).toContain('Nothing was counted in this time.');
    app.api.readStatistics.mockRejectedValueOnce(new Error('no'));
    get(app.root, 'button', '7 days').click();
    await app.settle();
    expect(has(app.root, 'alert')).toBe(true);
    get(app.root, 'button', 'Try again').click();
    await vi.waitUntil(() => !has(app.root, 'alert'));
  });

  it('deletes the figures through the host, and shows what is left', async () => {
    await openAnalytics(some);
    app.api.deleteStatistics.mockResolvedValueOnce({ isDeleted: true });
    app.api.readStatistics.mockImplementation(async () => nothing);
    get(app.root, 'button', 'Delete statistics').click();
    await app.settle();
    expect(app.root.textContent).toContain('Nothing was counted in this time.');
  });
});
