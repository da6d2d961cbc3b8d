import { afterEach, describe, expect, it } from 'vitest';
import type { ContextUse } from '../../src/protocol/contextUse';
import { startApp, type TestApp } from './support/fakeHost';
import { TestLog } from './support/log';
import { all, get, has, spokenText } from './support/roles';

const contextUse: ContextUse = {
  model: 'qwen3:14b',
  window: 32_768,
  loaded: null,
  used: 1000,
  isMeasured: true,
  reused: null,
  instructions: [],
  tools: { sent: [], loadable: [], leftOut: [] },
  parts: [{ kind: 'history', tokens: 900 }],
};

describe('a summary of earlier messages', () => {
  let app: TestApp;
  afterEach(() => app.wrapper.unmount());

  function conversation(): TestLog {
    const log = new TestLog('s');
    log.add('user_input', 'First', { mode: 'ask', attachments: [] });
    log.add('assistant_output', 'One', { end: 'complete' });
    log.add('compact_marker', 'Asked for: First', { compactedCount: 2, throughSeq: 2, summary: 'Asked for: First', kept: [1] });
    log.add('run_end', '', { outcome: 'done' });
    return log;
  }
  const start = async (log: TestLog): Promise<void> => {
    app = await startApp({ ready: { sessionId: 's', mode: 'ask' }, log });
    await app.settle();
  };

  it('opens to what the model is told, and can be taken back', async () => {
    await start(conversation());
    get(app.root, 'button', 'Earlier messages were summarized').click();
    await app.settle();
    expect(app.root.textContent).toContain('Asked for: First');
    get(app.root, 'button', 'Undo compaction').click();
    await app.settle();
    expect(app.api.undoCompaction).toHaveBeenCalledExactlyOnceWith({ sessionId: 's', seq: 3 });
  });

  it('says so when it was taken back, also after a reload', async () => {
    const log = conversation();
    log.add('compact_undone', '', { markerSeq: 3 });
    await start(log);
    get(app.root, 'button', 'The summary of earlier messages was undone').click();
    await app.settle();
    expect(has(app.root, 'button', 'Undo compaction')).toBe(false);
  });

  it('is not made of a short chat, which is said in plain words and is no error', async () => {
    await start(conversation());
    app.api.compact.mockResolvedValue({ isCompacted: false });
    const field = get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
    field.value = '/compact';
    field.dispatchEvent(new Event('input'));
    await app.settle();
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    await app.settle();
    const said = all(app.root, 'status').map(spokenText).join(' ');
    expect(said).toContain(
      'There is nothing to compact yet. The newest messages are kept in full, up to about a sixth of the context window.',
    );
    expect(has(app.root, 'alert')).toBe(false);
    get(app.root, 'button', 'Dismiss').click();
    await app.settle();
    expect(has(app.root, 'button', 'Dismiss')).toBe(false);
  });

  it('is asked for in the context card, which closes then', async () => {
    await start(conversation());
    app.port.emit('context', contextUse);
    await app.settle();
    const button = get(app.root, 'button', 'Context: 1k of 32k tokens');
    button.click();
    await app.settle();
    get(app.root, 'button', 'Compact now').click();
    await app.settle();
    expect(app.api.compact).toHaveBeenCalledOnce();
    expect(has(app.root, 'group', 'What fills the context window')).toBe(false);
    expect(document.activeElement).toBe(button);
  });

  it('is asked for with /compact', async () => {
    await start(conversation());
    const field = get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
    field.value = '/compact';
    field.dispatchEvent(new Event('input'));
    await app.settle();
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    await app.settle();
    expect(app.api.compact).toHaveBeenCalledExactlyOnceWith({ sessionId: 's', model: 'qwen3:14b' });
    expect(app.api.send).not.toHaveBeenCalled();
  });
});
