import type { RawCompletion } from './rawCompletion';

/** Bracket without a partner, and its index. */
export interface UnpairedBracket {
  character: string;
  index: number;
}

export interface Brackets {
  /** Unclosed brackets in order. */
  openers: UnpairedBracket[];
  /** Unopened brackets in order. */
  closers: UnpairedBracket[];
  /** Opening quotes or comment marker around the end of the text; null in code. */
  inside: string | null;
}

const partners: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const hashLanguages =
  /^(python|ruby|shellscript|yaml|dockerfile|makefile|perl|r|julia|elixir|powershell|toml|coffeescript|jupyter|terraform|nix)$/;
const patternLanguages = /^(javascript|typescript|javascriptreact|typescriptreact|vue|svelte)$/;
const regularExpression = /\/(?![/*])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const dashLanguages = /^(lua|sql|haskell|elm|ada|vhdl)$/;

/** Pairs the brackets of a text outside strings and comments. `inside`: string or comment in which the text begins. */
export function pairBrackets(text: string, languageId: string, inside: string | null = null): Brackets {
  const reader = new Reader(text, languageId, inside);
  return reader.read();
}

/** Returns the opening quotes or comment marker around the cursor; null in code. */
export function insideOf({ prefix, languageId }: RawCompletion): string | null {
  return pairBrackets(prefix.slice(-16_000), languageId).inside;
}

class Reader {
  private readonly openers: UnpairedBracket[] = [];
  private readonly closers: UnpairedBracket[] = [];
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
    return { openers: this.openers, closers: this.closers, inside: this.inside };
  }

  private code(): void {
    const character = this.text.charAt(this.index);
    const pattern = character === '/' ? this.pattern() : 0;
    if (pattern > 0) {
      this.index += pattern;
      return;
    }
    const begun = this.begins();
    if (begun !== null) {
      this.inside = begun;
      this.index += begun.length;
      return;
    }
    if (character === '(' || character === '[' || character === '{') this.openers.push({ character, index: this.index });
    const partner = partners[character];
    if (partner !== undefined) {
      if (this.openers.at(-1)?.character === partner) this.openers.pop();
      else this.closers.push({ character, index: this.index });
    }
    this.index += 1;
  }

  /** Returns the length of a regular expression at this index; 0 without one. */
  private pattern(): number {
    if (!patternLanguages.test(this.languageId)) return 0;
    const before = this.text.slice(Math.max(0, this.index - 40), this.index);
    if (!/(?:^|[(,=:[!&|?{};+~\n]|\b(?:return|typeof|case|of|in))[ \t]*$/.test(before)) return 0;
    regularExpression.lastIndex = this.index;
    return regularExpression.exec(this.text)?.[0].length ?? 0;
  }

  /** Returns the opener of a string or a comment at this index. */
  private begins(): string | null {
    const { text, index, languageId } = this;
    const character = text.charAt(index);
    if (character === '"' || character === "'" || character === '`') {
      const triple = character.repeat(3);
      if (character !== '`' && languageId === 'python' && text.startsWith(triple, index)) return triple;
      // An apostrophe after a letter is not a quote: Rust lifetimes, words in markup.
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
    } else if (text.charAt(index) === '\\') {
      this.index += 2;
    } else if (text.startsWith(inside, index)) {
      this.leaveAt(index, inside.length);
    } else {
      // A line end closes a string in simple quotes.
      if (text.charAt(index) === '\n' && (inside === '"' || inside === "'")) this.inside = null;
      this.index += 1;
    }
  }

  private leaveAt(end: number, length: number): void {
    this.index = end < 0 ? this.text.length : end + length;
    if (end >= 0) this.inside = null;
  }
}
