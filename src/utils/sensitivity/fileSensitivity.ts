import { buildFiles } from './buildFiles';
import { foldedPath } from './foldedPath';
import { GlobError, globMatcher } from '../text/globs';
import { maySteerAgents } from './instructionFiles';
import { NameRules, rulesOfLists } from './nameRules';
import { protectedFiles } from './protectedFiles';
import { secretFiles } from './secretFiles';

/** Glob → whether such a file may be used without asking (the last one that matches decides). */
export type SensitivityPatterns = Readonly<Record<string, boolean>>;

/** Reason to ask about a file: it may hold secrets, decides what builds or runs, may instruct agents, or a person has listed it. */
export type Sensitivity = 'secret' | 'build' | 'instructions' | 'listed';

interface Rule {
  matches: (path: string) => boolean;
  isFree: boolean;
  kind: Sensitivity;
}

const secrets = new NameRules<Sensitivity>(rulesOfLists(secretFiles, 'secret'));
const builds = new NameRules<Sensitivity>(rulesOfLists(buildFiles, 'build'));

/**
 * The address of a remote may hold a token, in a submodule's, a worktree's or a bare repository's settings and in copies of them too.
 * What is in `.git` is git's: no pattern of a person frees it.
 */
const last = new NameRules<Sensitivity>(
  ['**/{*.git,.bare}/**/*config*', '**/{*.git,.bare}/**/*credential*', '**/.hg/hgrc*'].map((pattern) => ({
    pattern,
    isFree: false,
    kind: 'secret',
  })),
);

const protectedNames = new NameRules(protectedFiles.map((pattern) => ({ pattern, isFree: false, kind: 'protected' })));

/** Endings of copies: what is in a copy is as secret as what was copied. A public key has another name (`id_*.pub`). */
const copyEnding =
  /(?:~|[._-](?:bak|backup|bkp|old|orig|original|save|saved|copy|tmp|temp|prev|disabled|swp|swo|pub|rej|dpkg-old|rpmsave|\d{1,14}))$/i;

/** Tells files to ask about by their path (with `/`), however a forgiving file system may read it. */
export class FileSensitivity {
  private readonly own: readonly Rule[];

  /** Patterns of a person, those that take precedence last. */
  constructor(...own: readonly SensitivityPatterns[]) {
    this.own = own.flatMap(rulesOf);
  }

  /** Returns null for a file that may be changed without asking. */
  of(path: string): Sensitivity | null {
    const plain = foldedPath(path);
    const found = this.ruleOrCopys(plain);
    if (found !== undefined && !found.isFree) return found.kind;
    // What our list of secrets frees may still build.
    if (this.ownRuleOf(plain)?.isFree === true) return null;
    const build = builds.of(plain);
    if (build !== undefined) return build.isFree ? null : build.kind;
    return maySteerAgents(plain) ? 'instructions' : null;
  }

  /** Tells whether a pattern, of a person or our own, says that it may be used without asking. */
  isFreed(path: string): boolean {
    return this.ruleOf(foldedPath(path))?.isFree === true;
  }

  /** Tells whether a pattern of a person says so: then its text is not looked into either. */
  isFreedByPerson(path: string): boolean {
    const plain = foldedPath(path);
    return last.of(plain) === undefined && this.ownRuleOf(plain)?.isFree === true;
  }

  /** Tells whether reading it asks as well. */
  isSecret(path: string): boolean {
    return this.ruleOrCopys(foldedPath(path))?.isFree === false;
  }

  /** Returns the rule of a name, or that of what it is a copy of by its ending. */
  private ruleOrCopys(plain: string): Pick<Rule, 'isFree' | 'kind'> | undefined {
    return this.ruleOf(plain) ?? originalsOf(plain).flatMap((one) => this.ruleOf(one) ?? [])[0];
  }

  private ruleOf(plain: string): Pick<Rule, 'isFree' | 'kind'> | undefined {
    return last.of(plain) ?? this.ownRuleOf(plain) ?? secrets.of(plain);
  }

  private ownRuleOf(plain: string): Rule | undefined {
    return this.own.findLast(({ matches }) => matches(plain));
  }
}

/** Tells whether changing a file always asks. */
export function isProtected(path: string): boolean {
  return protectedNames.of(foldedPath(path)) !== undefined;
}

/** Tells whether some file system reads a single name as `.git`. */
export function isGitFolder(name: string): boolean {
  return foldedPath(name).toLowerCase() === '.git';
}

function rulesOf(patterns: SensitivityPatterns): Rule[] {
  return Object.entries(patterns).map(([pattern, isFree]) => ({
    matches: matcherOf(pattern, isFree),
    isFree,
    kind: 'listed',
  }));
}

/** A pattern that is refused frees no file, and asks about every file. */
function matcherOf(pattern: string, isFree: boolean): Rule['matches'] {
  try {
    return globMatcher(pattern, { ignoreCase: true });
  } catch (error) {
    if (!(error instanceof GlobError)) throw error;
    return () => !isFree;
  }
}

/** Returns what a file that is called as a copy is a copy of: `.npmrc` for `.npmrc.bak.2`, `#.npmrc#` and `..npmrc.swp`. */
function originalsOf(path: string): string[] {
  const at = path.lastIndexOf('/') + 1;
  const [folder, name] = [path.slice(0, at), path.slice(at)];
  const found: string[] = [];
  const current = name.replace(/^\.?#(.+?)#?$/, '$1').replace(/^(?:Copy of |Kopie von )/i, '');
  if (current !== name) found.push(folder + current);
  for (let shorter = current; copyEnding.test(shorter);) {
    shorter = shorter.replace(copyEnding, '');
    if (shorter === '') break;
    found.push(folder + shorter);
    // A swap file of vim has a dot before the name.
    if (shorter.startsWith('.')) found.push(folder + shorter.slice(1));
  }
  return found.filter((one) => !one.endsWith('/'));
}
