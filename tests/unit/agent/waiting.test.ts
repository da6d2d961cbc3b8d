import assert from 'node:assert/strict';
import { PromptSpeed } from '../../../src/agent/loop/modelSpeed';
import { SilenceWatch } from '../../../src/agent/loop/silenceWatch';
import type { Activity } from '../../../src/protocol/webviewEvents';
import { hold } from '../../support/ollama/doubleReply';
import { ManualClock } from '../database/support/manualClock';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';

describe('what is said while a person waits', () => {
  let bench: AgentBench;
  const start = async (options?: BenchOptions) => (bench = await AgentBench.start(options));
  const kindsOf = (sessionId?: string) =>
    bench.states
      .filter((one) => sessionId === undefined || one.sessionId === sessionId)
      .map(({ activity, state }) => activity?.kind ?? state)
      .filter((kind, index, all) => kind !== all[index - 1]);
  afterEach(() => bench?.stop());

  it('loading is told from reading: an empty request with the same load-time options goes first, and only when it must', async () => {
    await start({ models: [{ name: 'worker', capabilities: ['completion', 'thinking'] }] });
    bench.double.script.push('One.', 'Two.');
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    assert.deepEqual(kindsOf(), ['running', 'connecting', 'loading', 'reading', 'answering', 'idle']);
    const { options, ...rest } = bench.loadRequests()[0] ?? {};
    assert.deepEqual(rest, {
      model: 'worker:latest',
      messages: [],
      stream: false,
      keep_alive: '30m',
      truncate: false,
      shift: false,
    });
    assert.deepEqual(options, { num_ctx: (bench.chats()[0]?.['options'] as { num_ctx: number }).num_ctx });
    bench.states.length = 0;
    await bench.ask('Again', { mode: 'ask', sessionId });
    assert.deepEqual(kindsOf(), ['running', 'connecting', 'reading', 'answering', 'idle']);
    assert.deepEqual([bench.loadRequests().length, bench.double.loads.length], [1, 1]);
  });

  it('a model that is in memory with another window is loaded anew, once', async () => {
    await start();
    const body = { model: 'worker', messages: [], stream: false, options: { num_ctx: 2048 }, shift: false };
    await (await fetch(`${bench.double.url}/api/chat`, { method: 'POST', body: JSON.stringify(body) })).arrayBuffer();
    bench.double.script.push('One.');
    await bench.ask('Go', { mode: 'ask' });
    assert.equal(kindsOf().includes('loading'), true);
    assert.deepEqual(
      bench.double.loads.map(({ contextLength }) => contextLength),
      [2048, 8192],
    );
  });

  it('Stop while a model loads frees the server at once', async () => {
    await start({ models: [{ name: 'worker', loadDelayMs: 600_000 }] });
    const sessionId = await bench.send('Go', { mode: 'ask' });
    await bench.waitForActivity('loading');
    await bench.double.until(() => bench.loadRequests().length === 1);
    await bench.controller.stop(sessionId);
    await bench.double.until(() => bench.double.openStreams === 0);
    assert.deepEqual([bench.double.aborted.length, bench.double.loads.length, bench.chats().length], [1, 0, 0]);
    assert.deepEqual(await bench.seen(sessionId), ['you: Go', '= stopped']);
  });

  it('waiting behind an answer of this window is told as waiting, and as reading once that has ended', async () => {
    await start({ settings: { 'agent.maxActiveSessions': 2 } });
    const held = hold();
    bench.double.script.push(['One', held.step, ' more'], 'Two');
    const first = await bench.send('First', { mode: 'ask' });
    await bench.view.waitFor(first, (entry) => entry.type === 'assistant_output' && entry.content === 'One');
    const second = await bench.send('Second', { mode: 'ask' });
    await bench.waitForActivity('behind');
    held.release();
    await bench.over(first);
    await bench.over(second);
    assert.deepEqual(kindsOf(second), ['running', 'connecting', 'behind', 'reading', 'answering', 'idle']);
  });

  it('a call that is the whole answer: that it is read or written is said in time, since nothing tells which', async () => {
    const clock = new ManualClock();
    // Reading takes a few milliseconds. Otherwise the speed of the model would stay unknown.
    const worker = { name: 'worker', capabilities: ['completion', 'tools'], path: 'native', promptTokenMs: 0.01 } as const;
    await start({ retryClock: clock, models: [worker] });
    const held = hold();
    bench.double.script.push([held.step, { call: { name: 'list_files' } }], 'Good.');
    const sessionId = await bench.send('Go');
    await bench.double.until(() => bench.chats().length === 1);
    const reading = () => bench.states.flatMap(({ activity }) => (activity?.kind === 'reading' ? [activity] : []));
    await clock.advance(9_999);
    assert.deepEqual(
      reading().map(({ orPreparing }) => orPreparing),
      [undefined],
    );
    await clock.advance(1);
    const [first, second] = reading();
    assert.deepEqual(second, { ...first, orPreparing: 'editOrCall' });
    held.release();
    await bench.over(sessionId);
    const third = reading()[2];
    assert.equal(reading().length, 3);
    const { newTokens = 0 } = third?.measured ?? {};
    assert.deepEqual([first?.measured, newTokens > 0], [undefined, true]);
    assert.ok(newTokens < (third?.promptTokens ?? 0) / 2, `${newTokens} of ${third?.promptTokens}`);
  });

  for (const [mode, work] of [
    ['agent', 'editOrCall'],
    ['ask', 'call'],
  ] as const)
    for (const said of ['I change it.', { thinking: 'I change it.' }]) {
      const kind = typeof said === 'string' ? 'text' : 'thinking';
      it(`a call that is sent whole: after ${kind} it is said to be prepared until it is there (${mode} mode)`, async () => {
        const clock = new ManualClock();
        await start({ retryClock: clock, models: [{ name: 'worker', capabilities: ['completion', 'tools', 'thinking'] }] });
        const held = hold();
        bench.double.script.push([said, held.step, { call: { name: 'list_files' } }], 'Good.');
        const sessionId = await bench.send('Go', { mode });
        await bench.waitForActivity('answering');
        await bench.view.waitFor(sessionId, ({ type }) => type === 'thinking' || type === 'assistant_output');
        const prepared = () => bench.states.flatMap(({ activity }) => (activity?.kind === 'preparing' ? [activity.work] : []));
        await clock.advance(1_999);
        assert.deepEqual(prepared(), []);
        await clock.advance(1);
        assert.deepEqual(prepared(), [work]);
        held.release();
        await bench.over(sessionId);
        assert.deepEqual(kindsOf().slice(-8), [
          ...['answering', 'preparing', 'answering', 'tool', 'connecting', 'reading', 'answering', 'idle'],
        ]);
      });
    }

  it('a model that writes its calls into its text is reading until a word comes', async () => {
    const clock = new ManualClock();
    await start({ retryClock: clock, models: [{ name: 'worker' }] });
    const held = hold();
    bench.double.script.push([held.step, 'Good.']);
    const sessionId = await bench.send('Go');
    await bench.double.until(() => bench.chats().length === 1);
    await clock.advance(60_000);
    held.release();
    await bench.over(sessionId);
    assert.deepEqual(kindsOf(), ['running', 'connecting', 'loading', 'reading', 'answering', 'idle']);
    assert.equal(bench.states.filter(({ activity }) => activity?.kind === 'reading').length, 1);
  });

  it('an embedding model is refused as chat model before anything is sent', async () => {
    await start({ models: [{ name: 'worker', capabilities: ['embedding'] }] });
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Go',
      'error capability {selectModel, retry}: worker:latest is an embedding model and does not support chat. Choose another model.',
      '= failed',
    ]);
    assert.equal(bench.double.requestsTo('/api/chat').length, 0);
  });

  it('the window is chosen once for a model and kept, and chosen again when a person changes a setting', async () => {
    const settings: Record<string, unknown> = {};
    await start({ models: [{ name: 'worker', contextLength: 6000 }], settings });
    bench.double.script.push('One.', 'Two.', 'Three.');
    await bench.ask('Go', { mode: 'ask' });
    await bench.ask('Go', { mode: 'ask' });
    settings['agent.maxContextWindow'] = 4096;
    await bench.ask('Go', { mode: 'ask' });
    assert.deepEqual(
      bench.chats().map(({ options }) => (options as { num_ctx: number }).num_ctx),
      [6000, 6000, 4096],
    );
    assert.equal(bench.double.loads.length, 2);
  });
});

describe('an answer that falls silent', () => {
  it('is preparing a call where tools are offered: of one that the server sends whole nothing comes before', async () => {
    const clock = new ManualClock(0);
    const said: Activity[] = [];
    const signal = new AbortController().signal;
    const watch = new SilenceWatch(clock, { report: (activity) => void said.push(activity), signal }, 'editOrCall');
    await clock.advance(1000);
    watch.chunkArrived();
    await clock.advance(2000);
    assert.deepEqual(said, [{ kind: 'preparing', work: 'editOrCall', since: 1000 }]);
    await clock.advance(5000);
    watch.chunkArrived();
    assert.deepEqual(said.slice(1), [{ kind: 'answering', since: 8000 }]);
    watch.stop();
  });

  it('is told after two minutes, and told to go on when it does', async () => {
    const clock = new ManualClock(0);
    const said: Activity[] = [];
    const watch = new SilenceWatch(clock, {
      report: (activity) => void said.push(activity),
      signal: new AbortController().signal,
    });
    await clock.advance(60_000);
    watch.chunkArrived();
    await clock.advance(119_999);
    assert.deepEqual(said, []);
    await clock.advance(1);
    assert.deepEqual(said, [{ kind: 'silent', since: 60_000 }]);
    await clock.advance(600_000);
    assert.equal(said.length, 1);
    watch.chunkArrived();
    assert.deepEqual(said[1], { kind: 'answering', since: 780_000 });
    await clock.advance(240_000);
    assert.deepEqual(said[2], { kind: 'silent', since: 780_000 });
    watch.stop();
    watch.chunkArrived();
    await clock.advance(600_000);
    assert.equal(said.filter(({ kind }) => kind === 'silent').length, 2);
  });
});

describe('how long a prompt is read', () => {
  const text = 'x'.repeat(8000);

  it('is expected from what the server measured, and from what it does not know yet', () => {
    const pace = new PromptSpeed();
    const first = pace.of('m', text);
    assert.equal(first.patienceMs, 10_000);
    first.measured(4000);
    assert.equal(pace.of('m', `${text}${'y'.repeat(6000)}`).patienceMs, 4500);
    assert.equal(pace.of('m', `${text}y`).patienceMs, 2000);
    assert.equal(pace.of('m', 'z'.repeat(8000)).patienceMs, 6000);
    assert.equal(pace.of('other', text).patienceMs, 10_000);
    assert.deepEqual(
      [text, `${text}${'y'.repeat(2000)}`, 'z'].map((next) => pace.of('m', next).newShare),
      [0, 0.2, 1],
    );
  });

  it('is not guessed from a few words, nor from a server that measures nothing', () => {
    const pace = new PromptSpeed();
    pace.of('m', text).measured(undefined);
    pace.of('m', `${text} and so on`).measured(3000);
    assert.equal(pace.of('m', 'z'.repeat(20_000)).patienceMs, 10_000);
  });
});
