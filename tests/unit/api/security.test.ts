import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { WebSocket } from 'ws';
import type { ApiError } from '../../../src/api/apiError';
import { Gate } from '../../../src/api/gate';
import type { Logger } from '../../../src/utils/logger';
import { until } from '../../support/until';
import { ApiBench } from './support';

describe('the local API: who is let in', () => {
  let bench: ApiBench;
  const lines: string[] = [];
  const note = (...args: unknown[]) =>
    void lines.push(JSON.stringify(args.map((arg) => (arg instanceof Error ? [arg.message, arg.stack] : arg))));
  const logger = { trace: note, debug: note, info: note, warn: note, error: note } as unknown as Logger;
  beforeEach(async () => {
    lines.length = 0;
    bench = await ApiBench.start({}, logger);
  });
  afterEach(async () => {
    const { token } = bench.server;
    await bench.stop();
    assert.equal(
      lines.some((line) => line.includes(token)),
      false,
      'the token is in the log',
    );
  });

  const statusOf = (headers: Record<string, string>, at = '/api/dialogs') =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: bench.port, path: at, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end();
    });

  it('is whoever has the token, in its header, and no page of a browser', async () => {
    const { token } = bench.server;
    const good = { Authorization: `Bearer ${token}` };
    const host = `127.0.0.1:${bench.port}`;
    const cases: [string, Record<string, string>, number, string?][] = [
      ['with the token', good, 200],
      ['by the name localhost', { ...good, Host: `localhost:${bench.port}` }, 200],
      ['without a token', {}, 401],
      ['with a wrong token', { Authorization: `Bearer ${token.slice(0, -1)}x` }, 401],
      ['with an empty token', { Authorization: 'Bearer ' }, 401],
      ['with another scheme', { Authorization: `Basic ${token}` }, 401],
      ['with a cookie', { Cookie: `token=${token}` }, 401],
      ['with the token in the query', {}, 401, `/api/dialogs?token=${token}`],
      ['with both', good, 401, `/api/dialogs?token=${token}`],
      ['from a page elsewhere', { ...good, Origin: 'https://evil.example' }, 403],
      ['from a page of its own address', { ...good, Origin: `http://${host}` }, 403],
      ['from a file', { ...good, Origin: 'null' }, 403],
      ['under a foreign name', { ...good, Host: 'evil' }, 403],
      ['under a name made to point here', { ...good, Host: `evil.example:${bench.port}` }, 403],
      ['under its address with another port', { ...good, Host: '127.0.0.1:1' }, 403],
    ];
    for (const [how, headers, status, at] of cases) assert.equal(await statusOf(headers, at), status, how);
    const refused = (headers: Record<string, string>) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(`ws://${host}/ws`, { headers });
        socket.on('error', (error) => resolve(error.message));
        socket.on('open', () => resolve('open'));
      });
    assert.match(await refused({}), /401/);
    assert.match(await refused({ ...good, Origin: 'https://evil.example' }), /403/);
    const response = await fetch(`${bench.server.url}/api/dialogs`, { headers: bench.headers() });
    assert.deepEqual(
      [...response.headers.keys()].filter((name) => name.startsWith('access-control')),
      [],
    );
  });

  it('finds the token in a file that only the same person can read, gone when the server is', async () => {
    const file = path.join(bench.agent.storageFolder(), 'api.json');
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {
      url: bench.server.url,
      token: bench.server.token,
      pid: process.pid,
    });
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
    await bench.server.dispose();
    assert.equal(existsSync(file), false);
    await assert.rejects(fetch(bench.server.url));
  });

  it('lets nobody write or run who may only read, nor who has no name', async () => {
    bench.allows = null;
    const post = (at: string, body: unknown, headers?: Record<string, string>) => bench.call('POST', at, body, headers);
    const id = (await bench.agent.database.sessions.create({ title: 'x', mode: 'ask', model: null, projectPath: null })).id;
    for (const [at, body] of [
      ['/api/dialogs', {}],
      [`/api/dialogs/${id}/messages`, { content: 'x' }],
      [`/api/dialogs/${id}/approve`, {}],
      [`/api/dialogs/${id}/reset`, {}],
      [`/api/dialogs/${id}/restore`, { checkpoint_id: 'x' }],
      [`/api/dialogs/${id}/stop`, {}],
      [`/api/dialogs/${id}/approvals/x`, { approve: true }],
      [`/api/dialogs/${id}/questions/x`, { answer: 'x' }],
    ] as const) {
      assert.equal((await post(at, body)).status, 403, at);
    }
    assert.equal((await bench.call('GET', `/api/dialogs/${id}/history`)).status, 200);
    bench.asked.length = 0;
    bench.allows = 60_000;
    assert.equal((await post('/api/dialogs', {}, { Authorization: `Bearer ${bench.server.token}` })).status, 403);
    assert.deepEqual(bench.asked, []);
    assert.equal((await bench.agent.database.sessions.list({ offset: 0, limit: 9 })).sessions.length, 1);
  });

  it('allows the client that was asked about, and no other under its name', async () => {
    const under = (key?: string) => ({
      Authorization: `Bearer ${bench.server.token}`,
      'X-Client': 'script',
      ...(key !== undefined && { 'X-Client-Key': key }),
    });
    const create = (key?: string) => bench.call('POST', '/api/dialogs', {}, under(key));
    const own = 'a'.repeat(43);
    const other = 'b'.repeat(43);
    assert.equal((await create(own)).status, 200);
    bench.allows = null;
    bench.asked.length = 0;
    assert.equal((await create(own)).status, 200);
    assert.deepEqual(bench.asked, []);
    for (const key of [other, undefined, '', 'short', own.slice(0, -1), `${own}a`, `${own} `.repeat(9)])
      assert.equal((await create(key)).status, 403, key);
    const { ask } = await bench.socket(under());
    assert.match(JSON.stringify(await ask('code:gc')), /NOT_ALLOWED/);
    assert.equal(new Set(bench.asked).size, 1);
    assert.notDeepEqual(await (await bench.socket(under(own))).ask('code:gc'), undefined);
  });

  it('hands a client without a key one with what it is allowed', async () => {
    const headers = { Authorization: `Bearer ${bench.server.token}`, 'X-Client': 'curl', 'Content-Type': 'application/json' };
    const create = (more: Record<string, string> = {}) =>
      fetch(`${bench.server.url}/api/dialogs`, { method: 'POST', body: '{}', headers: { ...headers, ...more } });
    const first = await create();
    const key = first.headers.get('x-client-key') ?? '';
    assert.deepEqual([first.status, key.length >= 43], [200, true]);
    bench.allows = null;
    const again = await create({ 'X-Client-Key': key });
    assert.deepEqual([again.status, again.headers.get('x-client-key')], [200, null]);
    const without = await create();
    assert.deepEqual([without.status, without.headers.get('x-client-key')], [403, null]);
  });

  it('takes no body of 100 MB, no half JSON, no paths in names', async () => {
    const id = '../../etc/passwd';
    assert.equal((await bench.call('GET', `/api/dialogs/${encodeURIComponent(id)}/history`)).status, 404);
    assert.equal(await statusOf({ Authorization: `Bearer ${bench.server.token}` }, '/api/dialogs/%E0%A4%A/history'), 400);
    assert.equal(await statusOf({ Authorization: `Bearer ${bench.server.token}` }, '/../../etc/passwd'), 404);
    const half = await fetch(`${bench.server.url}/api/dialogs`, {
      method: 'POST',
      headers: bench.headers({ 'Content-Type': 'application/json' }),
      body: '{"title":',
    });
    assert.equal(half.status, 400);
    const before = process.memoryUsage.rss();
    const status = await new Promise<number | undefined>((resolve) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: bench.port,
          path: '/api/dialogs',
          method: 'POST',
          headers: bench.headers({ 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }),
        },
        (response) => resolve(response.statusCode),
      );
      sent.on('error', () => resolve(413));
      const chunk = Buffer.alloc(1 << 20, 0x20);
      let count = 0;
      const more = () => {
        while (count < 100 && !sent.destroyed) {
          count += 1;
          if (!sent.write(chunk)) return void sent.once('drain', more);
        }
        sent.end();
      };
      more();
    });
    assert.equal(status, 413);
    assert.ok(process.memoryUsage.rss() - before < 80 * (1 << 20));
  });

  it('ends what dawdles and what is malformed, and serves others meanwhile', async () => {
    const raw = (text: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(bench.port, '127.0.0.1', () => socket.write(text));
        let got = '';
        socket.on('data', (data) => (got += data.toString()));
        socket.on('error', () => resolve(got));
        socket.on('close', () => resolve(got));
      });
    const slow = raw('GET /api/dialogs HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    const head = `POST /api/dialogs HTTP/1.1\r\nHost: 127.0.0.1:${bench.port}\r\nAuthorization: Bearer ${bench.server.token}\r\n`;
    const slowBody = raw(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
    await raw('\u0000\u0001 nonsense\r\n\r\n');
    assert.equal((await bench.call('GET', '/api/dialogs')).status, 200);
    await slow;
    assert.doesNotMatch(await slowBody, /^HTTP\/1\.1 2/);
    const { socket } = await bench.socket();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    // An unmasked frame with reserved bits set.
    (socket as unknown as { _socket: Socket })._socket.write(Buffer.from([0xff, 0x7f, 0, 0]));
    await closed;
    assert.equal((await bench.call('GET', '/api/dialogs')).status, 200);
  });

  it('stands 1,000 connections at once, and serves when they are gone', async () => {
    const sockets = Array.from({ length: 1_000 }, () => {
      const socket = connect(bench.port, '127.0.0.1');
      socket.on('error', () => undefined);
      return socket;
    });
    let settled = 0;
    for (const socket of sockets) for (const name of ['connect', 'close']) socket.once(name, () => (settled += 1));
    await until(() => settled >= 1_000);
    for (const socket of sockets) socket.destroy();
    await until(() => sockets.every(({ destroyed }) => destroyed));
    const answers = await Promise.allSettled([bench.call('GET', '/api/dialogs')]);
    const again = answers[0]?.status === 'fulfilled' ? answers[0].value : await bench.call('GET', '/api/dialogs');
    assert.equal(again.status, 200);
  });

  const gateAt = (now: () => number) => {
    const gate = new Gate('token', () => 80, now);
    return (token: string): string => {
      try {
        gate.check({ headers: { host: '127.0.0.1:80', authorization: `Bearer ${token}` }, url: '/' });
        return 'in';
      } catch (error) {
        return (error as ApiError).code;
      }
    };
  };
  const times = (count: number, enter: () => string) => [...new Set(Array.from({ length: count }, enter))];

  it('slows down whoever asks too often, until time has passed', () => {
    let now = 0;
    const enter = gateAt(() => now);
    const valid = () => enter('token');
    assert.deepEqual([times(400, valid), times(10, valid)], [['in'], ['TOO_MANY']]);
    now = 1_000;
    assert.deepEqual([times(200, valid), times(10, valid)], [['in'], ['TOO_MANY']]);
  });

  it('lets a client in however often another without the token has asked', () => {
    const enter = gateAt(() => 0);
    assert.deepEqual(
      times(10_000, () => enter('other')),
      ['UNAUTHORIZED'],
    );
    assert.equal(enter('token'), 'in');
  });

  it('keeps no connection of whoever it refuses', async () => {
    const refused = await fetch(`${bench.server.url}/api/dialogs`, { headers: { Authorization: 'Bearer other' } });
    assert.deepEqual([refused.status, refused.headers.get('connection')], [401, 'close']);
  });
});
