import { foldedName } from './foldedName';

/**
 * Returns the globs of VS Code for files, and files in folders, whose paths contain `query` in any case. A `/` separates folders. A letter that
 * is not ASCII stands for any characters, because names may be composed or decomposed. Filter what they find by `isNamed`.
 */
export function patternsNaming(query: string): string[] {
  const parts = withoutSigns(query.normalize('NFC')).split('/');
  const path = `*${parts.map(patternOf).join('/')}*`.replace(/\*+/g, '*');
  return [`**/${path}`, `**/${path}/**`];
}

function patternOf(text: string): string {
  const letters = [...text].map((letter) => {
    if (letter > '\u007f') return '*';
    return /[a-z]/i.test(letter) ? `[${letter.toLowerCase()}${letter.toUpperCase()}]` : letter;
  });
  return letters.join('');
}

/** Returns true if a path contains the characters of `query` in any case and Unicode form, without those that no glob can contain. */
export function isNamed(path: string, query: string): boolean {
  const plain = (text: string) => withoutSigns(foldedName(text));
  return plain(path).includes(plain(query));
}

/** Returns true if the end of a folder's path contains `query`, which may name parent folders too: `src/li` names `src/lib`. */
export function isFolderNamed(path: string, query: string): boolean {
  const wanted = query.replace(/\/$/, '');
  const depth = wanted.split('/').length;
  const end = path.split('/').slice(-depth).join('/');
  return isNamed(end, wanted) || (wanted !== query && isNamed(`${path}/`, query));
}

function withoutSigns(text: string): string {
  return text.replace(/[[\]{}*?!\\]/g, '');
}
