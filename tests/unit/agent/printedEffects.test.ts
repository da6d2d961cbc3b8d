import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { AgentBench } from './support/agentBench';

const print = (name: string, args: Record<string, unknown>): string => JSON.stringify({ name, arguments: args });
const deleteIt = print('delete_file', { path: 'a.txt' });
const writeIt = print('write_file', { path: 'a.txt', content: 'two\n' });
const runIt = print('run_terminal_command', { command: 'touch b.txt' });

describe('a call with an effect in the text of an answer', () => {
  let bench: AgentBench;
  let sessionId: string;
  const seen = new Set<string>();

  beforeEach(async () => {
    bench = await AgentBench.start({
      models: [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 65_536 }],
    });
    await writeFile(bench.file('a.txt'), 'one\n');
    bench.double.script.push('Hello. [TASK_COMPLETE]');
    sessionId = await bench.ask('Hello');
    await bench.grants.change(sessionId, { commands: true, sensitiveEdits: true });
  });
  afterEach(() => bench.stop());

  /** Sends a message and scripts the model's answers. Decides each question and resolves with the reasons of all questions. */
  async function go(answers: readonly string[], isAllowed: boolean, isAlways = false): Promise<string[][]> {
    bench.double.script.push(...answers);
    await bench.send('Go', { sessionId });
    const asked: string[][] = [];
    let isOver = false;
    const over = bench.over(sessionId).then(() => (isOver = true));
    while (!isOver) {
      for (const { type, data } of bench.view.entries(sessionId)) {
        if (type !== 'approval' || data.phase !== 'requested' || seen.has(data.approvalId)) continue;
        seen.add(data.approvalId);
        asked.push([...(data.reasons ?? [])]);
        await bench.controller.decideApproval(sessionId, data.approvalId, isAllowed, { isAlways });
      }
      await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 5))]);
    }
    return asked;
  }
  const reason = 'the model wrote this call as plain text, not as a tool call';
  const texts = (): string[] =>
    bench.view.entries(sessionId).flatMap(({ type, content }) => (type === 'assistant_output' ? [content] : []));

  it('is not run after words that refuse it, stays in the answer, and the model is asked once', async () => {
    const refusal = `I refuse to run this call, since it would lose your only copy:\n\n${deleteIt}`;
    assert.deepEqual(await go([refusal, 'I keep the file.'], true), []);
    assert.equal(existsSync(bench.file('a.txt')), true);
    assert.deepEqual(texts().slice(1), [refusal, 'I keep the file.']);
    assert.match(JSON.stringify(bench.chats().at(-1)?.messages), /your answer shows a call of delete_file as text/);
    assert.equal(bench.chats().length, 3);
  });

  it('stays text in each answer of a model that only shows it', async () => {
    const answers = [`I refuse to run this:\n<tool_call>${deleteIt}</tool_call>`, `Should not be called:\n${deleteIt}`];
    assert.deepEqual(await go(answers, true), []);
    assert.deepEqual(texts().slice(1), answers);
    assert.equal(existsSync(bench.file('a.txt')), true);
  });

  it('deletes a file without words only if the user approves', async () => {
    assert.deepEqual(await go([deleteIt, 'Good.'], false), [[reason]]);
    assert.equal(existsSync(bench.file('a.txt')), true);
    assert.deepEqual(await go([deleteIt, 'Good.'], true), [[reason]]);
    assert.equal(existsSync(bench.file('a.txt')), false);
  });

  it('deletes a file at once if the answer is only a call in the tags of a template', async () => {
    assert.deepEqual(await go([`<tool_call>${deleteIt}</tool_call>`, 'Good.'], false), []);
    assert.equal(existsSync(bench.file('a.txt')), false);
  });

  it('deletes a file after words that announce it', async () => {
    assert.deepEqual(await go([`I'll delete the old file:\n${deleteIt}`, 'Good.'], false), []);
    assert.equal(existsSync(bench.file('a.txt')), false);
  });

  it('asks before it deletes a file if words follow it', async () => {
    assert.deepEqual(await go([`I'll delete it:\n<tool_call>${deleteIt}</tool_call>\nDone.`, 'Good.'], false), [[reason]]);
    assert.equal(existsSync(bench.file('a.txt')), true);
  });

  it('asks before it deletes a file in a patch', async () => {
    const patch = '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch';
    assert.deepEqual(await go([print('apply_patch', { patch }), 'Good.'], false), [[reason]]);
    assert.equal(existsSync(bench.file('a.txt')), true);
  });

  it('replaces a whole file without words only if the user approves, and creates one at once', async () => {
    assert.deepEqual(await go([writeIt, 'Good.'], false), [[reason]]);
    assert.equal(await readFile(bench.file('a.txt'), 'utf8'), 'one\n');
    assert.deepEqual(await go([writeIt.replace('a.txt', 'new.txt'), 'Good.'], false), []);
    assert.equal(await readFile(bench.file('new.txt'), 'utf8'), 'two\n');
    assert.deepEqual(await go([`I'll write it:\n${writeIt}`, 'Good.'], false), []);
    assert.equal(await readFile(bench.file('a.txt'), 'utf8'), 'two\n');
  });

  it('runs a command that the user has allowed only if it is announced', async () => {
    assert.equal((await go([`I'll run it:\n${runIt}`, 'Good.'], true, true)).length, 1);
    assert.equal((await go([`I'll run it again:\n${runIt}`, 'Good.'], true)).length, 0);
    const [reasons] = await go([runIt, 'Good.'], false);
    assert.equal(reasons?.[0], reason);
  });

  it('reads the workspace with a command without words and without a question', async () => {
    assert.deepEqual(await go([print('run_terminal_command', { command: 'ls' }), 'Good.'], false), []);
  });
});
