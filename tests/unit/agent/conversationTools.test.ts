import assert from 'node:assert/strict';
import type { EntryOf } from '../../../src/protocol/entries';
import { selectTodos } from '../../../src/protocol/timeline';
import type { ModelSpec } from '../../support/ollama/doubleModel';
import { AgentBench } from './support/agentBench';
import { until } from '../../support/until';

/** Model with a large window, because a small one leaves out these tools. */
const roomy: ModelSpec[] = [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 }];

describe('Questions of the agent', () => {
  let bench: AgentBench;
  beforeEach(async () => void (bench = await AgentBench.start({ models: roomy })));
  afterEach(() => bench.stop());

  const ask = [{ call: { name: 'ask_user', arguments: { question: 'Tabs or blanks?', options: ['Tabs', 'Blanks'] } } }];
  const asked = async (sessionId: string) =>
    (await bench.view.waitFor(sessionId, (one) => one.type === 'question' && one.data.phase === 'asked')) as EntryOf<'question'>;
  const questionLine = async (sessionId: string) => (await bench.seen(sessionId)).filter((line) => line.startsWith('question'));
  const toldToModel = () => {
    const { messages } = bench.chats().at(-1) as { messages: { role: string; content: string }[] };
    return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  };

  it('wait for a person, whose answer is in the log and goes to the model', async () => {
    bench.double.script.push(ask, 'Blanks it is.');
    const sessionId = await bench.send('Format it');
    const { data } = await asked(sessionId);
    await until(async () => (await bench.database.sessions.get(sessionId))?.status === 'waiting_input');
    await assert.rejects(bench.controller.answerQuestion('another', data.questionId, 'x'), { code: 'approvalGone' });
    await bench.controller.answerQuestion(sessionId, data.questionId, '  Blanks, four of them ');
    await bench.over(sessionId);
    assert.deepEqual(await questionLine(sessionId), ['question Tabs or blanks? {Tabs, Blanks} [answered] Blanks, four of them']);
    assert.deepEqual(toldToModel(), ['The user answered: Blanks, four of them']);
    assert.equal((await bench.database.sessions.get(sessionId))?.status, 'idle');
    await assert.rejects(bench.controller.answerQuestion(sessionId, data.questionId, 'too late'), { code: 'approvalGone' });
  });

  it('may be left to the agent', async () => {
    bench.double.script.push(ask, 'Tabs then.');
    const sessionId = await bench.send('Format it');
    await bench.controller.answerQuestion(sessionId, (await asked(sessionId)).data.questionId, '');
    await bench.over(sessionId);
    assert.deepEqual(await questionLine(sessionId), ['question Tabs or blanks? {Tabs, Blanks} [skipped]']);
    assert.match(toldToModel()[0] ?? '', /did not answer/);
  });

  it('end with Stop', async () => {
    bench.double.script.push(ask);
    const sessionId = await bench.send('Format it');
    await asked(sessionId);
    await bench.controller.stop(sessionId);
    assert.deepEqual(await questionLine(sessionId), ['question Tabs or blanks? {Tabs, Blanks} [cancelled]']);
  });

  it('that were open when the window closed are shown as not answered, and the run goes on with Continue', async () => {
    bench.double.script.push(ask);
    const sessionId = await bench.send('Format it');
    await asked(sessionId);
    // After a crash of the window, the log ends with the question as well.
    const left = bench.view.timeline(sessionId, false).turns[0];
    assert.deepEqual(
      left?.blocks.filter(({ kind }) => kind === 'question').map((block) => block.kind === 'question' && block.state),
      ['cancelled'],
    );
    assert.equal(left?.outcome, 'interrupted');
    await bench.controller.stop(sessionId);
    bench.double.script.push('Blanks, I think.');
    await bench.controller.continueRun(sessionId);
    await bench.over(sessionId);
    assert.equal(
      (await bench.seen(sessionId)).some((line) => line.includes('Blanks, I think.')),
      true,
    );
  });

  it('are one at a time with approvals', async () => {
    bench.double.script.push(
      [ask[0] as (typeof ask)[number], { call: { name: 'run_terminal_command', arguments: { command: 'exit 0' } } }],
      'Done',
    );
    const sessionId = await bench.send('Format it');
    const { data } = await asked(sessionId);
    assert.equal(
      bench.view.entries(sessionId).some(({ type }) => type === 'approval'),
      false,
    );
    await bench.controller.answerQuestion(sessionId, data.questionId, 'Tabs');
    await bench.controller.decideApproval(sessionId, (await bench.question(sessionId)).data.approvalId, true);
    await bench.over(sessionId);
  });
});

describe('The list of what the agent means to do', () => {
  let bench: AgentBench;
  beforeEach(async () => void (bench = await AgentBench.start({ models: roomy })));
  afterEach(() => bench.stop());

  const set = (...todos: [string, string][]) => [
    { call: { name: 'update_todos', arguments: { todos: todos.map(([content, status]) => ({ content, status })) } } },
  ];
  const list = (sessionId: string) =>
    selectTodos(bench.view.timeline(sessionId, false)).map(({ text, state }) => `${text}: ${state}`);

  it('is the last one that was set, live and after a restart', async () => {
    bench.double.script.push(
      set(['Read', 'in_progress'], ['Write', 'pending']),
      set(['Read', 'completed'], ['Write', 'in_progress']),
      [{ call: { name: 'update_todos', arguments: { todos: 7 } } }],
      'Half of it is done.',
    );
    const sessionId = await bench.ask('Do it');
    assert.deepEqual(list(sessionId), ['Read: completed', 'Write: in_progress']);
    const seen = await bench.seen(sessionId);
    assert.deepEqual(
      seen.filter((line) => line.startsWith('update_todos')).map((line) => line.replace(/ \{.*\}/, '')),
      [
        'update_todos 0 of 2 done [done] 0 of 2 done',
        'update_todos 1 of 2 done [done] 1 of 2 done',
        'update_todos [failed] invalid arguments',
      ],
    );
  });

  it('ends with a message whose run leaves it as it is, and returns when it is set again', async () => {
    bench.double.script.push(set(['Read', 'completed'], ['Write', 'pending']), 'More tomorrow.', 'Hello again.');
    const sessionId = await bench.ask('Do it');
    await bench.ask('Hello', { sessionId });
    assert.deepEqual(list(sessionId), []);
    bench.double.script.push(set(['Read', 'completed'], ['Write', 'completed']), 'Done.', 'You are welcome.');
    await bench.ask('Go on', { sessionId });
    assert.deepEqual(list(sessionId), ['Read: completed', 'Write: completed']);
    await bench.ask('Thanks', { sessionId });
    assert.deepEqual(list(sessionId), []);
  });

  it('goes with the message that it belongs to', async () => {
    bench.double.script.push(set(['Read', 'pending']), 'So much for that.', 'Something else.');
    const sessionId = await bench.ask('Do it');
    const seq = bench.view.timeline(sessionId, false).turns[0]?.seq ?? 0;
    await bench.controller.resend({ sessionId, seq, text: 'Do something else', mode: 'agent', model: 'worker' });
    await bench.over(sessionId);
    assert.deepEqual(list(sessionId), []);
  });
});
