import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

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
const maxRuleBytes = 1024 * 1024;

interface Level {
  base: string;
  matcher: Ignore;
}

/** The ignore rules that hold in one folder: its own, those of the folders above it and the built-in list. */
export class IgnoreRules {
  static readonly none = new IgnoreRules([]);

  private constructor(private readonly levels: readonly Level[]) {}

  /**
   * The rules in `folder`, which is `root` or lies in it; rules from above `root` count where root is part of a repository.
   * A folder that is ignored itself was asked for by name: what is in it is not hidden then.
   */
  static async of(folder: string, root: string): Promise<IgnoreRules> {
    let rules = IgnoreRules.none;
    for (const above of foldersBetween((await repositoryOf(root)) ?? root, folder)) {
      rules = await rules.into(above);
      if (above !== folder && rules.isIgnored(nextTowards(above, folder), true)) rules = IgnoreRules.none;
    }
    return rules;
  }

  /** The rules inside a folder of the one these rules are for. */
  async into(folder: string): Promise<IgnoreRules> {
    const texts = [await rulesIn(join(folder, '.git', 'info', 'exclude')), await rulesIn(join(folder, '.gitignore'))];
    const given = texts.filter((text) => text !== '');
    if (given.length === 0) return this;
    // Git tells upper case from lower case, unlike the package by default.
    const matcher = ignore({ ignorecase: false }).add(given.join('\n'));
    return new IgnoreRules([...this.levels, { base: folder, matcher }]);
  }

  isIgnored(path: string, isFolder: boolean): boolean {
    if (isFolder && ignoredFolders.has(path.slice(path.lastIndexOf(sep) + 1))) return true;
    for (let index = this.levels.length - 1; index >= 0; index -= 1) {
      const { base, matcher } = this.levels[index] as Level;
      const inside = relative(base, path).split(sep).join('/');
      const { ignored, unignored } = matcher.test(isFolder ? `${inside}/` : inside);
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

/**
 * Whether git leaves a file out, by its own name or that of a folder that it lies in, and a program has not made that folder: somebody keeps
 * it on this machine alone. `file` lies in `root`.
 */
export async function isKeptBack(file: string, root: string): Promise<boolean> {
  let rules = IgnoreRules.none;
  for (const folder of foldersBetween((await repositoryOf(root)) ?? root, dirname(file))) {
    rules = await rules.into(folder);
    const next = nextTowards(folder, file);
    if (next === file) return rules.isIgnored(file, false);
    if (madeFolders.has(basename(next))) return false;
    if (rules.isIgnored(next, true)) return true;
  }
  return false;
}

/** Whether rules from above `root` hold in it: it is a part of a repository, and not one that is ignored there. */
export async function heedsRulesAbove(root: string): Promise<boolean> {
  const repository = await repositoryOf(root);
  if (repository === undefined || repository === root) return false;
  return !(await IgnoreRules.of(dirname(root), repository)).isIgnored(root, true);
}

/** The nearest folder from `folder` upwards that holds a `.git`. */
async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let current = folder; ; current = dirname(current)) {
    const isRepository = await stat(join(current, '.git')).then(
      () => true,
      () => false,
    );
    if (isRepository) return current;
    if (dirname(current) === current) return undefined;
  }
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

async function rulesIn(file: string): Promise<string> {
  try {
    const stats = await stat(file);
    if (!stats.isFile() || stats.size > maxRuleBytes) return '';
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch {
    return '';
  }
}
