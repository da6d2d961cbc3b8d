/** Encodes text like an editor, with `?` for characters that the encoding lacks. `encoding` is a label of `TextDecoder`. */
export function encodedAs(encoding: string, text: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  const table = tableOf(encoding);
  return Buffer.concat([...text].map((character) => table.get(character) ?? Buffer.from('?')));
}

const tables = new Map<string, Map<string, Buffer>>();

/** Returns the bytes of each character, for encodings with one or two bytes per character. */
function tableOf(encoding: string): Map<string, Buffer> {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const table = new Map<string, Buffer>();
  const decoder = new TextDecoder(encoding, { fatal: true });
  const add = (...bytes: number[]): void => {
    try {
      const character = decoder.decode(Uint8Array.from(bytes));
      if ([...character].length === 1 && !table.has(character)) table.set(character, Buffer.from(bytes));
    } catch {
      // No character has these bytes.
    }
  };
  for (let one = 0; one < 256; one += 1) add(one);
  for (let lead = 0x80; lead < 256; lead += 1) for (let trail = 0x40; trail < 256; trail += 1) add(lead, trail);
  tables.set(encoding, table);
  return table;
}
