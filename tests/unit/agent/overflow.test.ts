import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { planShortening, planStubs } from '../../../src/agent/context/shorteningPlan';
import type { EntryInput } from '../../../src/protocol/entries';
import { buildHistory } from '../../../src/protocol/history';
import { shortenedText } from '../../../src/protocol/context/shortening';
import { entries } from '../../support/entries';
import type { ServerAge } from '../../support/ollama/doubleModel';
import type { Scripted } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';

const readOf = (path: string): Scripted => [{ call: { name: 'read_file', arguments: { path } } }];
const room = (window: string, what: string): string =>
  `notice shortened: The context window of ${window} tokens is nearly full. To make room, ${what} now shortened for the model. The chat still shows ${what.endsWith('is') ? 'it' : 'them'} in full.`;

describe('a window that is full', () => {
  let bench: AgentBench;
  afterEach(() => bench.stop());

  async function start(age: ServerAge, window: number, capabilities: ('completion' | 'tools')[] = ['completion', 'tools']) {
    bench = await AgentBench.start({ server: { age }, models: [{ name: 'worker', capabilities, contextLength: window }] });
    await writeFile(bench.file('long.txt'), 'A line of some length, of which there are many.\n'.repeat(150));
    await writeFile(bench.file('short.txt'), 'short\n');
  }
  const contents = (at: number): string[] =>
    (bench.chats().at(at)?.['messages'] as { content: string }[]).map(({ content }) => content);

  for (const age of ['0.32.15', '0.17.4'] as const) {
    it(`is made room in by shortening what was read, said so, and the run goes on (${age})`, async () => {
      await start(age, 2048);
      bench.double.script.push(readOf('long.txt'), 'It is long.');
      const sessionId = await bench.ask('Go');
      assert.deepEqual(await bench.seen(sessionId), [
        'you: Go',
        'read_file long.txt [done] 150 lines',
        room('2,048', 'a long tool call or result is'),
        'text (complete): It is long.',
        '= done',
      ]);
      assert.match(contents(-1).at(-1) ?? '', /^A line.*\n\[… [\d,]+ characters are left out here to save room …\]\n/s);
      const kept = bench.view.entries(sessionId).find(({ type }) => type === 'tool_result');
      assert.equal(kept?.content.split('\n').length, 150);
    });
  }

  it('is told where what was shortened is refused as well: it is tried once more and no further', async () => {
    await start('0.32.15', 8192);
    const refused = (tokens: number): Scripted => ({
      refuse: {
        status: 400,
        message: JSON.stringify({
          error: {
            code: 400,
            message: `request (${tokens} tokens) exceeds the available context size (8192 tokens)`,
            type: 'exceed_context_size_error',
            n_prompt_tokens: tokens,
            n_ctx: 8192,
          },
        }),
      },
    });
    bench.double.script.push(readOf('long.txt'), refused(9000), refused(8500), 'Never asked for.');
    const sessionId = await bench.ask('Go');
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Go',
      'read_file long.txt [done] 150 lines',
      room('8,192', 'a long tool call or result is'),
      'error contextOverflow {newSession, openSettings}: This chat needs about 8,500 tokens, but the context window is 8,192. ' +
        'Start a new chat, send a shorter message, or increase the context window in the settings.',
      '= failed',
    ]);
    assert.equal(bench.chats().length, 3);
    assert.deepEqual(
      [contents(1), contents(2)].map((sent) => (sent.at(-1) ?? '').includes('characters are left out here to save room')),
      [false, true],
    );
    assert.deepEqual(contents(2).slice(0, -1), contents(1).slice(0, -1));
  });

  it('is made room in for a model without tools of its own', async () => {
    await start('0.32.15', 2048, ['completion']);
    bench.double.script.push(readOf('long.txt'), 'It is long.');
    const sessionId = await bench.ask('Go');
    assert.deepEqual((await bench.seen(sessionId)).slice(2), [
      room('2,048', 'a long tool call or result is'),
      'text (complete): It is long.',
      '= done',
    ]);
  });

  it('is foreseen where the server has measured: nothing is sent that cannot fit, and older results go first', async () => {
    await start('0.32.15', 4608);
    await writeFile(bench.file('other.txt'), 'Another line of some length, of which there are many.\n'.repeat(130));
    bench.double.script.push(readOf('long.txt'), readOf('short.txt'), readOf('other.txt'), 'Twice alike.');
    const sessionId = await bench.ask('Go');
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Go',
      'read_file long.txt [done] 150 lines',
      'read_file short.txt [done] 1 line',
      'read_file other.txt [done] 130 lines',
      room('4,608', 'a long tool call or result is'),
      'text (complete): Twice alike.',
      '= done',
    ]);
    assert.deepEqual(
      bench.double.requestsTo('/api/chat').filter(({ finished }) => !finished),
      [],
    );
    assert.equal(bench.chats().length, 4);
    const sent = contents(-1);
    assert.ok((sent.at(-1) ?? '').length > 4000 && (sent[3] ?? '').length < 4000);
    assert.equal(bench.double.script.length, 0);
  });

  it('takes the beginning and the end of one message that is larger than the window, says so, and keeps it whole', async () => {
    await start('0.32.15', 2048);
    bench.double.script.push('Many words.');
    const message = `First ${'word '.repeat(2000)}last`;
    const sessionId = await bench.ask(message);
    const [, notice, answer, end] = await bench.seen(sessionId);
    assert.match(
      notice ?? '',
      /^notice shortened: Your message does not fit in the context window of 2,048 tokens\..* [\d,]+ characters/,
    );
    assert.deepEqual([answer, end], ['text (complete): Many words.', '= done']);
    assert.match(contents(-1).at(-1) ?? '', /^First word .*\n\[… [\d,]+ characters are left out here to save room …\]\n.*last$/s);
    assert.equal(bench.view.entries(sessionId).find(({ type }) => type === 'user_input')?.content, message);
  });

  it('is told with its numbers where the window has no room for a message at all', async () => {
    await start('0.32.15', 768);
    const sessionId = await bench.ask('word '.repeat(2000));
    const [, error, end] = await bench.seen(sessionId);
    assert.match(
      error ?? '',
      /^error contextOverflow \{newSession, openSettings\}: This chat needs about [\d,]+ tokens, but the context window is 768\./,
    );
    assert.equal(end, '= failed');
    assert.equal(bench.chats().length, 1);
  });

  it('keeps the context meter true', async () => {
    await start('0.32.15', 2048);
    bench.double.script.push(readOf('long.txt'), 'It is long.');
    const sessionId = await bench.ask('Go');
    const entriesSeen = bench.view.entries(sessionId);
    const question = {
      sessionId,
      mode: 'agent' as const,
      model: 'worker',
      loaded: () => ({ window: 2048, gpuShare: 1 }),
      entries: entriesSeen,
    };
    const use = await bench.meter.use(question);
    assert.equal(use?.isMeasured, true);
    assert.ok((use?.used ?? Infinity) <= 2048);
  });
});

describe('shortening', () => {
  const call = (callId: string, content: string): EntryInput => ({
    type: 'tool_call',
    data: { callId, name: 'create_file', input: { path: 'a', content } },
  });
  const result = (callId: string, content: string): EntryInput => ({
    type: 'tool_result',
    content,
    data: { callId, name: 'x', status: 'success' },
  });
  const user: EntryInput = { type: 'user_input', content: 'Go', data: { mode: 'agent', attachments: [] } };
  const log = entries(
    user,
    call('1', 'x'.repeat(5000)),
    result('1', 'y'.repeat(9000)),
    call('2', ''),
    result('2', 'z'.repeat(9000)),
  );

  it('spares what the model works with as long as older things are enough', () => {
    const plan = planShortening(log, 5500);
    assert.deepEqual(plan?.limits, [{ throughSeq: 3, characters: 4000 }]);
    assert.equal(plan?.count, 2);
  });

  it('takes the last results too where it must, and saves what it can where that is not enough', () => {
    assert.deepEqual(planShortening(log, 16_000)?.limits, [
      { throughSeq: 3, characters: 200 },
      { throughSeq: 5, characters: 4000 },
    ]);
    assert.deepEqual(planShortening(log, 99_000)?.limits.at(-1), { throughSeq: 5, characters: 200 });
    assert.equal(planShortening(entries(user), 10), null);
  });

  it('cuts results and arguments in what is sent, and only there', () => {
    const notice: EntryInput = {
      type: 'system_message',
      data: { level: 'info', code: 'shortened', limits: [{ throughSeq: 3, characters: 300 }] },
    };
    const all = [...log, { ...entries(user, user, user, user, user, notice)[5] } as (typeof log)[0]];
    const [, asked, first, , second] = buildHistory(all);
    assert.match(
      String(asked?.tool_calls?.[0]?.function.arguments['content']),
      /^x{200}\n\[… 4,700 characters are left out here to save room …\]\nx{100}$/,
    );
    assert.match(first?.content ?? '', /^y{200}\n\[… 8,700 .*\]\ny{100}$/);
    assert.equal(second?.content.length, 9000);
    assert.equal(log[2]?.content.length, 9000);
  });

  it('lets stubs stand for old results: first for what was read again, then for the oldest, and for no more than needed', () => {
    const read = (callId: string, path: string): EntryInput[] => [
      { type: 'tool_call', data: { callId, name: 'read_file', input: { path } } },
      result(callId, `${path} ${'y'.repeat(3000)}`),
    ];
    const inputs = [user, ...read('1', 'a'), ...read('2', 'b'), ...read('3', 'a'), ...read('4', 'c'), ...read('5', 'd')];
    const seen = (spare: number): string[] => {
      const plan = planStubs(entries(...inputs), spare);
      if (plan === null) return [];
      const notice: EntryInput = { type: 'system_message', data: { level: 'info', code: 'shortened', limits: plan.limits } };
      const tools = buildHistory(entries(...inputs, notice)).filter(({ role }) => role === 'tool');
      return tools.map(({ content }) => (content.length > 3000 ? content.slice(0, 1) : content));
    };
    const stub = '[Left out to save room: 3,002 characters. Make the same call again to see them.]';
    assert.deepEqual(seen(1000), [stub, 'b', 'a', 'c', 'd']);
    assert.deepEqual(seen(4000), [stub, stub, 'a', 'c', 'd']);
    assert.deepEqual(seen(11_000), [stub, stub, stub, stub, 'd']);
    assert.deepEqual(seen(20_000), []);
  });

  it('splits no character', () => {
    assert.doesNotMatch(shortenedText('🥛'.repeat(500), 200), /\p{Surrogate}/u);
    assert.equal(shortenedText('a'.repeat(310), 200), 'a'.repeat(310));
  });
});
