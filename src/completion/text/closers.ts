const closers = /^[)\]}>"'`]{1,8}/;

/** Returns a text without the brackets and quotes that it begins with, as an editor closes them while somebody types. */
export function withoutClosers(text: string): string {
  return text.replace(closers, '');
}

/**
 * Fits a suggestion to the rest of the cursor's line: returns the text, and how many characters after the cursor it takes the place of.
 * Closers that the editor has put there are replaced where the text has them too; what the text would repeat is cut off it.
 */
export function fitToTail(text: string, after: string): { text: string; replaces: number } {
  const tail = (after.split('\n', 1)[0] ?? '').trimEnd();
  if (tail === '') return { text, replaces: 0 };
  if (/^[\])}>"'`;,\s]+$/.test(tail) && hasInOrder(text, tail.trim())) return { text, replaces: tail.length };
  if (text.includes('\n')) return { text, replaces: 0 };
  for (let length = Math.min(text.length, tail.length); length > 1; length -= 1) {
    if (text.endsWith(tail.slice(0, length))) return { text: text.slice(0, -length), replaces: 0 };
  }
  return { text, replaces: 0 };
}

/** Tells whether a text ends with these characters, or a single line has them in this order. */
function hasInOrder(text: string, characters: string): boolean {
  if (text.trimEnd().endsWith(characters)) return true;
  if (text.includes('\n')) return false;
  let from = 0;
  for (const character of characters) {
    const at = text.indexOf(character, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}
