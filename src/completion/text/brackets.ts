import type { RawCompletion } from './rawCompletion';

/** Bracket without a partner, with its index. */
export interface UnpairedBracket {
  character: string;
  index: number;
}

export interface Brackets {
  /** Opening brackets without a partner, in order. */
  openers: UnpairedBracket[];
  /** Closing brackets without a partner, in order. */
  closers: UnpairedBracket[];
  /** Opening quotes or comment marker around the end of the text. Null if the text ends in code. */
  inside: string | null;
  /** If the text ends in an interpolation, the opening quotes of the surrounding strings, outermost first. */
  around: string[];
}

const partners: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const hashLanguages =
  /^(python|ruby|shellscript|yaml|dockerfile|makefile|perl|r|julia|elixir|powershell|toml|coffeescript|jupyter|terraform|nix)$/;
const patternLanguages = /^(javascript|typescript|javascriptreact|typescriptreact|vue|svelte)$/;
const regularExpression = /\/(?![/*])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const rustCharacter = /^'(?:\\[^\n][^'\n]{0,9}|[^\\\n'])'/;
const dashLanguages = /^(lua|sql|haskell|elm|ada|vhdl)$/;

/** Matches languages in which a string in double quotes may contain `${`. The languages below use `#{`. */
const dollarLanguages = /^(kotlin|dart|groovy|scala|shellscript|php)$/;
const hashHoleLanguages = /^(ruby|elixir|coffeescript|crystal)$/;

/** Pairs the brackets of a text outside strings and comments. `inside` is the string or comment in which the text begins. */
export function pairBrackets(text: string, languageId: string, inside: string | null = null): Brackets {
  const reader = new Reader(text, languageId, inside);
  return reader.read();
}

/** Returns the opening quotes or comment marker around the cursor. Returns null in code. */
export function findQuote({ prefix, languageId }: RawCompletion): string | null {
  return pairBrackets(prefix.slice(-16_000), languageId).inside;
}

class Reader {
  private readonly openers: UnpairedBracket[] = [];
  private readonly closers: UnpairedBracket[] = [];
  /** Strings around the interpolation at this index, each with the number of brackets that are open before it. */
  private readonly around: { quote: string; hole: string | null; depth: number }[] = [];
  /** Text that begins an interpolation in the current string. Null if the string has no interpolation. */
  private hole: string | null = null;
  private index = 0;

  constructor(
    private readonly text: string,
    private readonly languageId: string,
    private inside: string | null,
  ) {}

  read(): Brackets {
    while (this.index < this.text.length) {
      if (this.inside === null) this.code();
      else this.content(this.inside);
    }
    const around = this.around.map(({ quote }) => quote);
    return { openers: this.openers, closers: this.closers, inside: this.inside, around };
  }

  private code(): void {
    const character = this.text.charAt(this.index);
    if (character === '\n') this.leaveStringsOfLine();
    const pattern = character === '/' ? this.pattern() : 0;
    if (pattern > 0) {
      this.index += pattern;
      return;
    }
    const begun = this.begins();
    if (begun !== null) {
      this.hole = this.findHole(begun);
      this.inside = begun;
      this.index += begun.length;
      return;
    }
    if (character === '(' || character === '[' || character === '{') this.openers.push({ character, index: this.index });
    const partner = partners[character];
    if (partner !== undefined) {
      if (this.openers.at(-1)?.character === partner) this.openers.pop();
      else this.closers.push({ character, index: this.index });
      if (this.openers.length === this.around.at(-1)?.depth) this.returnToString();
    }
    this.index += 1;
  }

  /** At the end of a line, leaves interpolations in strings that cannot span lines. */
  private leaveStringsOfLine(): void {
    for (let last = this.around.at(-1); last?.quote.length === 1 && last.quote !== '`'; last = this.around.at(-1)) {
      this.openers.length = last.depth;
      this.around.pop();
    }
  }

  private returnToString(): void {
    const string = this.around.pop();
    this.inside = string?.quote ?? null;
    this.hole = string?.hole ?? null;
  }

  /** Returns the text that begins an interpolation in the string whose opening quotes are at this index. */
  private findHole(quote: string): string | null {
    const { languageId } = this;
    const before = this.text.slice(Math.max(0, this.index - 3), this.index);
    if (quote === '`') return patternLanguages.test(languageId) ? '${' : null;
    if (languageId === 'python') return /(?<![\w])(?:[rR]?[fFtT]|[fFtT][rR])$/.test(before) ? '{' : null;
    if (quote !== '"') return null;
    if (languageId === 'csharp') return /\$@?$/.test(before) ? '{' : null;
    if (languageId === 'swift') return '\\(';
    return dollarLanguages.test(languageId) ? '${' : hashHoleLanguages.test(languageId) ? '#{' : null;
  }

  /** Returns the length of a regular expression at this index. Returns 0 if there is none. */
  private pattern(): number {
    if (!patternLanguages.test(this.languageId)) return 0;
    const before = this.text.slice(Math.max(0, this.index - 40), this.index);
    if (!/(?:^|[(,=:[!&|?{};+~\n]|\b(?:return|typeof|case|of|in))[ \t]*$/.test(before)) return 0;
    regularExpression.lastIndex = this.index;
    return regularExpression.exec(this.text)?.[0].length ?? 0;
  }

  /** Returns the opening quotes or comment marker at this index. Returns null if there are none. */
  private begins(): string | null {
    const { text, index, languageId } = this;
    const character = text.charAt(index);
    if (character === '"' || character === "'" || character === '`') {
      const triple = character.repeat(3);
      if (character !== '`' && languageId === 'python' && text.startsWith(triple, index)) return triple;
      // Rust lifetimes begin with an apostrophe.
      if (character === "'" && languageId === 'rust') return rustCharacter.test(text.slice(index, index + 12)) ? character : null;
      // An apostrophe after a letter is not a quote, for example in the text of markup.
      const isApostrophe = character === "'" && languageId !== 'python' && /[\w&<]/.test(text.charAt(index - 1));
      return isApostrophe ? null : character;
    }
    if (character === '#') return hashLanguages.test(languageId) ? '#' : null;
    if (character === '-') return dashLanguages.test(languageId) && text.startsWith('--', index) ? '--' : null;
    if (character !== '/' || hashLanguages.test(languageId)) return null;
    return text.startsWith('//', index) ? '//' : text.startsWith('/*', index) ? '/*' : null;
  }

  private content(inside: string): void {
    const { text, index } = this;
    if (inside === '#' || inside === '//' || inside === '--') {
      this.leaveAt(text.indexOf('\n', index), 1);
    } else if (inside === '/*') {
      this.leaveAt(text.indexOf('*/', index), 2);
    } else if (this.hole === '{' && text.startsWith('{{', index)) {
      this.index += 2;
    } else if (this.hole !== null && text.startsWith(this.hole, index)) {
      this.around.push({ quote: inside, hole: this.hole, depth: this.openers.length });
      this.openers.push({ character: this.hole.slice(-1), index: index + this.hole.length - 1 });
      this.index += this.hole.length;
      this.inside = null;
    } else if (text.charAt(index) === '\\') {
      this.index += 2;
    } else if (text.startsWith(inside, index)) {
      this.leaveAt(index, inside.length);
    } else {
      // A line end closes a string in single or double quotes.
      if (text.charAt(index) === '\n' && (inside === '"' || inside === "'")) this.inside = null;
      this.index += 1;
    }
  }

  private leaveAt(end: number, length: number): void {
    this.index = end < 0 ? this.text.length : end + length;
    if (end >= 0) this.inside = null;
  }
}
