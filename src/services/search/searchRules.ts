import { basename, dirname, join, relative, sep } from 'node:path';
import { nodeFileSystem } from '../../utils/files/fileSystem';
import { FolderRules } from '../git/ignoreRules';
import { TrackedNames } from '../git/gitIndex';
import { NeverRules } from '../git/neverRules';
import { isDatabase, isStorageFolder } from '../database/sqlite/databaseFile';
import { gitDirectoryOf, gitEnvironment, repositoryOf, type Repository } from '../git/repository';
import { isSystemError } from '../../utils/errors';

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
 * Decides what is left out in one folder, by git's rules for the repository that the folder lies in (`services/git`) and
 * the list
 * above. An ignored file is left out even if it is tracked: whoever ignores it does not mean others to see it.
 */
export class IgnoreRules {
  private constructor(
    private readonly rules: FolderRules,
    /** True if the folder is left out itself. */
    private readonly isLeftOut = false,
    /** Rules of what a person has closed, and the path from there to this folder. */
    private readonly never: { rules: NeverRules; inside: string } | null = null,
  ) {}

  /**
   * Returns the rules in `folder`, which is `root` or lies in it; rules from above `root` count if root is part of a repository. A folder
   * that
   * is ignored itself was asked for by name: its content is not hidden then.
   */
  static of(folder: string, root: string): IgnoreRules {
    const options = { fileSystem: nodeFileSystem, environment: gitEnvironment(), exclude: [], isBare: true };
    const git = FolderRules.of(folder, { ...options, trackedNames: () => TrackedNames.none, outermost: root });
    const never = NeverRules.of(root);
    const inside = relative(root, folder).split(sep).join('/');
    return new IgnoreRules(git, false, never && { rules: never, inside });
  }

  /** Returns the rules of the repository whose top is this very folder; null if there is none. */
  static at(folder: string): IgnoreRules | null {
    return gitDirectoryOf(folder, nodeFileSystem) === null ? null : IgnoreRules.of(folder, folder);
  }

  /** Returns the rules inside a folder of the one these rules are for; null if they cannot be read. */
  into(folder: string): IgnoreRules | null {
    try {
      const own = IgnoreRules.at(folder);
      return own === null ? this.below(folder) : new IgnoreRules(own.rules, own.isLeftOut, this.neverIn(basename(folder)));
    } catch (error) {
      if (isSystemError(error)) return null;
      throw error;
    }
  }

  /** Returns the rules as `into` does, but with the folder as a repository of its own. */
  below(folder: string): IgnoreRules {
    const name = basename(folder);
    const rules = this.rules.into(name).withFileIn(folder, nodeFileSystem);
    return new IgnoreRules(rules, this.isIgnored(name, true), this.neverIn(name));
  }

  /** Tells whether a person has closed a name in this folder: it is not even told. */
  isClosed(name: string, isFolder: boolean): boolean {
    return this.never !== null && this.never.rules.isClosed(joined(this.never.inside, name), isFolder);
  }

  private neverIn(name: string): { rules: NeverRules; inside: string } | null {
    return this.never && { ...this.never, inside: joined(this.never.inside, name) };
  }

  isIgnored(name: string, isFolder: boolean): boolean {
    if (name === '.git' || (isFolder && ignoredFolders.has(name))) return true;
    return this.isLeftOut || this.isClosed(name, isFolder) || this.rules.isIgnored(name, isFolder);
  }
}

/** Tells of single paths in a folder, with `/`, what a walk through it would. */
export class IgnoredPaths {
  /** Null where a walk does not come. */
  private readonly known = new Map<string, IgnoreRules | null>();

  constructor(private readonly folder: string) {}

  isIgnored(file: string): boolean {
    return isDatabase(join(this.folder, file)) || (this.rulesAround(file)?.isIgnored(nameOf(file), false) ?? true);
  }

  private rulesAround(path: string): IgnoreRules | null {
    const inside = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    let rules = this.known.get(inside);
    if (rules === undefined) {
      if (inside === '') rules = IgnoreRules.of(this.folder, this.folder);
      else {
        const above = this.rulesAround(inside);
        const folder = join(this.folder, inside);
        rules = above === null || above.isIgnored(nameOf(inside), true) || isStorageFolder(folder) ? null : above.into(folder);
      }
      this.known.set(inside, rules);
    }
    return rules;
  }
}

function joined(inside: string, name: string): string {
  return inside === '' ? name : `${inside}/${name}`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * Tells whether git ignores a file, by its own name or that of a folder above it, unless a program has made that folder:
 * somebody
 * keeps the file on this machine alone. `file` lies in `root`.
 */
export function isKeptBack(file: string, root: string): boolean {
  // Of a repository in another one, the rules of both count here.
  let all: IgnoreRules[] = [];
  for (const folder of foldersBetween(repositoryAround(root)?.top ?? root, dirname(file))) {
    const own = all.length === 0 ? IgnoreRules.of(folder, folder) : IgnoreRules.at(folder);
    all = [...all.map((rules) => rules.below(folder)), ...(own === null ? [] : [own])];
    const next = nextTowards(folder, file);
    const isFolder = next !== file;
    if (isFolder && madeFolders.has(basename(next))) return false;
    if (all.some((rules) => rules.isIgnored(basename(next), isFolder))) return true;
  }
  return false;
}

/** Tells whether the rules of the repository around a folder hold in it: not if it ignores the folder. */
export function isRuledBy({ top }: Repository, folder: string): boolean {
  if (top === folder) return true;
  let rules: IgnoreRules | undefined;
  for (const above of foldersBetween(top, dirname(folder))) {
    rules = rules?.into(above) ?? IgnoreRules.of(above, above);
    if (rules.isIgnored(basename(nextTowards(above, folder)), true)) return false;
  }
  return true;
}

export function repositoryAround(folder: string): Repository | null {
  return repositoryOf(folder, nodeFileSystem, gitEnvironment());
}

/** Returns `from`, every folder on the way, and `to`. */
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
