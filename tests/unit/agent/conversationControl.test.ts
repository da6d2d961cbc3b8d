import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { AgentError } from '../../../src/agent/kernel/agentError';
import { reduceTimeline } from '../../../src/protocol/reducer/timelineReducer';
import { hold } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';
import { outline } from './support/outline';
import { until } from '../../support/until';

interface Message {
  role: string;
  content: string;
}

describe('control of a conversation', () => {
  let bench: AgentBench;
  const start = async (options: BenchOptions = {}): Promise<AgentBench> => (bench = await AgentBench.start(options));
  afterEach(() => bench.stop());

  const refusedWith = (code: string) => (error: unknown) => error instanceof AgentError && error.code === code;

  it('Continue goes on with a partial answer in the same words and article', async () => {
    await start({ models: [{ name: 'worker', capabilities: ['completion', 'thinking'] }] });
    bench.double.script.push([{ thinking: 'Hm' }, 'Half of', { end: true }], 'the way.', 'Next.');
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    assert.deepEqual((await bench.seen(sessionId)).slice(2, 3), ['text (incomplete): Half of']);
    await bench.controller.continueRun(sessionId);
    await bench.over(sessionId);
    assert.deepEqual(await bench.seen(sessionId), ['you: Go', 'thinking: Hm', 'text (complete): Half of the way.', '= done']);
    await bench.ask('More', { mode: 'ask', sessionId });
    const [first, second, third] = bench.chats().map(({ messages, think }) => ({ messages: messages as Message[], think }));
    assert.deepEqual([first?.think, second?.think, third?.think], [true, false, true]);
    assert.deepEqual(second?.messages.slice(0, -1), [...(first?.messages ?? []), { role: 'assistant', content: 'Half of' }]);
    assert.match(second?.messages.at(-1)?.content ?? '', /exactly where it stopped/);
    assert.deepEqual(third?.messages.slice(1), [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'Half of the way.' },
      { role: 'user', content: 'More' },
    ]);
  });

  it('Continue after the last step allowed goes on with the next', async () => {
    await start({ settings: { 'agent.maxIterations': 1 } });
    await writeFile(bench.file('a.txt'), 'alpha');
    bench.double.script.push([{ call: { name: 'read_file', arguments: { path: 'a.txt' } } }], 'It says alpha.');
    const sessionId = await bench.ask('Go');
    assert.deepEqual((await bench.seen(sessionId)).at(-1), '= limit');
    assert.equal((await bench.database.sessions.get(sessionId))?.status, 'paused');
    await bench.controller.continueRun(sessionId);
    await bench.over(sessionId);
    assert.equal((await bench.database.sessions.get(sessionId))?.status, 'idle');
    assert.deepEqual((await bench.seen(sessionId)).slice(2), ['text (complete): It says alpha.', '= done']);
    assert.equal((bench.chats()[1]?.['messages'] as Message[]).at(-1)?.role, 'tool');
  });

  it('a run that had ended when its window died is no interrupted one', async () => {
    await start();
    bench.double.script.push('All of it.');
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    const file = new DatabaseSync(bench.databaseFile());
    file.exec(`UPDATE sessions SET status = 'generating', owner = 'gone#1#window', heartbeat_at = 0`);
    file.close();
    assert.equal((await bench.controller.runState(sessionId)).state, 'idle');
    bench.double.script.push('More of it.');
    await bench.ask('On', { mode: 'ask', sessionId });
    assert.deepEqual((await bench.seen(sessionId)).slice(-2), ['text (complete): More of it.', '= done']);
  });

  it('Continue goes on after a window that died in mid-answer', async () => {
    await start();
    bench.double.script.push('Half of', 'the way.');
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    const file = new DatabaseSync(bench.databaseFile());
    file.exec(`UPDATE messages SET is_open = 1, data = '{}' WHERE type = 'assistant_output'`);
    file.exec(`DELETE FROM messages WHERE type = 'run_end'`);
    file.exec(`UPDATE sessions SET owner = 'dead', heartbeat_at = 1000, status = 'generating'`);
    file.close();
    const shown = async () => outline(reduceTimeline((await bench.database.log.read(sessionId, 0)).entries, { isLive: false }));
    assert.equal((await bench.controller.runState(sessionId)).state, 'interrupted');
    assert.deepEqual(await shown(), ['you: Go', 'text (incomplete): Half of', '= interrupted']);
    await bench.controller.continueRun(sessionId);
    await bench.over(sessionId);
    assert.deepEqual(await shown(), ['you: Go', 'text (complete): Half of the way.', '= done']);
  });

  describe('Edit and resend', () => {
    it('takes the message and what followed out of the conversation and keeps both in the log', async () => {
      await start();
      bench.double.script.push('One.', 'Two.', 'Other.');
      const sessionId = await bench.ask('First', { mode: 'ask' });
      await bench.ask('Second', { mode: 'ask', sessionId });
      const seq = bench.view.timeline(sessionId, false).turns[1]?.seq ?? 0;
      await bench.controller.resend({ sessionId, seq, text: 'Second, better', mode: 'ask', model: 'worker' });
      await bench.over(sessionId);
      assert.deepEqual(await bench.seen(sessionId), [
        ...['you: First', 'text (complete): One.', '= done'],
        ...['you: Second, better', 'text (complete): Other.', '= done'],
      ]);
      assert.deepEqual((bench.chats()[2]?.['messages'] as Message[]).slice(1), [
        { role: 'user', content: 'First' },
        { role: 'assistant', content: 'One.' },
        { role: 'user', content: 'Second, better' },
      ]);
      const { entries } = await bench.database.log.read(sessionId, 0);
      assert.equal(entries.filter(({ content }) => content === 'Second' || content === 'Two.').length, 2);
    });

    it('keeps the time of a message that is said again, and not of other words', async () => {
      await start();
      const sessionId = await bench.ask('Go', { mode: 'ask' });
      const first = bench.view.timeline(sessionId, false).turns[0]?.user?.timestamp ?? 0;
      for (const [text, isSame] of [
        ['Go', true],
        ['Go', true],
        ['Stay', false],
      ] as const) {
        await until(() => Date.now() > first);
        const seq = bench.view.timeline(sessionId, false).turns[0]?.seq ?? 0;
        await bench.controller.resend({ sessionId, seq, text, mode: 'ask', model: 'worker' });
        await bench.over(sessionId);
        const { user, timestamp } = bench.view.timeline(sessionId, false).turns[0] ?? {};
        assert.deepEqual([user?.text, user?.timestamp === first, timestamp === first], [text, isSame, false]);
      }
    });

    it('keeps the attachments of the message', async () => {
      await start();
      const attachments = [{ kind: 'file' as const, path: 'a.txt' }];
      const { id: sessionId } = await bench.database.sessions.create({ mode: 'ask', model: null, title: '', projectPath: null });
      await bench.database.log.append(sessionId, { type: 'user_input', content: 'Look', data: { mode: 'ask', attachments } });
      await bench.controller.resend({ sessionId, seq: 1, text: 'Look well', mode: 'ask', model: 'worker' });
      await bench.over(sessionId);
      const { user } = bench.view.timeline(sessionId, false).turns[0] ?? {};
      assert.deepEqual([user?.text, user?.attachments], ['Look well', attachments]);
    });

    it('leaves files as the agent has made them, to be kept or undone still', async () => {
      await start();
      await writeFile(bench.file('a.txt'), 'alpha\n');
      const edit = { call: { name: 'write_file', arguments: { path: 'a.txt', content: 'beta\n' } } };
      bench.double.script.push([edit], 'Written.', 'Instead.');
      const sessionId = await bench.ask('Write beta');
      const pending = async () => (await bench.changes.list(sessionId)).map(({ shown, status }) => [shown, status]);
      const before = await pending();
      assert.deepEqual(before, [['a.txt', 'modified']]);
      const seq = bench.view.timeline(sessionId, false).turns[0]?.seq ?? 0;
      await bench.controller.resend({ sessionId, seq, text: 'What is in it?', mode: 'agent', model: 'worker' });
      await bench.over(sessionId);
      assert.deepEqual(await bench.seen(sessionId), ['you: What is in it?', 'text (complete): Instead.', '= done']);
      assert.equal(await readFile(bench.file('a.txt'), 'utf8'), 'beta\n');
      assert.deepEqual(await pending(), before);
      await bench.changes.undo(sessionId, null);
      assert.equal(await readFile(bench.file('a.txt'), 'utf8'), 'alpha\n');
    });

    it('stops the run first', async () => {
      await start();
      bench.double.script.push(['Half', { hold: new Promise(() => undefined) }], 'Whole.');
      const sessionId = await bench.send('Go', { mode: 'ask' });
      await bench.view.waitFor(sessionId, (entry) => entry.type === 'assistant_output' && entry.content === 'Half');
      await bench.controller.resend({ sessionId, seq: 2, text: 'Go on', mode: 'ask', model: 'worker' });
      await bench.over(sessionId);
      assert.deepEqual(await bench.seen(sessionId), ['you: Go on', 'text (complete): Whole.', '= done']);
    });

    it('is refused for what is no message of the conversation, and then nothing is stopped or changed', async () => {
      await start();
      const held = hold();
      bench.double.script.push([held.step, 'Hi.']);
      const sessionId = await bench.send('Go', { mode: 'ask' });
      await assert.rejects(
        bench.controller.resend({ sessionId, seq: 7, text: 'x', mode: 'ask', model: null }),
        refusedWith('messageGone'),
      );
      held.release();
      await bench.over(sessionId);
      assert.deepEqual(await bench.seen(sessionId), ['you: Go', 'text (complete): Hi.', '= done']);
    });

    it('loses nothing when it cannot be stored', async () => {
      await start();
      const sessionId = await bench.ask('Go', { mode: 'ask' });
      const file = new DatabaseSync(bench.databaseFile());
      file.exec(
        `CREATE TRIGGER full BEFORE INSERT ON messages WHEN new.type = 'user_input' BEGIN SELECT raise(ABORT, 'no room'); END`,
      );
      file.close();
      await assert.rejects(bench.controller.resend({ sessionId, seq: 1, text: 'x', mode: 'ask', model: null }));
      assert.deepEqual(await bench.seen(sessionId), ['you: Go', 'text (complete): OK', '= done']);
      assert.equal((await bench.database.sessions.get(sessionId))?.status, 'idle');
    });
  });

  describe('a queue', () => {
    const add = (sessionId: string, text: string) => bench.controller.enqueue({ sessionId, text, mode: 'ask', model: 'worker' });
    const waiting = async (sessionId: string) => (await bench.database.queued.list(sessionId)).map(({ text }) => text);
    const begin = async (...rest: string[]) => {
      await start();
      const held = hold();
      bench.double.script.push([held.step, 'One.'], ...rest);
      const sessionId = await bench.send('First', { mode: 'ask' });
      await bench.double.until(() => bench.chats().length === 1);
      return { held, sessionId };
    };

    it('is sent in order, one after the other, when the run has done its work', async () => {
      const { held, sessionId } = await begin('Two.', 'Three.');
      const told: string[][] = [];
      bench.database.queued.onDidChange(({ messages }) => told.push(messages.map(({ text }) => text)));
      await add(sessionId, 'Second');
      await add(sessionId, 'Third');
      assert.deepEqual(await waiting(sessionId), ['Second', 'Third']);
      held.release();
      await bench.idle(sessionId);
      assert.deepEqual(await bench.seen(sessionId), [
        ...['you: First', 'text (complete): One.', '= done'],
        ...['you: Second', 'text (complete): Two.', '= done'],
        ...['you: Third', 'text (complete): Three.', '= done'],
      ]);
      assert.deepEqual(told, [['Second'], ['Second', 'Third'], ['Third'], []]);
      assert.equal((await bench.database.sessions.get(sessionId))?.status, 'idle');
    });

    it('stays when the run is stopped, and goes on after the one that is sent by hand', async () => {
      const { sessionId } = await begin('Three.', 'Two.');
      await add(sessionId, 'Second');
      await add(sessionId, 'Third');
      await bench.controller.stop(sessionId);
      assert.deepEqual(await waiting(sessionId), ['Second', 'Third']);
      const [, third] = await bench.database.queued.list(sessionId);
      bench.states.length = 0;
      await bench.controller.sendQueued(sessionId, third?.id ?? '');
      await bench.idle(sessionId);
      assert.deepEqual((await bench.seen(sessionId)).slice(2), [
        ...['you: Third', 'text (complete): Three.', '= done'],
        ...['you: Second', 'text (complete): Two.', '= done'],
      ]);
    });

    it('stays when the run fails', async () => {
      await start();
      const held = hold();
      bench.double.script.push([held.step, 'Half', { end: true }]);
      const sessionId = await bench.send('First', { mode: 'ask' });
      await bench.double.until(() => bench.chats().length === 1);
      await add(sessionId, 'Second');
      held.release();
      await bench.idle(sessionId);
      assert.deepEqual(await waiting(sessionId), ['Second']);
      assert.equal((await bench.seen(sessionId)).at(-1), '= failed');
    });

    it('gives a message to the run at once that is wanted now', async () => {
      const { sessionId } = await begin('Two.');
      await add(sessionId, 'Second');
      const [second] = await bench.database.queued.list(sessionId);
      await bench.controller.sendQueued(sessionId, second?.id ?? '');
      await bench.over(sessionId);
      assert.deepEqual(await bench.seen(sessionId), [
        ...['you: First', '= stopped'],
        ...['you: Second', 'text (complete): Two.', '= done'],
      ]);
    });

    it('does not keep a message that comes when nothing runs any more', async () => {
      await start();
      bench.double.script.push('One.', 'Two.');
      const sessionId = await bench.ask('First', { mode: 'ask' });
      await add(sessionId, 'Second');
      await bench.over(sessionId);
      assert.deepEqual((await bench.seen(sessionId)).slice(3), ['you: Second', 'text (complete): Two.', '= done']);
      assert.deepEqual(await waiting(sessionId), []);
    });

    it('knows nothing of a message that was taken out, and then stops nothing', async () => {
      const { held, sessionId } = await begin();
      await add(sessionId, 'Second');
      const [second] = await bench.database.queued.list(sessionId);
      const id = second?.id ?? '';
      assert.equal((await bench.database.queued.remove(sessionId, id))?.text, 'Second');
      assert.equal(await bench.database.queued.remove(sessionId, id), undefined);
      await assert.rejects(bench.controller.sendQueued(sessionId, id), refusedWith('messageGone'));
      held.release();
      await bench.over(sessionId);
      assert.deepEqual(await bench.seen(sessionId), ['you: First', 'text (complete): One.', '= done']);
    });

    it('keeps what is attached to a message', async () => {
      const { held, sessionId } = await begin('Two.');
      const attachments = [{ kind: 'file' as const, path: 'a.txt', content: 'alpha' }];
      await bench.controller.enqueue({ sessionId, text: 'Second', mode: 'ask', model: 'worker', attachments });
      held.release();
      await bench.idle(sessionId);
      assert.deepEqual(bench.view.timeline(sessionId, false).turns[1]?.user?.attachments, attachments);
    });

    it('waits while the window closes', async () => {
      const { sessionId } = await begin();
      await add(sessionId, 'Second');
      await bench.controller.dispose();
      assert.deepEqual(await waiting(sessionId), ['Second']);
    });

    it('loses no message that cannot be stored in the log', async () => {
      const { held, sessionId } = await begin();
      await add(sessionId, 'Second');
      const file = new DatabaseSync(bench.databaseFile());
      file.exec(
        `CREATE TRIGGER full BEFORE INSERT ON messages WHEN new.type = 'user_input' BEGIN SELECT raise(ABORT, 'no room'); END`,
      );
      file.close();
      held.release();
      await bench.idle(sessionId);
      assert.deepEqual(await waiting(sessionId), ['Second']);
      assert.equal(bench.problems.length, 1);
    });

    it('goes with its session', async () => {
      const { held, sessionId } = await begin();
      await add(sessionId, 'Second');
      await bench.controller.stop(sessionId);
      held.release();
      await bench.database.sessions.delete(sessionId);
      assert.deepEqual(await waiting(sessionId), []);
    });
  });

  it('a session that waits begins as soon as the setting lets more work at a time', async () => {
    const settings: Record<string, unknown> = { 'agent.maxActiveSessions': 1 };
    await start({ settings });
    const held = hold();
    bench.double.script.push(['One', held.step, ' more.'], 'Two.');
    const a = await bench.send('A', { mode: 'ask' });
    await bench.view.waitFor(a, (entry) => entry.content === 'One');
    const b = await bench.send('B', { mode: 'ask' });
    assert.equal((await bench.controller.runState(b)).state, 'queued');
    settings['agent.maxActiveSessions'] = 2;
    bench.controller.settingsChanged();
    await until(async () => (await bench.controller.runState(b)).state === 'running');
    held.release();
    await bench.over(a);
    await bench.over(b);
    assert.deepEqual(await bench.seen(b), ['you: B', 'text (complete): Two.', '= done']);
  });

  it('two sessions stream at once, each into its own log', async () => {
    const models = ['worker', 'other'].map((name) => ({ name, capabilities: ['completion' as const] }));
    await start({ models, settings: { 'agent.maxActiveSessions': 2 } });
    const first = hold();
    const second = hold();
    bench.double.script.push(['One', first.step, ' more.'], ['Two', second.step, ' more.']);
    const a = await bench.send('A', { mode: 'ask' });
    await bench.view.waitFor(a, (entry) => entry.content === 'One');
    const b = await bench.send('B', { mode: 'ask', model: 'other' });
    await bench.view.waitFor(b, (entry) => entry.content === 'Two');
    assert.deepEqual(
      [(await bench.controller.runState(a)).state, (await bench.controller.runState(b)).state],
      ['running', 'running'],
    );
    second.release();
    await bench.over(b);
    first.release();
    await bench.over(a);
    assert.deepEqual(await bench.seen(a), ['you: A', 'text (complete): One more.', '= done']);
    assert.deepEqual(await bench.seen(b), ['you: B', 'text (complete): Two more.', '= done']);
  });
});
