export interface TextFormat {
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  hasMark: boolean;
}

export const plainText: TextFormat = { encoding: 'utf-8', hasMark: false };

const marks = { 'utf-8': [0xef, 0xbb, 0xbf], 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const;

/**
 * Decodes text without its byte order mark. Returns null if it is neither UTF-8 nor UTF-16 with a byte
 * order mark, because it could not be written back.
 */
export function decodeText(bytes: Buffer): { text: string; format: TextFormat } | null {
  const format = detectFormat(bytes);
  if (format === null) return null;
  try {
    const decoder = new TextDecoder(format.encoding, { fatal: true, ignoreBOM: true });
    const text = decoder.decode(bytes.subarray(format.hasMark ? marks[format.encoding].length : 0));
    return { text, format };
  } catch {
    return null;
  }
}

/**
 * Decodes text for display or search, without its byte order mark. Returns null if it
 * is not text. Invalid bytes become U+FFFD.
 */
export function readableText(bytes: Buffer): string | null {
  const format = detectFormat(bytes);
  return format === null ? null : new TextDecoder(format.encoding).decode(bytes);
}

/** Decodes a text file in pieces, without its byte order mark. Invalid bytes become U+FFFD. */
export class TextStream {
  private readonly decoder: TextDecoder;
  private strict: TextDecoder | null;

  constructor({ encoding }: TextFormat) {
    this.decoder = new TextDecoder(encoding);
    this.strict = new TextDecoder(encoding, { fatal: true });
  }

  /** True if all bytes so far were valid. */
  get isExact(): boolean {
    return this.strict !== null;
  }

  push(bytes: Uint8Array): string {
    this.check((strict) => strict.decode(bytes, { stream: true }));
    return this.decoder.decode(bytes, { stream: true });
  }

  /** Returns the remaining text if the file ends inside a character. */
  end(): string {
    this.check((strict) => strict.decode());
    return this.decoder.decode();
  }

  private check(decode: (strict: TextDecoder) => string): void {
    try {
      if (this.strict !== null) decode(this.strict);
    } catch {
      this.strict = null;
    }
  }
}

/**
 * Returns the number of U+FFFD characters and halves of surrogate pairs, which cannot be encoded. They
 * indicate that the text was decoded incorrectly.
 */
export function damageIn(text: string): number {
  return text.match(/[\uFFFD\p{Cs}]/gu)?.length ?? 0;
}

export function encodeText(text: string, { encoding, hasMark }: TextFormat): Buffer {
  const mark = Buffer.from(hasMark ? marks[encoding] : []);
  if (encoding === 'utf-8') return Buffer.concat([mark, Buffer.from(text, 'utf8')]);
  const bytes = Buffer.from(text, 'utf16le');
  return Buffer.concat([mark, encoding === 'utf-16be' ? bytes.swap16() : bytes]);
}

/**
 * Determines the encoding from the first bytes of a file. Returns null if the file is not text. All code that reads files
 * uses this function, unless an editor has the file open. Without a byte order mark, text is UTF-8 and has no zero bytes.
 */
export function detectFormat(bytes: Buffer): TextFormat | null {
  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be'] as const) {
    const mark = marks[encoding];
    if (mark.every((byte, index) => bytes[index] === byte)) return { encoding, hasMark: true };
  }
  return bytes.includes(0) ? null : plainText;
}

/** Returns the most common line break in a text. The default is `\n`. */
export function detectLineEnd(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1;
  const withReturn = text.split('\r\n').length - 1;
  return withReturn * 2 > all ? '\r\n' : '\n';
}

export function plainLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

export function withLineEnds(text: string, lineEnd: '\n' | '\r\n'): string {
  const plain = plainLineEnds(text);
  return lineEnd === '\n' ? plain : plain.replaceAll('\n', '\r\n');
}
