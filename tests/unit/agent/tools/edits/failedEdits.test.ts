import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import type { ModelSpec } from '../../../../support/ollama/doubleModel';
import type { Scripted } from '../../../../support/ollama/doubleReply';
import { AgentBench } from '../../support/agentBench';

const lines = Array.from({ length: 120 }, (_, index) => `  const value${index + 1} = ${(index + 1) * 7};`);
const code = `${lines.join('\n')}\n`;
const call = (name: string, args: Record<string, unknown>): Scripted => [
  { call: { name, arguments: { path: 'a.ts', ...args } } },
];
const models: ModelSpec[] = [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 }];
/** Returns an edit to a line that resembles line 60 but does not exist. */
const wrong = (made: string) => call('replace_in_file', { oldText: '  const value60 = 60 * seven();', newText: made });

describe('edits of one file that fail again and again', () => {
  let bench: AgentBench;
  beforeEach(async () => {
    // All tools are declared from the start. `loadedTools.test.ts` covers tools that the model loads on demand.
    bench = await AgentBench.start({ models, settings: { 'agent.loadTools': false } });
    await writeFile(bench.file('a.ts'), code);
  });
  afterEach(() => bench.stop());

  const toolsOf = (request: Record<string, unknown> | undefined) =>
    (request?.['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name);
  /** Returns the results of the calls as the model receives them. */
  const results = () =>
    ((bench.chats().at(-1)?.['messages'] ?? []) as { role: string; content: string }[])
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => content);

  it('show the text there in full from the second on, and offer to replace lines from the third on', async () => {
    bench.double.script.push(
      ...[wrong('one'), wrong('two'), wrong('three')],
      call('replace_lines', { startLine: 60, endLine: 61, newText: '60:   const value60 = seven();' }),
      ['Done. [TASK_COMPLETE]'],
    );
    await bench.ask('Change value 60');
    const [first = '', second = '', third = '', done = ''] = results();
    assert.doesNotMatch(first, /in a row/);
    const shown = lines.slice(49, 66).map((line, index) => `${50 + index}: ${line}`);
    assert.ok(second.includes(`failure 2 in a row in a.ts.`) && second.includes(`\n${shown.join('\n')}`), second);
    assert.doesNotMatch(second, /replace_lines/);
    assert.match(third, /You can now call replace_lines with path, startLine, endLine and newText/);
    assert.match(done, /^Changed a\.ts: 1 line added, 2 lines removed\.\nThe lines there are now, with their numbers:\n57: /);
    const offered = bench.chats().map((request) => toolsOf(request).includes('replace_lines'));
    assert.deepEqual(offered, [false, false, false, true, true]);
    assert.equal(
      await readFile(bench.file('a.ts'), 'utf8'),
      code.replace(`${lines[59]}\n${lines[60]}`, '  const value60 = seven();'),
    );
  });

  it('count patches too, and begin anew after an edit that succeeds', async () => {
    const patch = (old: string, made: string) =>
      call('apply_patch', { patch: `*** Begin Patch\n*** Update File: a.ts\n@@\n-${old}\n+${made}\n*** End Patch` });
    bench.double.script.push(
      ...[wrong('one'), patch('  const value60 = 60 * seven();', 'two'), patch(lines[59] ?? '', '  sixty();'), wrong('three')],
      ['Done. [TASK_COMPLETE]'],
    );
    await bench.ask('Change value 60');
    const all = results();
    assert.deepEqual(
      all.map((text) => /failure \d in a row/.exec(text)?.[0] ?? ''),
      ['', 'failure 2 in a row', '', ''],
    );
    assert.equal(toolsOf(bench.chats().at(-1)).includes('replace_lines'), false);
  });

  it('do not offer it where the person has switched it off', async () => {
    await bench.stop();
    bench = await AgentBench.start({ models, settings: { 'agent.disabledTools': ['replace_lines'] } });
    await writeFile(bench.file('a.ts'), code);
    bench.double.script.push(...[wrong('one'), wrong('two'), wrong('three')], ['Done. [TASK_COMPLETE]']);
    await bench.ask('Change value 60');
    assert.doesNotMatch(results()[2] ?? '', /replace_lines/);
    assert.equal(toolsOf(bench.chats().at(-1)).includes('replace_lines'), false);
  });
});
