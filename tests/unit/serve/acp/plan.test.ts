import assert from 'node:assert/strict';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { Workplace } from './workplace';

const call = (name: string, input: object) => `<tool_call>${JSON.stringify({ name, arguments: input })}</tool_call>`;

/** Returns the entries of each plan update, as `status: content`. */
function plansOf(updates: readonly SessionUpdate[]): string[][] {
  return updates.flatMap((update) =>
    update.sessionUpdate === 'plan' ? [update.entries.map(({ status, content }) => `${status}: ${content}`)] : [],
  );
}

describe('plans of the Agent Client Protocol', () => {
  let work: Workplace;

  beforeEach(async () => {
    work = await Workplace.open([{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 }]);
  });

  afterEach(() => work.close());

  it('follow the to-do list of the agent, as a whole each time', async () => {
    const todos = (first: string, second: string) => ({
      todos: [
        { content: 'Read', status: first },
        { content: 'Write', status: second },
      ],
    });
    work.double.script.push(
      call('update_todos', todos('in_progress', 'pending')),
      call('update_todos', todos('completed', 'in_progress')),
      'Done. [TASK_COMPLETE]',
    );
    const session = await work.editor.begin(work.folder);
    await work.editor.prompt(session, 'Do it');
    assert.deepEqual(plansOf(work.editor.updates), [
      ['in_progress: Read', 'pending: Write'],
      ['completed: Read', 'in_progress: Write'],
    ]);
  });

  it('have the steps of a plan that was written in Plan mode, also when it is loaded', async () => {
    work.double.script.push('Here is the plan.\n\n1. Read main.py\n2. Add a line\n3. Run the tests');
    const session = await work.editor.begin(work.folder);
    await work.editor.request('session/set_config_option', { sessionId: session, configId: 'mode', value: 'plan' });
    await work.editor.prompt(session, 'Plan it');
    const steps = ['pending: Read main.py', 'pending: Add a line', 'pending: Run the tests'];
    assert.deepEqual(plansOf(work.editor.updates), [steps]);
    const editor = await work.restart();
    await editor.request('initialize', { protocolVersion: 1 });
    await editor.request('session/load', { sessionId: session, cwd: work.folder, mcpServers: [] });
    assert.deepEqual(plansOf(editor.updates), [steps]);
  });
});
