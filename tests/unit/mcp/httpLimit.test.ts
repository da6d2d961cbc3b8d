import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardedFetch } from '../../../src/mcp/server/guardedFetch';
import { McpBench } from './support/mcpBench';

const megabyte = 1024 * 1024;

describe('The answers of an MCP server over HTTP', () => {
  let server: Server;
  let answer: (response: ServerResponse, message: { id?: number; method?: string }) => void;

  beforeEach(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => answer(response, JSON.parse(body === '' ? '{}' : body) as { id?: number; method?: string }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const read = async (type: string, pieces: readonly string[]): Promise<number> => {
    answer = (response) => {
      response.writeHead(200, { 'content-type': type });
      for (const piece of pieces) response.write(piece);
      response.end();
    };
    return (await (await guardedFetch(origin())(`${origin()}/mcp`)).arrayBuffer()).byteLength;
  };
  const block = 'x'.repeat(megabyte);

  it('are at most 32 MB each', async () => {
    assert.equal(await read('application/json', Array<string>(31).fill(block)), 31 * megabyte);
    await assert.rejects(read('application/json', Array<string>(33).fill(block)));
  });

  it('are at most 32 MB for each message of a stream of events, however long it is', async () => {
    for (const end of ['\n\n', '\r\n\r\n', '\r\r', '\n: \n\n']) {
      const pieces = Array.from({ length: 40 }, () => [`data: ${block}`, end]).flat();
      assert.ok((await read('text/event-stream; charset=utf-8', pieces)) > 40 * megabyte);
    }
    for (const end of ['\n', '\r\n', ''])
      await assert.rejects(
        read(
          'text/event-stream',
          Array.from({ length: 33 }, () => `data: ${block}${end}`),
        ),
        JSON.stringify(end),
      );
  });

  it('end the server where one is larger, and the call that waits for it', async () => {
    const version = '2025-06-18';
    answer = (response, { id, method }) => {
      const json = (result: object) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      };
      if (method === 'initialize')
        json({ protocolVersion: version, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
      else if (method === 'tools/list') json({ tools: [{ name: 'big', inputSchema: { type: 'object' } }] });
      else if (method === 'tools/call') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let count = 0; count < 34; count += 1) response.write(`data: ${block}\n`);
      } else if (id === undefined) response.writeHead(method === undefined ? 405 : 202).end();
      else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } }));
      }
    };
    const bench = new McpBench({ srv: { url: `${origin()}/mcp` } });
    try {
      await bench.ready();
      const srv = bench.servers.get('srv');
      assert.equal(srv?.state, 'running', srv?.problem ?? '');
      const call = srv.call('big', {}, { signal: new AbortController().signal, answer: async () => Promise.resolve(null) });
      await assert.rejects(call);
      assert.match(srv.log.text, /more than 32 MB/);
    } finally {
      await bench.servers.dispose();
    }
  });
});
