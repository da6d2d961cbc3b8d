import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ApiServer } from '../../src/api/apiServer';
import type { ApiServices } from '../../src/api/apiPorts';
import { systemClock } from '../../src/utils/clock';
import { silentLogger } from '../../src/utils/logger';
import { interleaved, median, percentile, report } from './support/figures';
import { openService, prefill } from './support/history';

/**
 * The local API over its sockets: a page of history of a long dialog beside a plain echo of `http`, and events of a streaming answer to many
 * clients, with what holds up the host's loop meanwhile.
 */
const pages = 300;
const clients = 200;
const pieces = 400;

async function main(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  const sessionId = await prefill(directory, 100_000);
  const database = openService(directory);
  await database.initialize();
  const engine = {
    approvals: { state: async () => ({ workSession: 'session_1', lastApprovedAt: null, approvedCheckpointId: null }) },
  };
  const host = {
    currentSession: () => null,
    modelFor: () => null,
    askForClient: async () => null,
    askForFolder: async () => false,
    exportSession: async () => [],
    folders: () => [],
    clock: systemClock,
    logger: silentLogger,
  };
  const services = { database, engine } as unknown as ApiServices;
  const server = await ApiServer.start(services, host, { port: 0, folder: directory, version: '0' });
  const text = 'x'.repeat(20_000);
  const echo = createServer((_request, response) => response.end(text));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const echoUrl = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`;
  const headers = { Authorization: `Bearer ${server.token}` };
  try {
    const page = (round: number) =>
      read(`${server.url}/api/dialogs/${sessionId}/history?limit=50&before=${100 + ((round * 7_919) % 99_000)}`, headers);
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
    await streaming(server, database, sessionId);
  } finally {
    await server.dispose();
    echo.closeAllConnections();
    echo.close();
    await database.dispose();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function streaming(server: ApiServer, database: ReturnType<typeof openService>, sessionId: string): Promise<void> {
  let events = 0;
  const latencies: number[] = [];
  const sockets = await Promise.all(
    Array.from({ length: clients }, (_, index) =>
      follow(`${server.url}/api/dialogs/${sessionId}/events`, { Authorization: `Bearer ${server.token}` }, (data) => {
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
  const entry = await database.log.open(sessionId, { type: 'assistant_output', data: {} });
  for (let piece = 0; piece < pieces; piece += 1) {
    entry.write(`@${performance.now()}@ `);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await entry.close({ end: 'complete' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const seconds = (performance.now() - start) / 1000;
  delay.disable();
  report('api', `events a second to ${clients} clients in this process`, '1/s', events / seconds, events / seconds, 'none');
  report('api', 'latency of a piece to a client, p50', 'ms', median(latencies), 30, 'none');
  report('api', 'latency of a piece to a client, p95', 'ms', percentile(latencies, 0.95), 30, 'none');
  // Clients and server share this loop here: the host's part is less.
  const held = `hold of the loop, server and ${clients} clients together`;
  report('api', `longest ${held}`, 'ms', delay.max / 1e6, 15, 'value ≤ 15');
  report('api', `p99 of the ${held}`, 'ms', delay.percentile(99) / 1e6, 15, 'none');
  report('api', 'memory for it', 'MB', (process.memoryUsage.rss() - before) / 1e6, 1, 'value ≤ 100');
  for (const close of sockets) close();
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
