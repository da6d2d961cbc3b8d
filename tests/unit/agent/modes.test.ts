import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { selectTodos } from '../../../src/protocol/timeline';
import { hold } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';
import { until } from '../../support/until';

interface Sent {
  model: string;
  messages: { role: string; content: string }[];
  tools?: { function: { name: string } }[];
}

describe('modes', () => {
  let bench: AgentBench;
  const start = async (options: BenchOptions = {}): Promise<AgentBench> => (bench = await AgentBench.start(options));
  afterEach(() => bench.stop());

  const sent = (): Sent[] => bench.chats() as unknown as Sent[];
  const toolsOf = (index: number): string[] => (sent()[index]?.tools ?? []).map((tool) => tool.function.name);
  const entries = async (sessionId: string) => (await bench.database.log.read(sessionId, 0)).entries;

  /** Resolves when the first request has reached the server. */
  const asked = (): Promise<void> => until(() => bench.chats().length > 0);

  describe('Plan', () => {
    const planned = async (): Promise<{ sessionId: string; seq: number }> => {
      bench.double.script.push('I have looked.\n\n## Plan\n1. Write a.txt\n2. Write b.txt');
      const sessionId = await bench.ask('Add two files', { mode: 'plan' });
      const plan = (await entries(sessionId)).find(({ type }) => type === 'plan');
      return { sessionId, seq: plan?.seq ?? 0 };
    };

    it('has the tools that read and the one that asks, and ends in a plan of steps', async () => {
      await start({ settings: { 'planMode.temperature': 0.9 } });
      const { sessionId } = await planned();
      assert.deepEqual(toolsOf(0), ['read_file', 'list_files', 'search_workspace', 'ask_user']);
      assert.equal((bench.chats()[0]?.['options'] as { temperature: number }).temperature, 0.9);
      assert.deepEqual((await bench.seen(sessionId)).slice(-2), ['plan: Write a.txt | Write b.txt', '= done']);
    });

    it('is carried out in Agent mode: steps are ticked, and all that is done belongs to its step', async () => {
      await start();
      const { sessionId, seq } = await planned();
      const create = (path: string) => ({ call: { name: 'create_file', arguments: { path, content: 'x' } } });
      const tick = (step: number) => ({ call: { name: 'complete_step', arguments: { step } } });
      bench.double.script.push([create('a.txt')], [tick(1)], [create('b.txt')], [tick(2)], 'Both are there. [TASK_COMPLETE]');
      await bench.controller.startPlan({ sessionId, seq, model: 'worker' });
      await bench.over(sessionId);
      const timeline = bench.view.timeline(sessionId, false);
      assert.deepEqual(
        selectTodos(timeline).map(({ text, state }) => `${state}: ${text}`),
        ['completed: Write a.txt', 'completed: Write b.txt'],
      );
      assert.deepEqual([toolsOf(1).includes('complete_step'), toolsOf(1).includes('update_todos')], [true, false]);
      const plan = (await entries(sessionId)).find((entry) => entry.type === 'plan');
      const [first = '', second = ''] = plan?.data.items.map(({ id }) => id) ?? [];
      const edits = (await entries(sessionId)).filter((entry) => entry.type === 'file_edit');
      assert.deepEqual(
        edits.map(({ data, planItemId }) => [data.path, planItemId]),
        [
          ['a.txt', first],
          ['b.txt', second],
        ],
      );
      assert.deepEqual((await bench.database.queries.ofPlanItem(sessionId, second)).map(({ type }) => type).slice(0, 2), [
        'tool_call',
        'file_edit',
      ]);
    });

    it('asks once about steps that are not ticked', async () => {
      await start();
      const { sessionId, seq } = await planned();
      bench.double.script.push('All done. [TASK_COMPLETE]', 'The second makes no sense. [TASK_COMPLETE]');
      await bench.controller.startPlan({ sessionId, seq, model: 'worker' });
      await bench.over(sessionId);
      assert.equal(sent().length, 3);
      assert.match(sent()[2]?.messages.at(-1)?.content ?? '', /step 1, 2 of the plan/);
      assert.equal(selectTodos(bench.view.timeline(sessionId, false)).filter(({ state }) => state === 'completed').length, 0);
    });
  });

  describe('Edit', () => {
    const edit = async (text: string, file = 'a.txt') => {
      const content = await readFile(bench.file(file), 'utf8');
      const attachments = [{ kind: 'selection', path: file, startLine: 1, endLine: 1, content } as const];
      const message = { sessionId: null, text, mode: 'edit', model: 'worker' } as const;
      const { sessionId } = await bench.controller.send({ ...message, attachments: [...attachments] });
      await bench.over(sessionId);
      return sessionId;
    };
    const replace = (path: string) => ({
      call: { name: 'replace_in_file', arguments: { path, oldText: 'alpha', newText: 'omega' } },
    });

    it('changes the attached file, and the change waits for review', async () => {
      await start();
      await writeFile(bench.file('a.txt'), 'alpha\n');
      bench.double.script.push([replace('a.txt')], 'Renamed it. [TASK_COMPLETE]');
      const sessionId = await edit('Rename it');
      assert.deepEqual(toolsOf(0), ['read_file', 'replace_in_file', 'write_file']);
      assert.equal(await readFile(bench.file('a.txt'), 'utf8'), 'omega\n');
      assert.deepEqual(
        (await bench.changes.list(sessionId)).map((file) => path.basename(file.path)),
        ['a.txt'],
      );
    });

    it('neither reads nor changes any other file', async () => {
      await start();
      await writeFile(bench.file('a.txt'), 'alpha\n');
      await writeFile(bench.file('b.txt'), 'alpha\n');
      const read = { call: { name: 'read_file', arguments: { file: './b.txt' } } };
      bench.double.script.push([replace('b.txt')], [read], 'I may not. [TASK_COMPLETE]');
      const sessionId = await edit('Rename it');
      assert.equal(await readFile(bench.file('b.txt'), 'utf8'), 'alpha\n');
      const results = (await entries(sessionId)).filter((entry) => entry.type === 'tool_result');
      assert.deepEqual(
        results.map(({ data }) => data.status),
        ['denied', 'denied'],
      );
      assert.match(results[0]?.content ?? '', /Only these files may be read and changed here: a\.txt/);
    });

    it('changes the selected lines and no others, as they move with its own edits, in later runs too', async () => {
      await start();
      await writeFile(bench.file('a.txt'), 'one\nalpha\nbeta\nlast\n');
      const put = (oldText: string, newText: string) => ({
        call: { name: 'replace_in_file', arguments: { path: 'a.txt', oldText, newText } },
      });
      const write = (content: string) => ({ call: { name: 'write_file', arguments: { path: 'a.txt', content } } });
      bench.double.script.push(
        [put('alpha', 'alpha\nnew\nnewer')],
        [put('newer', 'newest')],
        [put('last', 'end')],
        [write('first\nalpha\nnew\nnewest\nbeta\nlast\n')],
        'Done. [TASK_COMPLETE]',
        [put('beta', 'gamma')],
        [put('one', 'zero')],
        'Done. [TASK_COMPLETE]',
      );
      const selection = { kind: 'selection', path: 'a.txt', startLine: 2, endLine: 3, content: 'alpha\nbeta' } as const;
      const sessionId = await bench.ask('More of it', { mode: 'edit', attachments: [selection] });
      await bench.ask('And now?', { mode: 'edit', sessionId });
      assert.equal(await readFile(bench.file('a.txt'), 'utf8'), 'one\nalpha\nnew\nnewest\ngamma\nlast\n');
      const results = (await entries(sessionId)).filter((entry) => entry.type === 'tool_result');
      assert.deepEqual(
        results.map(({ data }) => data.status),
        ['success', 'success', 'denied', 'denied', 'success', 'denied'],
      );
      assert.match(results[2]?.content ?? '', /only lines 2 to 5 of a\.txt may change here/);
    });

    it('changes all of a file that is attached as a whole beside lines of it', async () => {
      await start();
      await writeFile(bench.file('a.txt'), 'one\nalpha\n');
      bench.double.script.push([replace('a.txt')], 'Done. [TASK_COMPLETE]');
      const lines = { kind: 'selection', path: 'a.txt', startLine: 1, endLine: 1, content: 'one' } as const;
      await bench.ask('Rename it', {
        mode: 'edit',
        attachments: [lines, { kind: 'file', path: 'a.txt', content: 'one\nalpha' }],
      });
      assert.equal(await readFile(bench.file('a.txt'), 'utf8'), 'one\nomega\n');
    });

    it('says what it needs where nothing is attached', async () => {
      await start();
      const sessionId = await bench.ask('Rename it', { mode: 'edit' });
      assert.match((await bench.seen(sessionId)).join('\n'), /error nothingToEdit.*Attach the files to change/);
      assert.equal(sent().length, 0);
    });
  });

  describe('a message written during a run', () => {
    it('is put in at the next step, and the run goes on', async () => {
      await start();
      await writeFile(bench.file('a.txt'), 'alpha');
      const held = hold();
      bench.double.script.push([held.step, { call: { name: 'read_file', arguments: { path: 'a.txt' } } }], 'In English, then.');
      const sessionId = await bench.send('Read a.txt');
      await asked();
      await bench.controller.enqueue({ sessionId, text: 'Answer in English', mode: 'agent', model: 'worker' });
      held.release();
      await bench.over(sessionId);
      assert.deepEqual(await bench.seen(sessionId), [
        ...['you: Read a.txt', 'read_file a.txt [done] 1 line', '= done'],
        ...['you: Answer in English', 'text (complete): In English, then.', '= done'],
      ]);
      const last = sent().at(-1)?.messages ?? [];
      assert.deepEqual([sent().length, last.at(-1)], [2, { role: 'user', content: 'Answer in English' }]);
      const ends = (await entries(sessionId)).filter(({ type }) => type === 'run_end');
      assert.equal(ends.length, 1);
    });

    it('waits for the end where it is for another mode', async () => {
      await start();
      await writeFile(bench.file('a.txt'), 'alpha');
      const held = hold();
      bench.double.script.push(
        [held.step, { call: { name: 'read_file', arguments: { path: 'a.txt' } } }],
        'It says alpha.',
        'Why not.',
      );
      const sessionId = await bench.send('Read a.txt');
      await asked();
      await bench.controller.enqueue({ sessionId, text: 'Why?', mode: 'ask', model: 'worker' });
      held.release();
      while ((await bench.database.queued.list(sessionId)).length > 0) await bench.over(sessionId);
      await bench.over(sessionId);
      assert.deepEqual((await bench.seen(sessionId)).slice(2, 5), ['text (complete): It says alpha.', '= done', 'you: Why?']);
    });

    it('can be answered by another model, which is chosen between two steps', async () => {
      const capabilities = ['completion', 'tools'] as const;
      await start({ models: ['worker', 'other'].map((name) => ({ name, capabilities: [...capabilities] })) });
      await writeFile(bench.file('a.txt'), 'alpha');
      const held = hold();
      bench.double.script.push([held.step, { call: { name: 'read_file', arguments: { path: 'a.txt' } } }], 'It says alpha.');
      const sessionId = await bench.send('Read a.txt');
      await asked();
      await bench.controller.changeModel(sessionId, 'other');
      held.release();
      await bench.over(sessionId);
      assert.deepEqual(
        sent().map(({ model }) => model),
        ['worker:latest', 'other:latest'],
      );
    });
  });

  describe('an exploration', () => {
    const explore = { call: { name: 'run_subagent', arguments: { task: 'What is in a.txt?' } } };
    const read = { call: { name: 'read_file', arguments: { path: 'a.txt' } } };
    const models = ['worker', 'scout'].map((name) => ({
      name,
      capabilities: ['completion', 'tools'] as ('completion' | 'tools')[],
      contextLength: 32_768,
    }));

    it('takes the model of the session before the one of the settings', async () => {
      await start({ models, settings: { 'agent.loadTools': false, 'agent.explorerModel': 'worker' } });
      bench.double.script.push([explore], 'Nothing is in it.', 'Nothing. [TASK_COMPLETE]');
      const session = { title: '', mode: 'agent', model: 'worker:latest', projectPath: null, explorer_model: 'scout' } as const;
      const { id } = await bench.database.sessions.create(session);
      await bench.ask('Look', { sessionId: id });
      const first = sent().map(({ model }) => model);
      await bench.database.sessions.update(id, { explorer_model: null });
      bench.double.script.push([explore], 'Nothing is in it.', 'Nothing. [TASK_COMPLETE]');
      await bench.ask('Look again', { sessionId: id });
      assert.deepEqual(
        [first, sent().map(({ model }) => model)],
        [
          ['worker:latest', 'scout:latest', 'worker:latest'],
          ['worker:latest', 'scout:latest', 'worker:latest', 'worker:latest', 'worker:latest', 'worker:latest'],
        ],
      );
    });

    it('takes the model that asks where none is set', async () => {
      await start({ models, settings: { 'agent.loadTools': false, 'agent.explorerModel': '' } });
      bench.double.script.push([explore], 'Nothing is in it.', 'Nothing. [TASK_COMPLETE]');
      await bench.ask('Look');
      assert.deepEqual(
        sent().map(({ model }) => model),
        ['worker:latest', 'worker:latest', 'worker:latest'],
      );
    });

    it('gives only its report to the conversation, with its own model, and shows its steps', async () => {
      await start({ models, settings: { 'agent.loadTools': false, 'agent.explorerModel': 'scout' } });
      await writeFile(bench.file('a.txt'), 'alpha');
      bench.double.script.push([explore], [read], 'a.txt says alpha.', 'It is alpha. [TASK_COMPLETE]');
      const sessionId = await bench.ask('Look');
      assert.deepEqual(
        sent().map(({ model }) => model),
        ['worker:latest', 'scout:latest', 'scout:latest', 'worker:latest'],
      );
      assert.deepEqual(toolsOf(1).includes('run_subagent') || toolsOf(1).includes('write_file'), false);
      assert.equal(
        sent()[1]?.messages.some(({ content }) => content === 'Look'),
        false,
      );
      const last = sent()[3]?.messages ?? [];
      assert.deepEqual([last.at(-1)?.role, last.at(-1)?.content, last.length], ['tool', 'a.txt says alpha.', 4]);
      const [turn] = bench.view.timeline(sessionId, false).turns;
      const [group] = turn?.blocks.filter((block) => block.kind === 'toolGroup') ?? [];
      assert.deepEqual(
        group?.actions.map(({ name, state, steps }) => [
          name,
          state,
          steps.map((step) => `${step.name} ${step.label} ${step.state}`),
        ]),
        [['run_subagent', 'done', ['read_file a.txt done']]],
      );
    });

    it('ends with Stop', async () => {
      await start({ models, settings: { 'agent.loadTools': false } });
      const held = hold();
      bench.double.script.push([explore], [held.step, 'late']);
      const sessionId = await bench.send('Look');
      await until(() => sent().length >= 2);
      await bench.controller.stop(sessionId);
      held.release();
      assert.match((await bench.seen(sessionId)).join('\n'), /run_subagent .*\[cancelled\].*\n= stopped/);
    });
  });
});
