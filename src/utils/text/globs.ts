import { braceExpand, Minimatch, type MinimatchOptions } from 'minimatch';
import { AppError } from '../errors';
import { t } from '../l10n';

export type GlobErrorCode = 'length' | 'alternatives';

/** Pattern that is too long, or whose braces have too many alternatives to test for every file. */
export class GlobError extends AppError {
  constructor(readonly code: GlobErrorCode) {
    const english = {
      length: `The pattern is longer than ${maxPattern} characters. Use a shorter one.`,
      alternatives: 'The pattern has too many alternatives in braces. Use fewer.',
    };
    const local = {
      length: t('The pattern is longer than {0} characters. Use a shorter one.', maxPattern),
      alternatives: t('The pattern has too many alternatives in braces. Use fewer.'),
    };
    super(english[code], { local: local[code], english: english[code] });
  }
}

export interface GlobOptions {
  ignoreCase?: boolean;
}

const maxPattern = 1000;
/** Maximum number of patterns after brace expansion. */
const maxAlternatives = 500;
/** Maximum total length of the expanded patterns in characters. */
const maxExpanded = 20_000;
/** Maximum length of a path in characters: the limit of Linux and macOS, and far above usual Windows paths. */
const maxPath = 4096;

/**
 * Glob syntax of VS Code: `*`, `?`, `[a-z]`, `[!a-z]`, `{a,b}` and `**` for any number of folders. A leading dot, `#`, `!` and `+(` have no
 * special meaning. A backslash is a separator like `/` on every system. A pattern without `/` matches the file name at any depth.
 * Composed and decomposed characters are equal, because a Mac has names of both forms.
 */
const syntax: MinimatchOptions = {
  dot: true,
  matchBase: true,
  nocomment: true,
  nonegate: true,
  noext: true,
  windowsPathsNoEscape: true,
  platform: 'linux',
  braceExpandMax: maxAlternatives,
};

/**
 * Returns a function that matches paths with `/` against a pattern. Patterns and paths come from models and repositories, so slow ones are
 * refused: throws `GlobError` for such a pattern, and a path of more than 4,096 characters never matches.
 */
export function globMatcher(pattern: string, { ignoreCase = false }: GlobOptions = {}): (path: string) => boolean {
  const plain = checked(pattern);
  const isRooted = plain.startsWith('/');
  const glob = new Minimatch(named(plain.replace(/^\/+/, '')), { ...syntax, nocase: ignoreCase, matchBase: !isRooted });
  // With a trailing slash, a folder also matches `folder/**`.
  return (path) =>
    path.length <= maxPath && glob.match(`${named((isRooted ? path.replace(/^\//, '') : path).normalize('NFC'))}/`);
}

/** Returns `a/b` and `a/c` for `a/{b,c}`. Throws `GlobError`. */
export function expandBraces(pattern: string): string[] {
  return braceExpand(checked(pattern), syntax);
}

/** Returns whether a text contains a glob character. */
export function hasWildcards(text: string): boolean {
  return /[*?[\]{}]/.test(text);
}

/** Splits a list of globs at commas outside of braces. */
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

/** Normalizes a pattern to `/` and removes parts without meaning. Throws `GlobError`. */
function checked(pattern: string): string {
  if (pattern.length > maxPattern) throw new GlobError('length');
  const { count, length } = alternativesOf(pattern);
  if (count > maxAlternatives || length > maxExpanded) throw new GlobError('alternatives');
  return pattern
    .normalize('NFC')
    .trim()
    .replaceAll('\\', '/')
    .replace(/(?<!\[)\{([^{},]*)\}/g, '$1')
    .replace(/(?<=.)(?:\/+\.?)+$/, '');
}

/** Number and total length of the expanded alternatives of a pattern. */
interface Alternatives {
  count: number;
  length: number;
}

const none: Alternatives = { count: 0, length: 0 };
const one: Alternatives = { count: 1, length: 0 };

/** Computes an upper bound of the brace expansion in linear time. */
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

/** Removes `.` segments and makes `..` a plain name, which the wildcards of the library would not match otherwise. */
function named(path: string): string {
  return path.replace(/(?<=^|\/)(?:\.\/+)+/g, '').replace(/(?<=^|\/)\.\.(?=\/|$)/g, '\0..');
}
