import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { McpServer } from '../../../src/mcp/server/mcpServer';
import type { CallResult } from '../../../src/mcp/server/serverConnection';
import { McpBench } from './support/mcpBench';

const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const modern = path.join(__dirname, '../../support/mcp/modernServer.js');
const nobody = { signal: new AbortController().signal, answer: async () => null };
const textOf = ({ parts }: CallResult): string => parts.map((part) => ('text' in part ? part.text : part.kind)).join(' ');

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('MCP servers as people have them', () => {
  let bench: McpBench | undefined;
  let remote: ChildProcess | undefined;

  async function started(configured: Record<string, unknown>, inputs: Record<string, string> = {}): Promise<McpServer> {
    bench = new McpBench({ srv: configured });
    for (const [id, value] of Object.entries(inputs)) bench.inputs.set(id, value);
    await bench.ready();
    const server = bench.servers.get('srv');
    assert.ok(server);
    return server;
  }

  /** Starts a program. Resolves with its output when it reports that it is listening. */
  async function serve(args: string[], env: Record<string, string>, stream: 'stdout' | 'stderr'): Promise<string> {
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    remote = child;
    return new Promise((resolve, reject) => {
      let printed = '';
      child[stream].on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        if (/port|listening/i.test(printed)) resolve(printed);
      });
      child.once('exit', () => reject(new Error(printed)));
    });
  }

  const serveModern = async (env: Record<string, string> = {}): Promise<string> => {
    const { port } = JSON.parse(await serve([modern, '--http'], env, 'stdout')) as AddressInfo;
    return `http://127.0.0.1:${port}`;
  };

  afterEach(async () => {
    await bench?.servers.dispose();
    remote?.kill('SIGKILL');
    remote = undefined;
  });

  it('the one for files lists and reads them, in an older protocol', async () => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'ollama-copilot-mcp-')));
    writeFileSync(path.join(folder, 'a.txt'), 'content of a');
    const server = await started({ command: process.execPath, args: [filesystem, folder] });
    assert.equal(server.state, 'running', server.log.text);
    assert.ok((server.protocol ?? '') < '2026');
    assert.ok(server.tools.some(({ name, claims }) => name === 'read_text_file' && claims.readOnly));
    assert.match(textOf(await server.call('read_text_file', { path: path.join(folder, 'a.txt') }, nobody)), /content of a/);
    const outside = await server.call('read_text_file', { path: '/etc/passwd' }, nobody);
    assert.equal(outside.isError, true);
    rmSync(folder, { recursive: true, force: true });
  });

  it('the one with everything calls, shows pictures and has prompts', async () => {
    const server = await started({ command: process.execPath, args: [everything, 'stdio'] });
    assert.equal(server.state, 'running', server.log.text);
    assert.match(textOf(await server.call('echo', { message: 'hello' }, nobody)), /hello/);
    assert.ok(server.prompts.length > 0);
    assert.match(await server.prompt(server.prompts[0]?.name ?? '', {}), /./);
    const picture = await server.call('get-tiny-image', {}, nobody);
    assert.ok(picture.parts.some(({ kind }) => kind === 'image'));
  });

  it('the one with everything is spoken to over HTTP too', async () => {
    const port = String(await freePort());
    await serve([everything, 'streamableHttp'], { PORT: port }, 'stderr');
    const server = await started({ url: `http://127.0.0.1:${port}/mcp` });
    assert.equal(server.state, 'running', `${server.problem} ${server.log.text}`);
    assert.match(textOf(await server.call('echo', { message: 'hello' }, nobody)), /hello/);
  });

  it('of the newest protocol are called and ask over their input and output', async () => {
    const server = await started({ command: process.execPath, args: [modern] });
    assert.equal(server.protocol, '2026-07-28', server.log.text);
    assert.equal(textOf(await server.call('echo', { a: 1 }, nobody)), '{"a":1}');
    const asked = await server.call('ask', {}, { ...nobody, answer: async () => ({ colour: 'blue' }) });
    assert.deepEqual(JSON.parse(textOf(asked)), [{ colour: { action: 'accept', content: { colour: 'blue' } } }, 'where it was']);
  });

  it('of the newest protocol are called over HTTP with a token that is an input', async () => {
    const url = await serveModern({ MCP_TOKEN: 'secret' });
    const headers = { Authorization: 'Bearer ${input:token}' };
    const server = await started({ url, headers }, { token: 'secret' });
    assert.equal(server.protocol, '2026-07-28', `${server.problem} ${server.log.text}`);
    assert.equal(textOf(await server.call('echo', { a: 1 }, nobody)), '{"a":1}');
    await bench?.servers.dispose();
    const refused = await started({ url, headers }, { token: 'wrong' });
    assert.equal(refused.state, 'failed');
  });

  it('are not followed to another address, where the token would go too', async () => {
    const server = await started({ url: `${await serveModern()}/moved` });
    assert.equal(server.state, 'failed');
  });
});
