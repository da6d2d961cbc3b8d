import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AvailableCommand } from '@agentclientprotocol/sdk';
import { until } from '../../../support/until';
import { Workplace } from './workplace';

describe('slash commands of the Agent Client Protocol', () => {
  let work: Workplace;

  beforeEach(async () => {
    work = await Workplace.open([{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 }]);
    const prompts = path.join(work.folder, '.github', 'prompts');
    await mkdir(prompts, { recursive: true });
    await writeFile(path.join(prompts, 'release.prompt.md'), '---\ndescription: Write the notes\n---\nWrite release notes.');
    await writeFile(path.join(prompts, 'fix.prompt.md'), 'Break it.');
    await writeFile(path.join(prompts, 'two words.prompt.md'), 'Never listed.');
  });

  afterEach(() => work.close());

  async function listed(): Promise<AvailableCommand[]> {
    await until(() => work.editor.updates.some((update) => update.sessionUpdate === 'available_commands_update'));
    const [first] = work.editor.updates.flatMap((update) =>
      update.sessionUpdate === 'available_commands_update' ? [update.availableCommands] : [],
    );
    return first ?? [];
  }

  function lastMessage(): string {
    const { messages } = work.double.requestsTo('/api/chat').at(-1)?.body as { messages: { role: string; content: string }[] };
    return messages.findLast(({ role }) => role === 'user')?.content ?? '';
  }

  it('are sent after the session is known: prompts, actions and the prompt files of the workspace', async () => {
    const session = await work.editor.begin(work.folder);
    assert.equal(work.editor.notified.length, 0);
    const commands = await listed();
    assert.equal(work.editor.notified[0]?.sessionId, session);
    assert.deepEqual(
      commands.map(({ name }) => name),
      [
        ...['explain', 'fix', 'tests', 'doc', 'review', 'security-review', 'explore', 'init'],
        ...['compact', 'start-plan', 'release'],
      ],
    );
    assert.deepEqual(commands.at(-1), {
      name: 'release',
      description: 'Write the notes',
      input: { hint: 'more words for the prompt' },
    });
  });

  it('become their prompt, with the words and files behind them', async () => {
    const session = await work.editor.begin(work.folder);
    const resource = { uri: 'file:///notes.md', text: 'remember the milk' };
    for (const [written, expected] of [
      ['/release for 1.0', /Write release notes\.\n\nfor 1\.0[^]*remember the milk/],
      ['/fix', /Find the problems in this code and show how to fix them\.[^]*remember the milk/],
      ['/etc/hosts is odd', /\/etc\/hosts is odd/],
      ['/nothing of ours', /\/nothing of ours/],
    ] as const) {
      work.double.script.push('Done. [TASK_COMPLETE]');
      await work.editor.prompt(session, written, [{ type: 'resource', resource }]);
      assert.match(lastMessage(), expected);
    }
  });

  it('summarize earlier messages, or say that there are none', async () => {
    const session = await work.editor.begin(work.folder);
    work.double.script.push('Hello. [TASK_COMPLETE]');
    await work.editor.prompt(session, 'Hello');
    const before = work.double.requestsTo('/api/chat').length;
    assert.equal((await work.editor.prompt(session, '/compact')).stopReason, 'end_turn');
    assert.match(work.editor.textOf('agent_message_chunk'), /There is nothing to summarize yet\./);
    assert.equal(work.double.requestsTo('/api/chat').length, before);
  });

  it('carry out the last plan in Agent mode, and say where there is none', async () => {
    const session = await work.editor.begin(work.folder);
    await work.editor.request('session/set_mode', { sessionId: session, modeId: 'plan' });
    await assert.rejects(work.editor.prompt(session, '/start-plan'), { code: -32600, message: /There is no plan to carry out/ });
    await work.editor.request('session/set_mode', { sessionId: session, modeId: 'plan' });
    work.double.script.push('The plan:\n\n1. Read main.py\n2. Add a line\n3. Run the tests');
    await work.editor.prompt(session, 'Plan it');
    const done = [1, 2, 3].map(
      (step) => `<tool_call>${JSON.stringify({ name: 'complete_step', arguments: { step } })}</tool_call>`,
    );
    work.double.script.push(...done, 'Done. [TASK_COMPLETE]');
    assert.equal((await work.editor.prompt(session, '/start-plan')).stopReason, 'end_turn');
    assert.match(JSON.stringify(work.double.requestsTo('/api/chat').at(-1)?.body), /Carry out this plan, step by step:/);
    const plans = work.editor.updates.flatMap((update) => (update.sessionUpdate === 'plan' ? [update.entries] : []));
    assert.deepEqual(
      plans.at(-1)?.map(({ status }) => status),
      ['completed', 'completed', 'completed'],
    );
    const modes = work.editor.updates.flatMap((update) =>
      update.sessionUpdate === 'current_mode_update' ? [update.currentModeId] : [],
    );
    assert.equal(modes.at(-1), 'agent');
  });
});
