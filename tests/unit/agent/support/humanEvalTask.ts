import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ModelSpec } from '../../../support/ollama/doubleModel';
import type { Problem } from '../../completion/text/support/problems';
import { AgentBench } from './agentBench';
import { PythonTests } from './pythonTests';

const model: ModelSpec = { name: 'worker', capabilities: ['completion', 'tools'], contextLength: 262_144 };
/** Number of calls in one answer. */
const together = 20;
/** Number of context lines in an edit. */
const context = 5;

type Lines = readonly string[];

/** Forms in which a model copies lines. */
const forms: Readonly<Record<string, (lines: Lines, above: number) => string[]>> = {
  'as they are': (lines) => [...lines],
  'with typographic quotes': (lines) => lines.map((line) => line.replaceAll('"', '”').replaceAll("'", '’')),
  'with doubled blanks': (lines) => lines.map((line) => line.replaceAll(/(?<=\S) (?=\S)/g, '  ')),
  'with escaped quotes': (lines) => lines.map((line) => line.replaceAll('"', '\\"')),
  'with a leading blank line': (lines) => ['', ...lines],
  'with line numbers': (lines, above) => lines.map((line, at) => `${above + at + 1}: ${line}`),
  'with a wrong character': (lines) =>
    lines.map((line, at) => (at === lines.length - 2 ? line.replace(/\w(?=\w{3})/, '') : line)),
};

/** File without and with its solution. */
export interface SolvedFile {
  name: string;
  before: string;
  after: string;
  /** Lines around the solution before and after it, and the number of lines above them. */
  old: string[];
  made: string[];
  above: number;
  /** Function that solves the problem, and the problem's tests in Python. */
  entry: string;
  test: string;
}

/** Returns the file of the problem with index `at`. Every third file has Windows line ends. */
export function solvedFile({ prompt, solution, entry, test }: Problem, at: number): SolvedFile {
  const end = at % 3 === 2 ? '\r\n' : '\n';
  const lines = prompt.trimEnd().split('\n');
  const body = solution.split('\n');
  const text = (all: Lines) => [...all, ''].join(end);
  const above = Math.max(0, lines.length - context);
  const near = lines.slice(above);
  return {
    name: `problems/p${at}.py`,
    above,
    old: [...near, '    pass'],
    made: [...near, ...body],
    before: text([...lines, '    pass']),
    after: text([...lines, ...body]),
    entry,
    test,
  };
}

type Call = { call: { name: string; arguments: Record<string, unknown> } };
const call = (name: string, args: Record<string, unknown>): Call => ({ call: { name, arguments: args } });

/** Calls that write a solution, for each tool. */
const tools: Readonly<Record<string, (task: SolvedFile, slip: (lines: Lines, above: number) => string[]) => Call[]>> = {
  write_file: ({ name, after }) => [call('write_file', { path: name, content: after.replaceAll('\r\n', '\n') })],
  replace_in_file: ({ name, old, made, above }, slip) => {
    const copied = slip(old, above);
    const newText = [...copied.slice(0, -1), ...made.slice(old.length - 1)].join('\n');
    return [call('replace_in_file', { path: name, oldText: copied.join('\n'), newText })];
  },
  apply_patch: ({ name, old, made, above }, slip) => {
    const lines = [
      ...slip(old, above)
        .slice(0, -1)
        .map((line) => ` ${line}`),
      `-${slip(old, above).at(-1) ?? ''}`,
    ];
    const added = made.slice(old.length - 1).map((line) => `+${line}`);
    const patch = ['*** Begin Patch', `*** Update File: ${name}`, '@@', ...lines, ...added, '*** End Patch'].join('\n');
    return [call('apply_patch', { patch })];
  },
  replace_lines: ({ name, old, made, above }) => {
    const line = above + old.length;
    const newText = made.slice(old.length - 1).join('\n');
    return [
      call('read_file', { path: name }),
      call('call_tool', { name: 'replace_lines', arguments: { path: name, startLine: line, endLine: line, newText } }),
    ];
  },
};

/**
 * Defines tests in which a scripted model solves problems with each tool. The tests of the problems must pass on the written files, and the
 * user undoes everything. `each`: runs every form on a quarter of the problems, or on all of them in `npm run test:fuzz`. Otherwise the
 * forms alternate.
 */
export function testTasks(problems: readonly Problem[], how: 'each' | 'in turn'): void {
  const every = problems.map(solvedFile);
  const names = Object.keys(forms);
  const runs = Object.keys(tools).flatMap((tool) => {
    const isCopying = tool === 'replace_in_file' || tool === 'apply_patch';
    return (how === 'each' && isCopying ? names : [null]).map((form) => [tool, form] as const);
  });

  let python: PythonTests;
  before(async () => {
    python = await PythonTests.start();
  });
  after(() => python.stop());

  const share = process.env.ROUNDS === undefined ? 4 : 1;
  for (const [tool, form] of runs) {
    const tasks = form === null ? every : every.filter((_, at) => (at - names.indexOf(form)) % share === 0);
    const copied = form === null ? '' : `, lines ${form}`;
    it(`solves ${tasks.length} problems with ${tool}${copied}: their tests pass, and all is undone byte for byte`, async function () {
      this.timeout(0);
      const bench = await AgentBench.start({ models: [model], settings: { 'agent.maxIterations': 100 } });
      try {
        mkdirSync(bench.file('problems'));
        for (const { name, before } of tasks) writeFileSync(bench.file(name), before);
        const failing = () => python.failures(tasks.map(({ name, entry, test }) => ({ file: bench.file(name), entry, test })));
        assert.equal((await failing()).length, tasks.length, 'The tests of a problem fail without its solution');
        const read = () => tasks.map(({ name }) => [name, readFileSync(bench.file(name), 'utf8')]);
        if (tool === 'replace_lines') {
          const wrong = (newText: string) => [call('replace_in_file', { path: tasks[0]?.name, oldText: 'not there()', newText })];
          bench.double.script.push(wrong('one'), wrong('two'), wrong('three'));
        }
        const formOf = (at: number) => forms[form ?? names[at % names.length] ?? ''] ?? ((lines) => [...lines]);
        const all = tasks.flatMap((task, at) => tools[tool]?.(task, formOf(at)) ?? []);
        for (let at = 0; at < all.length; at += together) bench.double.script.push(all.slice(at, at + together));
        bench.double.script.push('Done.');
        const sessionId = await bench.ask('Solve the problems');
        const expected = tasks.map(({ name, after }) => [name, after]);
        assert.deepEqual(read(), expected, String(await failures(bench, sessionId)));
        assert.deepEqual(await failing(), []);
        const { left, undone } = await bench.changes.undo(sessionId, null);
        assert.deepEqual([left, undone.length], [[], tasks.length]);
        assert.deepEqual(
          read(),
          tasks.map(({ name, before }) => [name, before]),
        );
      } finally {
        await bench.stop();
      }
    });
  }
}

async function failures(bench: AgentBench, sessionId: string): Promise<string> {
  const { entries } = await bench.database.log.read(sessionId, 0);
  const failed = entries.filter((entry) => entry.type === 'tool_result' && entry.data.status !== 'success');
  return failed
    .slice(0, 3)
    .map(({ content }) => content)
    .join(path.sep);
}
