import { describe, expect, it, vi } from 'vitest';
import type { Channel } from '../../src/protocol/rpc';
import { connectToHost } from '../../src/webview/common/useHost';

/** Returns a channel whose other end is the test. */
function openWire() {
  const sent: { t: string; i?: string; m?: string; a?: unknown[] }[] = [];
  let deliver: (message: unknown) => void = () => undefined;
  const channel: Channel = {
    post: (message) => void sent.push(message as (typeof sent)[number]),
    onMessage: (listener) => (deliver = listener),
  };
  const host = connectToHost(channel);
  return {
    host,
    sent,
    deliver: (message: unknown) => deliver(message),
    reports: () => sent.filter(({ m }) => m === 'reportViewError'),
  };
}

const arrived = () => new Promise((resolve) => setTimeout(resolve, 1));

describe('messages that do not fit', () => {
  it.each([
    null,
    7,
    'text',
    [],
    {},
    { t: 'x' },
    { t: 'q' },
    { t: 'q', m: 'constructor', a: [] },
    { t: 'q', m: 'explode', a: [1] },
  ])('are reported and dropped: %j', async (message) => {
    const { host, deliver, reports } = openWire();
    const heard = vi.fn();
    host.on('log', heard);
    deliver(message);
    await arrived();
    expect(heard).not.toHaveBeenCalled();
    expect(reports()).toHaveLength(1);
  });

  it.each([
    { kind: 'entry', sessionId: 's', revision: 1, entry: { type: 'user_input' } },
    { kind: 'delta', sessionId: 's', seq: 1, offset: -1, text: '' },
    { kind: 'delta', sessionId: 's', seq: '1', offset: 0, text: '' },
    undefined,
  ])('are dropped as events too: %j', async (value) => {
    const { host, deliver, reports } = openWire();
    const heard = vi.fn();
    host.on('log', heard);
    deliver({ t: 'q', m: 'log', a: [value], o: true });
    await arrived();
    expect(heard).not.toHaveBeenCalled();
    expect(reports()).toHaveLength(1);
  });

  it('make a request fail when they are its answer', async () => {
    const { host, sent, deliver, reports } = openWire();
    const asked = host.attempt(host.api.send({ sessionId: null, text: 'x', mode: 'ask', model: null }));
    await arrived();
    deliver({ t: 's', i: sent[0]?.i, r: { sessionId: 7 } });
    expect(await asked).toBeUndefined();
    expect(host.problem.value).toContain('send');
    expect(reports().length).toBeGreaterThan(0);
  });

  it('do not keep those that fit from being heard', async () => {
    const { host, deliver } = openWire();
    const heard = vi.fn();
    host.on('sessionsChanged', heard);
    deliver({ t: 'q', m: 'sessionsChanged', a: [{ sessionId: 5 }], o: true });
    deliver({ t: 'q', m: 'sessionsChanged', a: [{ sessionId: 'a' }], o: true });
    await arrived();
    expect(heard.mock.calls).toEqual([[{ sessionId: 'a' }]]);
  });
});

describe('a request that fails', () => {
  it('is shown and reported once, in its own words', async () => {
    const { host, sent, deliver, reports } = openWire();
    const asked = host.attempt(host.api.stop({ sessionId: 's' }));
    await arrived();
    deliver({ t: 's', i: sent[0]?.i, e: { code: 'sessionBusy', message: 'The chat is busy.' } });
    expect(await asked).toBeUndefined();
    await arrived();
    expect(host.problem.value).toBe('The chat is busy.');
    expect(reports().map(({ a }) => (a?.[0] as { message: string }).message)).toEqual(['The chat is busy.']);
  });
});
