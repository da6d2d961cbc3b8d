import assert from 'node:assert/strict';
import { largerLimitNotice } from '../../../src/agent/kernel/notices';
import { ManualClock } from '../database/support/manualClock';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';

const endless = [{ endless: { name: 'write_file' }, tokenMs: 0 }];
const card = (tokens: string) =>
  `error answerLimit {retry, retryLarger, stop}: The model wrote ${tokens} tokens without finishing an answer or a tool call, so nothing was run. It may be repeating itself. Retry, or use a larger limit if the model writes a long file.`;

describe('a model that writes a call for ever', () => {
  let bench: AgentBench;
  const start = async (options: BenchOptions = {}) => (bench = await AgentBench.start(options));
  const limits = () => bench.chats().map(({ options }) => (options as { num_predict?: number }).num_predict);
  afterEach(() => bench.stop());

  for (const text of [[], ['I change it. ']])
    it(`is ended by a limit that every turn has, and a card says so (${text.length > 0 ? 'after words' : 'in silence'})`, async () => {
      await start();
      bench.double.script.push([...text, ...endless]);
      const sessionId = await bench.ask('Go');
      const words = text.map((said) => `text (length): ${said.trim()}`);
      assert.deepEqual(await bench.seen(sessionId), ['you: Go', ...words, card('4,096'), '= failed']);
      assert.deepEqual(limits(), [4096]);
    });

  it('gets twice as many tokens where a person retries with a larger limit, until their next message', async () => {
    await start({ models: [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 65_536 }] });
    bench.double.script.push(endless, endless, 'Good.', 'Good.');
    const sessionId = await bench.ask('Go');
    assert.deepEqual(await bench.seen(sessionId), ['you: Go', card('4,096'), '= failed']);
    await bench.controller.retry(sessionId, null, largerLimitNotice());
    await bench.over(sessionId);
    assert.ok((await bench.seen(sessionId)).includes(card('8,192')));
    await bench.controller.retry(sessionId, null, largerLimitNotice());
    await bench.over(sessionId);
    await bench.ask('Next', { sessionId });
    assert.deepEqual(limits(), [4096, 8192, 16_384, 4096]);
    // The cards of retried attempts disappear once an answer arrives.
    const larger = 'notice largerLimit: Retrying with twice as many tokens per answer.';
    assert.deepEqual((await bench.seen(sessionId)).slice(0, 5), ['you: Go', larger, larger, 'text (complete): Good.', '= done']);
  });

  it('is limited by what the person set, and told so', async () => {
    await start({ settings: { 'agentMode.maxTokens': 50 } });
    bench.double.script.push(endless);
    const sessionId = await bench.ask('Go');
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Go',
      'notice length: The answer was cut off at the limit of 50 tokens. Select Continue for the rest, or increase “maxTokens” in the settings.',
      '= limit',
    ]);
  });

  it('says about how much was written in silence, by how fast the model wrote before', async () => {
    const clock = new ManualClock();
    await start({ retryClock: clock, models: [{ name: 'worker', capabilities: ['completion', 'tools'], path: 'native' }] });
    const metrics = { prompt_eval_count: 1500, prompt_eval_duration: 1e9, eval_count: 40, eval_duration: 2e9 };
    bench.double.script.push({ steps: ['Hello.'], metrics }, [{ endless: { name: 'write_file' }, tokenMs: 5 }]);
    const sessionId = await bench.ask('Say hello');
    const later = bench.send(`Go ${'and on '.repeat(2000)}`, { sessionId });
    await later;
    await bench.double.until(() => bench.chats().length === 2);
    await clock.advance(60_000);
    const written = bench.states.flatMap(({ activity }) => (activity?.kind === 'preparing' ? [activity] : []));
    assert.deepEqual(
      written.map(({ work, writing }) => [work, writing]),
      [['editOrCall', { tokensPerSecond: 20, limit: 4096 }]],
    );
    await bench.controller.stop(sessionId);
  });

  it('is told from one that ends a call too early where the engine only says that it cannot read the call', async () => {
    const clock = new ManualClock();
    await start({ retryClock: clock, models: [{ name: 'worker', capabilities: ['completion', 'tools'], path: 'native' }] });
    const error = 'llama-server returned invalid tool call arguments for "write_file": unexpected end of JSON input';
    const metrics = { prompt_eval_count: 1500, prompt_eval_duration: 1e9, eval_count: 40, eval_duration: 2e9 };
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    bench.double.script.push({ steps: ['Hello.'], metrics }, [{ error }], 'Good.', [{ hold: held }, { error }]);
    const sessionId = await bench.ask('Say hello');
    await bench.ask('Go', { sessionId });
    await bench.send('Go on', { sessionId });
    await bench.double.until(() => bench.chats().length === 4);
    await clock.advance(300_000);
    release();
    await bench.over(sessionId);
    const seen = await bench.seen(sessionId);
    assert.deepEqual(seen.slice(-6), ['you: Go', 'text (complete): Good.', '= done', 'you: Go on', card('4,096'), '= failed']);
  });
});
