import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serverOfForm } from '../../../src/mcp/config/serverEntry';
import { readServers, type ServerConfig } from '../../../src/mcp/config/serverConfig';
import type { TestedServer } from '../../../src/mcp/server/serverTests';
import { until } from '../../support/until';
import { gone, McpBench, program, scripted } from './support/mcpBench';

const configOf = (entry: Record<string, unknown>): ServerConfig => {
  const [config] = readServers({ one: entry }, 'settings').servers;
  assert.ok(config);
  return config;
};
const node = (code: string) => ({ command: process.execPath, args: ['-e', code] });

describe('a test of an MCP server', () => {
  let bench: McpBench;
  let web: Server | undefined;
  const test = (entry: Record<string, unknown>): Promise<TestedServer> => bench.servers.test(configOf(entry));

  beforeEach(() => (bench = new McpBench({})));
  afterEach(async () => {
    await bench.servers.dispose();
    web?.close();
  });

  it('tells its tools, leaves no process, and is no server of the agent', async () => {
    const result = await test(
      scripted({
        tools: [
          { name: 'echo', description: 'Says it again' },
          { name: 'pid', does: 'child' },
        ],
      }),
    );
    assert.deepEqual([result.outcome, result.problem], ['running', null]);
    assert.deepEqual(
      result.tools.map(({ title, about, tool }) => [title, about, tool.name]),
      [
        ['echo', 'Says it again', 'one__echo'],
        ['pid', '', 'one__pid'],
      ],
    );
    assert.deepEqual(bench.servers.servers, []);
    assert.deepEqual(bench.servers.tools(), []);
  });

  it('asks for a value, and starts with it', async () => {
    bench.inputs.set('program', program);
    const form = {
      name: 'one',
      reach: { kind: 'stdio', command: process.execPath, args: ['${input:program}'], env: [], cwd: null, isSandboxed: false },
    } as const;
    const config = serverOfForm({ ...form, reach: { ...form.reach, args: [...form.reach.args], env: [] } }, undefined);
    assert.ok(config);
    assert.equal((await bench.servers.test(config)).outcome, 'running');
    assert.deepEqual(bench.askedFor, [{ server: 'one', input: 'program', changes: null }]);
  });

  it('ends with Stop, and with another test', async () => {
    const hanging = scripted({ does: 'neverAnswers' });
    const first = test({ ...hanging, env: { ...(hanging['env'] as object), FIRST: '1' } });
    await bench.servers.stopTest();
    assert.equal((await first).outcome, 'stopped');
    const second = test(hanging);
    assert.equal((await test(scripted({ tools: [{ name: 'echo' }] }))).outcome, 'running');
    assert.equal((await second).outcome, 'stopped');
  });

  it('ends with the window, with its process', async () => {
    const asked = path.join(await mkdtemp(path.join(tmpdir(), 'mcp-')), 'pid');
    const silent = `require('fs').writeFileSync(${JSON.stringify(asked)}, String(process.pid)); setInterval(() => {}, 1000)`;
    const result = test(node(silent));
    await until(() => existsSync(asked) && readFileSync(asked, 'utf8') !== '');
    await bench.servers.dispose();
    assert.equal((await result).outcome, 'stopped');
    await gone(Number(readFileSync(asked, 'utf8')));
  });

  it('starts nothing in a workspace that is not trusted', async () => {
    bench.isTrusted = false;
    await assert.rejects(test(scripted({})), { code: 'denied' });
  });

  describe('says in plain words why there are no tools', () => {
    const programs: [about: string, entry: Record<string, unknown>, words: RegExp][] = [
      ['a program that is not there', { command: 'no-such-program' }, /^The program no-such-program was not found\. Install it/],
      [
        'a folder that is not there',
        { ...node('1'), cwd: '/no/such/folder' },
        /^The folder \/no\/such\/folder does not exist\.$/,
      ],
      [
        'a program that ends',
        node('console.error("no licence key"); process.exit(7)'),
        /exited before it responded.*no licence key$/,
      ],
      [
        'a program that is no server',
        node('console.log("hello")'),
        /exited before it responded\. It may not be an MCP server\. Its first output line: hello$/,
      ],
    ];
    for (const [about, entry, words] of programs)
      it(about, async () => {
        const { outcome, problem } = await test(entry);
        assert.equal(outcome, 'failed');
        assert.match(problem ?? '', words);
      });

    const answers: [status: number, type: string, body: string, words: RegExp][] = [
      [404, 'text/html', '<html>', /^No MCP server was found at http:\S+ \(HTTP 404\)/],
      [403, 'text/plain', 'no', /denied access \(HTTP 403\)/],
      [500, 'text/plain', 'oops', /returned an error \(HTTP 500\)/],
      [200, 'text/html', '<html>', /is not an MCP server\.$/],
      [200, 'application/json', '{}', /is not an MCP server\.$/],
      [302, 'text/plain', '', /redirects to another address/],
    ];
    for (const [status, type, body, words] of answers)
      it(`an answer ${status} of ${type}`, async () => {
        web = createServer((_request, response) => {
          response.writeHead(status, { 'content-type': type, location: 'http://127.0.0.1:1/' }).end(body);
        }).listen(0, '127.0.0.1');
        await new Promise((resolve) => web?.once('listening', resolve));
        const { port } = web.address() as AddressInfo;
        const { problem } = await test({ url: `http://127.0.0.1:${port}/mcp` });
        assert.match(problem ?? '', words);
      });

    it('an address where nothing listens, without the secret in it', async () => {
      web = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => web?.once('listening', resolve));
      const { port } = web.address() as AddressInfo;
      await new Promise((resolve) => web?.close(resolve));
      bench.inputs.set('key', 'hidden-value');
      const { problem } = await test({ url: `http://127.0.0.1:${port}/mcp?key=\${input:key}` });
      assert.match(problem ?? '', /^No server responds at http:\S+\$\{input:key\}\./);
      assert.doesNotMatch(problem ?? '', /hidden-value/);
    });
  });
});
