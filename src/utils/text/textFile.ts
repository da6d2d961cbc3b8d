export interface TextFormat {
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be';
  hasMark: boolean;
}

export const plainText: TextFormat = { encoding: 'utf-8', hasMark: false };

const marks = { 'utf-8': [0xef, 0xbb, 0xbf], 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const;

/** Decodes text without its byte order mark; null if it is neither UTF-8 nor UTF-16 with a mark, so that it could not be written back. */
export function decodeText(bytes: Buffer): { text: string; format: TextFormat } | null {
  const format = formatOf(bytes);
  if (format === null) return null;
  try {
    const decoder = new TextDecoder(format.encoding, { fatal: true, ignoreBOM: true });
    const text = decoder.decode(bytes.subarray(format.hasMark ? marks[format.encoding].length : 0));
    return { text, format };
  } catch {
    return null;
  }
}

export function encodeText(text: string, { encoding, hasMark }: TextFormat): Buffer {
  const mark = Buffer.from(hasMark ? marks[encoding] : []);
  if (encoding === 'utf-8') return Buffer.concat([mark, Buffer.from(text, 'utf8')]);
  const bytes = Buffer.from(text, 'utf16le');
  return Buffer.concat([mark, encoding === 'utf-16be' ? bytes.swap16() : bytes]);
}

function formatOf(bytes: Buffer): TextFormat | null {
  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be'] as const) {
    const mark = marks[encoding];
    if (mark.every((byte, index) => bytes[index] === byte)) return { encoding, hasMark: true };
  }
  return bytes.includes(0) ? null : plainText;
}

/** Returns the line break of most lines of a text. Defaults to `\n`. */
export function lineEndOf(text: string): '\n' | '\r\n' {
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
