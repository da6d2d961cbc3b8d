import assert from 'node:assert/strict';
import { claimIn } from '../../../src/agent/loop/claims';
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
});
