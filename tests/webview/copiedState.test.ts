import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { copiedState } from '../../src/webview/copiedState';
import { keep } from '../../src/webview/hostConnection';

/** Returns a store like the editor's, which loses unsaved data. */
function editorStore(saved: unknown) {
  let state = saved;
  return { read: () => state, write: (next: unknown) => void (state = next) };
}

describe('the state of the view', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
  afterEach(() => void vi.useRealTimers());

  it('comes back from the copy when the editor has saved an older one', () => {
    const sent: string[] = [];
    const first = copiedState(editorStore({ drafts: { s: 'Hel' }, savedAt: 900 }), undefined, (state) => sent.push(state));
    keep(first, { drafts: { s: 'Hello' } });
    keep(first, { drafts: { s: 'Hello there' } });
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(sent.length).toBe(1);
    keep(first, { drafts: { s: 'Hello there' } });
    vi.advanceTimersByTime(1000);
    expect(sent.length).toBe(1);
    const later = copiedState(editorStore({ drafts: { s: 'Hel' }, savedAt: 900 }), sent[0], () => undefined);
    expect(later.read()).toMatchObject({ drafts: { s: 'Hello there' } });
  });

  it('is the editor’s when that is newer, and when there is no copy or a broken one', () => {
    const newer = { drafts: { s: 'new' }, savedAt: 1000 };
    const old = JSON.stringify({ drafts: { s: 'old' }, savedAt: 999 });
    for (const copy of [old, undefined, '', '{', '[]', '"text"', 'null']) {
      const store = copiedState(editorStore(newer), copy, () => undefined);
      expect(store.read()).toEqual(newer);
    }
  });
});
