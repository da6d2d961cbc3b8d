import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { databaseFileName } from '../../../../src/services/database/sqlite/databaseFile';
import { openSqlite } from '../../../../src/services/database/sqlite/sqlite';
import { OllamaDouble } from '../../../support/ollama/double';
import { manifest, repository } from '../manifest';
import { until } from '../../../support/until';

const run = promisify(execFile);

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** A process and its output so far. */
export interface Started {
  child: ChildProcess;
  err(): string;
  ended: Promise<Ended>;
}

/** The `ollama-copilot` command from the packaged extension, with an empty home folder and a Git repository. */
export class PackagedCommand {
  private readonly started: ChildProcess[] = [];

  private constructor(
    readonly root: string,
    readonly double: OllamaDouble,
  ) {}

  /** Unpacks the package built by `npm run package`. */
  static async start(): Promise<PackagedCommand> {
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-command-')));
    const vsix = path.join(repository, `${manifest.name}-${manifest.version}.vsix`);
    const models = [{ name: 'worker', capabilities: ['completion' as const, 'tools' as const] }];
    const command = new PackagedCommand(root, await OllamaDouble.start({ models }));
    await mkdir(command.home);
    await run('unzip', ['-q', vsix, '-d', path.join(command.home, 'ollama-copilot')]);
    await mkdir(command.repository);
    await writeFile(command.file('main.txt'), 'old\n');
    await writeFile(command.file('.gitignore'), 'ignored/\n');
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      ['commit', '-qm', 'First'],
    ])
      await command.git(...args);
    return command;
  }

  get home(): string {
    return path.join(this.root, 'home');
  }

  get repository(): string {
    return path.join(this.root, 'repository');
  }

  file(name: string): string {
    return path.join(this.repository, name);
  }

  async git(...args: string[]): Promise<string> {
    const person = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com'];
    return (await run('git', [...person, ...args], { cwd: this.repository, env: this.environment() })).stdout;
  }

  /** Starts a program in the repository. `cli` starts the command itself. */
  program(file: string, args: readonly string[], more: Record<string, string> = {}): Started {
    const child = spawn(file, args, { cwd: this.repository, env: this.environment(more), stdio: ['ignore', 'pipe', 'pipe'] });
    this.started.push(child);
    let out = '';
    let err = '';
    child.stdout.on('data', (text) => (out += String(text)));
    child.stderr.on('data', (text) => (err += String(text)));
    const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
    return { child, err: () => err, ended };
  }

  cli(...args: string[]): Started {
    return this.program(process.execPath, [path.join(this.home, 'ollama-copilot/extension/dist/cli.js'), ...args]);
  }

  /** Starts a server for the repository. Resolves when it accepts requests. */
  async serve(): Promise<Started> {
    const options = ['--base-url', this.double.url, '--model', 'worker', '--allow', 'ollama-copilot:run'];
    const server = this.cli('serve', ...options, this.repository);
    await until(() => server.err().includes('Serving'));
    return server;
  }

  /** Returns the answers that are stored on disk. */
  stored(): string {
    const database = openSqlite(path.join(this.home, '.ollama-copilot', databaseFileName), { readOnly: true });
    try {
      const rows = database.prepare("SELECT content FROM messages WHERE type = 'assistant_output'").all();
      return rows.map(({ content }) => String(content)).join('\n');
    } finally {
      database.close();
    }
  }

  async stop(): Promise<void> {
    for (const child of this.started) child.kill('SIGKILL');
    await this.double.close();
    await rm(this.root, { recursive: true, force: true });
  }

  private environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
    const { PATH = '' } = process.env;
    return { PATH: `${path.dirname(process.execPath)}:${PATH}`, HOME: this.home, TMPDIR: tmpdir(), ...more };
  }
}
