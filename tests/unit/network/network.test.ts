import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConnectionLedger } from '../../../src/services/network/connectionLedger';
import { LocalOnlyError } from '../../../src/services/network/localOnly';
import { Network } from '../../../src/services/network/network';
import { until } from '../../support/until';

const reason = { purpose: 'mcp', detail: 'GET' } as const;

describe('The network', () => {
  let server: Server;
  let port: number;
  let network: Network;
  let visits: string[];

  beforeEach(async () => {
    visits = [];
    server = createServer((request, response) => {
      visits.push(request.url ?? '');
      if (request.url === '/moved') return void response.writeHead(302, { location: '/' }).end();
      if (request.url === '/empty') return void response.writeHead(204).end();
      if (request.url === '/cut') {
        response.writeHead(200, { 'content-length': 100 });
        response.write('cut', () => response.destroy());
        return;
      }
      if (request.url === '/silent') return;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.setHeader('set-cookie', ['a=1', 'b=2']);
        response.end(`${request.method} ${request.headers['content-type'] ?? '-'} ${Buffer.concat(chunks).toString()}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
    network = new Network(new ConnectionLedger(() => 7));
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const fetchIt = (path: string, init?: RequestInit, host = '127.0.0.1') =>
    network.fetch(() => reason)(`http://${host}:${port}${path}`, init);
  /** Waits until no connection is open. Returns the records, oldest first. */
  const recorded = async () => {
    await until(() => network.ledger.list().every(({ state }) => state !== 'open'));
    return network.ledger.list().reverse();
  };

  it('records each request with its address, its bytes and its session', async () => {
    const text = await network.ledger.inSession('s1', async () =>
      (await fetchIt('/', { method: 'POST', body: 'hällo', headers: { 'content-type': 'text/plain' } })).text(),
    );
    assert.equal(text, 'POST text/plain hällo');
    const [record, ...others] = await recorded();
    assert.ok(record && (record.sent ?? 0) > 100 && (record.received ?? 0) > text.length);
    assert.deepEqual(others, []);
    assert.deepEqual(record, {
      id: record.id,
      sent: record.sent,
      received: record.received,
      at: 7,
      purpose: 'mcp',
      direction: 'out',
      detail: 'GET',
      state: 'closed',
      sessionId: 's1',
      host: `127.0.0.1:${port}`,
      address: `127.0.0.1:${port}`,
    });
  });

  it('records every attempt for a name with several addresses', async () => {
    assert.equal(await (await fetchIt('/', {}, 'localhost')).text(), 'GET - ');
    const addresses = (await recorded()).map(({ address, host, state }) => ({ address, host, state }));
    assert.deepEqual(addresses.at(-1), { address: `127.0.0.1:${port}`, host: `localhost:${port}`, state: 'closed' });
  });

  it('records a failed connection without bytes', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const failure = await fetchIt('/', { method: 'POST', body: 'x' }).catch((error: unknown) => error);
    assert.ok(failure instanceof TypeError && (failure.cause as NodeJS.ErrnoException).code === 'ECONNREFUSED');
    assert.deepEqual(
      (await recorded()).map(({ state, sent, received, address }) => ({ state, sent, received, address })),
      [{ state: 'failed', sent: 0, received: 0, address: `127.0.0.1:${port}` }],
    );
    server.listen(0, '127.0.0.1');
  });

  it('fetches as fetch does: headers, an empty answer, an abort, a cut answer, no redirect', async () => {
    const { headers } = await fetchIt('/');
    assert.deepEqual(headers.getSetCookie(), ['a=1', 'b=2']);
    const empty = await fetchIt('/empty');
    assert.deepEqual([empty.status, empty.body], [204, null]);
    const form = await fetchIt('/', { method: 'POST', body: new URLSearchParams({ a: 'b c' }) });
    assert.equal(await form.text(), 'POST application/x-www-form-urlencoded;charset=UTF-8 a=b+c');
    const reasonOf = new Error('enough');
    await assert.rejects(fetchIt('/', { signal: AbortSignal.abort(reasonOf) }), reasonOf);
    const ending = new AbortController();
    const silent = fetchIt('/silent', { signal: ending.signal });
    await until(() => visits.includes('/silent'));
    ending.abort(reasonOf);
    await assert.rejects(silent, reasonOf);
    const cut = await fetchIt('/cut');
    await assert.rejects(cut.text(), TypeError);
    const moved = await fetchIt('/moved').catch((error: unknown) => error);
    assert.match(String((moved as Error).cause), /unexpected redirect/);
    assert.deepEqual(visits.at(-1), '/moved');
  });

  it('records incoming connections', async () => {
    const own = network.createServer({ purpose: 'api', detail: '' }, {}, (_request, response) => response.end('ok'));
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    const at = (own.address() as AddressInfo).port;
    await (await network.fetch(() => reason)(`http://127.0.0.1:${at}/`)).text();
    const all = await recorded();
    own.close();
    assert.deepEqual(all.map(({ direction, purpose }) => `${direction} ${purpose}`).sort(), ['in api', 'out mcp']);
    assert.equal(all.find(({ direction }) => direction === 'in')?.host, `127.0.0.1:${at}`);
  });

  describe('with local connections only', () => {
    const refusals = () => network.ledger.list().filter(({ state }) => state === 'refused');

    it('reaches this machine, and no other host without a name that the user gave', async () => {
      network.limits = () => ({ isLocalOnly: true, allowed: ['nas.lan:81'] });
      const ollama = { purpose: 'ollama', detail: '' } as const;
      await (await network.fetch(() => ollama)(`http://127.0.0.1:${port}/`)).text();
      for (const url of ['http://192.0.2.7/', 'http://127.0.0.1.example.org/', 'http://nas.lan/'])
        await assert.rejects(network.fetch(() => ollama)(url), (error) => {
          assert.ok(error instanceof LocalOnlyError && error.code === 'localOnly');
          assert.match(error.userMessage, /^\S+:80 was not contacted, because only local connections are allowed\./);
          return true;
        });
      assert.deepEqual(
        refusals().map(({ host, address }) => [host, address]),
        [
          ['nas.lan:80', null],
          ['127.0.0.1.example.org:80', null],
          ['192.0.2.7:80', null],
        ],
      );
      network.assertAllowed('nas.lan', 81, ollama);
    });

    it('reaches an MCP server on this machine only if the user named it', async () => {
      network.limits = () => ({ isLocalOnly: true, allowed: [] });
      await assert.rejects(fetchIt('/'), LocalOnlyError);
      assert.deepEqual(visits, []);
      network.limits = () => ({ isLocalOnly: true, allowed: [`http://127.0.0.1:${port}/mcp`] });
      assert.equal(await (await fetchIt('/')).text(), 'GET - ');
    });

    it('closes open connections that are no longer allowed, and no others', async () => {
      const mcp = fetchIt('/silent');
      const ollama = network.fetch(() => ({ purpose: 'ollama', detail: '' }))(`http://127.0.0.1:${port}/silent`);
      await until(() => visits.length >= 2);
      network.limits = () => ({ isLocalOnly: true, allowed: [] });
      network.enforceLimits();
      await assert.rejects(mcp, LocalOnlyError);
      await until(() => network.ledger.list().at(-1)?.state !== 'open');
      assert.deepEqual(
        network.ledger.list().map(({ purpose, state }) => `${purpose} ${state}`),
        ['mcp refused', 'ollama open', 'mcp closed'],
      );
      server.closeAllConnections();
      await assert.rejects(ollama, TypeError);
    });
  });
});
