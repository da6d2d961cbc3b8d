import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ApiServer } from '../../src/api/apiServer';
import type { ApiServices } from '../../src/api/apiPorts';
import { databaseFileName } from '../../src/services/database/sqlite/databaseFile';
import { openSqlite } from '../../src/services/database/sqlite/sqlite';
import { systemClock } from '../../src/utils/clock';
import { silentLogger } from '../../src/utils/logger';
import { interleaved, large, median, percentile, report } from './support/figures';
import { conversation, openService, prefill } from './support/history';
import { SocketClient } from './support/socketClient';

/**
 * Measures the local API over its sockets: a history page of a long dialog compared with a plain `http` echo, WebSocket compared with HTTP,
 * and events of a streaming answer sent to many clients. Also measures how long the event loop of the host is blocked meanwhile.
 */
const pages = 300;
const clients = large(200);
const pieces = large(400);
const entries = large(100_000);
const burst = large(2_000);
const talked = large(50_000);

async function main(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  const sessionId = await prefill(directory, entries);
  loseResult(directory);
  const database = openService(directory);
  await database.initialize();
  const engine = {
    approvals: { state: async () => ({ workSession: 'session_1', lastApprovedAt: null, approvedCheckpointId: null }) },
  };
  const host = {
    currentSession: () => null,
    hasPerson: () => true,
    modelFor: () => null,
    askForClient: async () => null,
    askForFolder: async () => false,
    exportSession: async () => [],
    importSessions: () => Promise.reject(new Error('not used')),
    folders: () => [],
    clock: systemClock,
    logger: silentLogger,
  };
  // No run starts or waits in this benchmark.
  const controller = { onDidChangeRunState: () => ({ dispose: () => undefined }) };
  const services = { database, engine, controller } as unknown as ApiServices;
  const server = await ApiServer.start(services, host, { port: 0, folder: directory, version: '0' });
  const text = 'x'.repeat(20_000);
  const echo = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const echoUrl = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`;
  const headers = { Authorization: `Bearer ${server.token}` };
  try {
    const page = (round: number) =>
      read(
        `${server.url}/api/dialogs/${sessionId}/history?limit=50&before=${100 + ((round * 7_919) % (entries - 1_000))}`,
        headers,
      );
    const pause = () => new Promise((resolve) => setTimeout(resolve, 6));
    const [asked = [], echoed = []] = await interleaved(pages, [page, () => read(echoUrl, {}), pause]);
    report('api', 'history page of 50 from 100,000 entries, p50', 'ms', median(asked), median(echoed), 'value ≤ 5');
    report(
      'api',
      'history page of 50 from 100,000 entries, p95',
      'ms',
      percentile(asked, 0.95),
      percentile(echoed, 0.95),
      'none',
    );
    await overSocket(server, await conversation(database, talked), sessionId);
    await streaming(server, database, sessionId);
  } finally {
    await server.dispose();
    echo.closeAllConnections();
    echo.close();
    await database.dispose();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Turns the second entry into a call without a stored result. */
function loseResult(directory: string): void {
  const database = openSqlite(path.join(directory, databaseFileName));
  const data = JSON.stringify({ callId: 'lost' });
  database
    .prepare(
      "UPDATE messages SET type = 'tool_call', role = 'assistant', tool_name = 'read_file', tool_input = '{}', data = ?, checksum = NULL WHERE seq = 2",
    )
    .run(data);
  database.close();
}

/** Compares a page over WebSocket with the same page over HTTP, in the middle and at the end of the dialog. */
async function overSocket(server: ApiServer, sessionId: string, otherId: string): Promise<void> {
  const headers = { Authorization: `Bearer ${server.token}` };
  const socket = await SocketClient.open(`${server.url.replace('http', 'ws')}/ws`, headers);
  const http = (query: string, id = sessionId) => read(`${server.url}/api/dialogs/${id}/history?limit=50${query}`, headers);
  const at = (round: number) => 100 + ((round * 7_919) % (talked - 500));
  const params = { sessionId, limit: 50, includeCompacted: true };
  const [within = [], asked = [], last = [], recent = [], first = [], lost = []] = await interleaved(pages, [
    (round) => http(`&before=${at(round) + 50}`),
    (round) => socket.ask('code:get-transcript', { ...params, sinceSeq: at(round) }),
    () => http(''),
    () => socket.ask('code:get-recent-transcript', { sessionId, limit: 50 }),
    () => http('&before=50', otherId),
    () => socket.ask('code:get-transcript', { ...params, sessionId: otherId }),
  ]);
  socket.close();
  const name = 'page of 50 from 50,000 entries over WebSocket, beside HTTP';
  report('api', `${name}, p50`, 'ms', median(asked), median(within), 'ratio ≤ 3');
  report('api', `${name}, p95`, 'ms', percentile(asked, 0.95), percentile(within, 0.95), 'none');
  report('api', `last ${name}, p50`, 'ms', median(recent), median(last), 'ratio ≤ 3');
  report('api', `first ${name}, with a call that has no result, p50`, 'ms', median(lost), median(first), 'ratio ≤ 3');
}

/** Figures for one stream of pieces to many clients. */
interface Streamed {
  perSecond: number;
  latencies: number[];
  longest: number;
  p99: number;
  megabytes: number;
}

async function streaming(server: ApiServer, database: ReturnType<typeof openService>, sessionId: string): Promise<void> {
  const headers = { Authorization: `Bearer ${server.token}` };
  const ours = await streamed(`${server.url}/api/dialogs/${sessionId}/events`, headers, async () => {
    const entry = await database.log.open(sessionId, { type: 'assistant_output', data: {} });
    return { write: (piece: string) => entry.write(piece), close: () => entry.close({ end: 'complete' }) };
  });
  const plain = await plainStream();
  report('api', `events a second to ${clients} clients in this process`, '1/s', ours.perSecond, plain.perSecond, 'none');
  for (const [name, share] of [
    ['p50', 0.5],
    ['p95', 0.95],
  ] as const)
    report(
      'api',
      `latency of a piece to a client, ${name}`,
      'ms',
      percentile(ours.latencies, share),
      percentile(plain.latencies, share),
      'none',
    );
  // Clients and server share this event loop, so the host's own share is smaller.
  const held = `hold of the loop, server and ${clients} clients together`;
  report('api', `longest ${held}`, 'ms', ours.longest, plain.longest, 'value ≤ 15');
  report('api', `p99 of the ${held}`, 'ms', ours.p99, plain.p99, 'none');
  report('api', 'memory for it', 'MB', ours.megabytes, plain.megabytes, 'value ≤ 100');
}

/** Streams the same pieces from a plain server without a log or a token. */
async function plainStream(): Promise<Streamed> {
  const open: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n');
    open.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let id = 0;
  const write = (piece: string) => {
    const text = `event: chat\nid: ${(id += 1)}\ndata: ${JSON.stringify({ content: piece })}\n\n`;
    for (const response of open) response.write(text);
  };
  const figures = await streamed(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {}, async () =>
    Promise.resolve({ write, close: async () => Promise.resolve() }),
  );
  server.close().closeAllConnections();
  return figures;
}

async function streamed(
  url: string,
  headers: Record<string, string>,
  begin: () => Promise<{ write(piece: string): void; close(): Promise<unknown> }>,
): Promise<Streamed> {
  let events = 0;
  const latencies: number[] = [];
  const sockets = await Promise.all(
    Array.from({ length: clients }, (_, index) =>
      follow(url, headers, (data) => {
        events += data.split('\nid: ').length - 1;
        if (index > 0) return;
        for (const [, at] of data.matchAll(/@(\d+\.?\d*)@/g)) latencies.push(performance.now() - Number(at));
      }),
    ),
  );
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const before = process.memoryUsage.rss();
  delay.enable();
  const start = performance.now();
  const entry = await begin();
  for (let piece = 0; piece < pieces; piece += 1) {
    entry.write(`@${performance.now()}@ `);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // Writes a burst, like a model on a fast GPU.
  for (let word = 0; word < burst; word += 1) entry.write('word ');
  await entry.close();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const perSecond = events / ((performance.now() - start) / 1000);
  delay.disable();
  const megabytes = (process.memoryUsage.rss() - before) / 1e6;
  for (const close of sockets) close();
  return { perSecond, latencies, longest: delay.max / 1e6, p99: delay.percentile(99) / 1e6, megabytes };
}

function read(url: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      response.resume();
      response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`))));
    }).on('error', reject);
  });
}

function follow(url: string, headers: Record<string, string>, onData: (text: string) => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => {
      response.setEncoding('utf8');
      response.on('data', onData);
      response.on('error', () => undefined);
      resolve(() => request.destroy());
    });
    request.on('error', reject);
  });
}

void main();
