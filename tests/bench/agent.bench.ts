import { fork, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { AgentBench } from '../unit/agent/support/agentBench';
import { many, median, percentile, report, type Goal } from './support/figures';
import { heap } from './support/heap';

/**
 * Measures the real agent, with the server in another process: CPU time for each streamed word compared with a client that only reads it,
 * the time from a finished call to the next request, and the memory kept after 200 steps.
 */

const rounds = many(6);
const steps = many(200);

interface Server {
  process: ChildProcess;
  url: string;
  /** Milliseconds between the last byte of a call and the next request, measured on the server. */
  gaps: number[];
}

async function main(): Promise<void> {
  const server = await startServer();
  try {
    const agent = await startAgent(server);
    await measureStream(agent, server, 'stream 20000', 'value ≤ 50', 'a streamed word, as fast as it comes');
    await measureStream(agent, server, 'stream 400 5', 'value ≤ 1000', 'a streamed word of 200 in a second');
    await measureCalls(agent, server);
    await agent.stop();
    const fresh = await startAgent(server);
    await measureMemory(fresh);
    await fresh.stop();
  } finally {
    server.process.disconnect();
  }
}

async function measureStream(agent: AgentBench, server: Server, task: string, goal: Goal, name: string): Promise<void> {
  const own: number[] = [];
  const plain: number[] = [];
  const words = Number(task.split(' ')[1]);
  for (let round = 0; round < rounds; round += 1) {
    const cost = await costOf(() => agent.ask(task));
    const bare = await costOf(() => readAll(server.url, { messages: [{ role: 'user', content: task }] }));
    if (round === 0) continue;
    own.push(cost / words);
    plain.push(bare / words);
  }
  report('agent', name, 'µs', median(own), median(plain), goal);
}

async function measureCalls(agent: AgentBench, server: Server): Promise<void> {
  await agent.ask('calls 20');
  server.gaps.length = 0;
  await agent.ask('calls 100');
  const own = server.gaps.splice(0);
  const messages: unknown[] = [{ role: 'user', content: 'calls 100' }];
  for (let step = 0; step <= 100; step += 1) {
    const call = await readAll(server.url, {
      messages,
      tools: [{ type: 'function', function: { name: 'read_file', parameters: {} } }],
    });
    messages.push({ role: 'assistant', content: '', tool_calls: call }, { role: 'tool', content: 'x'.repeat(1500) });
  }
  const plain = server.gaps.splice(0);
  report('agent', 'last byte of a call to the next request, p50', 'ms', median(own), median(plain), 'value ≤ 50');
  report(
    'agent',
    'last byte of a call to the next request, p95',
    'ms',
    percentile(own, 0.95),
    percentile(plain, 0.95),
    'value ≤ 100',
  );
}

async function measureMemory(agent: AgentBench): Promise<void> {
  await agent.ask('calls 5');
  const before = heap();
  let during = 0;
  let seen = 0;
  agent.controller.onDidChangeRunState(({ activity }) => {
    if (activity?.kind !== 'tool') return;
    seen += 1;
    if (seen === steps - 1) during = heap();
  });
  const sessionId = await agent.ask(`calls ${steps}`);
  const { entries } = await agent.database.log.read(sessionId, 0);
  const conversation = JSON.stringify(entries).length / 1e6;
  entries.length = 0;
  report(
    'agent',
    `heap during step ${steps}, to the conversation`,
    'MB',
    Math.max(0.001, during - before),
    conversation,
    'value ≤ 50',
  );
  report(
    'agent',
    `heap kept after ${steps} steps, to the conversation`,
    'MB',
    Math.max(0.001, heap() - before),
    conversation,
    'value ≤ 20',
  );
}

async function startAgent({ url }: Server): Promise<AgentBench> {
  const agent = await AgentBench.start({
    baseUrl: url,
    settings: { 'agent.maxIterations': 1000, 'agent.maxContextWindow': 1_000_000 },
  });
  await writeFile(agent.file('long.txt'), 'A line of a middling length, as files have them.\n'.repeat(1000));
  return agent;
}

async function startServer(): Promise<Server> {
  const child = fork(path.join(__dirname, 'support/ollamaProcess.js'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  });
  const gaps: number[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('The server ended')));
    child.on('message', (message: { url?: string; gapMs?: number }) => {
      if (message.url !== undefined) resolve(message.url);
      if (message.gapMs !== undefined) gaps.push(message.gapMs);
    });
  });
  return { process: child, url, gaps };
}

/** Minimal client: reads and parses each line and keeps the text. Resolves with the received calls. */
function readAll(url: string, body: object): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/api/chat`, { method: 'POST' }, (response) => {
      const calls: unknown[] = [];
      let text = '';
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        const lines = (rest + piece).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const { message } = JSON.parse(line) as { message: { content: string; tool_calls?: unknown[] } };
          text += message.content;
          calls.push(...(message.tool_calls ?? []));
        }
      });
      response.on('end', () => (text === '' && calls.length === 0 ? reject(new Error('Nothing came')) : resolve(calls)));
    });
    request.on('error', reject);
    request.end(JSON.stringify({ model: 'worker', options: { num_ctx: 1_000_000 }, truncate: false, shift: false, ...body }));
  });
}

/** Resolves with the CPU time of this process, all threads, while `work` runs. Microseconds. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

void main();
