import { editor, editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import type { McpServerForm } from '../../../src/protocol/forms/mcpServerForm';
import { mcpFormHandlers } from '../../../src/views/handlers/mcp/mcpFormHandlers';
import { McpBench, scripted } from '../mcp/support/mcpBench';

const key = 'ollamaCopilot.mcp.servers';
const script = scripted({ tools: [{ name: 'echo', description: 'Says it again' }] });
const form = (name = 'one'): McpServerForm => ({
  name,
  reach: {
    kind: 'stdio',
    command: String(script['command']),
    args: script['args'] as string[],
    env: Object.entries(script['env'] as Record<string, string>).map(([variable, value]) => ({ name: variable, value })),
    cwd: null,
    isSandboxed: false,
  },
});

describe('requests of the form for MCP servers', () => {
  let bench: McpBench;
  const api = () => mcpFormHandlers(bench.servers);
  const saved = () => editor.userSettings.get(key) as Record<string, unknown> | undefined;
  const asked = () => editorCalls.filter(({ name }) => name === 'showWarningMessage').map(({ args }) => args);

  beforeEach(() => {
    editor.userSettings.clear();
    editor.workspaceSettings.clear();
    editor.answer = undefined;
    editorCalls.length = 0;
    bench = new McpBench({});
    Object.defineProperty(bench, 'configured', { get: () => saved() ?? {} });
  });
  afterEach(async () => {
    await bench.servers.dispose();
    editor.userSettings.clear();
    editor.settingsFailure = null;
  });

  it('tests a server without saving it, with what its tools take of the window', async () => {
    const { outcome, tools } = await api().testMcpServer({ server: form(), former: null });
    assert.equal(outcome, 'running');
    assert.deepEqual(
      tools.map(({ name, about, tokens }) => [name, about, tokens > 10]),
      [['echo', 'Says it again', true]],
    );
    assert.equal(saved(), undefined);
  });

  it('saves a server for the user, and starts it', async () => {
    editor.workspaceSettings.set(key, { theirs: { command: 'x' } });
    await api().saveMcpServer({ server: form(), former: null });
    assert.deepEqual(saved(), { one: script });
    await bench.servers.start('one');
    assert.equal(bench.servers.get('one')?.state, 'running');
    assert.deepEqual(editor.workspaceSettings.get(key), { theirs: { command: 'x' } });
  });

  it('changes a server where it is, also its name', async () => {
    editor.userSettings.set(key, { a: { command: 'a' }, b: { command: 'b', note: 1 }, c: { command: 'c' } });
    const { server } = await api().readMcpServer({ name: 'b' });
    assert.deepEqual(server, {
      name: 'b',
      reach: { kind: 'stdio', command: 'b', args: [], env: [], cwd: null, isSandboxed: false },
    });
    assert.ok(server);
    await api().saveMcpServer({ server: { ...server, name: 'new' }, former: 'b' });
    assert.deepEqual(Object.entries(saved() ?? {}), [
      ['a', { command: 'a' }],
      ['new', { command: 'b', note: 1 }],
      ['c', { command: 'c' }],
    ]);
  });

  it('refuses a name that is taken, and a form with mistakes', async () => {
    editor.userSettings.set(key, { one: { command: 'x', disabled: true } });
    await assert.rejects(api().saveMcpServer({ server: form(), former: null }), { code: 'mcpForm' });
    await assert.rejects(api().testMcpServer({ server: form(''), former: null }), { code: 'mcpForm' });
    assert.deepEqual(saved(), { one: { command: 'x', disabled: true } });
  });

  it('says why it could not be saved', async () => {
    editor.settingsFailure = new Error('The file has mistakes');
    await assert.rejects(api().saveMcpServer({ server: form(), former: null }), { code: 'settingNotSaved' });
  });

  it('removes a server after a question that says what stays', async () => {
    editor.userSettings.set(key, { one: script, two: { command: 'x' } });
    await bench.servers.refresh();
    assert.deepEqual(await api().removeMcpServer({ name: 'one' }), { isRemoved: false });
    assert.deepEqual(Object.keys(saved() ?? {}), ['one', 'two']);
    editor.answer = 'Remove';
    assert.deepEqual(await api().removeMcpServer({ name: 'one' }), { isRemoved: true });
    assert.deepEqual(Object.keys(saved() ?? {}), ['two']);
    assert.deepEqual(
      bench.servers.servers.map(({ name }) => name),
      ['two'],
    );
    const [question, options] = asked()[0] as [string, { detail: string }];
    assert.equal(question, 'Remove the MCP server one?');
    assert.match(options.detail, /packages that it downloaded are not deleted/);
    assert.equal(asked()[0]?.includes('Remove Server and Secrets'), false);
  });

  it('removes its secrets only if a person wants that', async () => {
    const entry = { ...script, env: { ...(script['env'] as object), KEY: '${input:key}' } };
    for (const [answer, left] of [
      ['Remove', 1],
      ['Remove Server and Secrets', 0],
    ] as const) {
      bench.secrets.clear();
      bench.inputs.set('key', 'hidden');
      editor.userSettings.set(key, { one: entry });
      await bench.servers.refresh();
      await bench.servers.start('one');
      editor.answer = answer;
      await api().removeMcpServer({ name: 'one' });
      assert.equal([...bench.secrets.values()].filter((value) => value === 'hidden').length, left, answer);
      assert.equal(saved(), undefined);
    }
  });
});
