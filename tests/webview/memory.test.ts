import { afterEach, describe, expect, it } from 'vitest';
import type { ContextUse } from '../../src/protocol/contextUse';
import type { MemoryLine } from '../../src/protocol/requests/memoryRequests';
import { startApp, type TestApp } from './support/fakeHost';
import { get, has } from './support/roles';

const use: ContextUse = {
  model: 'qwen3:14b',
  window: 8192,
  loaded: null,
  used: 1200,
  isMeasured: false,
  reused: null,
  instructions: [],
  tools: { sent: [], loadable: [], leftOut: [] },
  parts: [{ kind: 'memory', tokens: 20 }],
};
const memory: MemoryLine[] = [
  { kind: 'own', text: 'Tests run with make', seq: null, isForgotten: false },
  { kind: 'rule', text: 'Never use tabs.', seq: 1, isForgotten: false },
  { kind: 'rule', text: 'Never use vim.', seq: 3, isForgotten: true },
];

let app: TestApp;
afterEach(() => app?.wrapper.unmount());

const opened = async (sessionId: string | null) => {
  app = await startApp({ memory, ready: { sessionId } });
  app.port.emit('context', use);
  await app.settle();
  get(app.root, 'button', 'Context: about 1.2k of 8k tokens').click();
  await app.settle();
};

describe('the memory of a chat', () => {
  it('opens in the context meter, in groups', async () => {
    await opened('s1');
    get(app.root, 'button', 'Memory').click();
    await app.settle();
    expect(get(app.root, 'list', 'Your notes, sent with every request').textContent).toContain('Tests run with make');
    expect(get(app.root, 'list', 'Your rules').textContent).toContain('Never use tabs.');
    expect(has(app.root, 'list', 'Failures')).toBe(false);
  });

  it('is closed again when the context card is opened anew', async () => {
    await opened('s1');
    const meter = get(app.root, 'button', 'Context: about 1.2k of 8k tokens');
    get(app.root, 'button', 'Memory').click();
    await app.settle();
    expect(get(app.root, 'group', 'What fills the context window').textContent).not.toContain('Available for the answer');
    for (let press = 0; press < 2; press += 1) {
      meter.click();
      await app.settle();
    }
    expect(get(app.root, 'group', 'What fills the context window').textContent).toContain('Available for the answer');
    expect(get(app.root, 'button', 'Memory').getAttribute('aria-expanded')).toBe('false');
  });

  it('forgets, keeps again and remembers', async () => {
    await opened('s1');
    get(app.root, 'button', 'Memory').click();
    await app.settle();
    get(app.root, 'button', 'Forget Never use tabs.').click();
    await app.settle();
    expect(app.api.forgetMemory).toHaveBeenLastCalledWith({ sessionId: 's1', text: 'Never use tabs.', isForgotten: true });
    get(app.root, 'button', 'Keep Never use vim.').click();
    await app.settle();
    expect(app.api.forgetMemory).toHaveBeenLastCalledWith({ sessionId: 's1', text: 'Never use vim.', isForgotten: false });
    const field = get(app.root, 'textbox', 'Remember in this chat') as HTMLInputElement;
    field.value = 'Use make';
    field.dispatchEvent(new Event('input'));
    await app.settle();
    get(app.root, 'button', 'Remember').click();
    await app.settle();
    expect(app.api.addMemory).toHaveBeenCalledWith({ sessionId: 's1', text: 'Use make' });
    expect(field.value).toBe('');
  });

  it('is not offered before there is a chat', async () => {
    await opened(null);
    expect(has(app.root, 'button', 'Memory')).toBe(false);
  });
});
