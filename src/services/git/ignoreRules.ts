import path from 'node:path';
import type { FileSystem } from '../../utils/files/fileSystem';
import { builtInExcludes, builtInTopFolders } from './builtInExcludes';
import { toByteString, lowerAscii } from './gitPattern';
import { TrackedNames } from './gitIndex';
import { loadConfig, readRules, findRepository, trackedNames, type GitEnvironment, type Repository } from './repository';
import { RuleList } from './ruleList';

export interface IgnoreOptions {
  fileSystem: FileSystem;
  environment: GitEnvironment;
  /** Setting `checkpoints.exclude`. Contains lines in `.gitignore` syntax that override all other rules. */
  exclude: readonly string[];
  /** True to disable the built-in list. */
  isBare?: boolean;
  /** Returns the tracked names. By default, they are read from the index. */
  trackedNames?: (repository: Repository) => TrackedNames;
  /** Topmost folder whose `.gitignore` applies if there is no repository. Default: the folder itself. */
  outermost?: string;
  /** Earlier rules. They are returned if nothing has changed. */
  before?: FolderRules | null;
}

type IgnoredBy = 'rules' | 'builtIn' | null;

/** Built-in rules, by case sensitivity and repository. They are shared by all folders. */
const builtInRules = new Map<string, RuleList>();

/** Rules of a `.gitignore`, and the length of its folder's path including the last `/`. */
interface Level {
  rules: RuleList;
  baseLength: number;
}

/**
 * Ignore rules of a folder, in Git's order. The deepest `.gitignore` comes first, then `.git/info/exclude`, the user's excludes
 * file and the built-in list. `checkpoints.exclude` comes before all of them.
 */
export class FolderRules {
  /**
   * Cached results for subfolders, because every scan needs each of them. Results
   * for files are not cached, because a scan needs them only for new files.
   */
  private readonly folders = new Map<string, IgnoredBy>();

  private constructor(
    private readonly shared: {
      first: RuleList;
      last: readonly RuleList[];
      /** Length of the path from the repository's top folder to the workspace folder, including the last `/`. */
      rootLength: number;
      tracked: TrackedNames;
      ignoreCase: boolean;
      composesNames: boolean;
      builtIn: RuleList;
    },
    private readonly levels: readonly Level[],
    /** Path from the repository's top folder, as bytes. Ends with `/` unless empty. */
    private readonly prefix: string,
    /** Names tracked by the innermost nested repository, and the length of its path including the last `/`. */
    private readonly inner: { tracked: TrackedNames; baseLength: number } | null = null,
    /** Key for the inputs of `of`. */
    private readonly source: string | null = null,
  ) {}

  /** Returns the rules of a workspace folder. If its repository ignores the folder, rules from parent folders do not apply. */
  static of(root: string, options: IgnoreOptions): FolderRules {
    const { fileSystem, environment, exclude, isBare = false, outermost = root, before = null } = options;
    const repository = findRepository(root, fileSystem, environment);
    const config = repository?.config ?? loadConfig(environment, fileSystem);
    const { ignoreCase, composesNames } = config;
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
    const source = JSON.stringify([
      root,
      top,
      repository !== null,
      ignoreCase,
      composesNames,
      isBare,
      exclude,
      own,
      excluded,
      files,
    ]);
    if (before !== null && before.source === source && before.shared.tracked === tracked) return before;

    const list = (text: string | null) => new RuleList(text ?? '', ignoreCase);
    const lastIn = (isRepository: boolean) => {
      const builtIn = isBare ? list('') : builtInRulesFor(ignoreCase, isRepository);
      return { builtIn, last: [list(excluded), list(own), builtIn].filter((rules) => !rules.isEmpty) };
    };
    const rootLength = inside.reduce((length, name) => length + nameBytes(name, composesNames).length + 1, 0);
    const first = list(toByteString(exclude.join('\n')));
    const shared = { first, ...lastIn(repository !== null), rootLength, tracked, ignoreCase, composesNames };
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

  /** Returns the rules in the subfolder `name`, without its own `.gitignore`. */
  into(name: string): FolderRules {
    return new FolderRules(this.shared, this.levels, `${this.prefix}${this.cased(name)}/`, this.inner);
  }

  /** Returns the rules including the `.gitignore` of this folder. `folder` is the path of this folder. */
  withFileIn(folder: string, fileSystem: FileSystem): FolderRules {
    return this.withFile(readRules(path.join(folder, '.gitignore'), fileSystem, 'refused'));
  }

  /** Returns the rules including a `.gitignore` with this content. */
  withFile(text: string | null): FolderRules {
    if (text === null) return this;
    const rules = new RuleList(text, this.shared.ignoreCase);
    if (rules.isEmpty) return this;
    return new FolderRules(this.shared, [{ rules, baseLength: this.prefix.length }, ...this.levels], this.prefix, this.inner);
  }

  /** Returns the rules including the names tracked by a nested repository in this folder, but not its own excludes. */
  withRepository(tracked: TrackedNames | null): FolderRules {
    if (tracked === null) return this;
    return new FolderRules(this.shared, this.levels, this.prefix, { tracked, baseLength: this.prefix.length });
  }

  /** Returns true if the rules ignore a name. Does not consider tracked names. */
  isIgnored(name: string, isFolder: boolean): boolean {
    return this.ignoredBy(name, isFolder) !== null;
  }

  /** Returns the kind of rules that ignore a name: `rules` from the user or project, only the built-in list, or null for none. */
  ignoredBy(name: string, isFolder: boolean): IgnoredBy {
    if (!isFolder) return this.decide(name, false);
    let by = this.folders.get(name);
    if (by === undefined) this.folders.set(name, (by = this.decide(name, true)));
    return by;
  }

  private decide(name: string, isFolder: boolean): IgnoredBy {
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

  /** Returns true if Git tracks the path `names`, relative to this folder. */
  isTrackedInside(names: readonly string[]): boolean {
    const whole = this.prefix + this.bytes(names.join('/'));
    const { inner } = this;
    return this.shared.tracked.has(whole) || (inner !== null && inner.tracked.has(whole.slice(inner.baseLength)));
  }

  /** Returns true if Git tracks the file, or anything in the folder. */
  isTracked(name: string, isFolder: boolean): boolean {
    const whole = this.prefix + this.bytes(name);
    const { inner } = this;
    const isIn = (tracked: TrackedNames, path: string) => tracked.has(path) || (isFolder && tracked.hasInside(path));
    return isIn(this.shared.tracked, whole) || (inner !== null && isIn(inner.tracked, whole.slice(inner.baseLength)));
  }

  private bytes(name: string): string {
    return nameBytes(name, this.shared.composesNames);
  }

  private cased(name: string): string {
    const bytes = this.bytes(name);
    return this.shared.ignoreCase ? lowerAscii(bytes) : bytes;
  }
}

function nameBytes(name: string, isComposed: boolean): string {
  return toByteString(isComposed ? name.normalize('NFC') : name);
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
