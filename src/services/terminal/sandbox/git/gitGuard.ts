import { watch, type FSWatcher } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInside } from '../../../../utils/files/isInside';
import { folderNamedBy, type GitFolders } from './gitFolders';
import { isSameKept, KeptFiles, keptOf, type Kept } from './keptFiles';
import { isAllowedChange, isPlain, pathsIn, settingsOf, type RepositorySettings } from './repositorySettings';

/** Files that decide which programs Git runs. Hooks are read-only in the sandbox. */
const settingFiles = ['config', 'config.worktree', 'commondir'];
const plainConfig = Buffer.from(
  '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n',
);
/** Names of hooks; one that a command adds to a folder of hooks in the workspace is removed. */
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
/** Content of `commondir` of a worktree. */
const commonFolder = Buffer.from('../..\n');

/** Paths to guard. All are absolute. */
export interface GuardedPaths extends GitFolders {
  roots: readonly string[];
  /** Files and links named `.git`. */
  gitFiles: readonly string[];
  /** Links that must not change: links to settings of the editor, and ignored links. */
  links: readonly string[];
}

/** Files whose state is restored together, and the folder whose changes are watched. */
interface Guarded {
  folder: string;
  files: ReadonlyMap<string, Kept>;
  settings: RepositorySettings;
}

/**
 * Restores what a sandboxed command has changed and what could run programs outside: settings of Git, the files that these include, hooks
 * in the workspace, and links. The editor runs Git as soon as a repository changes, so they are restored while the command runs too.
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

  /** `git` is the program. Without it, every change of settings is reverted. */
  static async start(paths: GuardedPaths, git: string | null): Promise<GitGuard> {
    const guard = new GitGuard(paths, git);
    for (const folder of paths.repositories) await guard.add(folder);
    for (const folder of paths.worktrees) guard.addFiles(folder, await statesOf(settingFiles.map((name) => join(folder, name))));
    const links = new Map<string, string[]>();
    for (const link of paths.links) links.set(dirname(link), [...(links.get(dirname(link)) ?? []), link]);
    for (const [folder, files] of links) guard.addFiles(folder, await statesOf(files));
    return guard;
  }

  /** Stops watching, without a check: no command has run. */
  stop(): void {
    for (const watcher of this.watchers) watcher.close();
  }

  /**
   * Stops watching and checks everything that exists now. Call it when no process of the command is left. Resolves with the restored
   * files. Rejects if one cannot be restored, after it has tried all.
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
    const settings = await settingsOf(folder, this.git);
    const { included, hooks } = pathsIn(settings, folder);
    const files = settingFiles.map((name) => join(folder, name));
    // A link to the settings: what it leads to counts too.
    const real = await realpath(join(folder, 'config')).catch(() => null);
    const more = [...included, ...(real === null ? [] : [real]), ...(await Promise.all(hooks.map(hooksIn))).flat()];
    const inWorkspace = more.filter((file) => this.before.roots.some((root) => isInside(file, root)));
    this.guarded.push({ folder, files: await statesOf([...files, ...inWorkspace]), settings });
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
      // The check at the end remains.
    }
  }

  private async check({ folder, files, settings }: Guarded): Promise<void> {
    if ((await lstat(folder).catch(() => null)) === null) return;
    for (const [file, before] of files) {
      const now = await keptOf(file);
      if (isSameKept(before, now)) continue;
      const isOwn = file === join(folder, 'config') && before?.kind === 'file' && now?.kind === 'file';
      if (isOwn && isAllowedChange(settings, await settingsOf(folder, this.git))) continue;
      await this.restore(file, before);
    }
  }

  /** A repository that the command made may have the settings of `git init` and `git clone`, and no hook but samples. */
  private async checkNew(folder: string): Promise<void> {
    const config = join(folder, 'config');
    const now = await keptOf(config);
    const isFile = now === null || now.kind === 'file';
    if (!isFile || !isPlain(await settingsOf(folder, this.git)))
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
    const now = await keptOf(join(folder, 'commondir'));
    if (now !== null && !(now.kind === 'file' && now.bytes.equals(commonFolder)))
      await this.restore(join(folder, 'commondir'), common);
    await this.removeIfThere(join(folder, 'config.worktree'));
  }

  /** A new `.git` file may name only a Git folder that was checked. A link is not needed. */
  private async checkNewFile(file: string, now: GuardedPaths): Promise<void> {
    const folder = await folderNamedBy(file);
    const checked = [...now.repositories, ...now.worktrees];
    if (folder === null || !checked.includes(folder)) await this.removeIfThere(file);
  }

  private async removeIfThere(file: string): Promise<void> {
    if ((await keptOf(file)) !== null) await this.restore(file, null);
  }

  private async restore(file: string, kept: Kept): Promise<void> {
    this.reverted.add(file);
    await this.kept.restore(file, kept);
  }
}

function covers({ folder, files }: Guarded, watched: string): boolean {
  return folder === watched || [...files.keys()].some((file) => dirname(file) === watched);
}

async function statesOf(files: readonly string[]): Promise<ReadonlyMap<string, Kept>> {
  return new Map(await Promise.all([...new Set(files)].map(async (file) => [file, await keptOf(file)] as const)));
}

/** Files in a folder of hooks, and those that Git would run if they existed. */
async function hooksIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  return [...new Set([...names, ...hookNames])].map((name) => join(folder, name));
}
