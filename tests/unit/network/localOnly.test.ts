import assert from 'node:assert/strict';
import { errorEntry } from '../../../src/agent/kernel/failure';
import { connect } from '../../../src/mcp/server/connect';
import type { ConfineProgram } from '../../../src/mcp/server/serverConnection';
import { SharedSearch } from '../../../src/services/codebase/sharedSearch';
import { LocalOnlyRefusal } from '../../../src/services/model/client/ollamaErrors';
import { network } from '../../../src/services/network/network';
import { unlimited } from '../../../src/services/network/localOnly';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { McpBench, program } from '../mcp/support/mcpBench';
import { SignInServers } from '../mcp/support/signInServers';
import { chatRequest, collect, lastChunk, makeClient, rejection } from '../model/support/client';
import { sendJson, sendLines, startHttpServer, type HttpServer } from '../model/support/httpServer';

const restrict = (...allowed: string[]) => (network.limits = () => ({ isLocalOnly: true, allowed }));

describe('With local connections only', () => {
  afterEach(() => (network.limits = () => unlimited));

  describe('the model server', () => {
    let server: HttpServer;
    beforeEach(async () => {
      server = await startHttpServer((response) => sendLines(response, [lastChunk]));
    });
    afterEach(() => server.close());

    it('on this machine answers', async () => {
      restrict();
      const { client } = makeClient(server.url);
      assert.equal((await collect(client.chat(chatRequest))).length, 1);
    });

    it('at another address is not contacted, and the user reads why, without a retry', async () => {
      restrict('nas.lan:11434');
      for (const url of ['http://192.0.2.1:11434', 'https://nas.lan', 'http://127.0.0.1.example.org']) {
        const { client } = makeClient(url);
        const error = await rejection(collect(client.chat(chatRequest)));
        assert.ok(error instanceof LocalOnlyRefusal && error.code === 'localOnly');
        assert.match(error.userMessage, /was not contacted, because only local connections are allowed\./);
        const tested = await client.testConnection();
        assert.ok(!tested.ok && tested.error instanceof LocalOnlyRefusal);
      }
    });

    it('gets no request for a cloud model', async () => {
      restrict();
      const { client } = makeClient(server.url);
      const model = 'gpt-oss:120b-cloud';
      for (const work of [
        () => collect(client.chat({ ...chatRequest, model })),
        () =>
          collect(
            client.generate({ model, prompt: 'x', options: { num_ctx: 1024 }, keep_alive: 0, truncate: false, shift: false }),
          ),
        () => client.embed(model, ['x']),
      ])
        assert.match(String(((await rejection(work())) as LocalOnlyRefusal).userMessage), /Nothing was sent.*gpt-oss:120b-cloud/);
      assert.deepEqual(server.requests, []);
    });

    it('that is refused leads to another model or to the settings', () => {
      const { data } = errorEntry(LocalOnlyRefusal.forCloudModel('a-cloud'));
      assert.deepEqual([data.code, data.actions], ['localOnly', ['selectModel', 'openSettings', 'retry']]);
    });

    it('gets it again when the limit is off', async () => {
      const { client } = makeClient(server.url);
      await collect(client.chat({ ...chatRequest, model: 'gpt-oss:120b-cloud' }));
      assert.equal(server.requests.length, 1);
    });
  });

  describe('an MCP server', () => {
    let bench: McpBench | null = null;
    afterEach(async () => bench?.servers.dispose());
    const problemOf = async (config: Record<string, unknown>) => {
      bench = new McpBench({ srv: config });
      await bench.ready();
      return bench.servers.get('srv')?.problem ?? null;
    };

    it('over HTTP is refused, on this machine too', async () => {
      const server = await startHttpServer((response) => sendJson(response, 200, {}));
      restrict();
      const { port } = new URL(server.url);
      assert.equal(
        await problemOf({ url: `${server.url}/mcp` }),
        `127.0.0.1:${port} was not contacted, because only local connections are allowed. To allow it, add it to “Allowed addresses” in the privacy settings.`,
      );
      assert.deepEqual(server.requests, []);
      restrict(`127.0.0.1:${port}`);
      await problemOf({ url: `${server.url}/mcp` });
      assert.ok(server.requests.length > 0);
      await server.close();
    });

    it('that is a program starts in the sandbox', async () => {
      restrict();
      const confine: ConfineProgram = async (started) => Promise.resolve({ program: started, finish: () => Promise.resolve() });
      const config = { command: process.execPath, args: [program], env: { MCP_SCRIPT: '{"tools":[]}' }, cwd: '/', sandbox: true };
      bench = new McpBench({ srv: config }, new Map(), connect, confine);
      await bench.ready();
      assert.equal(bench.servers.get('srv')?.state, 'running');
      const [record] = network.ledger.list();
      assert.deepEqual([record?.purpose, record?.isSandboxed, record?.state], ['mcpProgram', true, 'open']);
      await bench.servers.stopRefused();
      assert.equal(bench.servers.get('srv')?.state, 'running');
    });

    it('that is a program does not start outside, and stops when the limit is switched on', async () => {
      assert.equal(await problemOf({ command: process.execPath, args: [program], env: { MCP_SCRIPT: '{"tools":[]}' } }), null);
      const server = bench?.servers.get('srv');
      assert.equal(server?.state, 'running');
      restrict();
      await bench?.servers.stopRefused();
      assert.equal(server?.state, 'stopped');
      await server.start();
      assert.match(server.problem ?? '', /^The server was not started, because only local connections are allowed/);
      assert.equal(server.pid, null);
    });

    it('is not signed in to', async () => {
      const remote = new SignInServers();
      await remote.start();
      bench = new McpBench({ srv: { url: remote.url } });
      await bench.ready();
      assert.ok(bench.servers.get('srv')?.challenge);
      restrict();
      await assert.rejects(bench.servers.signIn('srv'), /was not contacted, because only local connections are allowed/);
      remote.close();
    });
  });

  it('the shared index at a remote address is not searched, one in a folder is', async () => {
    restrict();
    const asked: string[] = [];
    let uri = '';
    const search = new SharedSearch({
      client: { shared: async (request) => (asked.push(request.uri), []) },
      uri: () => uri,
      clock: systemClock,
      logger: silentLogger,
    });
    for (uri of [
      's3://team/index',
      'az://team/index',
      '\\\\share\\index',
      'file://share/index',
      '/srv/index',
      'file:///srv/index',
    ])
      await search.find('m', new Float32Array(2), 1, new AbortController().signal);
    assert.deepEqual(asked, ['/srv/index', 'file:///srv/index']);
    uri = 's3://team/index';
    await search.find('m', new Float32Array(2), 1, new AbortController().signal);
    assert.match(search.state?.trouble ?? '', /because only local connections are allowed/);
  });
});
