type Token = { kind: 'star' } | { kind: 'one'; matches: (character: string) => boolean };
type Segment = 'any depth' | Token[];

const maxAlternatives = 64;

export interface GlobOptions {
  ignoreCase?: boolean;
}

/**
 * Matches paths with `/`: `*`, `?`, `[a-z]`, `{a,b}` and `**` for any number of folders. A pattern without `/` is about the name alone,
 * at
 * any depth. Matching takes no more than pattern × path steps, whatever the pattern.
 */
export class Glob {
  private readonly alternatives: Segment[][];
  private readonly ignoresCase: boolean;

  constructor(pattern: string, { ignoreCase = false }: GlobOptions = {}) {
    this.ignoresCase = ignoreCase;
    this.alternatives = expandBraces(this.cased(cleaned(pattern))).map(segmentsOf);
  }

  matches(path: string): boolean {
    const names = this.cased(path)
      .split('/')
      .map((name) => [...name]);
    return this.alternatives.some((segments) =>
      matchesWildcards(
        segments,
        names,
        (segment) => segment === 'any depth',
        (segment, name) => segment !== 'any depth' && matchesName(segment, name),
      ),
    );
  }

  private cased(text: string): string {
    return this.ignoresCase ? text.toLowerCase() : text;
  }
}

/** Tells whether a text has a character that means something in a glob. */
export function hasWildcards(text: string): boolean {
  return /[*?[\]{}]/.test(text);
}

function cleaned(pattern: string): string {
  return pattern
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(\.\/)+/, '');
}

function segmentsOf(pattern: string): Segment[] {
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.');
  const isAnchored = pattern.replace(/\/$/, '').includes('/');
  const segments = names.map((name): Segment => (name === '**' ? 'any depth' : tokensOf(name)));
  return isAnchored ? segments : ['any depth', ...segments];
}

function tokensOf(name: string): Token[] {
  const characters = [...name];
  const tokens: Token[] = [];
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] as string;
    if (character === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
      continue;
    }
    const close = character === '[' ? characters.indexOf(']', index + 2) : -1;
    if (close > 0) {
      tokens.push({ kind: 'one', matches: oneOf(characters.slice(index + 1, close)) });
      index = close;
    } else tokens.push({ kind: 'one', matches: character === '?' ? () => true : (other) => other === character });
  }
  return tokens;
}

function oneOf(set: readonly string[]): (character: string) => boolean {
  const isNegated = set[0] === '!' || set[0] === '^';
  const members = isNegated ? set.slice(1) : set;
  return (character) => {
    for (let index = 0; index < members.length; index += 1) {
      const from = members[index] as string;
      const to = members[index + 1] === '-' ? members[index + 2] : undefined;
      if (to === undefined ? character === from : from <= character && character <= to) return !isNegated;
      if (to !== undefined) index += 2;
    }
    return isNegated;
  };
}

/** Returns `a/b` and `a/c` for `a/{b,c}`, no more than `limit` of them. */
export function expandBraces(pattern: string, limit = maxAlternatives): string[] {
  const open = pattern.indexOf('{');
  const close = open < 0 ? -1 : closingBrace(pattern, open);
  if (close < 0) return [pattern];
  const [before, after] = [pattern.slice(0, open), pattern.slice(close + 1)];
  const tails = expandBraces(after, limit);
  return alternativesOf(pattern.slice(open + 1, close))
    .flatMap((inside) => expandBraces(inside, limit).flatMap((one) => tails.map((tail) => before + one + tail)))
    .slice(0, limit);
}

function closingBrace(pattern: string, open: number): number {
  let depth = 0;
  for (let index = open; index < pattern.length; index += 1) {
    if (pattern[index] === '{') depth += 1;
    if (pattern[index] === '}') depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

/** Splits a text at the commas outside of inner braces. */
export function alternativesOf(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function matchesName(tokens: readonly Token[], name: readonly string[]): boolean {
  return matchesWildcards(
    tokens,
    name,
    ({ kind }) => kind === 'star',
    (token, character) => token.kind === 'one' && token.matches(character),
  );
}

/**
 * Matches items with a pattern of which each part but a wildcard stands for one item; going back to the last wildcard is
 * enough.
 */
function matchesWildcards<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  isWildcard: (part: P) => boolean,
  matches: (part: P, item: T) => boolean,
): boolean {
  let [at, item, wildcard, resume] = [0, 0, -1, 0];
  while (item < items.length) {
    const part = pattern[at];
    if (part !== undefined && isWildcard(part)) {
      wildcard = at;
      resume = item;
      at += 1;
    } else if (part !== undefined && matches(part, items[item] as T)) {
      at += 1;
      item += 1;
    } else if (wildcard >= 0) {
      resume += 1;
      item = resume;
      at = wildcard + 1;
    } else return false;
  }
  while (at < pattern.length && isWildcard(pattern[at] as P)) at += 1;
  return at === pattern.length;
}
