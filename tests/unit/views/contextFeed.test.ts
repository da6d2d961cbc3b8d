import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { ChatForRequest } from '../../../src/agent/prompt/nextRequest';
import type { AttachmentRef, Entry, EntryInput } from '../../../src/protocol/entries';
import { selectPrompted } from '../../../src/protocol/reducer/promptedEntries';
import { silentLogger } from '../../../src/utils/logger';
import { ContextFeed, type ContextSources } from '../../../src/views/feeds/contextFeed';
import { WholeLog } from '../../../src/views/feeds/wholeLog';
import { newSession, userInput, Workbench } from '../database/support/stores';
import { until } from '../../support/until';

const bench = new Workbench();
afterEach(() => bench.clean());

/** Returns a log that counts the entries read from it. */
async function counted() {
  const { sessions, log } = await bench.service(bench.folder());
  const reads: number[] = [];
  const counting: ContextSources['log'] = {
    onDidChange: (listener) => log.onDidChange(listener),
    read: async (id, since) => {
      const snapshot = await log.read(id, since);
      reads.push(snapshot.entries.length);
      return snapshot;
    },
  };
  const create = async () => (await sessions.create(newSession())).id;
  return { log, counting, reads, create };
}

describe('WholeLog', () => {
  it('is what the log is, and reads only what has changed', async () => {
    const { log, counting, reads, create } = await counted();
    const id = await create();
    const other = await create();
    const whole = new WholeLog(counting);
    const agrees = async (sessionId: string) =>
      assert.deepEqual(await whole.of(sessionId), (await log.read(sessionId, 0)).entries);
    await log.appendAll(id, [userInput('one'), userInput('two'), userInput('three')]);
    await agrees(id);
    const answer = await log.open(id, { type: 'assistant_output', data: {} });
    await log.append(id, userInput('said meanwhile'));
    await agrees(id);
    answer.write('An answer');
    await answer.close({ end: 'complete' });
    await agrees(id);
    await agrees(id);
    await agrees(other);
    await agrees(id);
    assert.deepEqual(reads, [3, 2, 1, 0, 0, 5]);
  });

  it('begins again with a log that has become another one', async () => {
    const entry = (seq: number, content: string) => ({ seq, content }) as Entry;
    let log = { entries: [entry(1, 'old'), entry(2, 'old')], revision: 2 };
    const whole = new WholeLog({
      read: (_id, since) => Promise.resolve({ ...log, entries: log.entries.filter(({ seq }) => seq > since) }),
    });
    await whole.of('s');
    log = { entries: [entry(1, 'new')], revision: 1 };
    assert.deepEqual(await whole.of('s'), log.entries);
  });
});

describe('ContextFeed', () => {
  it('reads nothing while a session opens, and only what is new at each step of its run', async () => {
    const { log, counting, reads, create } = await counted();
    const id = await create();
    await log.appendAll(
      id,
      Array.from({ length: 40 }, (_, index) => userInput(`message ${index}`)),
    );
    const told: number[] = [];
    const sources = {
      log: counting,
      logger: silentLogger,
      preparer: { prepare: () => undefined, isPrepared: () => false },
      attachments: { readUnasked: () => Promise.resolve([]) },
      mentions: { estimateLength: () => Promise.resolve(0) },
      active: () => ({ sessionId: id, mode: 'ask' }),
      catalog: { state: () => Promise.resolve({ selected: { ask: 'worker' } }), loaded: () => null },
      meter: { use: ({ entries }: { entries: readonly Entry[] }) => Promise.resolve({ used: entries.length }) },
    };
    const view = { emit: (_name: string, use: unknown) => void told.push((use as { used: number }).used) };
    const feed = new ContextFeed(sources as unknown as ContextSources, view);
    bench.add(feed);
    let opened = (): void => undefined;
    feed.giveWayTo(new Promise<void>((resolve) => (opened = resolve)));
    feed.refresh();
    for (let turns = 0; turns < 20; turns += 1) await turn();
    assert.deepEqual(reads, []);
    opened();
    await until(() => told.length === 1);
    for (const count of [42, 44]) {
      await log.appendAll(id, [userInput('more'), userInput('and more')]);
      feed.refresh();
      await until(() => told.at(-1) === count);
    }
    assert.deepEqual({ told, reads }, { told: [40, 42, 44], reads: [40, 2, 2] });
  });

  it('measures again after an entry that changes what the prompt contains', async () => {
    const { log, counting, create } = await counted();
    const id = await create();
    const other = await create();
    const told: number[] = [];
    const sources = {
      log: counting,
      logger: silentLogger,
      preparer: { prepare: () => undefined, isPrepared: () => false },
      attachments: { readUnasked: () => Promise.resolve([]) },
      mentions: { estimateLength: () => Promise.resolve(0) },
      active: () => ({ sessionId: id, mode: 'ask' }),
      catalog: { state: () => Promise.resolve({ selected: { ask: 'worker' } }), loaded: () => null },
      meter: { use: ({ entries }: { entries: readonly Entry[] }) => Promise.resolve({ used: selectPrompted(entries).length }) },
    };
    const view = { emit: (_name: string, use: unknown) => void told.push((use as { used: number }).used) };
    bench.add(new ContextFeed(sources as unknown as ContextSources, view));
    await log.appendAll(id, [userInput('one'), userInput('two'), userInput('three')]);
    const restore = { targetCheckpointId: 'c', paths: [], fromSeq: 2 };
    const changes: EntryInput[] = [
      { type: 'restore', data: restore },
      { type: 'turns_kept', data: { restoreSeq: 4 } },
      { type: 'rewind', data: { fromSeq: 3 } },
    ];
    for (const [index, change] of changes.entries()) {
      await log.append(other, change);
      await log.append(id, change);
      await until(() => told.length > index);
    }
    assert.deepEqual(told, [2, 5, 2]);
  });

  it('prepares the request with the attachments of the draft in the active session, which it reads later', async () => {
    const { counting, create } = await counted();
    const id = await create();
    const other = await create();
    const file: AttachmentRef = { kind: 'file', path: 'a.ts' };
    const prepared: { attachments: unknown; read: unknown }[] = [];
    const sources = {
      log: counting,
      logger: silentLogger,
      preparer: {
        prepare: async ({ attachments }: ChatForRequest, read: (items: unknown) => Promise<unknown>) =>
          void prepared.push({ attachments, read: await read(attachments) }),
        isPrepared: () => false,
      },
      attachments: { readUnasked: (items: AttachmentRef[]) => Promise.resolve(items.map(({ path }) => `text of ${path}`)) },
      mentions: { estimateLength: () => Promise.resolve(0) },
      active: () => ({ sessionId: id, mode: 'ask' }),
      catalog: { state: () => Promise.resolve({ selected: { ask: 'worker' } }), loaded: () => null },
      meter: { use: () => Promise.resolve({ used: 0 }) },
    };
    const feed = new ContextFeed(sources as unknown as ContextSources, { emit: () => undefined });
    bench.add(feed);
    feed.prepare({ sessionId: id, attachments: [file] });
    await until(() => prepared.length === 1);
    feed.prepare({ sessionId: other, attachments: [file] });
    await until(() => prepared.length === 2);
    assert.deepEqual(prepared, [
      { attachments: [file], read: ['text of a.ts'] },
      { attachments: [], read: [] },
    ]);
  });

  it('counts the attachments of the draft once they are measured, and no longer those that were removed', async () => {
    const { counting, create } = await counted();
    const id = await create();
    const item = (path: string): AttachmentRef => ({ kind: 'file', path });
    const small = item('small.ts');
    const big = item('big.ts');
    const slow = item('slow.ts');
    const told: number[] = [];
    const measured: string[] = [];
    const cancelled: string[] = [];
    const estimateLength = ({ path }: AttachmentRef, { signal }: { signal?: AbortSignal }) => {
      measured.push(path);
      signal?.addEventListener('abort', () => cancelled.push(path));
      return path === slow.path ? new Promise<number>(() => undefined) : Promise.resolve(path === big.path ? 60_000 : 100);
    };
    const sources = {
      log: counting,
      logger: silentLogger,
      preparer: { prepare: () => undefined, isPrepared: () => false },
      attachments: { readUnasked: () => Promise.resolve([]) },
      mentions: { estimateLength },
      active: () => ({ sessionId: id, mode: 'ask' }),
      catalog: { state: () => Promise.resolve({ selected: { ask: 'worker' } }), loaded: () => null },
      meter: { use: ({ draft }: { draft?: number }) => Promise.resolve({ used: draft }) },
    };
    const view = { emit: (_name: string, use: unknown) => void told.push((use as { used: number }).used) };
    const feed = new ContextFeed(sources as unknown as ContextSources, view);
    bench.add(feed);
    feed.prepare({ sessionId: id, attachments: [slow, small], implicit: [big] });
    await until(() => told.at(-1) === 60_100);
    feed.prepare({ sessionId: id, attachments: [small] });
    await until(() => told.at(-1) === 100);
    feed.prepare({ sessionId: 'another', attachments: [big] });
    await until(() => told.at(-1) === 0);
    assert.deepEqual(measured, ['slow.ts', 'small.ts', 'big.ts', 'big.ts']);
    assert.ok(cancelled.includes('slow.ts'));
  });

  it('goes on after an opening that failed', async () => {
    const told: unknown[] = [];
    const sources = {
      log: { onDidChange: () => ({ dispose: () => undefined }) },
      meter: undefined,
      logger: silentLogger,
      active: () => ({ sessionId: null, mode: 'ask' }),
      catalog: { state: () => Promise.resolve({ selected: {} }) },
    };
    const view = { emit: (_name: string, use: unknown) => void told.push(use) };
    const feed = new ContextFeed(sources as unknown as ContextSources, view);
    bench.add(feed);
    feed.giveWayTo(Promise.reject(new Error('gone')));
    feed.refresh();
    await until(() => told.length === 1);
    assert.deepEqual(told, [null]);
  });
});
