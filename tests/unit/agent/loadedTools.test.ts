import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { defineTool, type Tool } from '../../../src/agent/tools/kernel/tool';
import { languageTools } from '../../../src/agent/tools/language/languageTools';
import { printedTools } from '../../../src/agent/prompt/printedTools';
import { compactTools } from '../../../src/agent/tools/kernel/compactTools';
import { ToolRegistry } from '../../../src/agent/tools/kernel/toolRegistry';
import { workspaceTools, type ToolServices } from '../../../src/agent/tools/kernel/workspaceTools';
import { estimatedTokens } from '../../../src/types/tokenLength';
import type { ChatRequest, WireTool } from '../../../src/types/ollama';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';

const models = [{ name: 'worker', capabilities: ['completion', 'tools'] as const, contextLength: 32_768 }];
const called = (name: string, args: unknown) => [{ call: { name: 'call_tool', arguments: { name, arguments: args } } }];
const load = (names: unknown) => [{ call: { name: 'load_tools', arguments: { names } } }];

const ran: string[] = [];

/** Creates a tool like those that a server adds. */
function serverTool(name: string, description = 'List the open issues of a repository, with their labels.'): Tool {
  const tool = defineTool({
    name,
    description,
    schema: z.object({ repository: z.string().describe('Owner and name, such as acme/site') }),
    effect: 'none',
    label: ({ repository }) => repository,
    run: ({ repository }) => {
      ran.push(`${name} ${repository}`);
      return Promise.resolve({ status: 'success', content: `Issues of ${repository}` });
    },
  });
  return { ...tool, isExternal: true };
}

/** Too many tools to declare in a request. */
const others = Array.from({ length: 9 }, (_, at) => serverTool(`github_other_${at}`, `Do something else, number ${at}.`));
const source = (tools: readonly Tool[]) => ({ ready: () => Promise.resolve(), tools: () => tools });
const tokensOf = (tools: readonly WireTool[]): number => estimatedTokens(JSON.stringify(tools));

describe('tools that the model loads', () => {
  let bench: AgentBench;
  beforeEach(() => void (ran.length = 0));
  afterEach(() => bench?.stop());

  const start = async (options: BenchOptions = {}): Promise<void> => {
    bench = await AgentBench.start({
      models: models.map((one) => ({ ...one, capabilities: [...one.capabilities] })),
      ...options,
    });
  };
  const requests = (): ChatRequest[] => bench.chats() as unknown as ChatRequest[];
  const results = (): string[] => {
    const { messages } = requests().at(-1) as ChatRequest;
    return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  };

  it('leave at most 1,800 tokens to read, and 2,200 with 50 tools of servers', () => {
    // The tools are not run here.
    const services = { access: {}, language: {} } as ToolServices;
    assert.ok(languageTools({ access: {}, language: {} } as Parameters<typeof languageTools>[0]).length >= 8);
    const own = workspaceTools(services).only(({ when }) => when === undefined || when === 'noPlan');
    const servers = ['github', 'jira', 'browser', 'database', 'calendar'];
    const more = servers.flatMap((server) => Array.from({ length: 10 }, (_, at) => serverTool(`${server}_list_open_item_${at}`)));
    const alone = compactTools(own);
    const together = compactTools(own.with([source(more)], () => false));
    assert.ok(tokensOf(own.wire()) > 3000, String(tokensOf(own.wire())));
    assert.ok(tokensOf(alone.wire()) <= 1800, String(tokensOf(alone.wire())));
    assert.ok(tokensOf(together.wire()) <= 2200, String(tokensOf(together.wire())));
    assert.ok(estimatedTokens(printedTools(together.wire()).join('\n')) <= 2200);
    for (const name of [...own.names(), ...more.map((tool) => tool.name)]) assert.notEqual(together.get(name), undefined, name);
  });

  it('are declared in full where few would have to be loaded', () => {
    const few = new ToolRegistry(['read_file', 'a', 'b'].map((name) => serverTool(name)));
    assert.equal(compactTools(few), few);
  });

  it('include those of servers only where these are many', () => {
    const registry = workspaceTools({ access: {}, language: {} } as ToolServices);
    const declares = (tools: readonly Tool[]): boolean =>
      compactTools(registry.with([source(tools)], () => false)).isDeclared('github_other_0');
    assert.deepEqual([declares(others.slice(0, 3)), declares(others)], [true, false]);
  });

  it('are shown, then run under their own name, and the declared tools stay the same', async () => {
    await start();
    await writeFile(bench.file('a.txt'), 'alpha\n');
    bench.double.script.push(
      load(['rename_file']),
      called('rename_file', { from: 'a.txt', to: 'b.txt' }),
      'Renamed. [TASK_COMPLETE]',
    );
    const sessionId = await bench.ask('Rename it');
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Rename it',
      'load_tools rename_file [done]',
      'rename_file a.txt → b.txt [done] to b.txt',
      '  rename a.txt +0 -0',
      'text (complete): Renamed.',
      '= done',
    ]);
    assert.match(
      results()[0] ?? '',
      /^\{"name":"rename_file","description":"[^]*"parameters":[^]*\nRun one with call_tool, such as/,
    );
    const [first, ...others] = requests().map(({ tools }) => JSON.stringify(tools));
    assert.ok(first !== undefined && !first.includes('"name":"rename_file"') && others.length === 2);
    for (const other of others) assert.equal(other, first);
    const sent = requests()
      .at(-1)
      ?.messages.flatMap(({ tool_calls }) => tool_calls ?? []);
    assert.deepEqual(sent?.[1]?.function, {
      name: 'call_tool',
      arguments: { name: 'rename_file', arguments: { from: 'a.txt', to: 'b.txt' } },
    });
  });

  it('run from every form in which models write it', async () => {
    await start({ toolSources: [source([serverTool('github_list_issues'), ...others])] });
    const forms: object[] = [
      { name: 'github_list_issues', arguments: { repository: 'a/1' } },
      { name: 'github_list_issues', arguments: '{"repository": "a/2"}' },
      { name: 'github_list_issues', repository: 'a/3' },
      { tool: 'list_issues', args: { repository: 'a/4' } },
      { tool_name: 'GithubListIssues', parameters: { repository: 'a/5' } },
      { name: 'mcp__github_list_issues', arguments: "{'repository': 'a/6'}" },
      { arguments: { name: 'github_list_issues', arguments: { repository: 'a/7' } } },
      { name: 'call_tool', arguments: { name: 'github_list_issues', arguments: { repository: 'a/8' } } },
    ];
    for (const form of forms)
      bench.double.script.push([{ call: { name: 'call_tool', arguments: form as Record<string, unknown> } }]);
    bench.double.script.push('Done. [TASK_COMPLETE]');
    await bench.ask('Look');
    assert.deepEqual(
      ran,
      [1, 2, 3, 4, 5, 6, 7, 8].map((at) => `github_list_issues a/${at}`),
    );
  });

  it('stay the same after failed edits, whose result says how to replace lines by number', async () => {
    await start();
    await writeFile(bench.file('a.txt'), 'alpha\nbeta\n');
    const wrong = (newText: string) => [
      { call: { name: 'replace_in_file', arguments: { path: 'a.txt', oldText: 'nothing like it', newText } } },
    ];
    const right = called('replace_lines', { path: 'a.txt', startLine: 2, endLine: 2, newText: 'gamma' });
    bench.double.script.push(wrong('one'), wrong('two'), wrong('three'), right, 'Changed. [TASK_COMPLETE]');
    await bench.ask('Change it');
    assert.match(results()[2] ?? '', /You can now call call_tool with name "replace_lines" and arguments \{path,/);
    assert.equal(readFileSync(bench.file('a.txt'), 'utf8'), 'alpha\ngamma\n');
    assert.equal(new Set(requests().map(({ tools }) => JSON.stringify(tools))).size, 1);
  });

  it('are repaired with their own schema', async () => {
    await start();
    await writeFile(bench.file('a.txt'), 'alpha\n');
    const moved = { path: 'a.txt', newPath: 'b.txt' };
    bench.double.onRepair(() => JSON.stringify({ name: 'rename_file', arguments: moved }));
    bench.double.script.push(called('rename_file', { path: 'a.txt' }), 'Renamed. [TASK_COMPLETE]');
    await bench.ask('Rename it');
    const [repair] = bench.repairRequests();
    assert.match(JSON.stringify(repair?.['format']), /"const":"rename_file"[^]*"newPath"/);
    assert.doesNotMatch(JSON.stringify(repair?.['format']), /"const":"run_subagent"/);
    assert.ok(existsSync(bench.file('b.txt')));
  });

  it('are asked for once more where the server drops a call, also if the answer has words beside it', async () => {
    await start();
    await writeFile(bench.file('a.txt'), 'alpha\n');
    const moved = { path: 'a.txt', newPath: 'a/file/with/a/longer/name.txt' };
    const direct = { call: { name: 'rename_file', arguments: moved } };
    bench.double.script.push(['I rename it now.', direct], called('rename_file', moved), 'It has the new name now.');
    await bench.ask('Rename it');
    assert.match(requests()[1]?.messages.at(-1)?.content ?? '', /did not arrive, so nothing was run\..* call call_tool with/);
    assert.deepEqual([requests().length, existsSync(bench.file(moved.newPath))], [3, true]);
  });

  it('are not asked for again after words that take many tokens', async () => {
    await start();
    const answer =
      'Ich habe mir die drei Dateien angesehen und festgestellt, dass die Wiederholungsverzögerung in der Serverkonfiguration auf dreißig Sekunden eingestellt ist. Die Geschwindigkeitsbegrenzung bezieht sich nicht darauf, deshalb genügt es, diese Konstante zu ändern.';
    // Token count of this answer with the tokenizer of SmolLM2.
    bench.double.script.push({ steps: [answer], metrics: { eval_count: 98 } });
    await bench.ask('Was ist zu tun?');
    assert.equal(requests().length, 1);
  });

  it('are found by a word, and named where there is none', async () => {
    await start({ toolSources: [source([serverTool('github_list_issues'), ...others])] });
    bench.double.script.push(load('labels'), load(['nothing_such']), called('nothing_such', {}), 'Done. [TASK_COMPLETE]');
    await bench.ask('Look');
    const [byWord = '', unknown = '', notRun = ''] = results();
    assert.match(byWord, /^\{"name":"github_list_issues"/);
    assert.match(unknown, /^There is no tool nothing_such\. There are: .*rename_file/);
    assert.match(notRun, /^There is no tool nothing_such\./);
  });

  it('ask for approval as if they were called directly', async () => {
    await start();
    await writeFile(bench.file('.env'), 'KEY=1\n');
    bench.double.script.push(called('delete_file', { path: '.env' }), 'Not then. [TASK_COMPLETE]');
    const sessionId = await bench.send('Delete it');
    const { data } = await bench.question(sessionId);
    await bench.controller.decideApproval(sessionId, data.approvalId, false);
    await bench.over(sessionId);
    assert.equal(readFileSync(bench.file('.env'), 'utf8'), 'KEY=1\n');
    assert.match((await bench.seen(sessionId)).join('\n'), /delete_file \.env .*\[denied\]/);
  });

  it('are named with call_tool where a result refers to one', async () => {
    await start();
    const command = { call: { name: 'run_terminal_command', arguments: { command: 'sleep 30', background: true } } };
    bench.double.script.push([command], 'Started. [TASK_COMPLETE]');
    const sessionId = await bench.send('Start it');
    await bench.controller.decideApproval(sessionId, (await bench.question(sessionId)).data.approvalId, true);
    await bench.over(sessionId);
    assert.match(results()[0] ?? '', /Read on with call_tool \{"name": "get_terminal_output", "arguments": \{"id": "terminal-/);
  });

  it('are no way to what a mode or the user does not allow', async () => {
    await start({ settings: { 'agent.disabledTools': ['delete_file'] } });
    await writeFile(bench.file('a.txt'), 'alpha\n');
    const calls = [called('delete_file', { path: 'a.txt' }), load(['delete_file']), 'Done. [TASK_COMPLETE]'];
    bench.double.script.push(...calls);
    await bench.ask('Delete it');
    assert.ok(
      results().every((result) => result.startsWith('There is no tool delete_file.')),
      results().join('\n'),
    );
    bench.double.script.push(called('rename_file', { from: 'a.txt', to: 'b.txt' }), 'Done.');
    await bench.ask('Rename it', { mode: 'plan' });
    assert.ok(existsSync(bench.file('a.txt')) && !existsSync(bench.file('b.txt')));
  });

  it('are written as text by a model that gets its tools in the prompt', async () => {
    await start({ models: [{ name: 'worker', contextLength: 32_768 }] });
    await writeFile(bench.file('a.txt'), 'alpha\n');
    const call =
      '<tool_call>{"name": "call_tool", "arguments": {"name": "rename_file", "arguments": {"from": "a.txt", "to": "b.txt"}}}</tool_call>';
    bench.double.script.push(call, 'Renamed. [TASK_COMPLETE]');
    await bench.ask('Rename it');
    assert.ok(existsSync(bench.file('b.txt')));
    const [first] = requests();
    assert.match(first?.messages[0]?.content ?? '', /- load_tools \{names: string\[\]\}: .*rename_file/);
    assert.match(JSON.stringify(requests().at(-1)?.messages), /call_tool[^]*rename_file/);
  });

  it('are all declared where the user wants that', async () => {
    await start({ settings: { 'agent.loadTools': false } });
    bench.double.script.push('Done. [TASK_COMPLETE]');
    await bench.ask('Do nothing');
    const names = requests()[0]?.tools?.map((tool) => tool.function.name) ?? [];
    assert.ok(names.includes('rename_file') && !names.includes('load_tools'));
  });
});
