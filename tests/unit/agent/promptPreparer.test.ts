import assert from 'node:assert/strict';
import type { Attachment } from '../../../src/protocol/entries';
import type { ChatForRequest } from '../../../src/agent/prompt/nextRequest';
import { examVersion } from '../../../src/types/exam';
import { isNearby } from '../../../src/services/network/addresses';
import { network } from '../../../src/services/network/network';
import { hold } from '../../support/ollama/doubleReply';
import { ManualClock } from '../database/support/manualClock';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';

const worker = { name: 'worker', capabilities: ['completion', 'tools'], contextLength: 16_384, countsCache: true } as const;
const opened: ChatForRequest = { sessionId: null, mode: 'agent', model: 'worker', entries: [] };

describe('reading ahead', () => {
  let bench: AgentBench;
  let clock: ManualClock;
  const start = async (options: BenchOptions = {}) => {
    clock = new ManualClock();
    bench = await AgentBench.start({ models: [worker], retryClock: clock, ...options });
  };
  /** Loads the model with a chat in another mode, whose prompt starts differently. */
  const load = async () => {
    bench.double.script.push('Hello. '.repeat(20));
    await bench.ask('Go', { mode: 'ask' });
  };
  const ahead = () => bench.chats().filter(({ options }) => (options as { num_predict?: number }).num_predict === 1);
  const isRead = () =>
    new Promise<void>((resolve) => {
      const listener = bench.preparer.onDidPrepare(() => {
        void listener.dispose();
        resolve();
      });
    });
  const prepare = async (chat = opened, attachments: readonly Attachment[] = []) => {
    const read = isRead();
    bench.double.script.push('.');
    bench.preparer.prepare(chat, () => Promise.resolve(attachments));
    await clock.advance(400);
    await read;
  };
  /** Checks that nothing is read ahead. Two other requests to the server give an unwanted one time to arrive. */
  const nothingIsRead = async () => {
    await clock.advance(400);
    await bench.models.running();
    await bench.models.running();
    assert.deepEqual(ahead(), []);
  };
  afterEach(() => bench.stop());

  it('lets the server read system prompt and tools, so that the first message reads little', async () => {
    await start();
    await load();
    await prepare();
    assert.equal(bench.preparer.isPrepared(opened), true);
    const [request] = ahead();
    const { messages, tools } = request as { messages: { role: string }[]; tools: unknown[] };
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['system', 'user'],
    );
    bench.double.script.push('Done. [TASK_COMPLETE]');
    const sessionId = await bench.ask('Do the job');
    const sent = bench.chats().at(-1) as { messages: unknown[]; tools: unknown[] };
    assert.deepEqual([sent.tools, sent.messages[0]], [tools, messages[0]]);
    const { entries } = await bench.database.log.read(sessionId, 0);
    const answer = entries.findLast((entry) => entry.type === 'assistant_output');
    const { cachedTokens = 0, promptTokens = 1 } = answer?.type === 'assistant_output' ? (answer.data.stats ?? {}) : {};
    assert.ok(cachedTokens / promptTokens > 0.9, `${cachedTokens} of ${promptTokens}`);
    assert.equal(bench.preparer.isPrepared(opened), false);
  });

  it('lets the server read the last answer too, so that the next message reads only itself', async () => {
    await start();
    bench.double.script.push(`${'It is this. '.repeat(900)}[TASK_COMPLETE]`);
    const sessionId = await bench.ask('What is it?');
    // Another chat replaces the cache.
    await load();
    const { entries } = await bench.database.log.read(sessionId, 0);
    await prepare({ ...opened, sessionId, entries });
    bench.double.script.push('Done. [TASK_COMPLETE]');
    await bench.ask('And that?', { sessionId });
    const [before, after] = bench.chats().slice(-2) as { messages: { role: string; content: string }[] }[];
    assert.deepEqual(before?.messages.slice(0, -1), after?.messages.slice(0, -1));
    assert.deepEqual(
      before?.messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'user'],
    );
  });

  it('lets the server read the attachments of a draft, which stand before its text', async () => {
    await start();
    await load();
    const attachments: Attachment[] = [{ kind: 'file', path: 'a.ts', content: 'export const a = 1;\n'.repeat(400) }];
    await prepare(opened);
    await prepare({ ...opened, attachments }, attachments);
    bench.double.script.push('Done. [TASK_COMPLETE]');
    const sessionId = await bench.ask('Do the job', { attachments });
    const { entries } = await bench.database.log.read(sessionId, 0);
    const answer = entries.findLast((entry) => entry.type === 'assistant_output');
    const { cachedTokens = 0, promptTokens = 1 } = answer?.type === 'assistant_output' ? (answer.data.stats ?? {}) : {};
    assert.ok(cachedTokens / promptTokens > 0.95, `${cachedTokens} of ${promptTokens}`);
  });

  it('reads one prompt at a time: another draft ends what is being read', async () => {
    await start();
    await load();
    const held = hold();
    bench.double.script.push([held.step, '.']);
    bench.preparer.prepare(opened);
    await clock.advance(400);
    await bench.double.until(() => ahead().length === 1);
    await prepare({ ...opened, mode: 'plan' });
    held.release();
    assert.deepEqual([bench.double.aborted.length, ahead().length], [1, 2]);
    assert.deepEqual([bench.preparer.isPrepared(opened), bench.preparer.isPrepared({ ...opened, mode: 'plan' })], [false, true]);
  });

  it('reads again what another request to the model has taken out of the cache', async () => {
    await start();
    await load();
    await prepare();
    const loading = { keep_alive: '30m', truncate: false, shift: false } as const;
    const { options } = ahead()[0] as { options: { num_ctx: number } };
    bench.double.script.push('1;');
    for await (const chunk of bench.client.generate({
      model: 'worker:latest',
      prompt: 'const a = ',
      raw: true,
      options,
      ...loading,
    }))
      void chunk;
    assert.equal(bench.preparer.isPrepared(opened), false);
    await prepare();
    assert.equal(ahead().length, 2);
  });

  it('reads no prompt that does not fit the window', async () => {
    await start();
    await load();
    const attachments: Attachment[] = [{ kind: 'file', path: 'a.ts', content: 'export const a = 1;\n'.repeat(4000) }];
    bench.preparer.prepare({ ...opened, attachments }, () => Promise.resolve(attachments));
    await nothingIsRead();
  });

  it('reads a prompt whose tools are the first ones of the prompt before', async () => {
    await start();
    bench.double.script.push('Hello. [TASK_COMPLETE]');
    await bench.ask('Go');
    await prepare({ ...opened, mode: 'ask' });
    assert.equal(ahead().length, 1);
  });

  it('reads the tools that the first message has, also after an exam that changed them', async () => {
    await start();
    await load();
    const { digest } = await bench.models.get('worker');
    await bench.models.setExam(digest, { version: examVersion, tasks: [], window: 16_384, finishedAt: 1 });
    await prepare();
    bench.double.script.push('Done. [TASK_COMPLETE]');
    await bench.ask('Do the job');
    const toolsOf = (request: object | undefined) => (request as { tools: unknown[] } | undefined)?.tools;
    assert.deepEqual(toolsOf(bench.chats().at(-1)), toolsOf(ahead()[0]));
  });

  it('reads nothing again that the server has in its cache', async () => {
    await start();
    await load();
    await prepare();
    bench.preparer.prepare({ ...opened, entries: [] });
    await clock.advance(400);
    await bench.models.running();
    await bench.models.running();
    assert.equal(ahead().length, 1);
  });

  it('does not load a model', async () => {
    await start();
    bench.preparer.prepare(opened);
    await nothingIsRead();
    assert.equal(bench.double.loads.length, 0);
  });

  it('is for no cloud model', async () => {
    await start({ models: [{ ...worker, name: 'worker:cloud' }] });
    bench.double.script.push('Hello. '.repeat(20));
    await bench.ask('Go', { mode: 'ask', model: 'worker:cloud' });
    bench.preparer.prepare({ ...opened, model: 'worker:cloud' });
    await nothingIsRead();
  });

  it('is a setting', async () => {
    await start({ settings: { 'chat.readAhead': false } });
    await load();
    bench.preparer.prepare(opened);
    await nothingIsRead();
  });

  it('waits for no chat: while one runs, nothing is read', async () => {
    await start();
    await load();
    const held = hold();
    bench.double.script.push([held.step, 'Done.']);
    const sessionId = await bench.send('Go', { mode: 'ask' });
    await bench.double.until(() => bench.chats().length === 2);
    bench.preparer.prepare(opened);
    await nothingIsRead();
    held.release();
    await bench.over(sessionId);
  });

  it('is given up when a message is sent', async () => {
    await start();
    await load();
    bench.preparer.prepare(opened);
    bench.double.script.push('Done.');
    await bench.ask('Go', { mode: 'ask' });
    await nothingIsRead();
  });

  it('stops for a model that reads the start of the prompt again all the same', async () => {
    await start({ models: [{ ...worker, template: '{{ strftime_now }}{{ .Prompt }}' }] });
    await load();
    await prepare();
    bench.double.script.push('Done. [TASK_COMPLETE]');
    await bench.ask('Do the job');
    const read = ahead().length;
    bench.preparer.prepare({ ...opened, mode: 'plan' });
    await clock.advance(400);
    await bench.models.running();
    await bench.models.running();
    assert.equal(ahead().length, read);
  });

  it('is named in the list of connections', async () => {
    await start();
    await load();
    await prepare();
    assert.ok(network.ledger.list().some(({ detail }) => detail === 'POST /api/chat ahead of a message'));
  });

  it('is for servers on this computer and in private networks', () => {
    const near = ['localhost', '127.0.0.1', '::1', '192.168.1.5', '10.1.2.3', 'gpu-box', 'nas.lan', 'box.local'];
    const far = ['ollama.com', '8.8.8.8', '2001:db8::1', 'gpu.example.org', 'localhost.example.org'];
    assert.deepEqual([...near, ...far].filter(isNearby), near);
  });
});
