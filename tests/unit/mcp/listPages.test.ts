import assert from 'node:assert/strict';
import type { McpServer } from '../../../src/mcp/server/mcpServer';
import type { Script } from '../../support/mcp/server';
import { McpBench, scripted } from './support/mcpBench';

const repeats = 'The list of tools may be incomplete. The server keeps returning the same page. Report this to its author.';
const endless = 'The list of tools may be incomplete. The server has more than 64 pages. Report this to its author.';

describe('a list of tools in pages', () => {
  let bench: McpBench | undefined;

  async function started(script: Script): Promise<McpServer> {
    bench = new McpBench({ one: scripted(script) });
    await bench.ready();
    const [server] = bench.servers.servers;
    assert.ok(server);
    return server;
  }

  afterEach(() => bench?.servers.dispose());

  const cases: [string, Script, string[], string[]][] = [
    ['is read to its end', { pages: { '': { names: ['a'], next: 'p' }, p: { names: ['b'] } } }, ['a', 'b'], []],
    [
      'is read to its end over an empty page',
      { pages: { '': { names: ['a'], next: 'p' }, p: { names: [], next: 'q' }, q: { names: ['b'] } } },
      ['a', 'b'],
      [],
    ],
    [
      'ends at a cursor that leads to itself',
      { pages: { '': { names: ['a', 'b'], next: 'p' }, p: { names: ['a', 'b'], next: 'p' } } },
      ['a', 'b'],
      [repeats],
    ],
    [
      'ends where cursors alternate',
      {
        pages: {
          '': { names: ['a'], next: 'p' },
          p: { names: ['b'], next: 'q' },
          q: { names: ['c'], next: 'p' },
        },
      },
      ['a', 'b', 'c'],
      [repeats],
    ],
    ['ends where new cursors never end', { pages: { '': { names: ['first'], next: 'x' } }, isEndless: true }, [], [endless]],
    [
      'offers a name once',
      { pages: { '': { names: ['a', 'a'], next: 'p' }, p: { names: ['a', 'b'] } } },
      ['a', 'b'],
      ['The server lists several tools under the same name. Only the first tool is offered: a'],
    ],
    [
      'ends before a page that fails',
      { pages: { '': { names: ['a'], next: 'p' } } },
      ['a'],
      ['The list of tools may be incomplete. A page could not be read: no page p'],
    ],
    [
      'ends before a cursor of an absurd length',
      { pages: { '': { names: ['a'], next: 'x'.repeat(20_000) } }, isEndless: true },
      ['a'],
      [
        'The list of tools may be incomplete. The cursor of the next page has more than 10,000 characters. Report this to the author of the server.',
      ],
    ],
  ];
  for (const [name, script, tools, warnings] of cases) {
    it(name, async () => {
      const server = await started(script);
      assert.equal(server.state, 'running', server.problem ?? '');
      if (tools.length > 0)
        assert.deepEqual(
          server.tools.map((tool) => tool.name),
          tools,
        );
      else assert.equal(server.tools.length, 64);
      assert.deepEqual(server.warnings, warnings);
    });
  }

  it('fails with its first page', async () => {
    const server = await started({ pages: {} });
    assert.deepEqual([server.state, server.warnings], ['failed', []]);
  });

  it('is offered up to the limit, and says so', async () => {
    const names = Array.from({ length: 130 }, (_, index) => `tool${index}`);
    const server = await started({ pages: { '': { names } } });
    assert.deepEqual([server.tools.length, server.warnings], [128, ['Only the first 128 of 130 tools are offered.']]);
  });

  it('shows its warnings in a test of the server', async () => {
    bench = new McpBench({});
    const one = new McpBench({ one: scripted({ pages: { '': { names: ['a'], next: 'p' } } }) });
    await one.servers.refresh();
    const [server] = one.servers.servers;
    assert.ok(server);
    const { outcome, warnings } = await bench.servers.test(server.config);
    assert.deepEqual([outcome, warnings.length], ['running', 1]);
    await one.servers.dispose();
  });
});
