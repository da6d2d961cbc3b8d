import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/protocol/entries';
import { reduceTimeline } from '../../src/protocol/timeline';
import type { LogEvent } from '../../src/protocol/webviewEvents';
import { SessionSync } from '../../src/webview/session/sessionSync';
import { TestLog } from './support/log';
import { Random } from './support/random';

const summary = { id: 's1', title: '', mode: 'agent', model: null, state: 'idle', createdAt: 0, updatedAt: 0 } as const;

/** A host whose log is durable up to the last flush, and whose wire can be told to misbehave. */
class TestHost {
  readonly log = new TestLog();
  readonly fetches: number[] = [];
  /** Text of the open entry that is not in the log yet. */
  private unflushed = '';

  constructor(private readonly emit: (event: LogEvent) => void) {}

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

  /** The growth becomes durable: told by a last piece with a revision. */
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

  fetch(sinceRevision: number) {
    this.fetches.push(sinceRevision);
    const entries = this.durable.filter(({ revision }) => revision > sinceRevision);
    return {
      session: summary,
      entries,
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
      onSnapshot: () => undefined,
      onChange: () => undefined,
      onProblem: (error) => problems.push(error),
      delay: async () => undefined,
    });
    await sync.resume();
    expect(problems).toEqual([new Error('gone')]);
  });

  it('shows live what a restored view shows, whatever is lost, doubled or late', async () => {
    const pieces = ['word ', '👩‍👩‍👧 ', '漢字', '\n\n```ts\n', 'שלום', 'é', ''];
    for (let seed = 1; seed <= 80; seed += 1) {
      const random = new Random(seed);
      const latency = () => new Promise<void>((resolve) => setTimeout(resolve, random.integer(3)));
      const held: LogEvent[] = [];
      const host: TestHost = new TestHost((event) => {
        const luck = random.next();
        if (luck < 0.06) return;
        if (luck < 0.14) held.push(event);
        else sync.hear(event);
        if (luck > 0.95) sync.hear(event);
        if (held.length > 0 && random.next() < 0.3) sync.hear(held.shift() as LogEvent);
      });
      const sync = connect(() => host, latency);
      const opening = sync.resume();
      for (let step = 0; step < 60; step += 1) {
        const dice = random.next();
        const isOpen = host.durable.some((entry) => entry.isOpen);
        if (isOpen && dice < 0.6) host.grow(random.pick(pieces));
        else if (isOpen && dice < 0.75) host.flush(random.pick(pieces));
        else if (isOpen && dice < 0.85) host.close();
        else if (!isOpen && dice < 0.5) host.add(host.log.add('assistant_output', '', {}, true));
        else if (!isOpen && dice < 0.8) host.add(host.log.user(`message ${step}`));
        else if (dice > 0.96) void sync.resume();
        if (random.next() < 0.2) await latency();
      }
      host.close();
      await opening;
      // The view is shown again.
      await sync.resume();
      await sync.resume();
      const restored = reduceTimeline(host.durable, { isLive: false });
      expect(reduceTimeline(sync.log.entries, { isLive: false }), `seed ${seed}`).toEqual(restored);
      sync.close();
    }
  });
});
