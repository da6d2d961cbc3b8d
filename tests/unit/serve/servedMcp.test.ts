import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { scripted } from '../mcp/support/mcpBench';
import { ServeBench } from './serveBench';
import { until } from '../../support/until';

const call = '<tool_call>{"name": "probe__look", "arguments": {"at": "here"}}</tool_call>';
const server = scripted({ tools: [{ name: 'look', description: 'Looks', answers: 'It saw the sea.' }] });

describe('MCP servers without an editor', () => {
  let bench: ServeBench;
  let settings: string;
  beforeEach(async () => {
    bench = await ServeBench.start();
    settings = path.join(bench.root, 'settings.json');
    // Comments are allowed, as in the editor.
    await writeFile(
      settings,
      `{\n  // Servers of this machine\n  "ollamaCopilot.mcp.servers": ${JSON.stringify({ probe: server })},\n}`,
    );
  });
  afterEach(() => bench.stop());

  const lastSent = () => JSON.stringify(bench.double.requestsTo('/api/chat').at(-1)?.body);

  it('of the settings file start, and each call is asked about on the terminal', async () => {
    bench.double.script.push(call, 'The sea. [TASK_COMPLETE]');
    const one = await bench.ready(['--settings', settings, '--allow', 'ollama-copilot:write', bench.folder], async () => 'y');
    assert.equal((await bench.client(['run', 'Look'])).code, 0);
    assert.match(one.noted(), /\? Allow this tool call\?\n[^]*Server {4}│ probe\n[^]*"at"/);
    assert.match(lastSent(), /It saw the sea\./);
  });

  it('are refused where nobody can answer, and a client that may run can', async () => {
    bench.double.script.push(call, 'Refused. [TASK_COMPLETE]');
    const one = await bench.ready(['--settings', settings, '--allow', 'ollama-copilot:write', bench.folder]);
    assert.equal((await bench.client(['run', 'Look'])).code, 3);
    assert.match(one.noted(), /\? Allow this tool call\?\n[^]*Refused because nobody can answer/);
    assert.match(lastSent(), /nobody could answer/);
    assert.doesNotMatch(lastSent(), /It saw the sea/);
  });

  it('of a folder start only after an answer on the terminal, which shows all that would start', async () => {
    await mkdir(path.join(bench.folder, '.vscode'));
    const file = path.join(bench.folder, '.vscode', 'mcp.json');
    await writeFile(file, JSON.stringify({ servers: { probe: server } }));
    bench.double.script.push('Nothing yet. [TASK_COMPLETE]', call, 'The sea. [TASK_COMPLETE]');
    const answers: string[] = [];
    const one = await bench.ready(['--allow', 'ollama-copilot:write', bench.folder], async (prompt) => {
      answers.push(prompt);
      return 'allow';
    });
    // The first run does not wait for the user's answer.
    await bench.client(['run', 'Hello']);
    await until(() => one.noted().includes('Start the MCP servers'));
    assert.match(one.noted(), /\? Start the MCP servers of this file\?\n[^]*mcp\.json[^]*Program: /);
    await bench.client(['run', 'Look']);
    assert.match(lastSent(), /It saw the sea\./);
  });

  it('of a folder do not start without a terminal, which is reported', async () => {
    await mkdir(path.join(bench.folder, '.vscode'));
    await writeFile(path.join(bench.folder, '.vscode', 'mcp.json'), JSON.stringify({ servers: { probe: server } }));
    bench.double.script.push('Nothing. [TASK_COMPLETE]', 'Nothing. [TASK_COMPLETE]');
    const one = await bench.ready(['--allow', 'ollama-copilot:write', bench.folder]);
    await bench.client(['run', 'Hello']);
    await bench.client(['run', 'Hello again']);
    assert.equal(one.noted().match(/MCP servers not started, because there is no terminal to ask on: probe/g)?.length, 1);
    assert.doesNotMatch(lastSent(), /probe__look/);
  });

  it('that cannot start are reported with the reason, and the run goes on', async () => {
    await writeFile(settings, JSON.stringify({ 'mcp.servers': { gone: { command: 'no-such-program' } } }));
    bench.double.script.push('Fine. [TASK_COMPLETE]');
    const one = await bench.ready(['--settings', settings, '--allow', 'ollama-copilot:write', bench.folder]);
    assert.equal((await bench.client(['run', 'Hello'])).code, 0);
    assert.match(one.noted(), /MCP server gone: .*no-such-program/);
  });
});
