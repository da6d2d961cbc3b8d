import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { engineOn } from './benchEngine';
import { many, median, report, type Goal } from './figures';
import { sourceText } from './workspaceTree';

/** Number of files that are changed and restored. */
const restored = 60;

/**
 * Durability of Git's writes. `durable`: Git syncs objects, index and references, but never the work tree. A restore syncs those files too.
 */
type Durability = 'durable' | 'bare';

/** Milliseconds of a Git reset: `alone`, and `whole` with a commit before and after it. */
interface GitTimes {
  alone: number;
  whole: number;
}

/** Repository outside the workspace that only adds, commits and resets: the minimum for a shadow repository. */
class PlainGit {
  private readonly repository: string;

  constructor(
    private readonly workspace: string,
    storage: string,
    durability: Durability,
  ) {
    this.repository = path.join(storage, `${durability}.git`);
    mkdirSync(this.repository);
    this.git('init', '-q');
    const settings = { 'user.name': 'bench', 'user.email': 'bench@localhost', 'gc.auto': '0' };
    for (const [name, value] of Object.entries(settings)) this.git('config', name, value);
    this.git('config', 'core.fsync', durability === 'durable' ? 'all' : 'none');
  }

  commit(): string {
    this.git('add', '-A', '.');
    this.git('commit', '-q', '--allow-empty', '--no-verify', '-m', 'checkpoint');
    return this.git('rev-parse', 'HEAD').trim();
  }

  restore(commit: string): GitTimes {
    const start = performance.now();
    this.commit();
    const begun = performance.now();
    this.git('reset', '-q', '--hard', commit);
    const alone = performance.now() - begun;
    this.commit();
    return { alone, whole: performance.now() - start };
  }

  private git(...args: string[]): string {
    const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
    const where = [`--git-dir=${this.repository}`, `--work-tree=${this.workspace}`];
    return execFileSync('git', [...where, ...args], {
      cwd: this.workspace,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }
}

/** Measures restores in copies of the repositories in `BENCH_REPOSITORIES`, a list of folders separated as in `PATH`. */
export function measureRepositories(): void {
  const repositories = (process.env.BENCH_REPOSITORIES ?? '').split(path.delimiter).filter((folder) => folder !== '');
  for (const repository of repositories) {
    const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-repository-'));
    try {
      const root = path.join(folder, 'workspace');
      const storage = path.join(folder, 'storage');
      // Timestamps are preserved, because files that seem to have just changed would all be read.
      cpSync(repository, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
      mkdirSync(storage);
      const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\0');
      // Git's own files are left out, because a change to the ignore rules would cause a scan of the workspace.
      const files = tracked.filter(
        (file) => file !== '' && !/(^|\/)\.git/.test(file) && lstatSync(path.join(root, file)).isFile(),
      );
      measureRestores(root, files, storage, path.basename(repository));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Compares restoring 60 of `all` files with resets by Git, in turns, and reports the ratios. Paths are relative to `root`. */
export function measureRestores(root: string, all: readonly string[], storage: string, name: string): void {
  const step = Math.max(1, Math.floor(all.length / restored));
  const files = all.filter((_, index) => index % step === 0).slice(0, restored);
  const engine = engineOn(storage);
  const workspace = { roots: [root], exclude: [], maxFileBytes: 50_000_000 };
  const id = engine.checkpoints.takeNow('session', 'manual', 'Target', workspace).at(-1)?.id ?? '';
  const gits = (['durable', 'bare'] as const).map((durability) => new PlainGit(root, storage, durability));
  const commits = gits.map((git) => git.commit());
  const ours: number[] = [];
  const theirs = gits.map(() => ({ alone: [] as number[], whole: [] as number[] }));
  const rounds = many(9);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, git] of gits.entries()) {
      change(root, files, 1_000 + round * 2 + index);
      const { alone, whole } = git.restore(commits[index] ?? '');
      if (round > 0) theirs[index]?.alone.push(alone);
      if (round > 0) theirs[index]?.whole.push(whole);
    }
    change(root, files, 2_000 + round);
    const start = performance.now();
    const { steps } = engine.restores.restore('session', { kind: 'checkpoint', id }, workspace, { overwrite: 'all' });
    if (round > 0) ours.push(performance.now() - start);
    const done = steps.filter(({ outcome }) => outcome === 'done').length;
    if (done < files.length) throw new Error(`${done} files were restored`);
  }
  engine.dispose();
  const [durable, bare] = theirs.map(({ alone, whole }) => ({ alone: median(alone), whole: median(whole) }));
  const baselines: [string, number | undefined, Goal][] = [
    ['a durable reset and two commits', durable?.whole, 'ratio ≤ 1'],
    ['a bare reset and two commits', bare?.whole, 'ratio ≤ 1'],
    ['a bare reset alone', bare?.alone, 'ratio ≤ 2'],
  ];
  for (const [baseline, ms = Number.NaN, goal] of baselines)
    report('checkpoints', `restore of ${files.length} beside ${baseline}, ${name}`, 'ms', median(ours), ms, goal);
}

/** Writes new text into all `files`. */
function change(root: string, files: readonly string[], round: number): void {
  for (const [index, file] of files.entries()) writeFileSync(path.join(root, file), sourceText(round * 1_000 + index, 4_000));
}
