import { braceExpand, Minimatch, type MinimatchOptions } from 'minimatch';
import { AppError } from '../errors';
import { t } from '../l10n';

export type GlobErrorCode = 'length' | 'alternatives';

/** Error for a pattern that is too long or whose braces have too many alternatives to test for every file. */
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
/**
 * Maximum length of a path in characters. This is the limit on Linux. The limit on macOS is lower, and Windows paths are usually
 * much shorter.
 */
const maxPath = 4096;

/**
 * Glob syntax of VS Code: `*`, `?`, `[a-z]`, `[!a-z]`, `{a,b}` and `**` for any number of folders. A leading dot, `#`, `!`
 * and `+(` have no special meaning. A backslash is a separator like `/` on every system. A pattern without `/` matches the
 * file name in any folder. Composed and decomposed characters are equal, because names on a Mac can have both forms.
 * Brackets and braces also match themselves, because files have names such as `[id]` and `{{name}}`.
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
 * Returns a function that matches paths with `/` against a pattern. Patterns and paths come from models and repositories,
 * so slow patterns are rejected with a `GlobError`. A path with more than 4,096 characters never matches.
 */
export function globMatcher(pattern: string, { ignoreCase = false }: GlobOptions = {}): (path: string) => boolean {
  const matches = createMatcher(pattern, ignoreCase);
  const asNames = literalReadings(pattern).map((reading) => createMatcher(reading, ignoreCase));
  if (asNames.length === 0) return matches;
  return (path) =>
    matches(path) || (brackets.test(path) && asNames.some((matchesNames) => matchesNames(withMarks(path, brackets))));
}

function createMatcher(pattern: string, ignoreCase: boolean): (path: string) => boolean {
  const plain = checked(pattern);
  const isRooted = plain.startsWith('/');
  const glob = new Minimatch(named(plain.replace(/^\/+/, '')), { ...syntax, nocase: ignoreCase, matchBase: !isRooted });
  // With a slash at the end, a folder also matches `folder/**`.
  return (path) =>
    path.length <= maxPath && glob.match(`${named((isRooted ? path.replace(/^\//, '') : path).normalize('NFC'))}/`);
}

const brackets = /[[\]{}]/;
/** Private Unicode characters that represent brackets and braces in names. */
const marks: Readonly<Record<string, string>> = { '[': '\uf8e0', ']': '\uf8e1', '{': '\uf8e2', '}': '\uf8e3' };
/** Maximum number of parts of a pattern that are interpreted both as a name and as a glob. */
const maxChoices = 4;

function withMarks(text: string, characters: RegExp): string {
  return text.replace(new RegExp(characters, 'g'), (character) => marks[character] as string);
}

/**
 * Returns interpretations of a pattern in which brackets or braces are part of names. Marks replace these
 * characters. Each part of the path is interpreted both ways, so that `app/[id]/[a-z]*.{ts,tsx}` matches
 * `app/[id]/b.ts`. If there are more than `maxChoices` such parts, returns only two interpretations: all
 * brackets as names, and all brackets and braces as names.
 */
function literalReadings(pattern: string): string[] {
  if (!brackets.test(pattern) || pattern.length > maxPattern) return [];
  const parts = splitParts(pattern.replaceAll('\\', '/'));
  const choices = parts.flatMap((part, index) =>
    [/[[\]]/, /[{}]/].filter((kind) => kind.test(part)).map((characters) => ({ index, characters })),
  );
  const read = (chosen: typeof choices): string =>
    parts
      .map((part, index) =>
        chosen.filter((one) => one.index === index).reduce((text, one) => withMarks(text, one.characters), part),
      )
      .join('/');
  if (choices.length > maxChoices) {
    const ofBrackets = choices.filter(({ characters }) => characters.test('['));
    return [...new Set([read(ofBrackets), read(choices)])].filter((reading) => reading !== pattern);
  }
  const all = choices.reduce<(typeof choices)[]>((sets, choice) => [...sets, ...sets.map((set) => [...set, choice])], [[]]);
  return all.slice(1).map(read);
}

/** Splits a pattern at slashes outside braces. */
function splitParts(pattern: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of pattern) {
    if (character === '{') depth += 1;
    if (character === '}') depth = Math.max(0, depth - 1);
    if (character === '/' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** Returns `a/b` and `a/c` for `a/{b,c}`. Throws `GlobError`. */
export function expandBraces(pattern: string): string[] {
  return braceExpand(checked(pattern), syntax);
}

/** Returns true if a text contains a glob character. */
export function hasWildcards(text: string): boolean {
  return /[*?[\]{}]/.test(text);
}

/** Splits a list of globs at commas outside braces. */
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
  const { count, length } = countAlternatives(pattern);
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
function countAlternatives(pattern: string): Alternatives {
  const outer: { choices: Alternatives; current: Alternatives }[] = [];
  let choices = none;
  let current = one;
  const close = (): void => {
    const inside = addAlternatives(choices, current);
    ({ choices, current } = outer.pop() ?? { choices: none, current: one });
    current = multiplyAlternatives(current, inside);
  };
  for (const character of pattern) {
    if (character === '{') {
      outer.push({ choices, current });
      choices = none;
      current = one;
    } else if (outer.length > 0 && character === ',') {
      choices = addAlternatives(choices, current);
      current = one;
    } else if (outer.length > 0 && character === '}') close();
    else current = { count: current.count, length: current.length + current.count };
  }
  while (outer.length > 0) close();
  return current;
}

function addAlternatives(a: Alternatives, b: Alternatives): Alternatives {
  return { count: a.count + b.count, length: a.length + b.length };
}

function multiplyAlternatives(a: Alternatives, b: Alternatives): Alternatives {
  return { count: a.count * b.count, length: a.length * b.count + b.length * a.count };
}

/** Removes `.` segments, and turns `..` into a plain name, because the wildcards of the library would not match it otherwise. */
function named(path: string): string {
  return path.replace(/(?<=^|\/)(?:\.\/+)+/g, '').replace(/(?<=^|\/)\.\.(?=\/|$)/g, '\0..');
}
