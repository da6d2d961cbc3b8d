import { afterEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

describe('a long conversation', () => {
  it('shows the last turns of a long one first, and the earlier ones on demand', async () => {
    const log = new TestLog();
    for (let turn = 0; turn < 100; turn += 1) log.user(`message ${turn}`);
    app = await startApp({ log });
    expect(all(app.root, 'article', 'You')).toHaveLength(30);
    get(app.root, 'button', 'Show 70 earlier messages').click();
    await app.settle();
    expect(all(app.root, 'article', 'You')).toHaveLength(60);
  });

  it('shows a few earlier turns at a time to somebody who scrolls up', async () => {
    const log = new TestLog();
    for (let turn = 0; turn < 100; turn += 1) log.user(`message ${turn}`);
    app = await startApp({ log });
    const conversation = get(app.root, 'log', 'Conversation');
    Object.defineProperty(conversation, 'scrollHeight', { value: 3_000 });
    conversation.scrollTop = 100;
    conversation.dispatchEvent(new WheelEvent('wheel', { deltaY: -50 }));
    for (const shown of [36, 42]) {
      conversation.dispatchEvent(new Event('scroll'));
      await app.settle();
      expect(all(app.root, 'article', 'You')).toHaveLength(shown);
    }
  });

  it('takes no turn away from somebody who reads the first ones when another begins', async () => {
    const log = new TestLog();
    for (let turn = 0; turn < 100; turn += 1) log.user(`message ${turn}`);
    app = await startApp({ log });
    const conversation = get(app.root, 'log', 'Conversation');
    const shown = () => all(app.root, 'article', 'You').map((article) => /message \d+/.exec(spokenText(article))?.[0]);
    Object.defineProperty(conversation, 'scrollHeight', { get: () => 100 * shown().length });
    conversation.scrollTop = 400;
    conversation.dispatchEvent(new WheelEvent('wheel', { deltaY: -50 }));
    log.user('message 100');
    log.user('message 101');
    await app.sendEntries(log, 100);
    expect([shown().length, shown()[0], shown().at(-1), conversation.scrollTop]).toEqual([
      ...[32, 'message 70', 'message 101', 400],
    ]);
  });

  it('fetches what is further back, turn by turn, until nothing is left', async () => {
    const log = new TestLog();
    for (let turn = 0; turn < 100; turn += 1) {
      log.user(`message ${turn}`);
      log.add('assistant_output', `answer ${turn}`, { end: 'complete' });
    }
    app = await startApp({ log, page: 50 });
    const shown = () => all(app.root, 'article', 'You').map(spokenText);
    expect(shown()).toHaveLength(25);
    const seen = [shown().length];
    while (has(app.root, 'button', 'Show earlier messages') && seen.length < 20) {
      get(app.root, 'button', 'Show earlier messages').click();
      await app.settle();
      seen.push(shown().length);
    }
    while (seen.length < 20 && seen[seen.length - 1] !== 100) {
      all(app.root, 'button')
        .find((button) => nameOf(button).startsWith('Show '))
        ?.click();
      await app.settle();
      seen.push(shown().length);
    }
    expect([shown()[0], shown()[99]].map((text) => text?.match(/message \d+/)?.[0])).toEqual(['message 0', 'message 99']);
    expect([...seen].sort((a, b) => a - b)).toEqual(seen);
    expect(app.api.earlierEntries.mock.calls.map(([{ beforeSeq }]) => beforeSeq)).toEqual([151, 101, 51]);
  });

  it('passes over what a rewind took out, and says when earlier messages could not be read', async () => {
    const log = new TestLog();
    log.user('the first');
    for (let index = 0; index < 60; index += 1) log.user(`taken back ${index}`);
    log.add('rewind', '', { fromSeq: 2 });
    for (let index = 0; index < 5; index += 1) log.user(`kept ${index}`);
    app = await startApp({ log, page: 4 });
    expect(all(app.root, 'article', 'You')).toHaveLength(4);
    app.api.earlierEntries.mockRejectedValueOnce(new Error('The disk is gone'));
    get(app.root, 'button', 'Show earlier messages').click();
    await app.settle();
    expect(spokenText(get(app.root, 'alert'))).toContain('The disk is gone');
    for (let step = 0; step < 3 && has(app.root, 'button', 'Show earlier messages'); step += 1) {
      get(app.root, 'button', 'Show earlier messages').click();
      await app.settle();
    }
    expect(all(app.root, 'article', 'You').map((article) => /the first|kept \d|taken/.exec(spokenText(article))?.[0])).toEqual([
      ...['the first', 'kept 0', 'kept 1', 'kept 2', 'kept 3', 'kept 4'],
    ]);
  });

  it('is walked message by message with Ctrl+↑ and Ctrl+↓, which leads back to the composer', async () => {
    const log = new TestLog();
    log.user('one');
    log.add('assistant_output', 'Yes.', { end: 'complete' });
    log.add('run_end', '', { outcome: 'done' });
    app = await startApp({ log });
    const [question, answer] = all(app.root, 'article');
    get(app.root, 'textbox', 'Message').focus();
    await app.press('ArrowUp', { ctrlKey: true, shiftKey: true });
    expect(nameOf(document.activeElement as Element)).toBe('Message');
    for (const expected of [answer, question, question]) {
      await app.press('ArrowUp', { ctrlKey: true });
      expect(document.activeElement).toBe(expected);
    }
    await app.press('ArrowDown', { ctrlKey: true });
    expect(document.activeElement).toBe(answer);
    await app.press('ArrowDown', { ctrlKey: true });
    expect(nameOf(document.activeElement as Element)).toBe('Message');
  });

  it('is walked on into the earlier messages of a long one', async () => {
    const log = new TestLog();
    for (let turn = 0; turn < 40; turn += 1) log.user(`message ${turn}`);
    app = await startApp({ log });
    all(app.root, 'article', 'You')[0]?.focus();
    await app.press('ArrowUp', { ctrlKey: true });
    const messages = all(app.root, 'article');
    const index = messages.indexOf(document.activeElement as HTMLElement);
    expect(spokenText(messages[index + 1] as Element)).toContain('message 10');
  });
});
