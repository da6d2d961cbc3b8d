import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { RealServer, repeatingModel } from '../../support/ollama/realServer';
import { AgentBench } from '../../unit/agent/support/agentBench';

const server = RealServer.named();
if (!server) throw new Error('OLLAMA_HOST names no server; `npm run test:ollama` starts one.');
const { baseUrl } = server;

/** Behaviour of weak models on a real server, and the reaction of the agent. Each case also compares the live and the restored timeline. */
describe('The agent on a real Ollama', () => {
  // A tiny model on a busy machine can take a minute to read its first prompt.
  let bench: AgentBench;
  afterEach(() => bench.stop());
  after(() => server.delete(repeatingModel));

  async function start(window = 4096, settings: Record<string, unknown> = {}): Promise<void> {
    const own = { 'agentMode.temperature': 0, 'askMode.temperature': 0, 'agent.maxContextWindow': window, ...settings };
    bench = await AgentBench.start({ baseUrl, settings: own });
    await writeFile(bench.file('README.md'), 'A small project\n');
  }
  const tools = { model: 'oc-tools:latest' };

  for (const model of ['oc-tools:latest', 'oc-tools-native:latest']) {
    it(`${model} reads a file, and what was read is sent back to it`, async () => {
      await start(4096, { 'agent.maxIterations': 4 });
      const sessionId = await bench.ask('Read README.md', { model });
      const seen = await bench.seen(sessionId);
      assert.equal(seen[1], 'read_file README.md [done] 1 line', seen.join('\n'));
    });
  }

  it('creates a file and ends', async () => {
    await start();
    const seen = await bench.seen(await bench.ask('Create notes/todo.md with Buy milk', tools));
    assert.match(seen.join('\n'), /^you: [^]*\ncreate_file notes\/todo\.md \[done\] \+1\n[^]*\n= done$/);
    assert.equal((await readFile(bench.file('notes/todo.md'), 'utf8')).trim(), 'Buy milk');
  });

  it('runs an approved command and ends', async () => {
    await start();
    const sessionId = await bench.send('Run echo hello', tools);
    const { data } = await bench.question(sessionId);
    await bench.controller.decideApproval(sessionId, data.approvalId, true);
    await bench.over(sessionId);
    assert.match((await bench.seen(sessionId)).join('\n'), /run_terminal_command echo hello \[done\] exit code 0\n[^]*\n= done$/);
  });

  it('a dropped call, which arrives as an empty answer, is asked for once more and explained', async () => {
    await start();
    const seen = await bench.seen(await bench.ask('Rename a.txt to b.txt', tools));
    assert.equal(seen.length, 3, seen.join('\n'));
    assert.match(seen[1] ?? '', /^error emptyAnswer \{retry, selectModel\}: oc-tools:latest returned an empty answer twice\./);
    assert.equal(seen[2], '= failed');
    const retries = bench.states.filter(({ activity }) => activity?.kind === 'retrying');
    assert.equal(retries.length, 1);
  });

  // The server renders the prompt of the first model. The second uses the native path.
  for (const model of [repeatingModel, 'oc-repeats-native:latest']) {
    it(`${model}, which repeats its call for ever, is nudged once and stopped`, async () => {
      await server.createRepeatingModel();
      await start();
      const sessionId = await bench.ask('Read README.md', { model });
      const seen = await bench.seen(sessionId);
      const read = 'read_file README.md [done] 1 line';
      const notice =
        'notice loop: Stopped: the model called read_file 5 times in a row with the same arguments and the same result. Rephrase the task, or choose a larger model.';
      assert.deepEqual(seen, ['you: Read README.md', ...Array.from({ length: 5 }, () => read), notice, '= limit']);
      const results = bench.view.entries(sessionId).filter(({ type }) => type === 'tool_result');
      assert.deepEqual(
        results.map(({ content }) => content.includes('This is call number')),
        [false, false, true, false, false],
      );
    });
  }

  it('a window of 2,048 tokens that is full is made room in, said so, and the run goes on', async () => {
    await start(2048);
    await writeFile(bench.file('long.txt'), 'Many words in one line. '.repeat(600));
    const sessionId = await bench.ask('Read long.txt', tools);
    const seen = await bench.seen(sessionId);
    assert.match(
      seen.join('\n'),
      /read_file long\.txt \[done\] 1 line.*\nnotice shortened: The context window of 2,048 tokens is nearly full\./,
    );
    assert.match(seen.at(-1) ?? '', /^= (done|limit)$/);
  });

  it('Stop in the middle of a call leaves the server free', async () => {
    await start();
    const { model } = tools;
    const text = 'Create notes/long.md with one two three four five six seven eight nine ten eleven twelve';
    await bench.ask(text, { model });
    const idle = await server.timeToAnswer(model, 4096);
    await bench.ask(text, { model });
    // The server has now cached the whole prompt, so only the call takes time.
    const sent = performance.now();
    const whole = await bench.send(text, { model });
    await bench.view.waitFor(whole, ({ type }) => type === 'tool_call');
    const halfOfCall = (performance.now() - sent) / 2;
    await bench.over(whole);

    const sessionId = await bench.send(text, { model });
    await sleep(halfOfCall);
    await bench.controller.stop(sessionId);
    await bench.over(sessionId);
    const afterStop = await server.timeToAnswer(model, 4096);
    assert.ok(afterStop < 2 * idle + 1000, `after Stop ${afterStop} ms, on the idle server ${idle} ms`);
    assert.deepEqual(await bench.seen(sessionId), [`you: ${text}`, '= stopped']);
  });
});
