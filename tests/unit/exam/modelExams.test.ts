import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { examTasks } from '../../../src/agent/exam/tasks';
import { examTaskNames, type ModelExam } from '../../../src/types/exam';
import type { ChatRequest } from '../../../src/types/ollama';
import { hold } from '../../support/ollama/doubleReply';
import type { ModelSpec } from '../../support/ollama/doubleModel';
import { ExamBench } from './support/examBench';
import { call, right, testCommand, turnOf } from './support/student';

const good: ModelSpec = { name: 'good', capabilities: ['completion', 'tools'], path: 'native' };
const sum = (tokens: readonly number[]): number => tokens.reduce((all, one) => all + one, 0);

describe('the model exam', () => {
  let bench: ExamBench;
  let temporary: string;
  const usual = process.env['TMPDIR'];
  beforeEach(async () => {
    temporary = mkdtempSync(path.join(tmpdir(), 'exam-test-'));
    process.env['TMPDIR'] = temporary;
    bench = await ExamBench.start([good, { name: 'plain' }]);
    bench.double.onChat((request) => right(turnOf(request)));
  });
  afterEach(async () => {
    await bench.stop();
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
    rmSync(temporary, { recursive: true, force: true });
  });

  const requests = (): ChatRequest[] =>
    bench.double
      .requestsTo('/api/chat')
      .map(({ body }) => body as ChatRequest)
      .filter(({ messages }) => messages.length > 0);

  it('has tasks that need at most 13,500 prompt tokens and 2,800 answer tokens', async () => {
    const tasks = examTasks(false);
    assert.deepEqual(
      tasks.map(({ name }) => name),
      [...examTaskNames],
    );
    // Counts the first task twice, because it can run twice.
    const most = [...tasks, tasks[0]].map((task) => task?.budget ?? { prompt: 0, answer: 0 });
    assert.ok(sum(most.map(({ prompt }) => prompt)) <= 13_500);
    assert.ok(sum(most.map(({ answer }) => answer)) <= 2800);
    const { tasks: results } = await bench.examine('good');
    assert.ok(sum(results.map(({ promptTokens }) => promptTokens)) <= 13_500);
    assert.ok(sum(results.map(({ answerTokens }) => answerTokens)) <= 2800);
  });

  it('limits the tokens of a model that never ends', async () => {
    bench.double.onChat(() => Array.from({ length: 3000 }, (_, at) => `Word ${at * 31} and more. `));
    const { tasks } = await bench.examine('good');
    assert.ok(sum(tasks.map(({ answerTokens }) => answerTokens)) <= 2800);
    assert.ok(requests().every(({ options }) => (options.num_predict ?? Infinity) <= 280));
  });

  it('asks for the same answers each time', async () => {
    await bench.examine('good');
    assert.ok(requests().every(({ options }) => options.temperature === 0 && options.seed === 1));
    const windows = new Set(requests().map(({ options }) => options.num_ctx));
    assert.equal(windows.size, 1);
  });

  it('leaves no file behind', async () => {
    await bench.examine('good');
    assert.deepEqual(readdirSync(temporary), []);
  });

  it('denies files outside its folder and all commands but its own', async () => {
    const marks = ['quotes', 'test'] as const;
    const escapes = {
      quotes: [call('create_file', { path: '../../escaped.txt', content: 'x' })],
      test: [
        call('run_terminal_command', { command: `${testCommand}; echo x > ../../escaped.txt` }),
        call('run_terminal_command', { command: 'echo x > ../../escaped.txt' }),
        call('run_terminal_command', { command: testCommand, background: true }),
      ],
    };
    bench.double.onChat((request) => {
      const turn = turnOf(request);
      const isFirst = turn.at === 0 && (turn.task === 'quotes' || turn.task === 'test');
      return isFirst ? escapes[turn.task as 'quotes' | 'test'] : right(turn);
    });
    const { tasks } = await bench.examine('good', { only: marks });
    assert.deepEqual(readdirSync(temporary), []);
    const faults = tasks.flatMap((task) => task.faults.map(({ fault }) => `${task.task}: ${fault}`));
    assert.ok(faults.includes('test: runsOtherCommand') && faults.includes('quotes: leavesFolder'), faults.join('\n'));
  });

  it('gives the tools in the prompt to a model without native tools', async () => {
    const { tasks } = await bench.examine('plain');
    assert.deepEqual(new Set(tasks.map(({ form }) => form)), new Set(['printed']));
    assert.ok(tasks.every(({ isPassed }) => isPassed));
    assert.ok(requests().every(({ tools }) => tools === undefined));
  });

  it('gives the tools in the prompt to a model that makes no native call', async () => {
    bench.double.onChat((request) => (request.tools.length > 0 ? 'I have no tools.' : right(turnOf(request))));
    const { tasks } = await bench.examine('good');
    assert.deepEqual(new Set(tasks.map(({ form }) => form)), new Set(['printed']));
    assert.ok(tasks.every(({ isPassed }) => isPassed));
  });

  it('continues a cancelled exam after the last complete task', async () => {
    const whole = await bench.examine('good');
    const { release, step } = hold();
    bench.double.onChat((request) => {
      const turn = turnOf(request);
      return turn.task === 'search' ? [step] : right(turn);
    });
    const exams = bench.exams();
    const over = exams.run('good');
    await bench.double.until(() =>
      requests().some(
        ({ messages }) =>
          messages.at(-1)?.content.includes('retryDelay') === true && bench.double.openStreams > 0 && exams.progress?.done === 4,
      ),
    );
    assert.throws(() => exams.run('good'), { code: 'exam' });
    exams.cancel();
    assert.deepEqual({ state: (await over).state, done: (await over).done }, { state: 'cancelled', done: 4 });
    release();
    assert.deepEqual(readdirSync(temporary), []);

    bench.double.onChat((request) => right(turnOf(request)));
    const before = requests().length;
    const again = await bench.examine('good');
    assert.ok(
      requests()
        .slice(before)
        .every(({ messages }) => !messages.some(({ content }) => content.includes('notes.txt'))),
    );
    assert.deepEqual(untimed(again), untimed(whole));
  });

  it('reports its progress, and keeps what is done when the server stops', async () => {
    const states: string[] = [];
    const exams = bench.exams();
    exams.onDidChange(({ state, done, of }) => states.push(`${state} ${done}/${of}`));
    bench.double.onChat((request) => {
      const turn = turnOf(request);
      return turn.task === 'patch' ? [{ error: 'llama runner process no longer running' }] : right(turn);
    });
    const { state, message } = await exams.run('good');
    assert.equal(state, 'failed');
    assert.match(message ?? '', /stopped unexpectedly/);
    assert.deepEqual(states, ['running 0/13', 'running 1/13', 'running 2/13', 'running 3/13', 'failed 3/13']);
    assert.equal([...bench.store.kept.values()][0]?.tasks.length, 3);
  });

  it('fails for an unknown model', async () => {
    assert.equal((await bench.exams().run('nobody')).state, 'failed');
  });
});

function untimed({ tasks, window, version }: ModelExam): unknown {
  return { tasks: tasks.map((task) => ({ ...task, answerMs: 0 })), window, version };
}
