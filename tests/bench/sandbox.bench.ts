import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { runInChildProcess, runProgram } from '../../src/services/terminal/run/childProcessRunner';
import { Sandbox } from '../../src/services/terminal/sandbox/sandbox';
import { FileSensitivity } from '../../src/utils/sensitivity/fileSensitivity';
import { interleaved, isOnce, median, report, type Goal } from './support/figures';

/**
 * Measures the overhead of the sandbox, from `wrap` to the end of `finish`, compared with the same command in a child process. Runs
 * everyday commands on this repository, and `true` for the fixed cost. Linux only.
 */

const repository = resolve(__dirname, '../../..');
const bin = (path: string) => `node node_modules/${path}`;

interface Measured {
  name: string;
  command: string;
  rounds: number;
  goal: Goal;
}

const commands: readonly Measured[] = [
  { name: 'true', command: 'true', rounds: 20, goal: 'value ≤ 250' },
  { name: 'git status', command: 'git status --short', rounds: 10, goal: 'none' },
  {
    name: 'tsc on a file and what it imports',
    command: `${bin('typescript/bin/tsc')} --noEmit --skipLibCheck --ignoreConfig --types node src/utils/errors.ts`,
    rounds: 5,
    goal: 'ratio ≤ 1.05',
  },
  { name: 'eslint on a folder', command: `${bin('eslint/bin/eslint.js')} src/utils/text`, rounds: 3, goal: 'ratio ≤ 1.05' },
  {
    name: 'prettier on a folder',
    command: `${bin('prettier/bin/prettier.cjs')} --check src/services/terminal`,
    rounds: 5,
    goal: 'ratio ≤ 1.05',
  },
  {
    name: 'vitest on a file',
    command: `${bin('vitest/vitest.mjs')} run tests/webview/timelineMemo.test.ts`,
    rounds: 3,
    goal: 'ratio ≤ 1.05',
  },
];

async function main(): Promise<void> {
  if (process.platform !== 'linux') return;
  const storage = await mkdtemp(join(tmpdir(), 'sandbox-bench-'));
  const env = { ...process.env, PATH: [resolve(process.execPath, '..'), process.env['PATH'] ?? ''].join(delimiter) };
  const shell = { file: '/bin/bash', env };
  const secrets = new FileSensitivity();
  const sandbox = new Sandbox({
    storage,
    coveredRoots: () => Promise.resolve([repository]),
    leftOut: () => Promise.resolve([]),
    exclude: () => [],
    secrets: () => Promise.resolve(secrets),
    config: () => ({ writablePaths: [], readDenied: [] }),
    shell: () => Promise.resolve(shell),
  });
  const bare = async (command: string): Promise<void> => {
    const exitCode = await runInChildProcess(command, repository, () => undefined, shell).ended;
    if (exitCode !== 0) throw new Error(`${command} failed outside the sandbox: ${exitCode}`);
  };
  const parts = { wrap: [] as number[], run: [] as number[], finish: [] as number[] };
  const sandboxed = async (command: string): Promise<void> => {
    const signal = new AbortController().signal;
    const start = performance.now();
    const wrapped = await sandbox.wrap({ sessionId: 's', command, cwd: repository, hosts: [], signal });
    const prepared = performance.now();
    let output = '';
    const exitCode = await runProgram(wrapped.program, repository, (text) => (output += text)).ended;
    const ended = performance.now();
    await wrapped.finish({ exitCode, output });
    if (exitCode !== 0) throw new Error(`${command} failed in the sandbox: ${exitCode}\n${output}`);
    parts.wrap.push(prepared - start);
    parts.run.push(ended - prepared);
    parts.finish.push(performance.now() - ended);
  };
  try {
    const state = await sandbox.probe();
    if (!state.isAvailable) {
      console.error(`Nothing measured. ${state.reason}`);
      return;
    }
    for (const { name, command, rounds, goal } of isOnce ? commands.slice(0, 2) : commands) {
      const [inside = [], outside = []] = await interleaved(rounds, [() => sandboxed(command), () => bare(command)]);
      report('sandbox', name, 'ms', median(inside), median(outside), goal);
      if (name !== 'true') continue;
      for (const [part, times] of Object.entries(parts))
        report('sandbox', `${name}: ${part}`, 'ms', median(times), median(outside), 'none');
    }
  } finally {
    await rm(storage, { recursive: true, force: true });
  }
}

void main();
