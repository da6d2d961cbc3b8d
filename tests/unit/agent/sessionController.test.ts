import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { AgentError } from '../../../src/agent/kernel/agentError';
import type { Entry } from '../../../src/protocol/entries';
import { hold } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';
import { until } from '../../support/until';

describe('session controller', () => {
  let bench: AgentBench;
  const start = async (options: BenchOptions = {}): Promise<AgentBench> => (bench = await AgentBench.start(options));
  afterEach(() => bench.stop());

  const refusedWith = (code: string) => (error: unknown) => error instanceof AgentError && error.code === code;
  const kinds = (): string[] => bench.states.map(({ state, activity }) => (activity ? activity.kind : state));

  it('the message is stored before the model is asked, in a session named after it', async () => {
    await start();
    const held = hold();
    bench.double.script.push([held.step, 'Hi.']);
    const sessionId = await bench.send('Add   input\nvalidation to the signup form', { mode: 'ask' });
    const { entries } = await bench.database.log.read(sessionId, 0);
    assert.deepEqual(
      entries.map(({ type, content }) => [type, content]),
      [
        ['checkpoint', ''],
        ['user_input', 'Add   input\nvalidation to the signup form'],
      ],
    );
    const record = await bench.database.sessions.get(sessionId);
    assert.deepEqual(
      [record?.title, record?.mode, record?.model, record?.status],
      ['Add input validation to the signup form', 'ask', 'worker', 'generating'],
    );
    held.release();
    await bench.over(sessionId);
    assert.equal((await bench.database.sessions.get(sessionId))?.status, 'idle');
  });

  it('what is attached is stored with the message and asked with it, the same on each later turn', async () => {
    await start();
    const attachments = [{ kind: 'file' as const, path: 'a.ts', content: 'let a;' }];
    const { sessionId } = await bench.controller.send({
      sessionId: null,
      text: 'Why?',
      mode: 'ask',
      model: 'worker',
      attachments,
    });
    await bench.over(sessionId);
    await bench.ask('And?', { mode: 'ask', sessionId });
    const input = bench.view.entries(sessionId).find(({ type }) => type === 'user_input');
    assert.deepEqual(input?.data, { mode: 'ask', attachments });
    const asked = bench.chats().map(({ messages }) => (messages as { content: string }[])[1]?.content);
    const text = 'Attached file: a.ts\n```\nlet a;\n```\n\nWhy?';
    assert.deepEqual(asked, [text, text]);
  });

  it('a message to a running session is refused and leaves no trace', async () => {
    await start();
    const held = hold();
    bench.double.script.push([held.step, 'Hi.']);
    const sessionId = await bench.send('One', { mode: 'ask' });
    await assert.rejects(bench.send('Two', { mode: 'ask', sessionId }), refusedWith('sessionBusy'));
    held.release();
    await bench.over(sessionId);
    assert.deepEqual(await bench.seen(sessionId), ['you: One', 'text (complete): Hi.', '= done']);
  });

  it('a session that another window runs is refused and shown as running there', async () => {
    await start();
    const sessionId = await bench.ask('One', { mode: 'ask' });
    await bench.database.log.append(sessionId, { type: 'user_input', content: 'Next', data: { mode: 'ask', attachments: [] } });
    const file = new DatabaseSync(bench.databaseFile());
    file.exec(`UPDATE sessions SET owner = 'other window', heartbeat_at = ${Date.now()}, status = 'generating'`);
    await assert.rejects(bench.send('Two', { mode: 'ask', sessionId }), refusedWith('sessionElsewhere'));
    assert.deepEqual(await bench.controller.runState(sessionId), { sessionId, state: 'elsewhere', activity: null });
    file.exec('UPDATE sessions SET heartbeat_at = 1000');
    file.close();
    assert.deepEqual(await bench.controller.runState(sessionId), { sessionId, state: 'interrupted', activity: null });
    await bench.ask('Two', { mode: 'ask', sessionId });
    assert.deepEqual(await bench.seen(sessionId), [
      'you: One',
      'text (complete): OK',
      '= done',
      'you: Next',
      '= interrupted',
      'you: Two',
      'text (complete): OK',
      '= done',
    ]);
  });

  it('Stop keeps what was said, closes the connection and frees the session', async () => {
    await start();
    bench.double.script.push(['Half of', { hold: new Promise(() => undefined) }]);
    const sessionId = await bench.send('Go', { mode: 'ask' });
    await bench.view.waitFor(sessionId, (entry) => entry.type === 'assistant_output' && entry.content === 'Half of');
    await bench.controller.stop(sessionId);
    assert.deepEqual(await bench.seen(sessionId), ['you: Go', 'text (stopped): Half of', '= stopped']);
    await bench.double.until(() => bench.double.openStreams === 0);
    assert.equal(bench.double.aborted.length, 1);
    assert.deepEqual(await bench.controller.runState(sessionId), { sessionId, state: 'idle', activity: null });
    await bench.ask('Again', { mode: 'ask', sessionId });
    assert.deepEqual((await bench.seen(sessionId)).slice(3), ['you: Again', 'text (complete): OK', '= done']);
  });

  it('Stop settles a question that waits and runs nothing', async () => {
    await start();
    bench.double.script.push([{ call: { name: 'run_terminal_command', arguments: { command: 'echo x > made.txt' } } }]);
    const sessionId = await bench.send('Go');
    const { data } = await bench.question(sessionId);
    await bench.waitForActivity('waitingForApproval');
    assert.equal((await bench.database.sessions.get(sessionId))?.status, 'waiting_input');
    await bench.controller.stop(sessionId);
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Go',
      'run_terminal_command echo x > made.txt [cancelled]',
      'approve command echo x > made.txt [cancelled] medium',
      '= stopped',
    ]);
    await assert.rejects(bench.controller.decideApproval(sessionId, data.approvalId, true), refusedWith('approvalGone'));
    await assert.rejects(readFile(bench.file('made.txt')));
  });

  it('Stop ends a command that would never end, and keeps its output', async () => {
    await start();
    bench.double.script.push([
      { call: { name: 'run_terminal_command', arguments: { command: 'echo begun; touch begun; sleep 600' } } },
    ]);
    const sessionId = await bench.send('Go');
    const { data } = await bench.question(sessionId);
    await bench.controller.decideApproval(sessionId, data.approvalId, true);
    await until(() => existsSync(bench.file('begun')));
    await bench.controller.stop(sessionId);
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Go',
      'run_terminal_command echo begun; touch begun; sleep 600 [cancelled] stopped',
      'approve command echo begun; touch begun; sleep 600 [approved] medium',
      '= stopped',
    ]);
    const result = bench.view.entries(sessionId).find((entry) => entry.type === 'tool_result');
    assert.equal(result?.content, 'The user stopped the command. Output so far:\nbegun');
  });

  it('Retry answers the last message again and sends no half answer back', async () => {
    await start();
    bench.double.script.push(['Half a', { end: true }], 'Whole.');
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    await bench.controller.retry(sessionId);
    await bench.over(sessionId);
    assert.deepEqual(await bench.seen(sessionId), ['you: Go', 'text (incomplete): Half a', 'text (complete): Whole.', '= done']);
    const [first, second] = bench.chats();
    assert.deepEqual(second, first);
  });

  it('a first message that cannot be stored leaves no session behind', async () => {
    await start();
    const file = new DatabaseSync(bench.databaseFile());
    file.exec(`CREATE TRIGGER full BEFORE INSERT ON messages BEGIN SELECT raise(ABORT, 'no room'); END`);
    file.close();
    await assert.rejects(bench.send('Go', { mode: 'ask' }));
    assert.deepEqual(await bench.database.sessions.list({ offset: 0, limit: 10 }), {
      sessions: [],
      hasMore: false,
      nextOffset: null,
    });
  });

  it('a question is asked and answered though its state cannot be stored', async () => {
    await start();
    const file = new DatabaseSync(bench.databaseFile());
    file.exec(
      `CREATE TRIGGER stuck BEFORE UPDATE OF status ON sessions WHEN new.status = 'waiting_input'
       BEGIN SELECT raise(ABORT, 'no'); END`,
    );
    file.close();
    bench.double.script.push([{ call: { name: 'run_terminal_command', arguments: { command: 'echo hi' } } }], 'Done.');
    const sessionId = await bench.send('Go');
    const { data } = await bench.question(sessionId);
    await bench.controller.decideApproval(sessionId, data.approvalId, true);
    await bench.over(sessionId);
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Go',
      'run_terminal_command echo hi [done] exit code 0',
      'approve command echo hi [approved] low',
      'text (complete): Done.',
      '= done',
    ]);
  });

  it('Retry takes the model that the picker shows, also where no setting names it', async () => {
    await start({ models: [{ name: 'other', capabilities: ['completion'] as const }] });
    bench.double.script.push('Here I am.');
    const sessionId = await bench.ask('Go', { mode: 'ask', model: 'gone' });
    await bench.controller.retry(sessionId, 'other');
    await bench.over(sessionId);
    assert.equal((await bench.database.sessions.get(sessionId))?.model, 'other');
    assert.equal(bench.chats().at(-1)?.['model'], 'other:latest');
  });

  it('Retry takes the model that is selected now', async () => {
    const models = [
      { name: 'worker', capabilities: ['completion'] as const },
      { name: 'other', capabilities: ['completion'] as const },
    ];
    const settings: Record<string, unknown> = {};
    await start({ models, settings });
    const sessionId = await bench.ask('Go', { mode: 'ask', model: 'gone' });
    settings['askMode.model'] = 'other';
    const error =
      'error modelNotFound {pullModel, selectModel, retry}: The model “gone” is not installed on the Ollama server. Pull it, or choose another model.';
    assert.ok((await bench.seen(sessionId)).includes(error));
    await bench.controller.retry(sessionId);
    await bench.over(sessionId);
    assert.deepEqual(await bench.seen(sessionId), ['you: Go', 'text (complete): OK', '= done']);
    assert.equal((await bench.database.sessions.get(sessionId))?.model, 'other');
  });

  it('a model that the server has lost leaves the list with the first message that fails for it', async () => {
    await start();
    await bench.models.refresh();
    const lost = bench.double.registry.find('worker') ?? assert.fail('no such model');
    bench.double.registry.remove(lost);
    const listed = new Promise<string[]>((resolve) =>
      bench.models.onDidChange(({ models }) => resolve(models.map(({ name }) => name))),
    );
    await bench.ask('Go', { mode: 'ask' });
    assert.equal((await listed).includes('worker:latest'), false);
  });

  it('more sessions than allowed wait in line, visibly, and can be stopped there', async () => {
    await start();
    const held = hold();
    bench.double.script.push([held.step, 'First.'], 'Third.');
    const first = await bench.send('One', { mode: 'ask' });
    const second = await bench.send('Two', { mode: 'ask' });
    const third = await bench.send('Three', { mode: 'ask' });
    assert.deepEqual(await bench.controller.runState(second), {
      sessionId: second,
      state: 'queued',
      activity: { kind: 'queued', position: 1, behind: [first] },
    });
    assert.deepEqual(await bench.controller.runState(third), {
      sessionId: third,
      state: 'queued',
      activity: { kind: 'queued', position: 2, behind: [first, second] },
    });
    await bench.controller.stop(second);
    assert.deepEqual((await bench.controller.runState(third)).activity, { kind: 'queued', position: 1, behind: [first] });
    held.release();
    await bench.over(first);
    await bench.over(third);
    assert.deepEqual(await Promise.all([first, second, third].map((id) => bench.seen(id))), [
      ['you: One', 'text (complete): First.', '= done'],
      ['you: Two', '= stopped'],
      ['you: Three', 'text (complete): Third.', '= done'],
    ]);
  });

  it('closing the window ends every run as interrupted and leaves no session running', async () => {
    await start({ settings: { 'agent.maxActiveSessions': 2 } });
    bench.double.onChat(() => ['Half', { hold: new Promise(() => undefined) }]);
    const ids = [await bench.send('One', { mode: 'ask' }), await bench.send('Two', { mode: 'agent' })];
    // The server processes one request at a time, in an unknown order.
    const isHalf = (entry: Entry): boolean => entry.type === 'assistant_output' && entry.content === 'Half';
    await Promise.race(ids.map((id) => bench.view.waitFor(id, isHalf)));
    await bench.controller.dispose();
    for (const id of ids) {
      const entries = bench.view.entries(id);
      const last = entries.at(-1);
      assert.deepEqual(last?.type === 'run_end' && last.data.outcome, 'interrupted');
      assert.equal((await bench.database.sessions.get(id))?.status, 'idle');
    }
    await assert.rejects(bench.send('Three', { mode: 'ask' }), refusedWith('disposed'));
  });

  it('a command that waits for approval when the window closes was not run, and says why', async () => {
    await start();
    bench.double.script.push([{ call: { name: 'run_terminal_command', arguments: { command: 'echo x > made.txt' } } }]);
    const sessionId = await bench.send('Go');
    await bench.question(sessionId);
    await bench.waitForActivity('waitingForApproval');
    await bench.controller.dispose();
    const result = bench.view.entries(sessionId).find((entry) => entry.type === 'tool_result');
    assert.equal(result?.content, 'Not run: the window closed.');
    assert.deepEqual([result.data.summary, result.data.details], ['the window closed', { notRun: true }]);
  });

  const endings = [
    { title: 'the window closes', end: () => bench.controller.dispose(), told: 'Not run: the window closed.' },
    {
      title: 'the person stops the run',
      end: (sessionId: string) => bench.controller.stop(sessionId),
      told: 'Not run: the user stopped the run before it began.',
    },
  ];
  for (const { title, end, told } of endings) {
    it(`a call after the one under way was not run, and says why, when ${title}`, async () => {
      await start();
      const call = (command: string) => ({ call: { name: 'run_terminal_command', arguments: { command } } });
      bench.double.script.push([call('echo x > made.txt'), call('echo y > made.txt')]);
      const sessionId = await bench.send('Go');
      await bench.question(sessionId);
      await bench.waitForActivity('waitingForApproval');
      await end(sessionId);
      const results = bench.view.entries(sessionId).filter((entry) => entry.type === 'tool_result');
      assert.deepEqual(
        results.map(({ content }) => content),
        [told, told],
      );
      assert.deepEqual(results[1]?.data.summary, results[0]?.data.summary);
    });

    it(`a call of an answer that is still being written was not run, and says why, when ${title}`, async () => {
      await start();
      bench.double.script.push([{ call: { name: 'list_files', arguments: {} } }, 'More', { hold: new Promise(() => undefined) }]);
      const sessionId = await bench.send('Go');
      await bench.view.waitFor(sessionId, ({ type }) => type === 'tool_call');
      await end(sessionId);
      const result = bench.view.entries(sessionId).find(({ type }) => type === 'tool_result');
      assert.equal(result?.content, told);
    });
  }

  it('without any model the person is told to choose one', async () => {
    await start({ models: [] });
    const sessionId = await bench.ask('Go', { mode: 'ask', model: null });
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Go',
      'error noModel {selectModel, retry}: No model is selected. Choose a model, then try again.',
      '= failed',
    ]);
    assert.equal((await bench.database.sessions.get(sessionId))?.status, 'error');
  });

  it('where no model has been seen yet the server is asked for them', async () => {
    await start();
    bench.double.script.push('An answer.');
    const sessionId = await bench.ask('Go', { mode: 'ask', model: null });
    assert.deepEqual(await bench.seen(sessionId), ['you: Go', 'text (complete): An answer.', '= done']);
  });

  it('a store that fails in mid-run is reported, and the run ends', async () => {
    await start();
    const held = hold();
    bench.double.script.push(['Half', held.step, ' more']);
    const sessionId = await bench.send('Go', { mode: 'ask' });
    await bench.view.waitFor(sessionId, (entry) => entry.type === 'assistant_output' && entry.content === 'Half');
    await bench.database.dispose();
    held.release();
    await bench.idle(sessionId);
    assert.deepEqual(bench.problems, ['The chat history is not available. Reload the window, then try again.']);
  });

  it('says what the run is doing: connecting, loading or reading, answering, a tool, a question', async () => {
    const loading = hold();
    await start({ models: [{ name: 'worker', capabilities: ['completion', 'tools'], loading: loading.step.hold }] });
    await writeFile(bench.file('a.txt'), 'alpha');
    bench.double.script.push([{ wait: 200 }, { call: { name: 'read_file', arguments: { path: 'a.txt' } } }], 'Done.');
    const sessionId = await bench.send('Go');
    await bench.waitForActivity('loading');
    loading.release();
    await bench.over(sessionId);
    const seen = kinds().filter((kind, index, all) => kind !== all[index - 1]);
    assert.equal(seen.includes('loading') || seen.includes('reading'), true);
    assert.deepEqual(
      seen.filter((kind) => !['loading', 'reading'].includes(kind)),
      ['running', 'connecting', 'answering', 'tool', 'connecting', 'answering', 'idle'],
    );
  });
});
