import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { runInChildProcess, runProgram } from '../../../src/services/terminal/run/childProcessRunner';
import { Sandbox } from '../../../src/services/terminal/sandbox/sandbox';
import { FileSensitivity } from '../../../src/utils/sensitivity/fileSensitivity';
import type { ProjectFolders } from './projectFolders';
import type { Project } from './projects';

/** Outcome of a command, without times and names that differ between runs. */
export interface Outcome {
  exitCode: number | null;
  lines: string[];
}

export interface Sequence {
  outcomes: Outcome[];
  /** All files after the last command, relative to the project. */
  files: string[];
  ms: number;
}

/** Runs the commands of a project in the state that `prepare` left: either outside the sandbox, or in the sandbox as the agent does. */
export async function runCommands(project: Project, folders: ProjectFolders, isSandboxed: boolean): Promise<Sequence> {
  const root = folders.reset(project);
  const run = isSandboxed ? sandboxed(root, folders) : bare(root, folders);
  const start = performance.now();
  const outcomes: Outcome[] = [];
  for (const command of project.commands) outcomes.push(await run(command));
  return { outcomes, files: filesIn(root), ms: performance.now() - start };
}

type Run = (command: string) => Promise<Outcome>;

function bare(root: string, { env }: ProjectFolders): Run {
  return async (command) => {
    let output = '';
    const exitCode = await runInChildProcess(command, root, (text) => (output += text), { file: '/bin/bash', env }).ended;
    return { exitCode, lines: comparable(output) };
  };
}

function sandboxed(root: string, { env, storage }: ProjectFolders): Run {
  const sandbox = new Sandbox({
    storage,
    coveredRoots: () => Promise.resolve([root]),
    leftOut: () => Promise.resolve([]),
    exclude: () => [],
    secrets: () => Promise.resolve(new FileSensitivity()),
    config: () => ({ writablePaths: [], readDenied: [] }),
    shell: () => Promise.resolve({ file: '/bin/bash', env }),
  });
  return async (command) => {
    const request = { sessionId: 's', command, cwd: root, hosts: [], signal: new AbortController().signal };
    const wrapped = await sandbox.wrap(request);
    let output = '';
    const exitCode = await runProgram(wrapped.program, root, (text) => (output += text)).ended;
    const { denials, reverted } = await wrapped.finish({ exitCode, output });
    const notes = [...denials.map((one) => `denied: ${JSON.stringify(one)}`), ...reverted.map((file) => `reverted: ${file}`)];
    return { exitCode, lines: [...comparable(output), ...notes] };
  };
}

/** Returns the lines in sorted order, because tools that work in parallel print them in a different order each time. */
function comparable(output: string): string[] {
  return stripVTControlCharacters(output)
    .split(/[\r\n]+/)
    .map((line) => patterns.reduce((text, [pattern, by]) => text.replace(pattern, by), line).trim())
    .filter((line) => line !== '' && !/^(Progress: |\++$)/.test(line))
    .sort();
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\(cached\)/g, '<time>'],
  [/\d+(\.\d+)?\s?(ms|s|µs|us|ns|m|seconds?|sec)\b(\s*\d+(\.\d+)?m?s\b)?/g, '<time>'],
  [/\b\d{1,2}:\d{2}(:\d{2})?(\.\d+)?( [AP]M)?\b/g, '<time>'],
  [/\d{4}-\d{2}-\d{2}T?(<time>)?\S*/g, '<date>'],
  [/\/tmp\/[^\s'":)]+/g, '<tmp>'],
  // Folders created by Python's tempfile module.
  [/\/tmp\w{8}\b/g, '/<tmp>'],
  [/\(node:\d+\)/g, '(node:<number>)'],
  [/\b(pid|port|duration_ms|epoch)[ :=]+\d+(\.\d+)?/gi, '<number>'],
  [/-[0-9a-f]{16}\b/g, '-<hash>'],
];

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !/^\.git\/|[0-9a-f]{8}|(^|\/)(target|_cacache|\.mypy_cache|\.nyc_output)\//.test(path))
    .sort();
}
