import assert from 'node:assert/strict';
import type { Connect, ConnectionHost, Listing, ListedTool } from '../../../src/mcp/server/serverConnection';
import { eventually } from '../../support/until';
import { ManualClock } from '../database/support/manualClock';
import { McpBench, scripted } from './support/mcpBench';

const minute = 60_000;
const tooOften =
  'The server constantly reports changes to its tools or prompts, so its lists are read only once a minute. Report this to its author.';

describe('a server that reports changed lists', () => {
  const clock = new ManualClock();
  let reads = 0;
  let onRead: (host: ConnectionHost) => void = () => undefined;
  let host: ConnectionHost;
  let bench: McpBench;

  const tool: ListedTool = {
    name: 'echo',
    title: '',
    description: '',
    inputSchema: {},
    claims: { readOnly: false, destructive: null, idempotent: false, openWorld: null },
  };
  const reach: Connect = async (_reach, its) => {
    host = its;
    const listed = async <T>(entries: T[]): Promise<Listing<T>> => Promise.resolve({ entries, incomplete: null });
    return Promise.resolve({
      protocol: '2025-06-18',
      pid: null,
      tools: async () => {
        reads += 1;
        onRead(its);
        return listed([{ ...tool, description: `read ${reads} times` }]);
      },
      prompts: async () => listed([]),
      prompt: async () => Promise.resolve(''),
      call: async () => Promise.resolve({ isError: false, parts: [] }),
      close: async () => Promise.resolve(),
    });
  };

  beforeEach(async () => {
    reads = 0;
    onRead = () => undefined;
    bench = new McpBench({ one: scripted({}) }, new Map(), reach, undefined, clock);
    await bench.servers.refresh();
  });
  afterEach(() => bench.servers.dispose());

  const server = () => bench.servers.get('one');
  async function start(): Promise<void> {
    await bench.servers.start('one');
    await clock.advance(0);
  }

  for (const [kind, report] of [
    ['tools', (its: ConnectionHost) => its.onToolsChanged()],
    ['prompts', (its: ConnectionHost) => its.onPromptsChanged()],
  ] as const)
    it(`with every list of its ${kind} is asked a few times, then once a minute, and its row says so`, async () => {
      onRead = report;
      await start();
      assert.deepEqual([server()?.state, reads, server()?.warnings], ['running', 5, [tooOften]]);
      await clock.advance(minute - 1);
      assert.equal(reads, 5);
      await clock.advance(1);
      assert.equal(reads, 6);
      await clock.advance(9 * minute);
      assert.deepEqual([reads, server()?.warnings], [15, [tooOften]]);
    });

  it('is asked at once when changes are rare, without a warning', async () => {
    await start();
    for (let change = 1; change <= 20; change += 1) {
      host.onToolsChanged();
      await clock.advance(0);
      assert.deepEqual([reads, server()?.tools[0]?.description], [change + 1, `read ${change + 1} times`]);
      await clock.advance(minute);
    }
    assert.deepEqual(server()?.warnings, []);
  });

  it('many times at once is asked for the latest list, without a warning', async () => {
    await start();
    for (let change = 0; change < 100; change += 1) host.onToolsChanged();
    await clock.advance(0);
    assert.deepEqual([reads, server()?.warnings], [3, []]);
  });

  it('too often is asked at once again after a quiet time', async () => {
    onRead = (its) => its.onToolsChanged();
    await start();
    onRead = () => undefined;
    await clock.advance(2 * minute);
    assert.deepEqual([reads, server()?.warnings], [6, []]);
    host.onToolsChanged();
    await clock.advance(0);
    assert.equal(reads, 7);
  });

  it('is not asked after it has been stopped', async () => {
    onRead = (its) => its.onToolsChanged();
    await start();
    await bench.servers.stop('one');
    await clock.advance(10 * minute);
    assert.deepEqual([reads, server()?.state, server()?.warnings], [5, 'stopped', []]);
  });

  it('with each list can be stopped while it starts', async () => {
    let end: (error: Error) => void = () => undefined;
    const silent: Connect = async (...given) => {
      const connection = await reach(...given);
      const tools = () => new Promise<Listing<ListedTool>>((_resolve, reject) => (end = reject));
      return { ...connection, tools, close: async () => Promise.resolve().then(() => end(new Error('Connection closed'))) };
    };
    const other = new McpBench({ one: scripted({}) }, new Map(), silent, undefined, clock);
    await other.servers.refresh();
    void other.servers.start('one');
    await clock.advance(0);
    await other.servers.stop('one');
    assert.equal(other.servers.get('one')?.state, 'stopped');
  });

  it('as a program is asked a few times', async () => {
    await bench.servers.dispose();
    bench = new McpBench(
      { one: scripted({ tools: [{ name: 'echo' }], changesWithEachList: true }) },
      new Map(),
      undefined,
      undefined,
      clock,
    );
    await bench.servers.refresh();
    await bench.servers.start('one');
    await eventually(() => assert.deepEqual(server()?.warnings, [tooOften]));
    assert.equal(server()?.tools[0]?.description, 'list 5');
  });
});
