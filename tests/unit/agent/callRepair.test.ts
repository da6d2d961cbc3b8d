import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import type { Scripted, Step } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';

const fits = JSON.stringify({ name: 'read_file', arguments: { path: 'a.txt' } });
const unreadable = `error parsing tool call: raw='{"path":"a.txt"}]', err=invalid character ']' after top-level value`;
const repaired = 'read_file a.txt [done] 1 line (repaired: asked again, 300 tokens)';

describe('a call that cannot be run', () => {
  let bench: AgentBench;
  const start = async (options: BenchOptions = {}) => {
    bench = await AgentBench.start(options);
    await writeFile(bench.file('a.txt'), 'alpha\n');
  };
  const repair = (text: string) =>
    bench.double.onRepair(() => ({ steps: [text], metrics: { prompt_eval_count: 200, eval_count: 100 } }));
  afterEach(() => bench.stop());

  const broken: [string, Scripted][] = [
    ['that the server could not read', [{ error: unreadable }]],
    ['without an argument that is needed', [{ call: { name: 'read_file', arguments: { colour: 'red' } } }]],
    ['that never ends', [{ endless: { name: 'read_file' }, tokenMs: 0 }]],
    ['printed in a way that cannot be read', '<tool_call>{"name": "read_file", "arguments": {"path" "a.txt}</tool_call>'],
  ];
  for (const [kind, script] of broken)
    it(`${kind} is asked for once more by its schema, and the row says so`, async () => {
      await start();
      repair(fits);
      bench.double.script.push(script, 'Good.');
      const sessionId = await bench.ask('Read a.txt');
      assert.deepEqual(await bench.seen(sessionId), ['you: Read a.txt', repaired, 'text (complete): Good.', '= done']);
      const [request, ...others] = bench.repairRequests();
      const { tools, think, format, messages } = request as {
        tools?: unknown;
        think: unknown;
        format: { oneOf: { properties: { name: { const: string } } }[] };
        messages: { content: string }[];
      };
      assert.deepEqual([tools, think, messages.length, others.length], [undefined, false, 1, 0]);
      assert.ok(format.oneOf.some(({ properties }) => properties.name.const === 'read_file'));
      assert.ok((messages[0]?.content.length ?? 0) < 1500 * 4 && messages[0]?.content.includes('Read a.txt'));
    });

  const lost: [string, Scripted][] = [
    ['in an error of its XML parser', [{ error: 'XML syntax error on line 9: element <parameter> closed by </function>' }]],
    ['under an unknown key', [{ raw: `{"error parsing tool call":"invalid character 'I'"}\n` }, { end: true }]],
  ];
  for (const [where, script] of lost)
    it(`that the server reports ${where} is asked for once more, and the text before it is kept`, async () => {
      await start();
      repair(fits);
      bench.double.script.push(['I read ', 'the file.', ...(script as readonly Step[])], 'Good.');
      const sessionId = await bench.ask('Read a.txt');
      assert.deepEqual(await bench.seen(sessionId), [
        'you: Read a.txt',
        'text (incomplete): I read the file.',
        repaired,
        'text (complete): Good.',
        '= done',
      ]);
      const [request] = bench.repairRequests() as unknown as { messages: { content: string }[] }[];
      assert.match(request?.messages[0]?.content ?? '', /Before the call you wrote: I read the file\./);
    });

  const argumentsOf = (given: unknown) => [
    {
      raw: `${JSON.stringify({
        model: 'm',
        created_at: '2026-01-01T00:00:00Z',
        done: true,
        done_reason: 'stop',
        message: { role: 'assistant', content: '', tool_calls: [{ function: { name: 'read_file', arguments: given } }] },
      })}\n`,
    },
    { end: true as const },
  ];

  it('whose arguments are JSON in a string runs as it is', async () => {
    await start();
    for (const given of ['{"path": "a.txt", "startLine": "1"}', JSON.stringify('{"path":"a.txt"}'), [{ path: 'a.txt' }]]) {
      bench.double.script.push(argumentsOf(given), 'Good.');
      const seen = await bench.seen(await bench.ask('Read a.txt'));
      assert.match(seen[1] ?? '', /^read_file a\.txt.* \[done\] 1 line/);
    }
    assert.deepEqual(bench.repairRequests(), []);
  });

  it('whose arguments cannot be read, or that has no name, is asked for once more', async () => {
    await start();
    repair(fits);
    const nameless = argumentsOf({ path: 'a.txt' }).map((step) =>
      'raw' in step ? { raw: step.raw.replace('"name":"read_file",', '') } : step,
    );
    for (const script of [argumentsOf('path=a.txt'), argumentsOf([1, 2]), argumentsOf(7), nameless]) {
      bench.double.script.push(script, 'Good.');
      const seen = await bench.seen(await bench.ask('Read a.txt'));
      assert.deepEqual(seen, ['you: Read a.txt', repaired, 'text (complete): Good.', '= done']);
    }
  });

  it('whose arguments can never be read does not end the run', async () => {
    await start();
    repair('no JSON');
    bench.double.script.push(argumentsOf('path=a.txt'), 'Good.');
    const [, row, ...rest] = await bench.seen(await bench.ask('Read a.txt'));
    assert.match(row ?? '', /^read_file .*\[failed\]/);
    assert.deepEqual(rest, ['text (complete): Good.', '= done']);
  });

  const read = (path: string) => ({ name: 'read_file', arguments: { path } });

  it('is asked for as a list where several were written in one list, and all of them run', async () => {
    await start();
    await writeFile(bench.file('b.txt'), 'beta\nbeta\n');
    repair(JSON.stringify([read('a.txt'), read('b.txt')]));
    bench.double.script.push(`[TOOL_CALLS][${JSON.stringify(read('a.txt'))} ${JSON.stringify(read('b.txt'))}]`, 'Good.');
    const sessionId = await bench.ask('Read both');
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Read both',
      repaired,
      repaired.replace('a.txt', 'b.txt').replace('1 line', '2 lines'),
      'text (complete): Good.',
      '= done',
    ]);
    const { minItems, maxItems } = bench.repairRequests()[0]?.['format'] as { minItems: number; maxItems: number };
    assert.deepEqual([minItems, maxItems], [1, 2]);
  });

  it('is asked for together with the others of its answer, and runs in its place', async () => {
    await start();
    await writeFile(bench.file('b.txt'), 'beta\n');
    repair(JSON.stringify([read('a.txt'), read('b.txt')]));
    const broken = { call: { name: 'read_file', arguments: { colour: 'red' } } };
    bench.double.script.push([broken, { call: read('b.txt') }, broken], 'Good.');
    const sessionId = await bench.ask('Read a, b and b');
    const { entries } = await bench.database.log.read(sessionId, 0);
    const results = entries
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => /alpha|beta|same/.exec(content)?.[0]);
    assert.deepEqual([results, bench.repairRequests().length], [['alpha', 'beta', 'same'], 1]);
  });

  it('is not guessed at where it is too long to be shown to the model whole', async () => {
    await start();
    repair(JSON.stringify({ name: 'write_file', arguments: { path: 'a.txt', content: 'cut off' } }));
    bench.double.script.push([{ call: { name: 'write_file', arguments: { content: 'x'.repeat(2000) } } }], 'Good.');
    await bench.ask('Write a.txt');
    assert.deepEqual(bench.repairRequests(), []);
    assert.equal(await readFile(bench.file('a.txt'), 'utf8'), 'alpha\n');
  });

  it('is told to the model as before where what comes fits no tool either', async () => {
    await start();
    for (const text of [
      '',
      'no JSON',
      `[${fits},${fits}]`,
      '{"name":"nothing","arguments":{}}',
      '{"name":"read_file","arguments":{}}',
    ]) {
      repair(text);
      bench.double.script.push([{ call: { name: 'read_file', arguments: { colour: 'red' } } }], 'Good.');
      const sessionId = await bench.ask('Read a.txt');
      const [, row, ...rest] = await bench.seen(sessionId);
      assert.match(row ?? '', /^read_file .*\[failed\] invalid arguments$/, text);
      assert.deepEqual(rest, ['text (complete): Good.', '= done']);
    }
  });
});
