import { afterEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const running = { sessionId: 's1', state: 'running', activity: null } as const;
const field = (name: string) => get(app.root, 'textbox', name) as HTMLTextAreaElement;

async function press(name: string, root: Element = app.root): Promise<void> {
  get(root, 'button', name).click();
  await app.settle();
}

async function write(text: string, name = 'Message'): Promise<void> {
  field(name).focus();
  field(name).value = text;
  field(name).dispatchEvent(new Event('input', { bubbles: true }));
  await app.settle();
}

function talk(): TestLog {
  const log = new TestLog();
  for (const text of ['one', 'two']) {
    log.user(text);
    log.add('assistant_output', `Answer to ${text}`, { end: 'complete' });
    log.add('run_end', '', { outcome: 'done' });
  }
  return log;
}

describe('a person who reads above', () => {
  let log: TestLog;
  let scroller: HTMLElement;

  /** Shows a conversation of 1,000 px in a window of 200 px, scrolled to 100 px above its end. */
  async function readAbove(run: Parameters<typeof startApp>[0] = {}): Promise<void> {
    log = talk();
    app = await startApp({ log, ...run });
    scroller = get(app.root, 'log');
    const place = { scrollHeight: 1000, clientHeight: 200, scrollTop: 800 };
    for (const [name, value] of Object.entries(place)) Object.defineProperty(scroller, name, { value, writable: true });
    for (const top of [800, 700]) {
      scroller.scrollTop = top;
      scroller.dispatchEvent(new Event('scroll'));
    }
    await app.settle();
    expect(has(app.root, 'button', 'Scroll to bottom')).toBe(true);
  }
  async function begin(text: string): Promise<void> {
    log.user(text);
    await app.sendEntries(log, log.entries.length - 1);
    expect(spokenText(scroller)).toContain(text);
  }

  it('stays there when a queued message begins', async () => {
    await readAbove({ run: running, queued: [{ id: 'q1', text: 'next', mode: 'agent', attachments: [] }] });
    await begin('next');
    expect(scroller.scrollTop).toBe(700);
    expect(has(app.root, 'button', 'Scroll to bottom')).toBe(true);
  });

  it('stays there when a message of theirs is queued', async () => {
    await readAbove({ run: running });
    await write('next');
    await app.press('Enter');
    expect(app.api.enqueue).toHaveBeenCalledOnce();
    expect(scroller.scrollTop).toBe(700);
  });

  it('is shown what they send, and the turn that it begins', async () => {
    await readAbove();
    await write('three');
    await app.press('Enter');
    expect(scroller.scrollTop).toBe(1000);
    Object.defineProperty(scroller, 'scrollHeight', { value: 1200 });
    await begin('three');
    expect(scroller.scrollTop).toBe(1200);
    expect(has(app.root, 'button', 'Scroll to bottom')).toBe(false);
  });

  it('is shown what they say in other words', async () => {
    await readAbove();
    await press('Edit and resend', all(app.root, 'article', 'You')[0]);
    await press('Send', app.root.querySelector('.edit') as Element);
    expect(scroller.scrollTop).toBe(1000);
  });

  it('stays there when what they sent could not be', async () => {
    await readAbove();
    app.api.send.mockRejectedValueOnce(new Error('The disk is full'));
    await write('three');
    await app.press('Enter');
    expect(field('Message').value).toBe('three');
    expect(scroller.scrollTop).toBe(700);
  });
});
