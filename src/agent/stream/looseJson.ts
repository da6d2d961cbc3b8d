import { formatInEnglish } from '../../types/format';
import { t } from '../../utils/l10n';

/** `repairs` describes the fixes for the user. It is empty for valid JSON. */
export type LooseJson = { isValid: true; value: unknown; repairs: string[] } | { isValid: false; problem: string };

/** Maximum nesting depth of the JSON of a call. */
const maxDepth = 200;

/**
 * Parses JSON as models write it. Fixes unambiguous errors: raw line breaks in strings, single quotes,
 * unquoted names, Python constants, extra commas, unknown escapes, and closing brackets missing at the
 * very end. Reports other errors with their position. If `isCutOff` is true, a missing end is an error.
 */
export function readLooseJson(text: string, isCutOff = false): LooseJson {
  try {
    return { isValid: true, value: JSON.parse(text), repairs: [] };
  } catch {
    return new LooseReader(text, isCutOff).read();
  }
}

class Unreadable extends Error {}

const constants: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
};
const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
};

class LooseReader {
  private at = 0;
  private depth = 0;
  /** Property names on the path to the current value. */
  private readonly path: string[] = [];
  private readonly repairs = new Set<string>();

  constructor(
    private readonly text: string,
    private readonly isCutOff: boolean,
  ) {}

  read(): LooseJson {
    try {
      const value = this.value();
      this.space();
      if (this.at < this.text.length) throw this.unexpected('the end');
      return { isValid: true, value, repairs: [...this.repairs] };
    } catch (error) {
      if (error instanceof Unreadable) return { isValid: false, problem: error.message };
      throw error;
    }
  }

  private value(): unknown {
    this.space();
    const sign = this.text[this.at];
    if (sign === '{') return this.nested(() => this.object());
    if (sign === '[') return this.nested(() => this.list());
    if (sign === '"' || sign === "'") return this.string(sign);
    const word = /[^\s,:{}[\]"']*/y;
    word.lastIndex = this.at;
    const [found = ''] = word.exec(this.text) ?? [];
    const isConstant = Object.hasOwn(constants, found);
    if (!isConstant && !/^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(found)) throw this.unexpected('a value');
    this.at += found.length;
    if (this.at >= this.text.length) throw this.cut();
    if (/^[TFN]/.test(found)) this.repairs.add(t('{0} instead of {1}', found, JSON.stringify(constants[found])));
    return isConstant ? constants[found] : Number(found);
  }

  private nested<T>(read: () => T): T {
    this.depth += 1;
    if (this.depth > maxDepth) throw new Unreadable(`it is nested more than ${maxDepth} deep`);
    this.at += 1;
    const value = read();
    this.depth -= 1;
    return value;
  }

  private object(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    for (;;) {
      if (this.isClosed('}')) return object;
      const name = this.name();
      this.path.push(name);
      this.space();
      if (this.text[this.at] !== ':') throw this.unexpected(`a ":" after ${JSON.stringify(name)}`);
      this.at += 1;
      // A plain assignment to `__proto__` would set the prototype.
      Object.defineProperty(object, name, { value: this.value(), enumerable: true, writable: true, configurable: true });
      this.separator('}');
      this.path.pop();
    }
  }

  private list(): unknown[] {
    const list: unknown[] = [];
    for (;;) {
      if (this.isClosed(']')) return list;
      list.push(this.value());
      this.separator(']');
    }
  }

  /** Skips the closing bracket of an object or list if it comes next. */
  private isClosed(end: '}' | ']'): boolean {
    this.space();
    if (this.at >= this.text.length) {
      // A comma or an opening bracket at the end means that more text was to follow.
      if (this.isCutOff || /[,[{]\s*$/.test(this.text)) throw this.cut();
      this.repairs.add(t('a "{0}" was missing at the end', end));
      return true;
    }
    if (this.text[this.at] !== end) return false;
    this.at += 1;
    return true;
  }

  private separator(end: '}' | ']'): void {
    this.space();
    const sign = this.text[this.at];
    if (sign === ',') {
      this.at += 1;
      this.space();
      if (this.text[this.at] === end) this.repairs.add(t('an extra comma'));
    } else if (sign !== end && sign !== undefined) throw this.unexpected(`a "," or "${end}"`);
  }

  private name(): string {
    const sign = this.text[this.at];
    if (sign === '"' || sign === "'") return this.string(sign);
    const word = /[A-Za-z_$][\w$]*/y;
    word.lastIndex = this.at;
    const [found] = word.exec(this.text) ?? [];
    if (found === undefined) throw this.unexpected('a name in double quotes');
    this.at += found.length;
    this.repairs.add(t('names without quotes'));
    return found;
  }

  private string(quote: '"' | "'"): string {
    if (quote === "'") this.repairs.add(t('single quotes'));
    const pieces: string[] = [];
    let from = (this.at += 1);
    for (; this.at < this.text.length; this.at += 1) {
      const sign = this.text[this.at];
      if (sign === quote) {
        pieces.push(this.text.slice(from, this.at));
        this.at += 1;
        return pieces.join('');
      }
      if (sign === '\n') this.repairs.add(t('line breaks inside a string'));
      if (sign !== '\\') continue;
      pieces.push(this.text.slice(from, this.at), this.escape());
      from = this.at + 1;
    }
    throw this.cut();
  }

  /** Returns the character of an escape sequence. Afterwards, `at` is the index of its last character. */
  private escape(): string {
    this.at += 1;
    const sign = this.text[this.at] ?? '';
    const code = sign === 'u' ? /^[0-9a-fA-F]{4}/.exec(this.text.slice(this.at + 1, this.at + 5))?.[0] : undefined;
    if (code !== undefined) {
      this.at += 4;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    const known = escapes[sign];
    if (known !== undefined) return known;
    this.repairs.add(t('an unescaped backslash'));
    return `\\${sign}`;
  }

  private space(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at += 1;
  }

  private cut(): Unreadable {
    const where = this.path.length === 0 ? '' : ` in ${JSON.stringify(this.path.at(-1))}`;
    return new Unreadable(`it ends in the middle${where}, after ${formatInEnglish(this.text.length)} characters`);
  }

  private unexpected(wanted: string): Unreadable {
    if (this.at >= this.text.length) return this.cut();
    const before = this.text.slice(0, this.at).split('\n');
    const found = this.text.slice(this.at, this.at + 12).split('\n')[0];
    const near = (before.at(-1) ?? '').slice(-20);
    return new Unreadable(
      `it is not valid JSON: ${wanted} was expected at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}, ` +
        `but there is ${JSON.stringify(found)} (after ${JSON.stringify(near)})`,
    );
  }
}
