import { basename, dirname, join, relative, sep } from 'node:path';
import { nodeFileSystem } from '../checkpoint/fileSystem';
import { FolderRules } from '../checkpoint/scan/ignoreRules';
import { TrackedNames } from '../checkpoint/scan/gitIndex';
import { gitDirectoryOf, gitEnvironment, repositoryOf, type Repository } from '../checkpoint/scan/repository';
import { TrackedFiles } from './trackedFiles';

/** Folders that nobody looks for anything in, whether or not a `.gitignore` says so. */
export const alwaysIgnored: readonly string[] = [
  '.git',
  '.hg',
  '.svn',
  '.jj',
  'node_modules',
  'bower_components',
  '__pycache__',
  '.venv',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.tox',
  '.gradle',
];

const ignoredFolders = new Set(alwaysIgnored);
/** Folders of what was built, fetched or written down by programs: to look into them is ordinary work. */
const madeFolders = new Set([
  ...alwaysIgnored,
  ...['dist', 'out', 'build', 'target', 'bin', 'obj', 'vendor', 'coverage', 'htmlcov', 'tmp', 'temp', 'log', 'logs'],
  ...['.next', '.nuxt', '.output', '.svelte-kit', '.turbo', '.cache', '.parcel-cache', '.nyc_output', '.terraform', '.dart_tool'],
]);

/**
 * What git leaves out in one folder, by all that it goes by (`checkpoint/scan`), and the list above. The repository that a folder lies in
 * decides; what it tracks is never left out.
 */
export class IgnoreRules {
  private constructor(
    private readonly rules: FolderRules,
    private readonly tracked: TrackedFiles,
    /** Whether the folder is left out but for what git tracks in it. */
    private readonly isAside = false,
  ) {}

  /**
   * The rules in `folder`, which is `root` or lies in it; rules from above `root` count where root is part of a repository.
   * A folder that is ignored itself was asked for by name: what is in it is not hidden then.
   */
  static of(folder: string, root: string, tracked = new TrackedFiles()): IgnoreRules {
    const options = { fileSystem: nodeFileSystem, environment: gitEnvironment(), exclude: [], isBare: true };
    // The index may be large, and often nobody asks.
    const notYet = { trackedNames: () => TrackedNames.none, outermost: root };
    return new IgnoreRules(FolderRules.of(folder, { ...options, ...notYet }), tracked);
  }

  /** The rules inside a folder of the one these rules are for. */
  into(folder: string): IgnoreRules {
    if (gitDirectoryOf(folder, nodeFileSystem) !== null) return IgnoreRules.of(folder, folder, this.tracked);
    const name = basename(folder);
    return new IgnoreRules(this.rules.into(name).withFileIn(folder, nodeFileSystem), this.tracked, this.hides(name, true));
  }

  async isIgnored(name: string, isFolder: boolean): Promise<boolean> {
    if (name === '.git' || (isFolder && ignoredFolders.has(name))) return true;
    return this.hides(name, isFolder) && !(await this.isTracked(name, isFolder));
  }

  /** Whether it is left out unless git tracks it. */
  hides(name: string, isFolder: boolean): boolean {
    return this.isAside || this.rules.isIgnored(name, isFolder);
  }

  private async isTracked(name: string, isFolder: boolean): Promise<boolean> {
    const { repository } = this.rules;
    if (repository === null) return false;
    const tracked = await this.tracked.of(repository);
    const path = this.rules.pathOf(name);
    return tracked.has(path) || (isFolder && tracked.hasInside(path));
  }
}

/** Tells of single paths in a folder, with `/`, what a walk through it would. */
export class IgnoredPaths {
  /** Null where a walk does not come. */
  private readonly known = new Map<string, IgnoreRules | null>();
  readonly tracked = new TrackedFiles();

  constructor(private readonly folder: string) {}

  async isIgnored(file: string): Promise<boolean> {
    return (await this.rulesAround(file))?.isIgnored(nameOf(file), false) ?? true;
  }

  /** Whether it is not ignored only because git tracks it. */
  async isForced(file: string): Promise<boolean> {
    return (await this.rulesAround(file))?.hides(nameOf(file), false) ?? false;
  }

  private async rulesAround(path: string): Promise<IgnoreRules | null> {
    const inside = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    let rules = this.known.get(inside);
    if (rules === undefined) {
      if (inside === '') rules = IgnoreRules.of(this.folder, this.folder, this.tracked);
      else {
        const above = await this.rulesAround(inside);
        const isLeftOut = above === null || (await above.isIgnored(nameOf(inside), true));
        rules = isLeftOut ? null : above.into(join(this.folder, inside));
      }
      this.known.set(inside, rules);
    }
    return rules;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * Whether git leaves a file out, by its own name or that of a folder that it lies in, and a program has not made that folder: somebody keeps
 * it on this machine alone. `file` lies in `root`.
 */
export async function isKeptBack(file: string, root: string): Promise<boolean> {
  let rules: IgnoreRules | undefined;
  for (const folder of foldersBetween(repositoryAround(root)?.top ?? root, dirname(file))) {
    rules = rules?.into(folder) ?? IgnoreRules.of(folder, folder);
    const next = nextTowards(folder, file);
    if (next === file) return rules.isIgnored(basename(file), false);
    if (madeFolders.has(basename(next))) return false;
    if (await rules.isIgnored(basename(next), true)) return true;
  }
  return false;
}

/** The repository whose rules hold in a folder; null where there is none, or where it ignores the folder. */
export function ruledBy(folder: string): Repository | null {
  const repository = repositoryAround(folder);
  if (repository === null || repository.top === folder) return repository;
  let rules: IgnoreRules | undefined;
  for (const above of foldersBetween(repository.top, dirname(folder))) {
    rules = rules?.into(above) ?? IgnoreRules.of(above, above);
    if (rules.hides(basename(nextTowards(above, folder)), true)) return null;
  }
  return repository;
}

export function repositoryAround(folder: string): Repository | null {
  return repositoryOf(folder, nodeFileSystem, gitEnvironment());
}

/** `from`, every folder on the way, and `to`. */
function foldersBetween(from: string, to: string): string[] {
  const folders = [to];
  for (let current = to; current !== from && dirname(current) !== current; current = dirname(current)) {
    folders.unshift(dirname(current));
  }
  return folders;
}

function nextTowards(above: string, folder: string): string {
  return join(above, relative(above, folder).split(sep)[0] ?? '');
}
