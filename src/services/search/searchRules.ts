import { basename, dirname, join, relative, sep } from 'node:path';
import { nodeFileSystem } from '../../utils/files/fileSystem';
import { FolderRules } from '../git/ignoreRules';
import { TrackedNames } from '../git/gitIndex';
import { NeverRules } from '../git/neverRules';
import { isDatabase, isStorageFolder } from '../database/sqlite/databaseFile';
import { findGitDirectory, gitEnvironment, findRepository, type Repository } from '../git/repository';
import { isSystemError } from '../../utils/errors';

/** Folders that are never searched, even without a `.gitignore`. */
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
/** Folders with generated or downloaded files. Reading these files is a normal part of a task. */
const generatedFolders = new Set([
  ...alwaysIgnored,
  ...['dist', 'out', 'build', 'target', 'bin', 'obj', 'vendor', 'coverage', 'htmlcov', 'tmp', 'temp', 'log', 'logs'],
  ...['.next', '.nuxt', '.output', '.svelte-kit', '.turbo', '.cache', '.parcel-cache', '.nyc_output', '.terraform', '.dart_tool'],
]);

/**
 * Decides which files in a folder are excluded from a search. Applies the Git rules of the repository (`services/git`) and the
 * list above. An ignored file is excluded even if it is tracked, because an ignore rule suggests that others should not see it.
 */
export class IgnoreRules {
  private constructor(
    private readonly rules: FolderRules,
    private readonly isLeftOut = false,
    /** Rules for files that the user has excluded completely, and the path of this folder relative to these rules. */
    private readonly never: { rules: NeverRules; inside: string } | null = null,
  ) {}

  /**
   * Returns the rules in `folder`, which is `root` or a folder inside it. If `root` is inside a repository, rules above `root`
   * also apply. If `folder` itself is ignored, its content is visible, because it was requested by name.
   */
  static of(folder: string, root: string): IgnoreRules {
    const options = { fileSystem: nodeFileSystem, environment: gitEnvironment(), exclude: [], isBare: true };
    const git = FolderRules.of(folder, { ...options, trackedNames: () => TrackedNames.none, outermost: root });
    const never = NeverRules.of(root);
    const inside = relative(root, folder).split(sep).join('/');
    return new IgnoreRules(git, false, never && { rules: never, inside });
  }

  /** Returns the rules of the repository with this top-level folder, or null if there is no repository. */
  static at(folder: string): IgnoreRules | null {
    return findGitDirectory(folder, nodeFileSystem) === null ? null : IgnoreRules.of(folder, folder);
  }

  /** Returns the rules of a subfolder, or null if the subfolder cannot be read. */
  into(folder: string): IgnoreRules | null {
    try {
      const own = IgnoreRules.at(folder);
      return own === null ? this.below(folder) : new IgnoreRules(own.rules, own.isLeftOut, this.neverIn(basename(folder)));
    } catch (error) {
      if (isSystemError(error)) return null;
      throw error;
    }
  }

  /** Returns the rules of a subfolder as `into` does, but ignores a repository inside it. */
  below(folder: string): IgnoreRules {
    const name = basename(folder);
    const rules = this.rules.into(name).withFileIn(folder, nodeFileSystem);
    return new IgnoreRules(rules, this.isIgnored(name, true), this.neverIn(name));
  }

  /** Returns whether the user has excluded a name in this folder completely. Then the name is hidden too. */
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

/** Checks single paths in a folder, written with `/`. The result is the same as in a walk of the folder. */
export class IgnoredPaths {
  /** Rules by folder. Null for folders that a walk does not enter. */
  private readonly known = new Map<string, IgnoreRules | null>();

  constructor(private readonly folder: string) {}

  isIgnored(file: string): boolean {
    return isDatabase(join(this.folder, file)) || (this.rulesAround(file)?.isIgnored(readName(file), false) ?? true);
  }

  private rulesAround(path: string): IgnoreRules | null {
    const inside = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    let rules = this.known.get(inside);
    if (rules === undefined) {
      if (inside === '') rules = IgnoreRules.of(this.folder, this.folder);
      else {
        const above = this.rulesAround(inside);
        const folder = join(this.folder, inside);
        rules = above === null || above.isIgnored(readName(inside), true) || isStorageFolder(folder) ? null : above.into(folder);
      }
      this.known.set(inside, rules);
    }
    return rules;
  }
}

function joined(inside: string, name: string): string {
  return inside === '' ? name : `${inside}/${name}`;
}

function readName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * Returns whether Git ignores a file or one of its parent folders, so that it exists only on this machine. Generated folders do
 * not count. `file` is inside `root`.
 */
export function isLocalOnly(file: string, root: string): boolean {
  // In a nested repository, the rules of both repositories apply.
  let all: IgnoreRules[] = [];
  for (const folder of foldersBetween(findSearchRepository(root)?.top ?? root, dirname(file))) {
    const own = all.length === 0 ? IgnoreRules.of(folder, folder) : IgnoreRules.at(folder);
    all = [...all.map((rules) => rules.below(folder)), ...(own === null ? [] : [own])];
    const next = nextTowards(folder, file);
    const isFolder = next !== file;
    if (isFolder && generatedFolders.has(basename(next))) return false;
    if (all.some((rules) => rules.isIgnored(basename(next), isFolder))) return true;
  }
  return false;
}

/**
 * Returns whether the rules of the surrounding repository apply in
 * a folder. They do not apply if the repository ignores the folder.
 */
export function rulesApplyIn({ top }: Repository, folder: string): boolean {
  if (top === folder) return true;
  let rules: IgnoreRules | undefined;
  for (const above of foldersBetween(top, dirname(folder))) {
    rules = rules?.into(above) ?? IgnoreRules.of(above, above);
    if (rules.isIgnored(basename(nextTowards(above, folder)), true)) return false;
  }
  return true;
}

export function findSearchRepository(folder: string): Repository | null {
  return findRepository(folder, nodeFileSystem, gitEnvironment());
}

/** Returns `from`, all folders between `from` and `to`, and `to`. */
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
