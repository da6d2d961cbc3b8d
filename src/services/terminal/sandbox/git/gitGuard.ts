import { watch, type FSWatcher } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInside } from '../../../../utils/files/isInside';
import { folderNamedBy, type GitFolders } from './gitFolders';
import { isSameKept, KeptFiles, readKept, type Kept } from './keptFiles';
import { isAllowedChange, isPlain, pathsIn, readSettings, type RepositorySettings } from './repositorySettings';

/** Files that determine which programs Git runs. Hooks are read-only in the sandbox. */
const settingFiles = ['config', 'config.worktree', 'commondir'];
const plainConfig = Buffer.from(
  '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n',
);
/** Names of hooks. If a command adds a hook with one of these names to a hooks folder in the workspace, the hook is removed. */
const hookNames = [
  ...[
    'applypatch-msg',
    'pre-applypatch',
    'post-applypatch',
    'pre-commit',
    'pre-merge-commit',
    'prepare-commit-msg',
    'commit-msg',
  ],
  ...[
    'post-commit',
    'pre-rebase',
    'post-checkout',
    'post-merge',
    'pre-push',
    'pre-auto-gc',
    'post-rewrite',
    'sendemail-validate',
  ],
  ...['fsmonitor-watchman', 'post-index-change', 'reference-transaction', 'pre-receive', 'update', 'post-receive', 'post-update'],
];
/** Content of the `commondir` file in a worktree. */
const commonFolder = Buffer.from('../..\n');

/** Absolute paths to guard. */
export interface GuardedPaths extends GitFolders {
  roots: readonly string[];
  /** Files and links named `.git`. */
  gitFiles: readonly string[];
  /** Links that must not change: links to editor settings, and links that Git ignores. */
  links: readonly string[];
}

/** Files that are restored together, and the folder to watch for their changes. */
interface Guarded {
  folder: string;
  files: ReadonlyMap<string, Kept>;
  settings: RepositorySettings;
}

/**
 * Reverts changes by a sandboxed command that could make programs run outside the sandbox. It guards the settings of Git, the
 * files that they include, hooks in the workspace, and links. The editor runs Git as soon as a repository changes, so the guard
 * also restores files while the command runs.
 */
export class GitGuard {
  private readonly guarded: Guarded[] = [];
  private readonly watchers: FSWatcher[] = [];
  private readonly kept = new KeptFiles();
  private readonly reverted = new Set<string>();
  private checking: Promise<void> = Promise.resolve();

  private constructor(
    private readonly before: GuardedPaths,
    private readonly git: string | null,
  ) {}

  /** Starts the guard. `git` is the path of Git. Without Git, every change of settings is reverted. */
  static async start(paths: GuardedPaths, git: string | null): Promise<GitGuard> {
    const guard = new GitGuard(paths, git);
    for (const folder of paths.repositories) await guard.add(folder);
    for (const folder of paths.worktrees)
      guard.addFiles(folder, await readStates(settingFiles.map((name) => join(folder, name))));
    const links = new Map<string, string[]>();
    for (const link of paths.links) links.set(dirname(link), [...(links.get(dirname(link)) ?? []), link]);
    for (const [folder, files] of links) guard.addFiles(folder, await readStates(files));
    return guard;
  }

  /** Stops watching without a final check. For use when no command has run. */
  stop(): void {
    for (const watcher of this.watchers) watcher.close();
  }

  /**
   * Stops watching and checks everything that exists now. Call it after all processes of the command have ended. Resolves with
   * the restored files. Tries to restore all files, then rejects if any of them failed.
   */
  async finish(now: GuardedPaths): Promise<string[]> {
    this.stop();
    await this.checking;
    const failures: unknown[] = [];
    const attempt = (work: Promise<void>) => work.catch((error: unknown) => void failures.push(error));
    for (const guarded of this.guarded) await attempt(this.check(guarded));
    const known = new Set([...this.before.repositories, ...this.before.worktrees, ...this.before.gitFiles]);
    for (const folder of now.repositories) if (!known.has(folder)) await attempt(this.checkNew(folder));
    for (const folder of now.worktrees) if (!known.has(folder)) await attempt(this.checkNewWorktree(folder));
    for (const file of now.gitFiles) if (!known.has(file)) await attempt(this.checkNewFile(file, now));
    await attempt(this.kept.removeAside());
    if (failures.length > 0) throw failures[0];
    return [...this.reverted].sort();
  }

  private async add(folder: string): Promise<void> {
    const settings = await readSettings(folder, this.git);
    const { included, hooks } = pathsIn(settings, folder);
    const files = settingFiles.map((name) => join(folder, name));
    // If the settings file is a link, its target is guarded too.
    const real = await realpath(join(folder, 'config')).catch(() => null);
    const more = [...included, ...(real === null ? [] : [real]), ...(await Promise.all(hooks.map(hooksIn))).flat()];
    const inWorkspace = more.filter((file) => this.before.roots.some((root) => isInside(file, root)));
    this.guarded.push({ folder, files: await readStates([...files, ...inWorkspace]), settings });
    for (const watched of new Set([folder, ...inWorkspace.map((file) => dirname(file))])) this.watch(watched);
  }

  private addFiles(folder: string, files: ReadonlyMap<string, Kept>): void {
    this.guarded.push({ folder, files, settings: null });
    this.watch(folder);
  }

  private watch(folder: string): void {
    const onChange = (): void => {
      const checkAll = async () => {
        for (const guarded of this.guarded) if (covers(guarded, folder)) await this.check(guarded);
      };
      this.checking = this.checking.then(checkAll).catch(() => undefined);
    };
    try {
      this.watchers.push(watch(folder, onChange).on('error', () => undefined));
    } catch {
      // Without a watcher, only the check at the end applies.
    }
  }

  private async check({ folder, files, settings }: Guarded): Promise<void> {
    if ((await lstat(folder).catch(() => null)) === null) return;
    for (const [file, before] of files) {
      const now = await readKept(file);
      if (isSameKept(before, now)) continue;
      const isOwn = file === join(folder, 'config') && before?.kind === 'file' && now?.kind === 'file';
      if (isOwn && isAllowedChange(settings, await readSettings(folder, this.git))) continue;
      await this.restore(file, before);
    }
  }

  /**
   * Checks a repository that the command created. Only the settings of `git init` and `git clone` and sample hooks are allowed.
   */
  private async checkNew(folder: string): Promise<void> {
    const config = join(folder, 'config');
    const now = await readKept(config);
    const isFile = now === null || now.kind === 'file';
    if (!isFile || !isPlain(await readSettings(folder, this.git)))
      await this.restore(config, { kind: 'file', bytes: plainConfig, mode: 0o644 });
    for (const name of ['config.worktree', 'commondir']) await this.removeIfThere(join(folder, name));
    const hooks = join(folder, 'hooks');
    const stats = await lstat(hooks).catch(() => null);
    if (stats !== null && !stats.isDirectory()) return this.restore(hooks, null);
    for (const name of stats === null ? [] : await readdir(hooks))
      if (!name.endsWith('.sample')) await this.restore(join(hooks, name), null);
  }

  private async checkNewWorktree(folder: string): Promise<void> {
    const common: Kept = { kind: 'file', bytes: commonFolder, mode: 0o644 };
    const now = await readKept(join(folder, 'commondir'));
    if (now !== null && !(now.kind === 'file' && now.bytes.equals(commonFolder)))
      await this.restore(join(folder, 'commondir'), common);
    await this.removeIfThere(join(folder, 'config.worktree'));
  }

  /** Removes a new `.git` file unless it names a checked Git folder. Also removes new links, which are not needed. */
  private async checkNewFile(file: string, now: GuardedPaths): Promise<void> {
    const folder = await folderNamedBy(file);
    const checked = [...now.repositories, ...now.worktrees];
    if (folder === null || !checked.includes(folder)) await this.removeIfThere(file);
  }

  private async removeIfThere(file: string): Promise<void> {
    if ((await readKept(file)) !== null) await this.restore(file, null);
  }

  private async restore(file: string, kept: Kept): Promise<void> {
    this.reverted.add(file);
    await this.kept.restore(file, kept);
  }
}

function covers({ folder, files }: Guarded, watched: string): boolean {
  return folder === watched || [...files.keys()].some((file) => dirname(file) === watched);
}

async function readStates(files: readonly string[]): Promise<ReadonlyMap<string, Kept>> {
  return new Map(await Promise.all([...new Set(files)].map(async (file) => [file, await readKept(file)] as const)));
}

/** Returns the files in a hooks folder, and the hooks that Git would run if they existed. */
async function hooksIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  return [...new Set([...names, ...hookNames])].map((name) => join(folder, name));
}
