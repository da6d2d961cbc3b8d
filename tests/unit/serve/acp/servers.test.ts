import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { InitializeResponse, McpServer } from '@agentclientprotocol/sdk';
import type { Script } from '../../../support/mcp/server';
import { until } from '../../../support/until';
import { Workplace } from './workplace';

const program = path.join(__dirname, '../../../support/mcp/server.js');
const call = (name: string, input: object) => `<tool_call>${JSON.stringify({ name, arguments: input })}</tool_call>`;

function server(script: Script, env: Record<string, string> = {}): McpServer {
  const variables = { MCP_SCRIPT: JSON.stringify(script), ...env };
  return {
    name: 'helper',
    command: process.execPath,
    args: [program],
    env: Object.entries(variables).map(([name, value]) => ({ name, value })),
  };
}

describe('MCP servers of a client of the Agent Client Protocol', () => {
  let work: Workplace;

  beforeEach(async () => {
    work = await Workplace.open([{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 }]);
  });

  afterEach(() => work.close());

  const titles = () => work.editor.asked.map(({ toolCall }) => toolCall.title);

  function namesOfTools(): string[] {
    const { tools = [] } = work.double.requestsTo('/api/chat').at(-1)?.body as { tools?: { function: { name: string } }[] };
    return tools.map((tool) => tool.function.name);
  }

  it('start after a question that shows all of them, and each call of theirs asks', async () => {
    const { agentCapabilities } = await work.editor.request<InitializeResponse>('initialize', { protocolVersion: 1 });
    assert.deepEqual(agentCapabilities?.mcpCapabilities, { http: true, sse: false });
    work.editor.choose = ({ options }) => options[0]?.optionId ?? null;
    const session = await work.editor.begin(work.folder, [server({ tools: [{ name: 'echo' }] }, { WORD: '${env:HOME}' })]);
    assert.equal(work.editor.asked.length, 0);
    work.double.script.push(call('helper__echo', { word: 'hello' }), 'It said hello. [TASK_COMPLETE]');
    await work.editor.prompt(session, 'Say hello');
    assert.deepEqual(titles(), ['Start MCP servers: helper', 'helper__echo']);
    const shown = JSON.stringify(work.editor.asked[0]?.toolCall.content);
    for (const part of [process.execPath, program, 'MCP_SCRIPT', '${env:HOME}'])
      assert.ok(shown.includes(JSON.stringify(part).slice(1, -1)), part);
    const { messages } = work.double.requestsTo('/api/chat').at(-1)?.body as { messages: { content: string }[] };
    assert.match(messages.at(-1)?.content ?? '', /\{"word":"hello"\}/);
    const end = work.editor.updates.find(
      (update) => update.sessionUpdate === 'tool_call_update' && update.status === 'completed',
    );
    assert.match(JSON.stringify(end), /helper: 1 tool\b/);
  });

  it('do not start without the person, who is asked once', async () => {
    work.editor.choose = ({ options }) => options.find(({ kind }) => kind === 'reject_once')?.optionId ?? null;
    const marker = path.join(work.root, 'started');
    const script = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`;
    const given: McpServer = { name: 'helper', command: process.execPath, args: ['-e', script], env: [] };
    const session = await work.editor.begin(work.folder, [given]);
    for (const text of ['One', 'Two']) {
      work.double.script.push('Hello.');
      await work.editor.prompt(session, text);
    }
    const other = await work.editor.begin(work.folder, [given]);
    work.double.script.push('Hello.');
    await work.editor.prompt(other, 'Three');
    assert.deepEqual(titles(), ['Start MCP servers: helper']);
    assert.equal(existsSync(marker), false);
    assert.ok(namesOfTools().every((name) => !name.startsWith('helper')));
  });

  it('are asked about again where anything of them differs, and belong to their session', async () => {
    work.editor.choose = ({ options }) => options[0]?.optionId ?? null;
    const first = await work.editor.begin(work.folder, [server({ tools: [{ name: 'echo' }] })]);
    const second = await work.editor.begin(work.folder, [server({ tools: [{ name: 'other' }] })]);
    const third = await work.editor.begin(work.folder);
    for (const [session, expected] of [
      [first, ['helper__echo']],
      [second, ['helper__other']],
      [third, []],
    ] as const) {
      work.double.script.push('Hello. [TASK_COMPLETE]');
      await work.editor.prompt(session, 'Hello');
      assert.deepEqual(
        namesOfTools().filter((name) => name.startsWith('helper')),
        expected,
      );
    }
    assert.equal(work.editor.asked.length, 2);
  });

  it('are not asked about where nothing of theirs is used, in Ask mode', async () => {
    const session = await work.editor.begin(work.folder, [server({ tools: [{ name: 'echo' }] })]);
    await work.editor.request('session/set_mode', { sessionId: session, modeId: 'ask' });
    work.double.script.push('Hello.');
    await work.editor.prompt(session, 'Hello');
    assert.deepEqual(work.editor.asked, []);
  });

  it('that cannot start are named with the reason, and those that are not fit with theirs', async () => {
    work.editor.choose = ({ options }) => options[0]?.optionId ?? null;
    const session = await work.editor.begin(work.folder, [
      { name: 'gone', command: path.join(work.root, 'nowhere'), args: [], env: [] },
      { name: 'near', command: './server.js', args: [], env: [] },
      { type: 'sse', name: 'old', url: 'http://127.0.0.1:1/sse', headers: [] },
      { type: 'http', name: 'odd', url: 'file:///etc/passwd', headers: [] },
    ]);
    work.double.script.push('Hello. [TASK_COMPLETE]');
    await work.editor.prompt(session, 'Hello');
    const shown = JSON.stringify(work.editor.asked[0]?.toolCall.content);
    assert.match(shown, /near: .*not an absolute path.*old: the transport sse is not supported.*odd: its address/);
    const end = work.editor.updates.find((update) => update.sessionUpdate === 'tool_call_update');
    assert.match(JSON.stringify(end), /"status":"failed".*gone: /);
  });

  it('end with their session', async () => {
    work.editor.choose = ({ options }) => options[0]?.optionId ?? null;
    const file = path.join(work.root, 'pid');
    const script = `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); import(${JSON.stringify(program)})`;
    const env = [{ name: 'MCP_SCRIPT', value: JSON.stringify({ tools: [{ name: 'echo' }] }) }];
    const session = await work.editor.begin(work.folder, [
      { name: 'helper', command: process.execPath, args: ['-e', script], env },
    ]);
    work.double.script.push('Hello. [TASK_COMPLETE]');
    await work.editor.prompt(session, 'Hello');
    const pid = Number(await readFile(file, 'utf8'));
    assert.equal(process.kill(pid, 0), true);
    await work.editor.request('session/close', { sessionId: session });
    await until(() => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    });
  });

  it('hold up no message that is cancelled while the question is open', async () => {
    let answer: (choice: string | null) => void = () => undefined;
    work.editor.choose = () => new Promise((resolve) => (answer = resolve));
    const session = await work.editor.begin(work.folder, [server({ tools: [{ name: 'echo' }] })]);
    const prompted = work.editor.prompt(session, 'Hello');
    await until(() => work.editor.asked.length > 0);
    await work.editor.connection.agent.notify('session/cancel', { sessionId: session });
    answer(null);
    assert.equal((await prompted).stopReason, 'cancelled');
    assert.equal(work.double.requestsTo('/api/chat').length, 0);
  });
});
