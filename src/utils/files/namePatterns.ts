import { foldedName } from './foldedName';

/**
 * Returns the globs of VS Code for files, and files in folders, whose names contain `query` in any case. A letter that is not ASCII stands for
 * any characters, because names may be composed or decomposed. Filter what they find by `isNamed`.
 */
export function patternsNaming(query: string): string[] {
  const letters = [...query.normalize('NFC').replace(/[[\]{}*?!\\]/g, '')].filter((letter) => letter !== '/');
  const name = letters.map((letter) => {
    if (letter > '\u007f') return '*';
    return /[a-z]/i.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]` : letter;
  });
  const pattern = `**/${`*${name.join('')}*`.replace(/\*+/g, '*')}`;
  return [pattern, `${pattern}/**`];
}

/** Returns true if a path contains the characters of `query` in any case and Unicode form, without those that no glob can contain. */
export function isNamed(path: string, query: string): boolean {
  const plain = (text: string) => foldedName(text).replace(/[[\]{}*?!\\/]/g, '');
  return plain(path).includes(plain(query));
}
