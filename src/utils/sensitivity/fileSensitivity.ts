import { buildFiles } from './buildFiles';
import { foldedPath } from './foldedPath';
import { GlobError, globMatcher } from '../text/globs';
import { mayInstructAgents } from './instructionFiles';
import { NameRules, rulesOfLists } from './nameRules';
import { protectedFiles } from './protectedFiles';
import { secretFiles } from './secretFiles';

/** Map from globs to whether matching files may be used without approval. The last matching glob applies. */
export type SensitivityPatterns = Readonly<Record<string, boolean>>;

/** Reason why a file needs approval: it may hold secrets, affects builds, may instruct agents, or is in the user's list. */
export type Sensitivity = 'secret' | 'build' | 'instructions' | 'listed';

interface Rule {
  matches: (path: string) => boolean;
  isFree: boolean;
  kind: Sensitivity;
}

const secrets = new NameRules<Sensitivity>(rulesOfLists(secretFiles, 'secret'));
const builds = new NameRules<Sensitivity>(rulesOfLists(buildFiles, 'build'));

/**
 * Git settings (also of submodules, worktrees, bare repositories and copies), in which a remote address may contain a token. Not even
 * the user's patterns free them.
 */
const gitSettings = new NameRules<Sensitivity>(
  ['**/{*.git,.bare}/**/*config*', '**/{*.git,.bare}/**/*credential*', '**/.hg/hgrc*'].map((pattern) => ({
    pattern,
    isFree: false,
    kind: 'secret',
  })),
);

const protectedNames = new NameRules(protectedFiles.map((pattern) => ({ pattern, isFree: false, kind: 'protected' })));

/** Suffixes of copies. A copy is as secret as its original. A public key has another name (`id_*.pub`). */
const copySuffix =
  /(?:~|[._-](?:bak|backup|bkp|old|orig|original|save|saved|copy|tmp|temp|prev|disabled|swp|swo|pub|rej|dpkg-old|rpmsave|\d{1,14}))$/i;

/** Determines which files need approval by their path (with `/`), including spellings that a lenient file system maps to the same file. */
export class FileSensitivity {
  private readonly own: readonly Rule[];

  /** `own` are the user's patterns; later ones take precedence. */
  constructor(...own: readonly SensitivityPatterns[]) {
    this.own = own.flatMap(rulesOf);
  }

  /** Returns null for a file that may be changed without approval. */
  of(path: string): Sensitivity | null {
    const plain = foldedPath(path);
    const found = this.ruleOfNameOrOriginal(plain);
    if (found !== undefined && !found.isFree) return found.kind;
    // A file that the built-in secrets list frees may still affect builds.
    if (this.ownRuleOf(plain)?.isFree === true) return null;
    const build = builds.of(plain);
    if (build !== undefined) return build.isFree ? null : build.kind;
    return mayInstructAgents(plain) ? 'instructions' : null;
  }

  /** Returns whether a pattern, the user's or built-in, allows use without approval. */
  isExempt(path: string): boolean {
    return this.ruleOf(foldedPath(path))?.isFree === true;
  }

  /** Returns whether a pattern of the user allows use without approval. Then the file is not scanned for keys either. */
  isExemptByUser(path: string): boolean {
    const plain = foldedPath(path);
    return gitSettings.of(plain) === undefined && this.ownRuleOf(plain)?.isFree === true;
  }

  /** Returns whether reading the file needs approval too. */
  isSecret(path: string): boolean {
    return this.ruleOfNameOrOriginal(foldedPath(path))?.isFree === false;
  }

  /** Returns the rule of a name, or the rule of its original if the name looks like a copy. */
  private ruleOfNameOrOriginal(plain: string): Pick<Rule, 'isFree' | 'kind'> | undefined {
    return this.ruleOf(plain) ?? originalsOf(plain).flatMap((one) => this.ruleOf(one) ?? [])[0];
  }

  private ruleOf(plain: string): Pick<Rule, 'isFree' | 'kind'> | undefined {
    return gitSettings.of(plain) ?? this.ownRuleOf(plain) ?? secrets.of(plain);
  }

  private ownRuleOf(plain: string): Rule | undefined {
    return this.own.findLast(({ matches }) => matches(plain));
  }
}

/** Returns whether every change of a file needs approval. */
export function isProtected(path: string): boolean {
  return protectedNames.of(foldedPath(path)) !== undefined;
}

/** Returns whether any file system treats a name as `.git`. */
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

/** Compiles a pattern. An invalid pattern frees no file, and requires approval for every file. */
function matcherOf(pattern: string, isFree: boolean): Rule['matches'] {
  try {
    return globMatcher(pattern, { ignoreCase: true });
  } catch (error) {
    if (!(error instanceof GlobError)) throw error;
    return () => !isFree;
  }
}

/** Returns the possible originals of a copy: `.npmrc` for `.npmrc.bak.2`, `#.npmrc#` and `..npmrc.swp`. */
function originalsOf(path: string): string[] {
  const at = path.lastIndexOf('/') + 1;
  const [folder, name] = [path.slice(0, at), path.slice(at)];
  const found: string[] = [];
  const current = name.replace(/^\.?#(.+?)#?$/, '$1').replace(/^(?:Copy of |Kopie von )/i, '');
  if (current !== name) found.push(folder + current);
  for (let shorter = current; copySuffix.test(shorter);) {
    shorter = shorter.replace(copySuffix, '');
    if (shorter === '') break;
    found.push(folder + shorter);
    // A vim swap file has a leading dot.
    if (shorter.startsWith('.')) found.push(folder + shorter.slice(1));
  }
  return found.filter((one) => !one.endsWith('/'));
}
