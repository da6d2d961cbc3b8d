/**
 * Matches names against a line of a `.gitignore`. Works byte by byte like
 * Git's `wildmatch`. See `toByteString`. Needs at most pattern × path steps.
 */
export class GitPattern {
  private constructor(
    readonly isNegated: boolean,
    readonly onlyFolders: boolean,
    /** Set if the pattern is a name without wildcards. */
    readonly literalName: string | null,
    /** Set if the pattern is `*` followed by text without wildcards. */
    readonly nameEnding: string | null,
    /** Set if the pattern is text without wildcards followed by `*`. */
    private readonly nameBeginning: string | null,
    private readonly isNameOnly: boolean,
    private readonly segments: readonly Segment[],
  ) {}

  /** Parses a line. Returns null if the line matches nothing, because it is empty, a comment, or malformed. */
  static parse(line: string, ignoreCase: boolean): GitPattern | null {
    let text = withoutTrailingSpaces(line);
    if (text === '' || text.startsWith('#')) return null;
    const isNegated = text.startsWith('!');
    if (isNegated) text = text.slice(1);
    const onlyFolders = text.endsWith('/');
    if (onlyFolders) text = text.slice(0, -1);
    const isNameOnly = !text.includes('/');
    if (text.startsWith('/')) text = text.slice(1);
    const tokens = splitTokens(text, ignoreCase);
    if (tokens === null || tokens.length === 0) return null;
    const isPlain = !/[*?[\\]/.test(text);
    const cased = ignoreCase ? lowerAscii(text) : text;
    const literalName = isNameOnly && isPlain ? cased : null;
    const nameEnding = isNameOnly && text.startsWith('*') && !/[*?[\\]/.test(text.slice(1)) ? cased.slice(1) : null;
    const nameBeginning = isNameOnly && text.endsWith('*') && !/[*?[\\]/.test(text.slice(0, -1)) ? cased.slice(0, -1) : null;
    const segments = isNameOnly ? [tokens.map((token) => (token === '/' ? never : token))] : splitSegments(tokens);
    return new GitPattern(isNegated, onlyFolders, literalName, nameEnding, nameBeginning, isNameOnly, segments);
  }

  /**
   * Returns true if a name matches. `path` is relative to the folder of the
   * pattern's file. Both are bytes, in lower case if the pattern ignores case.
   */
  matches(name: string, path: string): boolean {
    if (this.literalName !== null) return name === this.literalName;
    if (this.nameEnding !== null) return name.endsWith(this.nameEnding);
    if (this.nameBeginning !== null) return name.startsWith(this.nameBeginning);
    if (this.isNameOnly) return matchesName(this.segments[0] as Segment, name);
    return matchesItems(this.segments, path.split('/'), isAnyDepth, (segment, part) => matchesName(segment, part));
  }
}

/** Returns text with one character per UTF-8 byte. */
export function toByteString(text: string): string {
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

type Token = '/' | '*' | '**' | ((character: string) => boolean);
type Segment = readonly Token[];

const never = () => false;
const anyDepth: Segment = ['**'];
const isAnyDepth = (segment: Segment) => segment === anyDepth;

function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let index = 0; index < line.length; index += 1) {
    const isEscape = line[index] === '\\';
    if (isEscape) index += 1;
    if (isEscape || line[index] !== ' ') end = Math.min(index + 1, line.length);
  }
  return line.slice(0, end);
}

/** Splits a pattern into tokens. Returns null if it is malformed. */
function splitTokens(text: string, ignoreCase: boolean): Token[] | null {
  const tokens: Token[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] as string;
    if (character === '/') tokens.push('/');
    else if (character === '?') tokens.push(() => true);
    else if (character === '*') {
      const first = index;
      while (text[index + 1] === '*') index += 1;
      tokens.push(index > first ? '**' : '*');
    } else if (character === '[') {
      const set = setFrom(text, index, ignoreCase);
      if (set === null) return null;
      tokens.push(set.matches);
      index = set.end;
    } else if (character === '\\') {
      index += 1;
      const escaped = text[index];
      if (escaped === undefined) return null;
      tokens.push(escaped === '/' ? '/' : (other) => other === escaped);
    } else {
      // Git does not fold the case of escaped characters or of characters in brackets.
      const cased = ignoreCase ? lowerAscii(character) : character;
      tokens.push((other) => other === cased);
    }
  }
  return tokens;
}

function splitSegments(tokens: readonly Token[]): Segment[] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token === '/') parts.push([]);
    else parts.at(-1)?.push(token);
  }
  const segments: Segment[] = parts.map((part) => (part.length === 1 && part[0] === '**' ? anyDepth : part));
  // At the end, `**` matches the content of a folder, but not the folder itself.
  return segments.at(-1) === anyDepth ? [...segments.slice(0, -1), ['*'], anyDepth] : segments;
}

const classes: Record<string, RegExp> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[\x21-\x7e]/,
  lower: /[a-z]/,
  print: /[\x20-\x7e]/,
  punct: /[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

/** Parses a `[…]` that begins at `start`. Returns null if the end is missing. */
function setFrom(
  text: string,
  start: number,
  ignoreCase: boolean,
): { matches: (character: string) => boolean; end: number } | null {
  let at = start + 1;
  const isNegated = text[at] === '!' || text[at] === '^';
  if (isNegated) at += 1;
  const members: ((character: string) => boolean)[] = [];
  let before: string | null = null;
  for (let isFirst = true; isFirst || text[at] !== ']'; at += 1, isFirst = false) {
    let character = text[at];
    if (character === undefined) return null;
    if (character === '-' && before !== null && text[at + 1] !== undefined && text[at + 1] !== ']') {
      at += text[at + 1] === '\\' ? 2 : 1;
      const from = before;
      const to = text[at];
      if (to === undefined) return null;
      members.push((other) => between(from, other, to) || (ignoreCase && between(from, other.toUpperCase(), to)));
      before = null;
      continue;
    }
    if (character === '[' && text[at + 1] === ':') {
      const close = text.indexOf(']', at + 2);
      if (close < 0) return null;
      if (close > at + 2 && text[close - 1] === ':') {
        const name = text.slice(at + 2, close - 1);
        const known = classes[ignoreCase && name === 'upper' ? 'alpha' : name];
        if (known === undefined) return null;
        members.push((other) => known.test(other));
        before = null;
        at = close;
        continue;
      }
    }
    if (character === '\\') {
      at += 1;
      character = text[at];
      if (character === undefined) return null;
    }
    const member = character;
    members.push((other) => other === member);
    before = member;
  }
  return { matches: (character) => members.some((member) => member(character)) !== isNegated, end: at };
}

function between(from: string, character: string, to: string): boolean {
  return from <= character && character <= to;
}

function matchesName(segment: Segment, name: string): boolean {
  return matchesItems(
    segment,
    name,
    (token) => token === '*' || token === '**',
    (token, character) => typeof token === 'function' && token(character),
  );
}

/**
 * Matches items against a pattern whose parts, except wildcards, match one item each. Backtracking to the last wildcard suffices.
 */
function matchesItems<P, T>(
  pattern: readonly P[],
  items: ArrayLike<T>,
  isWildcard: (part: P) => boolean,
  matches: (part: P, item: T) => boolean,
): boolean {
  let at = 0;
  let item = 0;
  let wildcard = -1;
  let resume = 0;
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
