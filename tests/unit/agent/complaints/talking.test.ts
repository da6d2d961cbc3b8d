import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { fittingWindow } from '../../../../src/services/model/context/fittingWindow';
import { hold, type Scripted } from '../../../support/ollama/doubleReply';
import { AgentBench } from '../support/agentBench';
import type { BenchOptions } from '../support/agentBenchOptions';

/** Each scenario covers one complaint of local-model users, by its number and name in docs/complaints.md. */
describe('Complaints about models and their window', () => {
  let bench: AgentBench;
  const start = async (options?: BenchOptions) => (bench = await AgentBench.start(options));
  afterEach(() => bench?.stop());

  const readIt = { call: { name: 'read_file', arguments: { path: 'a.txt' } } };
  const optionsOf = (body: Record<string, unknown>) => body['options'] as { num_ctx?: number };
  const window = (tokens: number): BenchOptions => ({
    models: [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: tokens }],
  });

  it('1 silent truncation: nothing is left to the server to cut, and what was said first is still there', async () => {
    await start(window(4096));
    let sessionId: string | undefined;
    for (let turn = 0; turn < 14; turn += 1) {
      bench.double.script.push(`Answer ${turn}. ${'words and more of them '.repeat(60)}`);
      const text = turn === 0 ? 'Never use tabs. Begin.' : `Go on with ${turn}.`;
      sessionId = await bench.ask(text, { mode: 'ask', ...(sessionId !== undefined && { sessionId }) });
    }
    for (const body of bench.chats()) {
      assert.deepEqual([body['truncate'], body['shift'], typeof optionsOf(body).num_ctx], [false, false, 'number']);
      assert.match(JSON.stringify(body['messages']), /Never use tabs\./);
    }
    assert.ok(bench.view.entries(sessionId ?? '').some(({ type }) => type === 'compact_marker'));
    assert.ok(!bench.view.entries(sessionId ?? '').some(({ type }) => type === 'error'));
  });

  it('2 a budget that assumes the maximum of the model: the meter goes by the window that is loaded', async () => {
    await start(window(131_072));
    bench.double.script.push('Hello.');
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    const { models } = (await (await fetch(`${bench.double.url}/api/ps`)).json()) as { models: { context_length: number }[] };
    const { entries } = await bench.database.log.read(sessionId, 0);
    const use = await bench.meter.use({ sessionId, mode: 'ask', model: 'worker', entries, loaded: () => null });
    assert.equal(use?.window, models[0]?.context_length);
    assert.ok((use?.window ?? 0) < 131_072);
  });

  it('3 a window that spills to the processor: the one that fits on the card is known', () => {
    const gigabyte = 1024 ** 3;
    const spilt = { size: 10 * gigabyte, size_vram: 9 * gigabyte, context_length: 32_768 };
    const perToken = gigabyte / 8192;
    assert.equal(fittingWindow(spilt, perToken), 24_576);
    assert.equal(fittingWindow({ ...spilt, size_vram: spilt.size }, perToken), null);
  });

  it('4 the default of the server, 4,096 tokens: never relied on, not even to load', async () => {
    await start(window(32_768));
    bench.double.script.push([readIt], 'Done. [TASK_COMPLETE]');
    await writeFile(bench.file('a.txt'), 'alpha\n');
    await bench.ask('Go');
    const windows = new Set([...bench.loadRequests(), ...bench.chats()].map((body) => optionsOf(body).num_ctx));
    assert.equal(windows.size, 1);
    assert.ok(Number([...windows][0]) > 4096);
  });

  const printed: [string, string][] = [
    ['JSON', '{"name": "read_file", "arguments": {"path": "a.txt"}}'],
    ['tags', '<tool_call>{"name": "read_file", "arguments": {"path": "a.txt"}}</tool_call>'],
    ['XML', '<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>'],
  ];
  for (const [form, text] of printed) {
    it(`5 a call printed as text (${form}): it is made, and nobody sees it as an answer`, async () => {
      await start();
      await writeFile(bench.file('a.txt'), 'alpha\n');
      bench.double.script.push(text, 'It says alpha. [TASK_COMPLETE]');
      const seen = await bench.seen(await bench.ask('Go'));
      assert.deepEqual(seen, ['you: Go', 'read_file a.txt [done] 1 line', 'text (complete): It says alpha.', '= done']);
    });
  }

  it('5 a call of a tool that nobody declared stays text', async () => {
    await start();
    bench.double.script.push('{"name": "launch_rocket", "arguments": {}} is what you asked for. [TASK_COMPLETE]');
    const seen = (await bench.seen(await bench.ask('Show me JSON'))).join('\n');
    assert.match(seen, /launch_rocket/);
    assert.doesNotMatch(seen, /\[done\]/);
  });

  it('6 tools that vanish after the first call: each request has them', async () => {
    await start();
    await writeFile(bench.file('a.txt'), 'alpha\n');
    bench.double.script.push([readIt], [{ call: { name: 'list_files', arguments: {} } }], 'Done. [TASK_COMPLETE]');
    await bench.ask('Go');
    const tools = bench.chats().map((body) => JSON.stringify(body['tools']));
    assert.deepEqual([tools.length, new Set(tools).size, tools[0]?.includes('read_file')], [3, 1, true]);
  });

  it('7 a cold load that "times out": it is waited for, and shown as what it is', async () => {
    const loading = hold();
    await start({ models: [{ name: 'worker', capabilities: ['completion', 'tools'], loading: loading.step.hold }] });
    bench.double.script.push('Here I am. [TASK_COMPLETE]');
    const sessionId = await bench.send('Go');
    await bench.waitForActivity('loading');
    loading.release();
    await bench.over(sessionId);
    assert.deepEqual((await bench.seen(sessionId)).slice(1), ['text (complete): Here I am.', '= done']);
  });

  it('8 a prefix that changes: each request begins with the bytes of the one before', async () => {
    await start();
    await writeFile(bench.file('a.txt'), 'alpha\n');
    bench.double.script.push([readIt], 'It says alpha. [TASK_COMPLETE]', 'Still alpha. [TASK_COMPLETE]');
    const sessionId = await bench.ask('Go');
    await bench.ask('And now?', { sessionId });
    const sent = bench.chats().map((body) => JSON.stringify([body['tools'], body['messages']]).slice(0, -2));
    assert.equal(sent.length, 3);
    for (const [index, text] of sent.entries()) if (index > 0) assert.ok(text.startsWith(sent[index - 1] ?? '?'), String(index));
  });

  it('9 a prompt that eats a small window: a quarter of 8k at the most, with the tools', async () => {
    await start(window(8192));
    bench.double.script.push('Done. [TASK_COMPLETE]');
    await bench.ask('hello');
    const [body] = bench.chats();
    const [system] = body?.['messages'] as { content: string }[];
    const tokens = Math.ceil((JSON.stringify(body?.['tools']).length + (system?.content.length ?? 0)) / 4);
    assert.ok(tokens <= 2048, String(tokens));
  });

  const leaks: [string, Scripted][] = [
    ['a pair of tags', '<think>Secret thoughts.</think>The answer. [TASK_COMPLETE]'],
    ['an orphan closer', 'Secret thoughts.</think>The answer. [TASK_COMPLETE]'],
  ];
  for (const [form, reply] of leaks) {
    it(`10 thinking that leaks (${form}): the answer is the answer alone`, async () => {
      await start({ models: [{ name: 'worker', capabilities: ['completion', 'tools', 'thinking'] }] });
      bench.double.script.push(reply);
      const sessionId = await bench.ask('Go');
      const texts = (await bench.seen(sessionId)).filter((line) => line.startsWith('text'));
      assert.deepEqual(texts, ['text (complete): The answer.']);
    });
  }

  it('14 an empty answer: asked for once more, then explained', async () => {
    await start();
    bench.double.script.push('', '');
    const sessionId = await bench.ask('Go');
    assert.equal(bench.chats().length, 2);
    assert.match((await bench.seen(sessionId)).join('\n'), /error .*empty|notice .*empty|error \w+: .*(nothing|no answer)/i);
  });

  it('15 Stop that does not stop the server: the connection is closed, and the next answer comes at once', async () => {
    await start();
    const pause = hold();
    bench.double.script.push(['Words', pause.step, ' never come'], 'Here I am. [TASK_COMPLETE]');
    const sessionId = await bench.send('Go');
    await bench.view.waitFor(sessionId, ({ type, content }) => type === 'assistant_output' && content.includes('Words'));
    await bench.controller.stop(sessionId);
    await bench.double.until(() => bench.double.aborted.length === 1);
    await bench.ask('Again', { sessionId });
    pause.release();
    assert.match((await bench.seen(sessionId)).join('\n'), /Words[^]*= stopped[^]*Here I am\./);
  });

  it('16 chat and summaries that evict each other: one window in all requests to a model', async () => {
    await start(window(4096));
    let sessionId: string | undefined;
    for (let turn = 0; turn < 14; turn += 1) {
      bench.double.script.push(`Answer ${turn}. ${'words and more of them '.repeat(60)}`);
      sessionId = await bench.ask(`Go on with ${turn}.`, { mode: 'ask', ...(sessionId !== undefined && { sessionId }) });
    }
    const all = [...bench.loadRequests(), ...bench.chats(), ...bench.summaryRequests()];
    assert.equal(new Set(all.map((body) => optionsOf(body).num_ctx)).size, 1);
    assert.equal(new Set(all.map((body) => body['keep_alive'])).size, 1);
  });

  it('a stream that ends without its last line: told, and what came stays', async () => {
    await start();
    bench.double.script.push(['Half of it', { end: true }], ['Half of it', { end: true }], ['Half of it', { end: true }]);
    const seen = (await bench.seen(await bench.ask('Go', { mode: 'ask' }))).join('\n');
    assert.match(seen, /Half of it/);
    assert.match(seen, /error|incomplete/);
  });

  it('20,000 tokens for "hello": 1,200 in Ask, with everything', async () => {
    await start(window(8192));
    bench.double.script.push('Hello.');
    await bench.ask('hello', { mode: 'ask' });
    const [body] = bench.chats();
    const length = JSON.stringify([body?.['messages'], body?.['tools'] ?? []]).length;
    assert.ok(length / 4 <= 1200, String(length / 4));
  });
});
