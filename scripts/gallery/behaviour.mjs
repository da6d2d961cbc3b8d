import { LogBuilder } from './entries.mjs';
import { answer } from './texts.mjs';

/** A long conversation in which an answer is still streaming. */
export function longScenario(ready) {
  const log = new LogBuilder();
  for (let turn = 1; turn <= 80; turn += 1) log.user(`Question ${turn}`, 'ask').answer(answer).done();
  log.user('The last question', 'ask').answer('', true);
  const snapshot = log.snapshot({ state: 'running', activity: { kind: 'answering', since: Date.now() } });
  return { ready: { ...ready, sessionId: 's1' }, sessions: { s1: snapshot }, history: [], state: undefined, pageSize: 60 };
}

/**
 * Checks what screenshots cannot show, in a real browser while text streams in: the view opens at the end and follows it, stops following
 * at the first scroll up, does not move while the user reads above, and returns to the end on demand. Returns the problems.
 */
export async function checkBehaviour(page, address) {
  const problems = [];
  const expect = (isSo, what) => void (isSo || problems.push(`behaviour: ${what}`));
  await page.goto(address);
  await page.getByText('The last question').waitFor();
  const log = page.getByRole('log');
  const fromEnd = () => log.evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop);
  const top = () => log.evaluate((element) => element.scrollTop);
  await page.waitForTimeout(300);
  expect((await fromEnd()) < 4, 'a session opens at its end');

  await page.evaluate(() => {
    const seq = window.__gallery.scenario.sessions.s1.entries.length;
    window.__shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.__shift += entry.value;
    }).observe({ type: 'layout-shift' });
    window.__stream = async (text, pieces) => {
      const size = Math.ceil(text.length / pieces);
      let offset = window.__offset ?? 0;
      for (let at = 0; at < text.length; at += size) {
        const piece = text.slice(at, at + size);
        window.__emit('log', { kind: 'delta', sessionId: 's1', seq, offset, text: piece });
        offset += piece.length;
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
      window.__offset = offset;
    };
  });
  await page.evaluate((text) => window.__stream(text, 200), answer.repeat(3));
  await page.waitForTimeout(100);
  expect((await fromEnd()) < 4, 'the view follows the text');

  await log.hover();
  const streaming = page.evaluate((text) => window.__stream(text, 200), answer.repeat(3));
  await page.mouse.wheel(0, -120);
  await page.waitForTimeout(150);
  const before = await top();
  await page.evaluate(() => (window.__shift = 0));
  await streaming;
  await page.waitForTimeout(100);
  expect((await fromEnd()) > 100, 'it lets go at the first scroll up');
  expect(Math.abs((await top()) - before) < 2, 'nothing moves while a person reads above');
  expect((await page.evaluate(() => window.__shift)) < 0.01, 'the layout does not shift');

  await page.getByRole('button', { name: 'Scroll to bottom' }).click();
  await page.waitForTimeout(100);
  expect((await fromEnd()) < 4, 'the button leads back to the end');

  for (let step = 0; step < 60; step += 1) {
    await page.mouse.wheel(0, -4000);
    await page.waitForTimeout(30);
  }
  expect(await page.getByText('Question 1', { exact: true }).isVisible(), 'scrolling up leads to the first message');
  return problems;
}
