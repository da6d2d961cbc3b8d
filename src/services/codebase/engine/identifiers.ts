/** Cache of the parts of compound names. */
const splitCache = new Map<string, string>();
const maxCached = 50_000;
const name = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
const hump = /(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|[_$]+/u;
const mayHaveParts = /[_$\p{Lu}\p{N}]/u;

/**
 * Returns the text to index. It contains the original text, the parts of each compound name once, and each snake_case name as one
 * word. Then each of `user`, `getusername`, `getUserName` and `get_user_name` finds both spellings.
 */
export function withNameParts(text: string): string {
  const found = new Set<string>();
  for (const word of text.match(name) ?? []) if (mayHaveParts.test(word)) found.add(word);
  const added = new Set<string>();
  for (const word of found) {
    const parts = splitName(word);
    if (parts !== '') added.add(parts);
  }
  return added.size === 0 ? text : `${text}\n${[...added].join(' ')}`;
}

/** Returns the parts of a compound name, and a snake_case name also as one word. Returns an empty string for a simple name. */
function splitName(word: string): string {
  const before = splitCache.get(word);
  if (before !== undefined) return before;
  const parts = word.split(hump).filter((part) => part !== '');
  const isCompound = parts.length > 1;
  const split = isCompound ? `${parts.join(' ')}${word.includes('_') ? ` ${parts.join('')}` : ''}`.toLowerCase() : '';
  if (splitCache.size >= maxCached) splitCache.clear();
  splitCache.set(word, split);
  return split;
}

/** Words to ignore in a question. */
const questionStopWords = new Set(
  (
    'a an and are as at be been by can could did do does for from get gets had has have how i if in into is it its me my no not of on ' +
    'or our please should show so such than that the their them then there these they this to us was we were what when where which ' +
    'who why will with would you your find code file function method class'
  ).split(' '),
);

/**
 * Returns the words of a question in lower case, with the parts of
 * compound names. Includes stop words only if there are no other words.
 */
export function questionWords(question: string): string[] {
  const words = withNameParts(question)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  const all = [...new Set(words ?? [])];
  const telling = all.filter((word) => !questionStopWords.has(word));
  return (telling.length > 0 ? telling : all).slice(0, 64);
}

/** Words to ignore in code. */
const codeStopWords = new Set(
  (
    'const let var return else function export import default await async new this self string number boolean null undefined none true false ' +
    'for while private protected readonly void promise type interface class public static def func'
  ).split(' '),
);

/** Returns the words of code in order, with compound names split. Omits symbols, keywords and words of one or two letters. */
export function plainWords(code: string): string {
  const parts = code.split(/[^\p{L}\p{N}]+/u).flatMap((word) => word.split(hump));
  return parts
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 2 && !codeStopWords.has(word))
    .join(' ');
}
