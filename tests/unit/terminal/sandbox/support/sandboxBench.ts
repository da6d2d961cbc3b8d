import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { runProgram } from '../../../../../src/services/terminal/run/childProcessRunner';
import type { SandboxConfig } from '../../../../../src/config/configTypes';
import { Sandbox } from '../../../../../src/services/terminal/sandbox/sandbox';
import type { SandboxReport } from '../../../../../src/services/terminal/sandbox/sandboxPorts';
import { FileSensitivity } from '../../../../../src/utils/sensitivity/fileSensitivity';

export interface SandboxRun extends SandboxReport {
  output: string;
  exitCode: number | null;
}

/** Home folder that contains a workspace. Its commands run in a real sandbox. */
export interface SandboxBench {
  home: string;
  root: string;
  sandbox: Sandbox;
  config: Pick<SandboxConfig, 'writablePaths' | 'readDenied'>;
  /** Writes a file below the home folder and creates the folders that it needs. */
  write: (path: string, text?: string) => Promise<string>;
  git: (...args: string[]) => string;
  run(command: string, hosts?: readonly string[]): Promise<SandboxRun>;
  dispose(): Promise<void>;
}

/** Creates a repository `work` in a new home folder. `HOME` stays changed until `dispose`. */
export async function makeSandboxBench(leftOut: readonly string[] = []): Promise<SandboxBench> {
  const home = await mkdtemp(join(await visibleFolder(), 'sandbox-'));
  const root = join(home, 'work');
  const before = { HOME: process.env['HOME'], GIT_CEILING_DIRECTORIES: process.env['GIT_CEILING_DIRECTORIES'] };
  // The home folder may be inside a repository.
  Object.assign(process.env, { HOME: home, GIT_CEILING_DIRECTORIES: dirname(home) });
  await mkdir(join(root, 'src'), { recursive: true });
  const config: SandboxBench['config'] = { writablePaths: [], readDenied: [] };
  const sandbox = new Sandbox({
    storage: join(home, 'storage'),
    coveredRoots: () => Promise.resolve([root]),
    leftOut: () => Promise.resolve(leftOut.map((path) => join(home, path))),
    exclude: () => [],
    secrets: () => Promise.resolve(new FileSensitivity()),
    config: () => config,
    shell: () => Promise.resolve({ file: '/bin/bash', env: { ...process.env, HOME: home } }),
  });
  const env = { ...process.env, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8', env });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.org');
  return {
    home,
    root,
    sandbox,
    config,
    git,
    write: async (path, text = `${path}\n`) => {
      const file = join(home, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
    run: async (command, hosts = []) => {
      const wrapped = await sandbox.wrap({ sessionId: 's', command, cwd: root, hosts, signal: new AbortController().signal });
      let output = '';
      const exitCode = await runProgram(wrapped.program, root, (text) => (output += text)).ended;
      return { output, exitCode, ...(await wrapped.finish({ exitCode, output })) };
    },
    dispose: async () => {
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Folders that the sandbox replaces. It would hide a home folder in one of them completely, so tests for secrets could not fail. */
const replaced = ['/tmp', '/var/tmp', '/dev/shm', '/run'];

async function visibleFolder(): Promise<string> {
  const own = resolve(__dirname, '../../../../../homes');
  for (const folder of [tmpdir(), own, homedir()]) {
    const real = await realpath(dirname(folder));
    if (replaced.some((path) => `${real}/`.startsWith(`${path}/`) || real === path || folder === path)) continue;
    await mkdir(folder, { recursive: true });
    return realpath(folder);
  }
  throw new Error('The sandbox would hide all folders that tests could use.');
}
