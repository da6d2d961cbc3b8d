import { braceExpand, Minimatch, type MinimatchOptions } from 'minimatch';
import { AppError } from '../errors';
import { t } from '../l10n';

export type GlobErrorCode = 'length' | 'alternatives';

/** A pattern that is too long, or has more alternatives in braces than can be tried for every file. */
export class GlobError extends AppError {
  constructor(readonly code: GlobErrorCode) {
    const english = {
      length: `The pattern is longer than ${maxPattern} characters. Use a shorter one.`,
      alternatives: 'The braces of the pattern have too many alternatives. Use fewer.',
    };
    const local = {
      length: t('The pattern is longer than {0} characters. Use a shorter one.', maxPattern),
      alternatives: t('The braces of the pattern have too many alternatives. Use fewer.'),
    };
    super(english[code], { local: local[code], english: english[code] });
  }
}

export interface GlobOptions {
  ignoreCase?: boolean;
}

/** Characters of a pattern. */
const maxPattern = 1000;
/** Patterns that the braces of one stand for. */
const maxAlternatives = 500;
/** Characters of these patterns together. */
const maxExpanded = 20_000;
/** Characters of a path: the longest that Linux and macOS open, and far beyond what Windows programs write. */
const maxPath = 4096;

/**
 * The syntax of VS Code: `*`, `?`, `[a-z]`, `[!a-z]`, `{a,b}` and `**` for any number of folders. A dot, `#`, `!` and `+(` mean nothing, a backslash divides
 * like `/` on every system, and a pattern without `/` is about the name alone, at any depth.
 */
const syntax: MinimatchOptions = {
  ...{ dot: true, matchBase: true, nocomment: true, nonegate: true, noext: true },
  ...{ windowsPathsNoEscape: true, platform: 'linux', braceExpandMax: maxAlternatives },
};

/**
 * Returns a function that tells whether a path with `/` matches a pattern. Both come from models and from repositories, so what would take long is refused:
 * throws `GlobError` for such a pattern, and a path of more than 4,096 characters matches nothing.
 */
export function globMatcher(pattern: string, { ignoreCase = false }: GlobOptions = {}): (path: string) => boolean {
  const plain = checked(pattern);
  const isRooted = plain.startsWith('/');
  const glob = new Minimatch(named(plain.replace(/^\/+/, '')), { ...syntax, nocase: ignoreCase, matchBase: !isRooted });
  // With a slash at its end, a folder matches `folder/**` as well.
  return (path) => path.length <= maxPath && glob.match(`${named(isRooted ? path.replace(/^\//, '') : path)}/`);
}

/** Returns `a/b` and `a/c` for `a/{b,c}`. Throws `GlobError`. */
export function expandBraces(pattern: string): string[] {
  return braceExpand(checked(pattern), syntax);
}

/** Tells whether a text has a character that means something in a glob. */
export function hasWildcards(text: string): boolean {
  return /[*?[\]{}]/.test(text);
}

/** Splits a list of globs at the commas outside of braces. */
export function splitGlobs(list: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of list) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** Returns a pattern with `/` alone, without what means nothing. Throws `GlobError`. */
function checked(pattern: string): string {
  if (pattern.length > maxPattern) throw new GlobError('length');
  const { count, length } = alternativesOf(pattern);
  if (count > maxAlternatives || length > maxExpanded) throw new GlobError('alternatives');
  return pattern
    .trim()
    .replaceAll('\\', '/')
    .replace(/(?<!\[)\{([^{},]*)\}/g, '$1')
    .replace(/(?<=.)(?:\/+\.?)+$/, '');
}

/** Patterns that a part of a pattern stands for: how many, and their characters together. */
interface Alternatives {
  count: number;
  length: number;
}

const none: Alternatives = { count: 0, length: 0 };
const one: Alternatives = { count: 1, length: 0 };

/** Counts what braces stand for, or more, in one step a character. */
function alternativesOf(pattern: string): Alternatives {
  const outer: { choices: Alternatives; current: Alternatives }[] = [];
  let [choices, current] = [none, one];
  const close = (): void => {
    const inside = sumOf(choices, current);
    ({ choices, current } = outer.pop() ?? { choices: none, current: one });
    current = productOf(current, inside);
  };
  for (const character of pattern) {
    if (character === '{') {
      outer.push({ choices, current });
      [choices, current] = [none, one];
    } else if (outer.length > 0 && character === ',') [choices, current] = [sumOf(choices, current), one];
    else if (outer.length > 0 && character === '}') close();
    else current = { count: current.count, length: current.length + current.count };
  }
  while (outer.length > 0) close();
  return current;
}

function sumOf(a: Alternatives, b: Alternatives): Alternatives {
  return { count: a.count + b.count, length: a.length + b.length };
}

function productOf(a: Alternatives, b: Alternatives): Alternatives {
  return { count: a.count * b.count, length: a.length * b.count + b.length * a.count };
}

/** Leaves out `.` and makes a plain name of `..`, which wildcards of the library do not match. */
function named(path: string): string {
  return path.replace(/(?<=^|\/)(?:\.\/+)+/g, '').replace(/(?<=^|\/)\.\.(?=\/|$)/g, '\0..');
}
