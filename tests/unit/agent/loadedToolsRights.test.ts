import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { externalTool } from '../../../src/mcp/tools/externalTool';
import type { Tool } from '../../../src/agent/tools/kernel/tool';
import type { ChatMode } from '../../../src/types/modes';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';

const models = [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 }] as const;
const called = (name: string, given: Record<string, unknown>) => [
  { call: { name: 'call_tool', arguments: { name, arguments: given } } },
];

/** Creates a server tool with a schema that is too long to declare. */
function serverTool(name: string, calls: unknown[]): Tool {
  return externalTool({
    name,
    description: 'Do something with the issues of a project. '.repeat(40),
    schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    effect: 'outside',
    question: () => ({ kind: 'tool', command: name, cwd: '\0tool', reasons: [], canAllowAlways: true }),
    call: (input) => {
      calls.push(input);
      return Promise.resolve({ status: 'success', content: 'done at the server' });
    },
  });
}

describe('a tool that is run by call_tool', () => {
  let bench: AgentBench;
  const start = async (options: BenchOptions = {}) => (bench = await AgentBench.start({ models, ...options }));
  afterEach(() => bench.stop());

  const entriesOf = async (sessionId: string) => (await bench.database.log.read(sessionId, 0)).entries;
  const results = async (sessionId: string) =>
    (await entriesOf(sessionId)).flatMap(({ type, data }) => (type === 'tool_result' ? [[data.name, data.status]] : []));

  it('asks as it does when it is called directly, and is not run if the user declines', async () => {
    const calls: unknown[] = [];
    const source = { ready: () => Promise.resolve(), tools: () => [serverTool('tracker__create_issue', calls)] };
    await start({ toolSources: [source] });
    const wanted: [string, Record<string, unknown>, string][] = [
      ['run_terminal_command', { command: 'touch made.txt' }, 'command'],
      ['create_file', { path: '.env', content: 'KEY=1' }, 'edit'],
      ['tracker__create_issue', { title: 'one' }, 'tool'],
    ];
    for (const [name, given] of wanted) bench.double.script.push(called(name, given));
    bench.double.script.push('I could not.');
    const sessionId = await bench.send('Do it');
    for (const [name, , kind] of wanted) {
      const { data } = await bench.question(sessionId);
      const asked = (await entriesOf(sessionId)).find(
        ({ type, data: one }) => type === 'tool_call' && one.callId === data.callId,
      );
      assert.deepEqual([data.kind, asked?.type === 'tool_call' && asked.data.name], [kind, name]);
      await bench.controller.decideApproval(sessionId, data.approvalId, false);
    }
    await bench.over(sessionId);
    assert.deepEqual(
      await results(sessionId),
      wanted.map(([name]) => [name, 'denied']),
    );
    assert.deepEqual([existsSync(bench.file('made.txt')), existsSync(bench.file('.env')), calls], [false, false, []]);
  });

  it('runs at a server once the user approves', async () => {
    const calls: unknown[] = [];
    const source = { ready: () => Promise.resolve(), tools: () => [serverTool('tracker__create_issue', calls)] };
    await start({ toolSources: [source] });
    bench.double.script.push(called('create_issue', { title: 'one' }), 'Done.');
    const sessionId = await bench.send('Create it');
    await bench.controller.decideApproval(sessionId, (await bench.question(sessionId)).data.approvalId, true);
    await bench.over(sessionId);
    assert.deepEqual(calls, [{ title: 'one' }]);
  });

  it('changes nothing in the modes that only read', async () => {
    await start();
    await writeFile(bench.file('a.txt'), 'alpha\n');
    for (const mode of ['ask', 'plan'] as const satisfies ChatMode[]) {
      bench.double.script.push(
        called('rename_file', { path: 'a.txt', newPath: 'b.txt' }),
        called('create_file', { path: 'c.txt', content: '' }),
        called('run_terminal_command', { command: 'touch d.txt' }),
        'I cannot.',
      );
      const sessionId = await bench.ask('Rename a.txt', { mode });
      assert.ok((await results(sessionId)).every(([, status]) => status === 'error'));
    }
    assert.deepEqual(
      ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map((name) => existsSync(bench.file(name))),
      [true, false, false, false],
    );
  });

  it('is stopped when the model repeats it', async () => {
    await start();
    bench.double.onChat(() => called('get_changed_files', {}));
    const sessionId = await bench.ask('Look');
    assert.ok((await entriesOf(sessionId)).some((entry) => entry.type === 'system_message' && entry.data.code === 'loop'));
    assert.ok(bench.chats().length < 10);
  });
});
