import assert from 'node:assert/strict';
import { claimIn, falseClaim } from '../../../src/agent/loop/claims';
import type { Entry } from '../../../src/protocol/entries';
import { AgentBench } from './support/agentBench';
import { claimsOfWork, explanations } from './support/claimCorpus';

describe('A claim of work', () => {
  let bench: AgentBench | undefined;
  afterEach(() => bench?.stop());

  it('is seen in four of five answers that make one, and in none that only explains', () => {
    assert.ok(claimsOfWork.length + explanations.length >= 60);
    const missed = claimsOfWork.filter((answer) => claimIn(answer) === null);
    assert.ok(missed.length <= claimsOfWork.length * 0.2, missed.join('\n'));
    assert.deepEqual(
      explanations.filter((answer) => claimIn(answer) !== null),
      [],
    );
  });

  const write = { call: { name: 'create_file', arguments: { path: 'b.txt', content: 'one\n' } } };
  const lastHint = (): string => (bench?.chats().at(-1)?.['messages'] as { content: string }[]).at(-1)?.content ?? '';

  it('is challenged once where no call of the turn did it, and the model does it then', async () => {
    bench = await AgentBench.start();
    bench.double.script.push('I have created b.txt for you.', [write], 'It is there now: I have created b.txt.');
    const sessionId = await bench.ask('Create b.txt');
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Create b.txt',
      'text (complete): I have created b.txt for you.',
      'create_file b.txt [done] +1',
      '  create b.txt +1 -0',
      'text (complete): It is there now: I have created b.txt.',
      '= done',
    ]);
    assert.equal(bench.chats().length, 3);
  });

  it('is told to the person where it is made again all the same', async () => {
    bench = await AgentBench.start();
    bench.double.script.push('I have created b.txt for you.', 'As I said, I have created b.txt.', 'Never asked for.');
    const sessionId = await bench.ask('Create b.txt');
    assert.match(lastHint(), /\[You wrote “I have created b\.txt for you\.”, but no call of yours wrote anything/);
    const seen = await bench.seen(sessionId);
    assert.match(seen.at(-2) ?? '', /^notice claim: The answer claims that a file was written, but nothing has been written/);
    assert.equal(seen.at(-1), '= done');
  });

  it('may be one of earlier work, where the person asks about that', async () => {
    bench = await AgentBench.start();
    bench.double.script.push([write], 'Good.', 'I have created b.txt.');
    const sessionId = await bench.ask('Create b.txt');
    await bench.ask('What did you do?', { sessionId });
    assert.equal(bench.chats().length, 3);
  });

  const command = (line: string) => ({ call: { name: 'run_terminal_command', arguments: { command: line } } });

  /** Sends a message and approves the answer's command. Returns the final rows of the chat. */
  async function withCommand(...answers: string[]): Promise<string[]> {
    bench = await AgentBench.start();
    bench.double.script.push([command('exit 1')], ...answers);
    const sessionId = await bench.send('Run it');
    const { data } = await bench.question(sessionId);
    await bench.controller.decideApproval(sessionId, data.approvalId, true);
    await bench.over(sessionId);
    return bench.seen(sessionId);
  }

  it('is true for a command that ran and failed: the person is told of the failure, and the model is not challenged', async () => {
    const seen = await withCommand('I have run it.', 'Never asked for.');
    assert.deepEqual(seen.slice(-3), [
      'text (complete): I have run it.',
      'notice claim: The command failed (exit code 1).',
      '= done',
    ]);
    assert.equal(bench?.chats().length, 2);
  });

  it('is challenged where it says that a failed command succeeded', async () => {
    const seen = await withCommand('I ran the tests and they all pass.', 'I ran the tests; they fail.');
    assert.match(lastHint(), /but your last command failed with exit code 1\./);
    assert.deepEqual(seen.slice(-2), ['text (complete): I ran the tests; they fail.', '= done']);
  });

  const result = (name: string, status: string, details: object = {}) => ({
    type: 'tool_result',
    data: { name, status, details },
  });
  const ran = (exitCode: number | null) =>
    result('run_terminal_command', exitCode === 0 ? 'success' : 'error', {
      via: 'process',
      ...(exitCode !== null && { exitCode }),
    });
  const effects: Record<string, string> = { run_terminal_command: 'command', create_file: 'files', get_terminal_output: 'none' };

  for (const { title, results, says, finds } of [
    { title: 'a good command after a failed one', results: [ran(1), ran(0)], says: 'All tests pass now.', finds: null },
    { title: 'a failed command after a good one', results: [ran(0), ran(2)], says: 'All tests pass now.', finds: [2, true] },
    { title: 'a failure that the answer reports', results: [ran(1)], says: 'I ran the tests. Two of them failed.', finds: null },
    { title: 'no failure in other words', results: [ran(1)], says: 'I compiled the project without errors.', finds: [1, true] },
    { title: 'a command that had no time to end', results: [ran(null)], says: 'I have run the tests.', finds: [null, false] },
    {
      title: 'a command that the person stopped',
      results: [result('run_terminal_command', 'cancelled', { via: 'process' })],
      says: 'I have started the server.',
      finds: [null, false],
    },
    {
      title: 'a command that the person declined',
      results: [result('run_terminal_command', 'denied')],
      says: 'I have run the tests.',
      finds: ['none', true],
    },
    {
      title: 'a command that was cancelled before it started',
      results: [result('run_terminal_command', 'cancelled', { notRun: true })],
      says: 'I have run the tests.',
      finds: ['none', true],
    },
    {
      title: 'a background command that goes on',
      results: [result('run_terminal_command', 'success', { background: 'terminal-1' })],
      says: 'I have started the server.',
      finds: null,
    },
    {
      title: 'a background command that has failed since',
      results: [
        result('run_terminal_command', 'success', { background: 'terminal-1' }),
        result('get_terminal_output', 'error', { background: 'terminal-1', exitCode: 3 }),
      ],
      says: 'All tests pass.',
      finds: [3, true],
    },
    {
      title: 'an edit that failed',
      results: [result('create_file', 'error')],
      says: 'I have created b.txt.',
      finds: ['none', true],
    },
    {
      title: 'a file that only a command could write',
      results: [ran(1)],
      says: 'I have updated b.txt, it is saved.',
      finds: null,
    },
    { title: 'German words', results: [ran(1)], says: 'Die Tests laufen jetzt erfolgreich durch.', finds: [1, true] },
    { title: 'a failure in German', results: [ran(1)], says: 'Ich habe die Tests ausgeführt, zwei schlagen fehl.', finds: null },
  ] as const)
    it(`is compared with the results: ${title}`, () => {
      const changed = says.includes('saved')
        ? [{ type: 'checkpoint', data: { command: { callId: '1', files: [], count: 1 } } }]
        : [];
      const entries = [
        { type: 'user_input', content: 'Do it', data: {} },
        ...results,
        ...changed,
        { type: 'assistant_output', content: says, data: {} },
      ] as unknown as Entry[];
      const found = falseClaim(entries, (name) => effects[name]);
      assert.deepEqual(found && [found.failure === null ? 'none' : found.failure.exitCode, found.isUntrue], finds);
    });
});
