import { foldedName } from './foldedName';

/**
 * Returns VS Code globs for files whose paths contain `query` in any case, and for all files
 * in matching folders. `/` separates folders. A non-ASCII letter matches any characters,
 * because names can be composed or decomposed. Filter the results with `matchesName`.
 */
export function patternsNaming(query: string): string[] {
  const parts = withoutSigns(query.normalize('NFC')).split('/');
  const path = `*${parts.map(toPattern).join('/')}*`.replace(/\*+/g, '*');
  return [`**/${path}`, `**/${path}/**`];
}

function toPattern(text: string): string {
  const letters = [...text].map((letter) => {
    if (letter > '\u007f') return '*';
    return /[a-z]/i.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]` : letter;
  });
  return letters.join('');
}

/**
 * Returns true if a path contains the characters of `query` in any case and Unicode form.
 * Ignores characters that globs cannot contain.
 */
export function matchesName(path: string, query: string): boolean {
  const plain = (text: string) => withoutSigns(foldedName(text));
  return plain(path).includes(plain(query));
}

/**
 * Returns true if the end of a folder path contains `query`. The query can also contain
 * parent folders: `src/li` matches `src/lib`.
 */
export function isFolderNamed(path: string, query: string): boolean {
  const wanted = query.replace(/\/$/, '');
  const depth = wanted.split('/').length;
  const end = path.split('/').slice(-depth).join('/');
  return matchesName(end, wanted) || (wanted !== query && matchesName(`${path}/`, query));
}

function withoutSigns(text: string): string {
  return text.replace(/[[\]{}*?!\\]/g, '');
}
