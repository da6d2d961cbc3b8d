import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** What the best known agent with checkpoints did until 2026: a repository of its own beside the workspace, `add` and `commit`. */
export class ShadowGit {
  private readonly repository: string;

  constructor(
    private readonly workspace: string,
    storage: string,
  ) {
    this.repository = path.join(storage, 'shadow.git');
  }

  initialize(): void {
    execFileSync('git', ['init', '-q', '--bare', this.repository]);
    this.git('config', 'core.bare', 'false');
    this.git('config', 'user.name', 'bench');
    this.git('config', 'user.email', 'bench@localhost');
    this.git('config', 'commit.gpgSign', 'false');
    this.git('config', 'gc.auto', '0');
  }

  checkpoint(): string {
    this.git('add', '.', '--ignore-errors');
    this.git('commit', '-q', '--allow-empty', '--no-verify', '-m', 'checkpoint');
    return this.git('rev-parse', 'HEAD').trim();
  }

  restore(commit: string): void {
    this.git('clean', '-q', '-f', '-d');
    this.git('reset', '-q', '--hard', commit);
  }

  collectGarbage(): void {
    this.git('gc', '-q');
  }

  private git(...args: string[]): string {
    const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
    const place = [`--git-dir=${this.repository}`, `--work-tree=${this.workspace}`];
    return execFileSync('git', [...place, ...args], {
      cwd: this.workspace,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }
}
