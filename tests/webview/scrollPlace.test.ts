import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { get, has } from './support/roles';
import { untilState } from './support/untilState';

let app: TestApp;
const scroller = () => get(app.root, 'log', 'Conversation');

/** Each turn is 100 px high, in a window of 200 px. */
beforeEach(() => {
  const isLog = (element: Element) => element.getAttribute('role') === 'log';
  const turnsOf = (element: Element) => [...element.querySelectorAll('[data-turn]')];
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockImplementation(function (this: Element) {
    return isLog(this) ? 100 * turnsOf(this).length : 0;
  });
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockImplementation(function (this: Element) {
    return isLog(this) ? 200 : 0;
  });
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    const log = this.closest('[role=log]');
    const index = log === null ? -1 : turnsOf(log).findIndex((turn) => turn === this);
    return index === -1 ? new DOMRect(0, 0, 300, 200) : new DOMRect(0, 100 * index - (log?.scrollTop ?? 0), 300, 100);
  });
});
afterEach(() => {
  app.wrapper.unmount();
  vi.restoreAllMocks();
  document.body.replaceChildren();
});

function talk(turns: number): TestLog {
  const log = new TestLog();
  for (let turn = 1; turn <= turns; turn += 1) log.user(`message ${turn}`);
  return log;
}

/** Scrolls and waits until the position is stored. */
async function scrollTo(top: number): Promise<void> {
  const before = app.state.value;
  scroller().scrollTop = top;
  scroller().dispatchEvent(new Event('scroll'));
  await vi.waitFor(() => expect(app.state.value).not.toBe(before), untilState);
  await app.settle();
}

/** Closes the view and reopens it with the state that the editor stored. */
async function reload(log: TestLog): Promise<void> {
  const state = app.state.value;
  app.wrapper.unmount();
  app = await startApp({ log, state });
}

it('is where it was after a reload, and follows the end again from there', async () => {
  const log = talk(20);
  app = await startApp({ log });
  await scrollTo(1800);
  await scrollTo(730);
  await reload(log);
  await vi.waitFor(() => expect(scroller().scrollTop).toBe(730), untilState);
  expect(has(app.root, 'button', 'Scroll to bottom')).toBe(true);
  get(app.root, 'button', 'Scroll to bottom').click();
  await scrollTo(1800);
  expect(app.state.value).toHaveProperty('scrollPlace', null);
  await reload(log);
  expect(scroller().scrollTop).toBe(2000);
});

it('is stored at once, as the view may be hidden right after a scroll', async () => {
  app = await startApp({ log: talk(20) });
  scroller().scrollTop = 730;
  scroller().dispatchEvent(new Event('scroll'));
  expect(app.state.value).toHaveProperty('scrollPlace.turn', 8);
});

it('is where it was in turns that are not drawn at first', async () => {
  const log = talk(60);
  app = await startApp({ log });
  await scrollTo(2800);
  await scrollTo(110);
  // More turns are rendered above. The visible part stays the same.
  await vi.waitFor(() => expect(app.state.value).toHaveProperty('scrollPlace.turn'), untilState);
  const kept = (app.state.value as { scrollPlace: { turn: number; above: number } }).scrollPlace;
  await reload(log);
  const place = () => {
    const turn = scroller().querySelector(`[data-turn="${kept.turn}"]`);
    return turn === null ? null : -turn.getBoundingClientRect().top;
  };
  await vi.waitFor(() => expect(place()).toBe(kept.above), untilState);
});

it('belongs to one session', async () => {
  const log = talk(20);
  app = await startApp({ log });
  await scrollTo(1800);
  await scrollTo(730);
  const state = app.state.value;
  app.wrapper.unmount();
  const other = new TestLog('s2');
  for (const entry of talk(20).entries) other.user(entry.content);
  app = await startApp({ log: other, state });
  await app.settle();
  expect(scroller().scrollTop).toBe(2000);
});
