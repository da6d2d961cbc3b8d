import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { NewSessionResponse } from '@agentclientprotocol/sdk';
import { OllamaDouble } from '../../support/ollama/double';
import { hold } from '../../support/ollama/doubleReply';
import { until } from '../../support/until';
import { EditorDouble } from './acp/editor';

const call = (name: string, input: object) => `<tool_call>${JSON.stringify({ name, arguments: input })}</tool_call>`;

describe('ollama-copilot acp', () => {
  let root: string;
  let folder: string;
  let double: OllamaDouble;
  let editor: EditorDouble;
  let args: string[];

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-acp-')));
    folder = path.join(root, 'project');
    await mkdir(folder);
    await writeFile(path.join(folder, 'main.py'), 'one\ntwo\nthree\n');
    double = await OllamaDouble.start({ models: [{ name: 'worker', capabilities: ['completion', 'tools', 'thinking'] }] });
    args = ['--storage', path.join(root, 'storage'), '--base-url', double.url, '--model', 'worker'];
    editor = new EditorDouble(args);
  });

  afterEach(async () => {
    await editor.leave();
    await double.close();
    await rm(root, { recursive: true, force: true });
  });

  it('says what it is, and has a session in each folder that is asked for', async () => {
    const told = await editor.request<{ protocolVersion: number; agentCapabilities: { loadSession: boolean } }>('initialize', {
      protocolVersion: 1,
      clientCapabilities: {},
    });
    assert.deepEqual([told.protocolVersion, told.agentCapabilities.loadSession], [1, true]);
    const { modes } = await editor.request<NewSessionResponse>('session/new', { cwd: folder, mcpServers: [] });
    assert.deepEqual(
      modes?.availableModes.map(({ id }) => id),
      ['agent', 'plan', 'ask'],
    );
  });

  it('streams the answer as it is written, with what came along', async () => {
    double.script.push(['One ', 'two.']);
    const session = await editor.begin(folder);
    const resource = { uri: `${pathToFileURL(folder).href}/50%25%20done.md`, text: 'remember the milk' };
    const odd = { type: 'resource_link' as const, name: 'odd', uri: 'file:///%zz' };
    const { stopReason } = await editor.prompt(session, 'Count', [{ type: 'resource', resource }, odd]);
    assert.equal(stopReason, 'end_turn');
    assert.equal(editor.textOf('agent_message_chunk'), 'One two.');
    assert.equal(editor.textOf('user_message_chunk'), '');
    const sent = JSON.stringify(double.requestsTo('/api/chat').at(-1)?.body);
    assert.match(sent, /50% done\.md.*remember the milk.*file:\/\/\/%zz/s);
  });

  it('shows calls and edits with their diffs', async () => {
    double.script.push(call('replace_in_file', { path: 'main.py', oldText: 'two', newText: 'TWO' }), 'Done. [TASK_COMPLETE]');
    const session = await editor.begin(folder);
    assert.equal((await editor.prompt(session, 'Shout')).stopReason, 'end_turn');
    assert.equal(await readFile(path.join(folder, 'main.py'), 'utf8'), 'one\nTWO\nthree\n');
    const begun = editor.updates.find((update) => update.sessionUpdate === 'tool_call');
    assert.deepEqual(begun?.sessionUpdate === 'tool_call' && [begun.kind, begun.status, begun.locations], [
      ...['edit', 'in_progress', [{ path: path.join(folder, 'main.py') }]],
    ]);
    const diffs = editor.updates.flatMap((update) => (update.sessionUpdate === 'tool_call_update' ? (update.content ?? []) : []));
    assert.deepEqual(diffs, [
      { type: 'diff', path: path.join(folder, 'main.py'), oldText: 'one\ntwo\nthree\n', newText: 'one\nTWO\nthree\n' },
    ]);
    const told = editor.updates.filter(({ sessionUpdate }) => sessionUpdate !== 'session_info_update');
    assert.equal(told.at(-1)?.sessionUpdate, 'agent_message_chunk');
  });

  for (const [choice, isMade] of [
    ['once', true],
    ['always', true],
    ['no', false],
    [null, false],
  ] as const)
    it(`takes the answer ${String(choice)} of the client for the person's`, async () => {
      double.script.push(call('run_terminal_command', { command: 'touch made.txt' }), 'So be it. [TASK_COMPLETE]');
      editor.choose = () => choice;
      const session = await editor.begin(folder);
      await editor.prompt(session, 'Make it');
      assert.equal(existsSync(path.join(folder, 'made.txt')), isMade);
      const [asked] = editor.asked;
      assert.deepEqual([asked?.toolCall.title, asked?.toolCall.kind], ['touch made.txt', 'execute']);
      assert.match(JSON.stringify(asked?.toolCall.content), /Risk: medium/);
      assert.ok(asked?.options.some(({ kind }) => kind === 'reject_once'));
    });

  it('has a question of the agent answered by a choice', async () => {
    double.script.push(call('ask_user', { question: 'Tabs or blanks?', options: ['Tabs', 'Blanks'] }), 'Blanks it is.');
    editor.choose = ({ options }) => options.find(({ name }) => name === 'Blanks')?.optionId ?? null;
    const session = await editor.begin(folder);
    await editor.request('session/set_mode', { sessionId: session, modeId: 'plan' });
    await editor.prompt(session, 'Format it');
    assert.equal(editor.asked[0]?.toolCall.title, 'Tabs or blanks?');
    assert.match(JSON.stringify(double.requestsTo('/api/chat').at(-1)?.body), /Blanks/);
  });

  it('stops when it is cancelled, also while it asks', async () => {
    double.script.push(call('run_terminal_command', { command: 'touch made.txt' }), 'Still here.');
    const session = await editor.begin(folder);
    let answer: (choice: string) => void = () => undefined;
    editor.choose = () => new Promise((resolve) => (answer = resolve));
    const prompted = editor.prompt(session, 'Make it');
    await until(() => editor.asked.length > 0);
    await editor.connection.agent.notify('session/cancel', { sessionId: session });
    assert.equal((await prompted).stopReason, 'cancelled');
    answer('once');
    assert.equal(existsSync(path.join(folder, 'made.txt')), false);
    assert.equal((await editor.prompt(session, 'Are you there?')).stopReason, 'end_turn');
    assert.equal(editor.textOf('agent_message_chunk'), 'Still here.');
  });

  it('tells a conversation of before, and goes on with it', async () => {
    double.script.push('It is a cat.');
    const session = await editor.begin(folder);
    await editor.prompt(session, 'What is it?');
    await editor.leave();
    editor = new EditorDouble(args);
    await editor.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    await editor.request('session/load', { sessionId: session, cwd: folder, mcpServers: [] });
    assert.equal(editor.textOf('user_message_chunk'), 'What is it?');
    assert.equal(editor.textOf('agent_message_chunk'), 'It is a cat.');
    double.script.push('Quite sure.');
    await editor.prompt(session, 'Sure?');
    assert.match(JSON.stringify(double.requestsTo('/api/chat').at(-1)?.body), /It is a cat/);
  });

  it('refuses a second message while one is answered', async () => {
    const held = hold();
    double.script.push([held.step, 'First.'], 'Second.');
    const session = await editor.begin(folder);
    const first = editor.prompt(session, 'One');
    await until(() => double.requestsTo('/api/chat').length >= 1);
    await assert.rejects(editor.prompt(session, 'Two'), { code: -32600, message: /being answered in this session/ });
    held.release();
    assert.equal((await first).stopReason, 'end_turn');
    assert.equal((await editor.prompt(session, 'Two')).stopReason, 'end_turn');
  });

  it('says in words what fails', async () => {
    const session = await editor.begin(folder);
    await double.close();
    await assert.rejects(editor.prompt(session, 'Hello'), /Ollama|server|connect/i);
    for (const [method, params, words] of [
      ['session/prompt', { sessionId: 'nobody', prompt: [{ type: 'text', text: 'x' }] }, /Unknown session: nobody/],
      ['session/prompt', { sessionId: session, prompt: [] }, /empty/],
      ['session/load', { sessionId: 'nobody', cwd: folder, mcpServers: [] }, /Unknown session: nobody/],
      ['session/new', { cwd: path.join(root, 'nowhere'), mcpServers: [] }, /is not a folder/],
      ['session/new', { cwd: 'project', mcpServers: [] }, /not an absolute path/],
      ['session/set_mode', { sessionId: session, modeId: 'free' }, /Unknown value of mode: free/],
    ] as const)
      await assert.rejects(editor.request(method, params), words);
    double = await OllamaDouble.start({ models: [] });
  });

  it('stays within the folders that it was started for', async () => {
    await editor.leave();
    editor = new EditorDouble([...args, folder]);
    await editor.begin(folder);
    await assert.rejects(editor.request('session/new', { cwd: root, mcpServers: [] }), /outside the folders/);
  });

  it('ends when its client is gone', async () => {
    const session = await editor.begin(folder);
    double.script.push(call('run_terminal_command', { command: 'touch made.txt' }), 'Never said.');
    editor.choose = () => new Promise(() => undefined);
    editor.prompt(session, 'Make it').catch(() => undefined);
    await until(() => editor.asked.length > 0);
    editor.hangUp();
    assert.equal(await editor.over, 0);
    assert.equal(existsSync(path.join(folder, 'made.txt')), false);
  });
});
