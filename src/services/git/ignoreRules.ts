import path from 'node:path';
import type { FileSystem } from '../../utils/files/fileSystem';
import { builtInExcludes, builtInTopFolders } from './builtInExcludes';
import { bytesOf, lowerAscii } from './gitPattern';
import { TrackedNames } from './gitIndex';
import { configOf, readRules, repositoryOf, trackedNames, type GitEnvironment, type Repository } from './repository';
import { RuleList } from './ruleList';

export interface IgnoreOptions {
  fileSystem: FileSystem;
  environment: GitEnvironment;
  /** `checkpoints.exclude`: lines in the syntax of a `.gitignore`, stronger than all others. */
  exclude: readonly string[];
  /** True to leave out the built-in list. */
  isBare?: boolean;
  /** Default: they are read. */
  trackedNames?: (repository: Repository) => TrackedNames;
  /** The uppermost folder whose `.gitignore` counts, where there is no repository; default: the folder itself. */
  outermost?: string;
  /** Given back, where nothing has changed since. */
  before?: FolderRules | null;
}

/** Built-in rules, the same for every folder, by whether they ignore case and are those of a repository. */
const builtInRules = new Map<string, RuleList>();

/** A `.gitignore` and how long the path of its folder is, with the `/`. */
interface Level {
  rules: RuleList;
  baseLength: number;
}

/**
 * The ignore rules inside one folder, as git has them: the deepest `.gitignore` first, then `.git/info/exclude`, then the person's own file,
 * and last the built-in list. `checkpoints.exclude` comes before all of them.
 */
export class FolderRules {
  private constructor(
    private readonly shared: {
      first: RuleList;
      last: readonly RuleList[];
      /** The length of the path from the repository's top to the workspace folder, with the `/`. */
      rootLength: number;
      tracked: TrackedNames;
      ignoreCase: boolean;
      builtIn: RuleList;
    },
    private readonly levels: readonly Level[],
    /** Path from the repository's top, as bytes; ends with `/` unless it is empty. */
    private readonly prefix: string,
    /** Names tracked by the innermost nested repository, and the length of its folder's path with the `/`. */
    private readonly inner: { tracked: TrackedNames; baseLength: number } | null = null,
    /** Everything that rules from `of` are made of. */
    private readonly source: string | null = null,
  ) {}

  /** Returns the rules in a workspace folder. If the repository it lies in ignores the folder, the rules from above do not hold. */
  static of(root: string, options: IgnoreOptions): FolderRules {
    const { fileSystem, environment, exclude, isBare = false, outermost = root, before = null } = options;
    const repository = repositoryOf(root, fileSystem, environment);
    const config = repository?.config ?? configOf(environment, fileSystem);
    const { ignoreCase } = config;
    const own = config.excludesFile === null ? null : readRules(config.excludesFile, fileSystem, 'followed');
    const top = repository?.top ?? outermost;
    const excluded = repository && readRules(path.join(repository.commonDirectory, 'info', 'exclude'), fileSystem, 'followed');
    const inside = path
      .relative(top, root)
      .split(path.sep)
      .filter((name) => name !== '');
    const folders = [top, ...inside.map((_, index) => path.join(top, ...inside.slice(0, index + 1)))];
    const files = folders.map((folder) => readRules(path.join(folder, '.gitignore'), fileSystem, 'refused'));
    const tracked = repository ? (options.trackedNames?.(repository) ?? trackedNames(repository, fileSystem)) : TrackedNames.none;
    const source = JSON.stringify([root, top, repository !== null, ignoreCase, isBare, exclude, own, excluded, files]);
    if (before !== null && before.source === source && before.shared.tracked === tracked) return before;

    const list = (text: string | null) => new RuleList(text ?? '', ignoreCase);
    const lastIn = (isRepository: boolean) => {
      const builtIn = isBare ? list('') : builtInRulesFor(ignoreCase, isRepository);
      return { builtIn, last: [list(excluded), list(own), builtIn].filter((rules) => !rules.isEmpty) };
    };
    const rootLength = inside.reduce((length, name) => length + bytesOf(name).length + 1, 0);
    const first = list(bytesOf(exclude.join('\n')));
    const shared = { first, ...lastIn(repository !== null), rootLength, tracked, ignoreCase };
    let rules = new FolderRules(shared, [], '').withFile(files[0] ?? null);
    for (const [index, name] of inside.entries()) {
      if (rules.isIgnored(name, true)) {
        const bare = { ...shared, ...lastIn(false), rootLength: 0, tracked: TrackedNames.none };
        return new FolderRules(bare, [], '').withFile(files.at(-1) ?? null);
      }
      rules = rules.into(name).withFile(files[index + 1] ?? null);
    }
    return new FolderRules(rules.shared, rules.levels, rules.prefix, null, source);
  }

  /** Returns the rules in the folder `name`, before its own `.gitignore`. */
  into(name: string): FolderRules {
    return new FolderRules(this.shared, this.levels, `${this.prefix}${this.cased(name)}/`, this.inner);
  }

  /** Returns the rules with the `.gitignore` of this folder, whose path is `folder`. */
  withFileIn(folder: string, fileSystem: FileSystem): FolderRules {
    return this.withFile(readRules(path.join(folder, '.gitignore'), fileSystem, 'refused'));
  }

  /** Returns the rules with a `.gitignore` of this content in this folder. */
  withFile(text: string | null): FolderRules {
    if (text === null) return this;
    const rules = new RuleList(text, this.shared.ignoreCase);
    if (rules.isEmpty) return this;
    return new FolderRules(this.shared, [{ rules, baseLength: this.prefix.length }, ...this.levels], this.prefix, this.inner);
  }

  /**
   * Returns the rules with the names that a nested repository with its top in this folder tracks; its own excludes do
   * not count.
   */
  withRepository(tracked: TrackedNames | null): FolderRules {
    if (tracked === null) return this;
    return new FolderRules(this.shared, this.levels, this.prefix, { tracked, baseLength: this.prefix.length });
  }

  /** Tells whether the rules ignore a name, whatever git tracks. */
  isIgnored(name: string, isFolder: boolean): boolean {
    return this.ignoredBy(name, isFolder) !== null;
  }

  /** Tells like `isIgnored` by what: rules of a person or a project, or the built-in list alone; null if by nothing. */
  ignoredBy(name: string, isFolder: boolean): 'rules' | 'builtIn' | null {
    const bytes = this.cased(name);
    const whole = this.prefix + bytes;
    const { first, last, builtIn, rootLength } = this.shared;
    const decided = first.isEmpty ? undefined : first.decide(bytes, whole.slice(rootLength), isFolder);
    if (decided !== undefined) return decided ? 'rules' : null;
    for (const { rules, baseLength } of this.levels) {
      const ignored = rules.decide(bytes, whole.slice(baseLength), isFolder);
      if (ignored !== undefined) return ignored ? 'rules' : null;
    }
    for (const rules of last) {
      const ignored = rules.decide(bytes, whole, isFolder);
      if (ignored !== undefined) return !ignored ? null : rules === builtIn ? 'builtIn' : 'rules';
    }
    return null;
  }

  /** Tells whether git tracks the end of the path `names`, which begins in this folder. */
  isTrackedInside(names: readonly string[]): boolean {
    const whole = this.prefix + bytesOf(names.join('/'));
    const { inner } = this;
    return this.shared.tracked.has(whole) || (inner !== null && inner.tracked.has(whole.slice(inner.baseLength)));
  }

  /** Tells whether git tracks the file, or anything in the folder. */
  isTracked(name: string, isFolder: boolean): boolean {
    const whole = this.prefix + bytesOf(name);
    const { inner } = this;
    const isIn = (tracked: TrackedNames, path: string) => tracked.has(path) || (isFolder && tracked.hasInside(path));
    return isIn(this.shared.tracked, whole) || (inner !== null && isIn(inner.tracked, whole.slice(inner.baseLength)));
  }

  private cased(name: string): string {
    const bytes = bytesOf(name);
    return this.shared.ignoreCase ? lowerAscii(bytes) : bytes;
  }
}

function builtInRulesFor(ignoreCase: boolean, isRepository: boolean): RuleList {
  const key = `${ignoreCase} ${isRepository}`;
  let rules = builtInRules.get(key);
  if (rules === undefined) {
    const folders = isRepository ? [] : builtInTopFolders.map((name) => `/${name}/`);
    builtInRules.set(key, (rules = new RuleList([builtInExcludes, ...folders].join('\n'), ignoreCase)));
  }
  return rules;
}
