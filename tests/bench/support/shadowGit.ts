import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import glob from 'fast-glob';

/**
 * Reproduces Cline's shadow git until 2026 (cline/cline, `src/integrations/checkpoints`: `CheckpointGitOperations.ts`,
 * `CheckpointTracker.ts`, `CheckpointExclusions.ts`), without the cost of its wrappers. A separate repository has the workspace as its work
 * tree, a long list in `info/exclude`, and git's own garbage collection. A checkpoint walks the tree to rename nested repositories, runs
 * `add`, walks it to restore their names, and commits verbosely. A restore is `reset --hard`.
 */
export class ShadowGit {
  private readonly repository: string;

  constructor(
    private readonly workspace: string,
    storage: string,
  ) {
    this.repository = path.join(storage, '.git');
  }

  initialize(): void {
    this.git('init', '-q', path.dirname(this.repository));
    this.git('config', 'core.worktree', this.workspace);
    this.git('config', 'user.name', 'bench');
    this.git('config', 'user.email', 'bench@localhost');
    this.git('config', 'commit.gpgSign', 'false');
    writeFileSync(path.join(this.repository, 'info', 'exclude'), excluded.join('\n'));
  }

  async checkpoint(): Promise<string> {
    await this.rename('.git', disabled);
    try {
      this.git('add', '.', '--ignore-errors');
    } finally {
      await this.rename(disabled, '.git');
    }
    const told = this.git('commit', '-m', 'checkpoint', '--allow-empty', '--no-verify');
    const commit = /^\[\S+ (?:\(root-commit\) )?([0-9a-f]+)\]/.exec(told)?.[1];
    if (commit === undefined) throw new Error(`No commit: ${told.slice(0, 200)}`);
    return commit;
  }

  restore(commit: string): void {
    this.git('reset', '--hard', commit);
  }

  /** Waits for a garbage collection that a commit started in the background, so that it does not slow the next measurement. */
  async settled(): Promise<void> {
    await delay(100);
    while (existsSync(path.join(this.repository, 'gc.pid'))) await delay(50);
  }

  collectGarbage(): void {
    this.git('gc', '-q');
  }

  /** Renames nested repositories. The workspace's own repository keeps its name. */
  private async rename(from: string, to: string): Promise<void> {
    const options = { onlyDirectories: true, ignore: ['.git'], dot: true, markDirectories: false, suppressErrors: true };
    for (const found of await glob(`**/${from}`, { cwd: this.workspace, ...options })) {
      const folder = path.dirname(path.join(this.workspace, found));
      await rename(path.join(folder, from), path.join(folder, to));
    }
  }

  private git(...args: string[]): string {
    const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
    return execFileSync('git', args, {
      cwd: path.dirname(this.repository),
      env,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }
}

const disabled = '.git_disabled';

const folders = `
  .git .git_disabled .cache .gradle .idea .mypy_cache .next .nuxt .output .parcel-cache .pytest_cache .ruff_cache .svelte-kit .tox .turbo
  .venv .vs .vscode Pods __pycache__ bin build coverage dist env node_modules obj out target tmp vendor venv`;
const endings = `
  3gp aac aiff avi avif bmp eps flac gif heic ico jpeg jpg m4a m4v mkv mov mp3 mp4 mpeg mpg ogg opus png psd raw tif tiff wav webm webp wma
  7z bin bz2 dat deb dll dmg dylib exe gz iso jar msi rar rpm so tar tgz war xz zip zst
  accdb arrow avro bson csv db dbf frm ibd mdb myd myi orc parquet pdb rdb sql sqlite sqlite3
  bak cache dmp dump env error geojson gpkg kml kmz local lock log logs old out part pid pyc pyo shp swo swp temp tmp`;
/** Excludes as many patterns of the same kinds as the other tool: build output, dependencies, and extensions of non-source files. */
const excluded = [...words(folders).map((folder) => `${folder}/`), ...words(endings).map((ending) => `*.${ending}`)];

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
