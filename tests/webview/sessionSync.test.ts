import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/protocol/entries';
import { reduceTimeline } from '../../src/protocol/reducer/timelineReducer';
import type { LogEvent } from '../../src/protocol/webviewEvents';
import { SessionSync } from '../../src/webview/sessions/sessionSync';
import { seeds } from '../support/rounds';
import { TestLog } from './support/log';
import { Random } from './support/random';

const summary = { id: 's1', title: '', mode: 'agent', model: null, state: 'idle', createdAt: 0, updatedAt: 0 } as const;

/** Fake host whose log is durable up to the last flush. The test can lose, repeat or delay its events. */
class TestHost {
  readonly log = new TestLog();
  readonly fetches: number[] = [];
  /** Text of the open entry that is not in the log yet. */
  private unflushed = '';

  constructor(
    private readonly emit: (event: LogEvent) => void,
    private readonly pageSize = 300,
  ) {}

  get durable(): Entry[] {
    return this.log.entries;
  }

  add(entry: Entry): void {
    this.emit({ kind: 'entry', sessionId: 's1', revision: entry.revision, entry });
  }

  grow(text: string): void {
    const open = this.open();
    if (open === undefined) return;
    this.emit({ kind: 'delta', sessionId: 's1', seq: open.seq, offset: open.content.length + this.unflushed.length, text });
    this.unflushed += text;
  }

  /** Makes the added text durable. Sends a last piece with a revision. */
  flush(text = ''): void {
    const open = this.open();
    if (open === undefined) return;
    const offset = open.content.length + this.unflushed.length;
    const entry = this.log.change(open.seq, { content: open.content + this.unflushed + text });
    this.unflushed = '';
    this.emit({ kind: 'delta', sessionId: 's1', seq: open.seq, offset, text, revision: entry.revision });
  }

  close(): void {
    const open = this.open();
    if (open === undefined) return;
    const content = open.content + this.unflushed;
    this.unflushed = '';
    this.add(this.log.change(open.seq, { content, isOpen: false }));
  }

  fetchEarlier(beforeSeq: number) {
    return this.log.page(beforeSeq, this.pageSize);
  }

  fetch(sinceRevision: number) {
    this.fetches.push(sinceRevision);
    const page =
      sinceRevision === 0
        ? this.log.page(Infinity, this.pageSize)
        : { entries: this.durable.filter(({ revision }) => revision > sinceRevision), hasEarlier: false };
    return {
      session: summary,
      ...page,
      revision: this.log.revision,
      run: { sessionId: 's1', state: 'running' as const, activity: null },
    };
  }

  private open(): Entry | undefined {
    return this.log.entries.find(({ isOpen }) => isOpen);
  }
}

function connect(host: () => TestHost, latency: () => Promise<void> = async () => undefined): SessionSync {
  return new SessionSync({
    fetch: async (since) => {
      await latency();
      const snapshot = structuredClone(host().fetch(since));
      await latency();
      return snapshot;
    },
    fetchEarlier: async (beforeSeq) => {
      await latency();
      const page = structuredClone(host().fetchEarlier(beforeSeq));
      await latency();
      return page;
    },
    onSnapshot: () => undefined,
    onChange: () => undefined,
    onProblem: (error) => {
      throw error;
    },
    delay: () => latency(),
  });
}

const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 5));

describe('SessionSync', () => {
  it('appends what comes in order without asking', async () => {
    const host: TestHost = new TestHost((event) => sync.hear(event));
    const sync = connect(() => host);
    await sync.resume();
    host.add(host.log.user('Hello'));
    host.add(host.log.add('assistant_output', '', {}, true));
    host.grow('Good ');
    host.grow('day 👋');
    host.flush();
    expect(sync.log.entries.map(({ content }) => content)).toEqual(['Hello', 'Good day 👋']);
    expect(host.fetches).toEqual([0]);
  });

  it('ignores what it has seen already', async () => {
    const events: LogEvent[] = [];
    const host = new TestHost((event) => events.push(event));
    const sync = connect(() => host);
    await sync.resume();
    host.add(host.log.user('Hello'));
    host.add(host.log.add('assistant_output', '', {}, true));
    host.grow('abc');
    for (const event of [...events, ...events, ...events]) sync.hear(event);
    expect(sync.log.entries.map(({ content }) => content)).toEqual(['Hello', 'abc']);
    expect(host.fetches).toEqual([0]);
  });

  it('asks for what is missing and puts in after it what came meanwhile', async () => {
    const events: LogEvent[] = [];
    const host = new TestHost((event) => events.push(event));
    const sync = connect(
      () => host,
      () => settle(),
    );
    await sync.resume();
    host.add(host.log.user('one'));
    host.add(host.log.add('assistant_output', '', {}, true));
    host.flush('first ');
    host.grow('second ');
    sync.hear(events[0] as LogEvent);
    sync.hear(events[2] as LogEvent);
    sync.hear(events[3] as LogEvent);
    await sync.resume();
    expect(sync.log.entries.map(({ content }) => content)).toEqual(['one', 'first second ']);
    expect(host.fetches).toEqual([0, 1]);
  });

  it('keeps text on screen that the log does not have yet', async () => {
    const host: TestHost = new TestHost((event) => sync.hear(event));
    const sync = connect(() => host);
    host.log.user('one');
    host.log.add('assistant_output', 'a', {}, true);
    await sync.resume();
    host.grow('b');
    await sync.resume();
    host.grow('c');
    await sync.resume();
    expect(sync.log.entries[1]?.content).toBe('abc');
  });

  it('starts over where an event contradicts what it has', async () => {
    const host: TestHost = new TestHost((event) => sync.hear(event));
    const sync = connect(() => host);
    host.log.user('one');
    host.log.add('assistant_output', 'abc', {}, true);
    await sync.resume();
    sync.hear({ kind: 'delta', sessionId: 's1', seq: 2, offset: 0, text: 'xyz' });
    await settle();
    expect(host.fetches).toEqual([0, 0]);
    expect(sync.log.entries[1]?.content).toBe('abc');
  });

  it('gives up after some failures, says so once, and tries again with the next event', async () => {
    const problems: unknown[] = [];
    const sync = new SessionSync({
      fetch: () => Promise.reject(new Error('gone')),
      fetchEarlier: () => Promise.reject(new Error('gone')),
      onSnapshot: () => undefined,
      onChange: () => undefined,
      onProblem: (error) => problems.push(error),
      delay: async () => undefined,
    });
    await sync.resume();
    expect(problems).toEqual([new Error('gone')]);
  });

  it('keeps to its part of the log: what happens before it only moves the revision on', async () => {
    const host: TestHost = new TestHost((event) => sync.hear(event), 2);
    const sync = connect(() => host);
    host.log.user('one');
    host.log.add('assistant_output', 'a', {}, true);
    host.log.user('two');
    host.log.user('three');
    await sync.resume();
    expect([sync.log.firstSeq, sync.log.entries.map(({ seq }) => seq)]).toEqual([3, [3, 4]]);
    host.grow('b');
    host.flush('c');
    host.close();
    host.add(host.log.user('four'));
    expect([sync.log.entries.map(({ seq }) => seq), sync.log.revision, host.fetches]).toEqual([[3, 4, 5], 7, [0]]);
    host.log.change(2, { content: 'abcd' });
    await sync.resume();
    await sync.loadEarlier();
    expect([sync.log.firstSeq, sync.log.entries.map(({ content }) => content)]).toEqual([
      1,
      ['one', 'abcd', 'two', 'three', 'four'],
    ]);
  });

  it.each(['heard', 'missed'])('begins anew where a rewind, %s, reaches before its part of the log', async (way) => {
    const host: TestHost = new TestHost((event) => sync.hear(event), 2);
    const sync = connect(() => host);
    for (const text of ['one', 'two', 'three', 'four']) host.log.user(text);
    await sync.resume();
    expect(sync.log.firstSeq).toBe(3);
    const rewind = host.log.add('rewind', '', { fromSeq: 2 });
    const answer = host.log.add('assistant_output', 'another answer', {});
    if (way === 'heard') host.add(rewind);
    else host.add(answer);
    await settle();
    const { turns } = reduceTimeline(sync.log.entries, { isLive: false });
    expect(turns.map(({ user }) => user?.text)).toEqual(['one']);
    expect(turns).toEqual(reduceTimeline(host.durable, { isLive: false }).turns);
  });

  it('shows live what a restored view shows, whatever is lost, doubled or late', async () => {
    const pieces = ['word ', '👩‍👩‍👧 ', '漢字', '\n\n```ts\n', 'שלום', 'é', ''];
    for (const seed of seeds(10)) {
      const random = new Random(seed);
      const latency = () => new Promise<void>((resolve) => setTimeout(resolve, random.integer(3)));
      const held: LogEvent[] = [];
      const host: TestHost = new TestHost(
        (event) => {
          const luck = random.next();
          if (luck < 0.06) return;
          if (luck < 0.14) held.push(event);
          else sync.hear(event);
          if (luck > 0.95) sync.hear(event);
          if (held.length > 0 && random.next() < 0.3) sync.hear(held.shift() as LogEvent);
        },
        1 + random.integer(12),
      );
      for (let turn = random.integer(30); turn > 0; turn -= 1) host.log.user(`before ${turn}`);
      const sync = connect(() => host, latency);
      const opening = sync.resume();
      for (let step = 0; step < 60; step += 1) {
        const dice = random.next();
        const isOpen = host.durable.some((entry) => entry.isOpen);
        if (isOpen && dice < 0.6) host.grow(random.pick(pieces));
        else if (isOpen && dice < 0.75) host.flush(random.pick(pieces));
        else if (isOpen && dice < 0.85) host.close();
        else if (!isOpen && dice < 0.5) host.add(host.log.add('assistant_output', '', {}, true));
        else if (!isOpen && dice < 0.75) host.add(host.log.user(`message ${step}`));
        else if (!isOpen && dice < 0.85 && host.durable.length > 0) {
          // A rewind removes whole turns, or the answer of a turn.
          const fromSeq = 1 + random.integer(host.durable.length);
          const isTurn = host.durable[fromSeq - 1]?.type === 'user_input';
          host.add(host.log.add('rewind', '', { fromSeq }));
          if (isTurn) host.add(host.log.user(`again ${step}`));
        } else if (dice > 0.9 && dice < 0.95) void sync.loadEarlier();
        else if (dice > 0.96) void sync.resume();
        if (random.next() < 0.2) await latency();
      }
      host.close();
      await opening;
      // The view becomes visible again.
      await sync.resume();
      await sync.resume();
      const restored = reduceTimeline(host.durable, { isLive: false });
      while (sync.log.firstSeq > 1) {
        const { turns } = reduceTimeline(sync.log.entries, { isLive: false });
        expect(turns, `seed ${seed} from ${sync.log.firstSeq}`).toEqual(
          restored.turns.slice(restored.turns.length - turns.length),
        );
        await sync.loadEarlier();
      }
      expect(sync.log.entries, `seed ${seed}`).toEqual(host.durable);
      expect(reduceTimeline(sync.log.entries, { isLive: false }), `seed ${seed}`).toEqual(restored);
      sync.close();
    }
  });
});
