import assert from 'node:assert/strict';
import { askUserTool } from '../../../../src/agent/tools/ask/askUser';
import { ToolBench } from '../support/toolBench';

describe('ask_user', () => {
  let bench: ToolBench;
  beforeEach(async () => void (bench = await ToolBench.start()));
  afterEach(() => bench.stop());
  const run = (input: Record<string, unknown>) => bench.run(askUserTool(), input);

  it('asks, waits and tells the answer', async () => {
    bench.answer = 'The second';
    assert.deepEqual(await run({ question: 'Which one?', options: ['The first', 'The second'] }), {
      status: 'success',
      content: 'The user answered: The second',
      summary: 'answered',
    });
    assert.deepEqual(bench.asked, [{ question: 'Which one?', options: ['The first', 'The second'] }]);
  });

  it('lets a person leave it to the agent', async () => {
    const { status, content, summary } = await run({ question: 'Which one?' });
    assert.deepEqual([status, summary, /Decide by yourself/.test(content)], ['denied', 'not answered', true]);
    assert.deepEqual(bench.asked, [{ question: 'Which one?', options: [] }]);
  });

  const shapes: [string, Record<string, unknown>][] = [
    ['other names', { prompt: 'Which one?', choices: ['a', 'b'] }],
    ['objects', { question: 'Which one?', options: [{ label: 'a' }, { value: 'b', id: 2 }] }],
    ['JSON in a text', { question: 'Which one?', options: '["a","b"]' }],
    ['lines', { question: 'Which one?', answers: '1. a\n2. b' }],
    ['repetitions and blanks', { question: 'Which one?', options: [' a', 'a', '', 'b\n'] }],
    ['one list in an object', { question: 'Which one?', options: { choices: ['a', 'b'] } }],
  ];
  for (const [what, input] of shapes) {
    it(`understands options as ${what}`, async () => {
      await run(input);
      assert.deepEqual(bench.asked, [{ question: 'Which one?', options: ['a', 'b'] }]);
    });
  }

  it('keeps what a person has to read within bounds', async () => {
    await run({ question: 'x'.repeat(9000), options: Array.from({ length: 30 }, (_, index) => `${index} ${'y'.repeat(500)}`) });
    const { question, options } = bench.asked[0] ?? { question: '', options: [] };
    assert.deepEqual([question.length, options.length, options[0]?.length], [4001, 10, 201]);
  });

  it('needs a question', () => {
    const prepared = askUserTool().prepare({ options: ['a'] });
    assert.deepEqual([prepared.isValid, !prepared.isValid && /"question" is missing/.test(prepared.problem)], [false, true]);
  });
});
