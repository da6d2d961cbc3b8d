import type { EntryInput } from '../../src/protocol/entries';
import { RealServer, wholeModel } from '../support/ollama/realServer';
import { AgentBench } from '../unit/agent/support/agentBench';
import { large, many, median, report } from './support/figures';

/**
 * Measures the time from *Send* to the first token in an opened chat, with and without reading its prompt ahead, in turns. The history has
 * 4,000 to 32,000 tokens. The server is a double that only processes the part of a prompt that differs from its last one. With
 * `OLLAMA_HOST`, a real server is measured too.
 */

const usualRounds = many(3);
/** A real server on two cores needs one minute per chat. */
const realRounds = 1;
/**
 * Numbers of history tokens, and milliseconds to process a token. The server runs at ten times the speed, the agent at its normal speed.
 */
const histories = (process.env.BENCH_HISTORIES ?? '4000,16000,32000').split(',').filter(Boolean).map(Number);
const tokenTimes = [1, 5];
const speed = 10;
const worker = { capabilities: ['completion', 'tools'], contextLength: 65_536, countsCache: true } as const;
const goal = 'ratio ≤ 0.3';

async function main(): Promise<void> {
  for (const tokenMs of tokenTimes) {
    const model = { ...worker, name: 'worker', promptTokenMs: tokenMs / speed };
    const bench = await AgentBench.start({ models: [model] });
    bench.double.onChat(() => 'Done. [TASK_COMPLETE]');
    const reset = () => bench.ask('Hello', { mode: 'ask' });
    for (const tokens of histories) {
      const times = await measure({ bench, model: 'worker', tokens: large(tokens), reset, ends: true, rounds: usualRounds });
      const name = `${tokens / 1000}k tokens of history, ${tokenMs} ms a token, ${speed} times as fast`;
      report('first-token', name, 'ms', median(times.ahead), median(times.plain), goal);
    }
    await bench.stop();
  }
  const server = RealServer.named();
  if (server) await onReal(server);
}

async function onReal(server: RealServer): Promise<void> {
  await server.createWholeModel();
  const bench = await AgentBench.start({ baseUrl: server.baseUrl, settings: { 'agentMode.temperature': 0 } });
  const reset = async () => {
    await server.post('/api/chat', { model: wholeModel, messages: [], keep_alive: 0, stream: false });
    await bench.ask('Hello', { model: wholeModel, mode: 'ask' });
  };
  try {
    // The rest of the 8,192-token window is needed for the system prompt, the tools and the answer.
    const tokens = large(2_000);
    const times = await measure({ bench, model: wholeModel, tokens, reset, ends: false, rounds: realRounds });
    report(
      'first-token',
      `${tokens / 1000}k tokens of history, tiny model`,
      'ms',
      median(times.ahead),
      median(times.plain),
      goal,
    );
  } finally {
    await bench.stop();
    await server.delete(wholeModel);
  }
}

interface Case {
  bench: AgentBench;
  model: string;
  tokens: number;
  /** Leaves the model in memory with another prompt in its cache. */
  reset: () => Promise<unknown>;
  /** True if answers end without a stop. */
  ends: boolean;
  rounds: number;
}

/** Returns the milliseconds from sending a message to the first token of the answer. */
async function measure({ bench, model, tokens, reset, ends, rounds }: Case): Promise<{ ahead: number[]; plain: number[] }> {
  const times = { ahead: [] as number[], plain: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of ['ahead', 'plain'] as const) {
      const sessionId = await conversation(bench, model, tokens);
      await reset();
      if (kind === 'ahead') await readAhead(bench, { sessionId, model });
      times[kind].push(await firstToken(bench, { sessionId, model }, ends));
    }
  }
  return times;
}

/** Opens a chat like a user. Resolves when the server has processed its prompt. */
async function readAhead(bench: AgentBench, { sessionId, model }: { sessionId: string; model: string }): Promise<void> {
  const { entries } = await bench.database.log.read(sessionId, 0);
  const read = new Promise<void>((resolve) => {
    const listener = bench.preparer.onDidPrepare(() => {
      void listener.dispose();
      resolve();
    });
  });
  bench.preparer.prepare({ sessionId, mode: 'agent', model, entries });
  await read;
}

async function firstToken(bench: AgentBench, chat: { sessionId: string; model: string }, ends: boolean): Promise<number> {
  const sent = performance.now();
  bench.states.length = 0;
  const first = new Promise<number>((resolve) => {
    const listener = bench.controller.onDidChangeRunState(({ activity }) => {
      if (activity?.kind !== 'answering') return;
      void listener.dispose();
      resolve(performance.now());
    });
  });
  await bench.send('And what does the last file do?', { ...chat, mode: 'agent' });
  const came = await first;
  if (!ends) await bench.controller.stop(chat.sessionId);
  await bench.over(chat.sessionId);
  return came - sent;
}

let chats = 0;

/** Creates a chat of questions and answers with `tokens` tokens of four characters. No two chats share a prefix. */
async function conversation(bench: AgentBench, model: string, tokens: number): Promise<string> {
  chats += 1;
  const { id } = await bench.database.sessions.create({ mode: 'agent', model, title: `Chat ${chats}`, projectPath: null });
  const turns = Math.max(1, Math.round(tokens / 500));
  const entries = Array.from({ length: turns }, (_, turn): EntryInput[] => [
    { type: 'user_input', content: `${chats}.${turn} ${'What is it. '.repeat(83)}`, data: { mode: 'agent', attachments: [] } },
    { type: 'assistant_output', content: `${turn} ${'It is this. '.repeat(83)}`, model, data: { end: 'complete' } },
    { type: 'run_end', data: { outcome: 'done' } },
  ]);
  await bench.database.log.appendAll(id, entries.flat());
  return id;
}

void main();
