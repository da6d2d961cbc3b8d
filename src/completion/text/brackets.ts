import type { Dirty } from './dirty';

/** A bracket that has no partner in the text, with where it stands. */
export interface Lone {
  character: string;
  index: number;
}

export interface Brackets {
  /** Opened and not closed, in their order. */
  openers: Lone[];
  /** Closed and not opened, in their order. */
  closers: Lone[];
  /** Quotes that the end of the text is inside of or the beginning of a comment; null in code. */
  inside: string | null;
}

const partners: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
const hashLanguages =
  /^(python|ruby|shellscript|yaml|dockerfile|makefile|perl|r|julia|elixir|powershell|toml|coffeescript|jupyter|terraform|nix)$/;
const patternLanguages = /^(javascript|typescript|javascriptreact|typescriptreact|vue|svelte)$/;
const regularExpression = /\/(?![/*])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const dashLanguages = /^(lua|sql|haskell|elm|ada|vhdl)$/;

/** Pairs the brackets of a text, but for those in strings and comments. `inside` is what its beginning is inside of. */
export function pairBrackets(text: string, languageId: string, inside: string | null = null): Brackets {
  const reader = new Reader(text, languageId, inside);
  return reader.read();
}

/** Tells in what the cursor stands: the quotes of a string, the beginning of a comment; null in code. */
export function insideOf({ prefix, languageId }: Dirty): string | null {
  return pairBrackets(prefix.slice(-16_000), languageId).inside;
}

/** Reads a text once, from its beginning to its end. */
class Reader {
  private readonly openers: Lone[] = [];
  private readonly closers: Lone[] = [];
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

  /** Returns the length of a regular expression that stands here; 0 without one. */
  private pattern(): number {
    if (!patternLanguages.test(this.languageId)) return 0;
    const before = this.text.slice(Math.max(0, this.index - 40), this.index);
    if (!/(?:^|[(,=:[!&|?{};+~\n]|\b(?:return|typeof|case|of|in))[ \t]*$/.test(before)) return 0;
    regularExpression.lastIndex = this.index;
    return regularExpression.exec(this.text)?.[0].length ?? 0;
  }

  /** Returns the beginning of a string or comment that stands here. */
  private begins(): string | null {
    const { text, index, languageId } = this;
    const character = text.charAt(index);
    if (character === '"' || character === "'" || character === '`') {
      const triple = character.repeat(3);
      if (character !== '`' && languageId === 'python' && text.startsWith(triple, index)) return triple;
      // An apostrophe after a letter is none: Rust's lifetimes, words in markup.
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
      // A string in single quotes that its line does not close is none.
      if (text.charAt(index) === '\n' && (inside === '"' || inside === "'")) this.inside = null;
      this.index += 1;
    }
  }

  private leaveAt(end: number, length: number): void {
    this.index = end < 0 ? this.text.length : end + length;
    if (end >= 0) this.inside = null;
  }
}
