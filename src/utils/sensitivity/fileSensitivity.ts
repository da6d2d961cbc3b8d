import { buildFiles } from './buildFiles';
import { foldedPath } from './foldedPath';
import { GlobError, globMatcher } from '../text/globs';
import { mayInstructAgents } from './instructionFiles';
import { NameRules, rulesOfLists } from './nameRules';
import { protectedFiles } from './protectedFiles';
import { secretFiles } from './secretFiles';

/** Map from globs to whether matching files may be used without approval. The last matching glob applies. */
export type SensitivityPatterns = Readonly<Record<string, boolean>>;

/** Reason why a file needs approval. It may contain secrets, affects builds, may instruct agents, or is in the user's list. */
export type Sensitivity = 'secret' | 'build' | 'instructions' | 'listed';

interface Rule {
  matches: (path: string) => boolean;
  isFree: boolean;
  kind: Sensitivity;
}

const secrets = new NameRules<Sensitivity>(rulesOfLists(secretFiles, 'secret'));
const builds = new NameRules<Sensitivity>(rulesOfLists(buildFiles, 'build'));

/**
 * Git settings, also of submodules, worktrees, bare repositories and copies. A remote address in them may contain a
 * token. Even the user's patterns cannot exempt them.
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

/**
 * Determines from the path (with `/`) whether a file needs approval. Also detects spellings that
 * a lenient file system maps to the same file.
 */
export class FileSensitivity {
  private readonly own: readonly Rule[];

  /** Creates the rules. `own` are the user's patterns. Later patterns take precedence. */
  constructor(...own: readonly SensitivityPatterns[]) {
    this.own = own.flatMap(compileRules);
  }

  /** Returns the reason why a change needs approval, or null if it needs none. */
  of(path: string): Sensitivity | null {
    const plain = foldedPath(path);
    const found = this.ruleOfNameOrOriginal(plain);
    if (found !== undefined && !found.isFree) return found.kind;
    // A file that the built-in list of secrets exempts can still affect builds.
    if (this.findOwnRule(plain)?.isFree === true) return null;
    const build = builds.of(plain);
    if (build !== undefined) return build.isFree ? null : build.kind;
    return mayInstructAgents(plain) ? 'instructions' : null;
  }

  /** Returns true if a pattern allows use without approval. It can be a pattern of the user or a built-in one. */
  isExempt(path: string): boolean {
    return this.findRule(foldedPath(path))?.isFree === true;
  }

  /** Returns true if a pattern of the user allows use without approval. In this case, the file is also not scanned for keys. */
  isExemptByUser(path: string): boolean {
    const plain = foldedPath(path);
    return gitSettings.of(plain) === undefined && this.findOwnRule(plain)?.isFree === true;
  }

  /** Returns true if reading the file also needs approval. */
  isSecret(path: string): boolean {
    return this.ruleOfNameOrOriginal(foldedPath(path))?.isFree === false;
  }

  /** Returns the rule for a name. If the name looks like a copy, returns the rule for its original. */
  private ruleOfNameOrOriginal(plain: string): Pick<Rule, 'isFree' | 'kind'> | undefined {
    return this.findRule(plain) ?? listOriginals(plain).flatMap((one) => this.findRule(one) ?? [])[0];
  }

  private findRule(plain: string): Pick<Rule, 'isFree' | 'kind'> | undefined {
    return gitSettings.of(plain) ?? this.findOwnRule(plain) ?? secrets.of(plain);
  }

  private findOwnRule(plain: string): Rule | undefined {
    return this.own.findLast(({ matches }) => matches(plain));
  }
}

/** Returns true if every change to a file needs approval. */
export function isProtected(path: string): boolean {
  return protectedNames.of(foldedPath(path)) !== undefined;
}

/** Returns true if any file system treats a name as `.git`. */
export function isGitFolder(name: string): boolean {
  return foldedPath(name).toLowerCase() === '.git';
}

function compileRules(patterns: SensitivityPatterns): Rule[] {
  return Object.entries(patterns).map(([pattern, isFree]) => ({
    matches: compilePattern(pattern, isFree),
    isFree,
    kind: 'listed',
  }));
}

/** Compiles a pattern. An invalid pattern never exempts a file. If the pattern requires approval, it does so for every file. */
function compilePattern(pattern: string, isFree: boolean): Rule['matches'] {
  try {
    return globMatcher(pattern, { ignoreCase: true });
  } catch (error) {
    if (!(error instanceof GlobError)) throw error;
    return () => !isFree;
  }
}

/**
 * Returns possible originals of a copy. For example, `.npmrc` is the original of
 * `.npmrc.bak.2`, `#.npmrc#` and `..npmrc.swp`.
 */
function listOriginals(path: string): string[] {
  const at = path.lastIndexOf('/') + 1;
  const folder = path.slice(0, at);
  const name = path.slice(at);
  const found: string[] = [];
  const current = name.replace(/^\.?#(.+?)#?$/, '$1').replace(/^(?:Copy of |Kopie von )/i, '');
  if (current !== name) found.push(folder + current);
  for (let shorter = current; copySuffix.test(shorter);) {
    shorter = shorter.replace(copySuffix, '');
    if (shorter === '') break;
    found.push(folder + shorter);
    // The name of a vim swap file has a leading dot.
    if (shorter.startsWith('.')) found.push(folder + shorter.slice(1));
  }
  return found.filter((one) => !one.endsWith('/'));
}
