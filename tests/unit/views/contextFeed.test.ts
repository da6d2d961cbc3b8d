import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Entry } from '../../../src/protocol/entries';
import type { SessionLog } from '../../../src/services/database/log/sessionLog';
import { silentLogger } from '../../../src/utils/logger';
import { ContextFeed, type ContextSources } from '../../../src/views/feeds/contextFeed';
import { WholeLog } from '../../../src/views/feeds/wholeLog';
import { newSession, userInput, Workbench } from '../database/support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

/** A log that counts how many entries are read of it. */
async function counted() {
  const { sessions, log } = await bench.service(bench.folder());
  const reads: number[] = [];
  const counting: Pick<SessionLog, 'read'> = {
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
    const [id, other] = [await create(), await create()];
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
      front: () => ({ sessionId: id, mode: 'ask' }),
      catalog: { state: () => Promise.resolve({ selected: { ask: 'worker' } }), loaded: () => null },
      meter: { use: ({ entries }: { entries: readonly Entry[] }) => Promise.resolve(entries.length) },
    };
    const view = { emit: (_name: string, use: unknown) => void told.push(use as number) };
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

  it('goes on after an opening that failed', async () => {
    const told: unknown[] = [];
    const sources = {
      ...{ log: undefined, meter: undefined, logger: silentLogger },
      front: () => ({ sessionId: null, mode: 'ask' }),
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

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await turn();
  }
});
