const escapes: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
/** Matches escape sequences. Consecutive `\x` escapes are matched together, because their bytes may form one character. */
const escapeSequence = /((?:\\x[0-9a-fA-F]{2})+)|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\([0-7]{3})|\\(.)/g;

/** Decodes a string literal written by Go's `%q` or `%#v`. Returns other text unchanged. */
export function unquoteGo(literal: string): string {
  if (literal.length < 2 || literal[0] !== literal.at(-1)) return literal;
  if (literal.startsWith('`')) return literal.slice(1, -1);
  if (!literal.startsWith('"')) return literal;
  return literal
    .slice(1, -1)
    .replace(escapeSequence, (_whole, bytes?: string, short?: string, long?: string, octal?: string, single?: string) => {
      if (bytes !== undefined) return Buffer.from(bytes.replaceAll('\\x', ''), 'hex').toString('utf8');
      const code = short ?? long;
      if (code !== undefined) return fromCodePoint(parseInt(code, 16));
      if (octal !== undefined) return fromCodePoint(parseInt(octal, 8));
      return escapes[single ?? ''] ?? single ?? '';
    });
}

function fromCodePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
