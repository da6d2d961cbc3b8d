import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AttachmentRef } from '../../src/protocol/entries';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, nameOf } from './support/roles';

let app: TestApp;
afterEach(() => {
  vi.unstubAllGlobals();
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const file: AttachmentRef = { kind: 'file', path: 'src/app.ts' };
const lines: AttachmentRef = { kind: 'selection', path: 'src/app.ts', startLine: 10, endLine: 24 };
const explain = 'Explain how this code works, step by step, and point out anything surprising.';

const field = () => get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
const removable = () =>
  all(app.root, 'button')
    .map(nameOf)
    .filter((name) => name.startsWith('Remove '));
async function write(text: string): Promise<void> {
  field().focus();
  field().value = text;
  field().dispatchEvent(new Event('input', { bubbles: true }));
  await app.settle();
}
async function emit(...event: Parameters<TestApp['port']['emit']>): Promise<void> {
  app.port.emit(...event);
  await app.settle();
}

describe('what the editor brings back of a message', () => {
  const written = Date.UTC(2026, 0, 31);
  const before = {
    drafts: { '': 'Why is this', s1: '/explain it', 's1#3': '=Say more', s2: 'Half a thought', s3: 'From an earlier version' },
    writtenAt: { '': written, s1: written, 's1#3': written, s2: written },
    attachments: { '': [file], s1: [file], s2: [lines] },
  };

  it('is let go of where that was sent since, and stays where it was not', async () => {
    const log = new TestLog();
    const starting = startApp({ log, state: before, sent: [`${explain}\n\nit`, 'Say more', 'Why is this'] });
    app = await starting;
    expect(field().value).toBe('');
    expect(removable()).toEqual([]);
    const { drafts, attachments } = app.state.value as typeof before;
    expect(drafts).toEqual({ s2: 'Half a thought', s3: 'From an earlier version' });
    expect(attachments).toEqual({ s2: [lines] });
    expect(app.api.wasSent).toHaveBeenCalledWith({ sessionId: null, text: 'Why is this', since: written });
    expect(app.api.wasSent).toHaveBeenCalledWith({ sessionId: 's1', text: 'Say more', since: written });
  });

  it('leaves what was attached to words of which only the beginning came back', async () => {
    app = await startApp({ state: before, sent: ['Why is this so slow?'] });
    expect(field().value).toBe('');
    expect(removable()).toEqual(['Remove app.ts']);
  });

  it('keeps no new chat that was chosen meanwhile from being shown', async () => {
    const log = new TestLog();
    log.add('user_input', 'Why?', { mode: 'ask', attachments: [] });
    let answer: (sent: string[]) => void = () => undefined;
    app = await startApp({ log, state: before, sent: new Promise((resolve) => (answer = resolve)) });
    await emit('navigate', { page: 'chat', sessionId: null });
    answer([]);
    await app.settle();
    expect(all(app.root, 'article')).toEqual([]);
    expect(field().value).toBe('Why is this');
  });

  it('stays where nobody can tell, and what is written from then on has a time', async () => {
    app = await startApp({ state: before, sent: new Error('The database is locked') });
    expect(field().value).toBe('Why is this');
    expect(removable()).toEqual(['Remove app.ts']);
    await write('Why is this so');
    expect(app.state.value).toMatchObject({ drafts: { '': 'Why is this so' }, writtenAt: { s2: written } });
    expect((app.state.value as typeof before).writtenAt['']).toBeGreaterThan(written);
    await write('');
    expect(Object.keys((app.state.value as typeof before).writtenAt)).toEqual(['s1', 's1#3', 's2']);
  });
});

describe('a message that is written while the view opens its chat', () => {
  /** Starts a view that opens the chat `log` when the returned function is called. */
  async function opening(state: unknown): Promise<() => Promise<void>> {
    let opened = (): void => undefined;
    const log = new TestLog();
    log.user('Earlier');
    app = await startApp({ log, state, opening: new Promise((resolve) => (opened = resolve)) });
    return async () => {
      opened();
      await app.settle();
    };
  }
  const drafts = () => (app.state.value as { drafts: Record<string, string> }).drafts;

  it('cannot be sent yet, and goes with its attachments to that chat', async () => {
    const open = await opening({});
    await write('Words of mine');
    await emit('attach', { items: [file] });
    await app.press('Enter', {}, field());
    expect(app.api.send).not.toHaveBeenCalled();
    expect((get(app.root, 'button', 'Send') as HTMLButtonElement).disabled).toBe(true);
    await open();
    expect(field().value).toBe('Words of mine');
    expect(removable()).toEqual(['Remove app.ts']);
    await app.press('Enter', {}, field());
    expect(app.api.send.mock.lastCall?.[0]).toMatchObject({ sessionId: 's1', text: 'Words of mine' });
  });

  it('leaves the draft of a new chat where it is', async () => {
    const open = await opening({ drafts: { '': 'Another thought' }, writtenAt: {} });
    await open();
    expect(field().value).toBe('');
    expect(drafts()).toEqual({ '': 'Another thought' });
  });
});

describe('a message on its way', () => {
  const shown = () => [field().value, removable()];
  let answer: () => void;
  let refuse: () => void;
  /** Sends a message. The extension has received it but has not confirmed it. */
  async function send(run?: 'running'): Promise<void> {
    const log = new TestLog();
    app = await startApp({ log, ...(run && { run: { sessionId: 's1', state: run, activity: null } }) });
    const settled = new Promise<void>((resolve, reject) => {
      answer = resolve;
      refuse = () => reject(new Error('The database is locked'));
    });
    if (run === undefined) app.api.send.mockReturnValueOnce(settled.then(() => ({ sessionId: 's1' })));
    else app.api.enqueue.mockReturnValueOnce(settled.then(() => ({})));
    await emit('attach', { items: [file] });
    await write('Why?');
    await app.press('Enter');
    expect(shown()).toEqual(['', []]);
  }
  async function reload(sent: string[] | Error = []): Promise<void> {
    const { value } = app.state;
    app.wrapper.unmount();
    app = await startApp({ log: new TestLog(), state: value, sent });
  }

  for (const run of [undefined, 'running'] as const) {
    describe(run === undefined ? 'to a run' : 'to the queue', () => {
      it('is in the composer of the next view where it never arrived, once', async () => {
        await send(run);
        await reload();
        expect(shown()).toEqual(['Why?', ['Remove app.ts']]);
        await reload();
        expect(shown()).toEqual(['Why?', ['Remove app.ts']]);
      });

      it('is not there where it arrived', async () => {
        await send(run);
        await reload(['Why?']);
        expect(shown()).toEqual(['', []]);
        await reload();
        expect(shown()).toEqual(['', []]);
      });

      it('is forgotten when the extension has it', async () => {
        await send(run);
        answer();
        await app.settle();
        await reload();
        expect(shown()).toEqual(['', []]);
      });

      it('is there once when it was refused', async () => {
        await send(run);
        refuse();
        await app.settle();
        expect(shown()).toEqual(['Why?', ['Remove app.ts']]);
        await reload();
        expect(shown()).toEqual(['Why?', ['Remove app.ts']]);
      });
    });
  }

  it('comes before what has been written since, which stays where it arrived', async () => {
    await send();
    await write('And then?');
    const { value } = app.state;
    await reload();
    expect(shown()).toEqual(['Why?\n\nAnd then?', ['Remove app.ts']]);
    app.state.value = value;
    await reload(['Why?']);
    expect(shown()).toEqual(['And then?', []]);
  });

  it('is there where nobody can tell, until it can be told', async () => {
    await send();
    await reload(new Error('The database is locked'));
    expect(shown()).toEqual(['Why?', ['Remove app.ts']]);
    await reload(['Why?']);
    expect(shown()).toEqual(['', []]);
  });
});
