import assert from 'node:assert/strict';
import { MessageLines } from '../../../src/mcp/server/messageLines';
import type { McpServer } from '../../../src/mcp/server/mcpServer';
import type { Script } from '../../support/mcp/server';
import { McpBench, scripted } from './support/mcpBench';

describe('output of an MCP server that is not a message', () => {
  let bench: McpBench | undefined;

  async function started(script: Script): Promise<McpServer> {
    bench = new McpBench({ one: scripted(script) });
    await bench.ready();
    const [server] = bench.servers.servers;
    assert.ok(server);
    return server;
  }

  afterEach(() => bench?.servers.dispose());

  it('is logged as it was printed, and the server works', async () => {
    const prints = 'Notes server ready\n{"level":"info","msg":"cache opened"}\n\n\u001b[31mred\u001b[0m \u202ealert\n';
    const server = await started({ prints, tools: [{ name: 'echo' }] });
    assert.equal(server.state, 'running');
    assert.deepEqual(
      server.log.text.split('\n').filter((line) => line.startsWith('[')),
      ['[stdout] Notes server ready', '[stdout] {"level":"info","msg":"cache opened"}', '[stdout] red alert'],
    );
  });

  it('is logged with a limited length', async () => {
    const server = await started({ prints: `${'x'.repeat(100_000)}\n`, tools: [{ name: 'echo' }] });
    assert.ok(server.log.text.length < 2000, String(server.log.text.length));
  });

  it('is in the message when the server exits at once', async () => {
    const server = await started({ prints: '{\n  "error": "JENKINS_URL is missing"\n}\nBye', does: 'exitSilently' });
    assert.equal(
      server.problem,
      'The program exited before it responded. It may not be an MCP server. Its first output line: "error": "JENKINS_URL is missing"',
    );
  });

  it('is in the message next to the last line on stderr', async () => {
    const server = await started({ prints: 'Reading the licence', does: 'exitAtOnce' });
    assert.equal(
      server.problem,
      'The program exited before it responded. Its first output line: Reading the licence. Its last error line: no licence key',
    );
  });
});

describe('lines of messages', () => {
  const ping = '{"jsonrpc":"2.0","method":"ping","id":1}';

  function read(chunks: readonly string[], max = 1000) {
    const methods: unknown[] = [];
    const stray: string[] = [];
    const lines = new MessageLines(max, {
      onMessage: (message) => methods.push('method' in message && message.method),
      onStray: (line) => stray.push(line),
    });
    for (const chunk of chunks) lines.add(Buffer.from(chunk));
    lines.end();
    return { methods, stray };
  }

  for (const [name, chunks, methods, stray] of [
    ['a message in parts', [ping.slice(0, 9), ping.slice(9), '\n'], ['ping'], []],
    ['two messages and a part', [`${ping}\n${ping}\n${ping.slice(0, 5)}`, `${ping.slice(5)}\n`], ['ping', 'ping', 'ping'], []],
    ['a Windows line end', [`${ping}\r\n`], ['ping'], []],
    ['a byte order mark', [`\uFEFF${ping}\n`], ['ping'], []],
    ['a banner without a line end', ['Usage: notes FILE'], [], ['Usage: notes FILE']],
    [
      'JSON of another kind',
      ['{"level":30,"msg":"ready"}\n', 'null\n', '7\n', `${ping}\n`],
      ['ping'],
      ['{"level":30,"msg":"ready"}', 'null', '7'],
    ],
    ['another version of the protocol', ['{"jsonrpc":"1.0","method":"ping"}\n'], [], ['{"jsonrpc":"1.0","method":"ping"}']],
    ['empty lines', ['\n \n\t\r\n'], [], []],
  ] as const) {
    it(`are read: ${name}`, () => assert.deepEqual(read(chunks), { methods, stray }));
  }

  it('longer than the limit fail', () => {
    assert.throws(() => read(['x'.repeat(600), 'x'.repeat(600)]), { code: 'call' });
    assert.deepEqual(read(['x'.repeat(600), '\n', 'y'.repeat(600)]).stray.length, 2);
  });
});
