/** Kept splits of names; names repeat all over a codebase. */
const known = new Map<string, string>();
const maxKnown = 50_000;
const name = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
const hump = /(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|[_$]+/u;
const mayHaveParts = /[_$\p{Lu}\p{N}]/u;

/**
 * Returns the text as the index takes it: followed by the parts of its compound names, each once, and by those names written as one word.
 * `getUserName` and `get_user_name` are found by `user`, by `getusername` and by each other.
 */
export function withNameParts(text: string): string {
  const found = new Set<string>();
  for (const word of text.match(name) ?? []) if (mayHaveParts.test(word)) found.add(word);
  const added = new Set<string>();
  for (const word of found) {
    const parts = partsOf(word);
    if (parts !== '') added.add(parts);
  }
  return added.size === 0 ? text : `${text}\n${[...added].join(' ')}`;
}

/** Returns the parts of a compound name and the name as one word; empty where it has no parts. */
function partsOf(word: string): string {
  const before = known.get(word);
  if (before !== undefined) return before;
  const parts = word.split(hump).filter((part) => part !== '');
  const isCompound = parts.length > 1;
  const split = isCompound ? `${parts.join(' ')}${word.includes('_') ? ` ${parts.join('')}` : ''}`.toLowerCase() : '';
  if (known.size >= maxKnown) known.clear();
  known.set(word, split);
  return split;
}

/** Words of a question that say nothing about code. */
const idle = new Set(
  (
    'a an and are as at be been by can could did do does for from get gets had has have how i if in into is it its me my no not of on ' +
    'or our please should show so such than that the their them then there these they this to us was we were what when where which ' +
    'who why will with would you your find code file function method class'
  ).split(' '),
);

/** Returns the words of a question in lower case, compound names with their parts; those that say nothing only where there are no others. */
export function questionWords(question: string): string[] {
  const words = withNameParts(question)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  const all = [...new Set(words ?? [])];
  const telling = all.filter((word) => !idle.has(word));
  return (telling.length > 0 ? telling : all).slice(0, 64);
}

/** Words of code that say nothing of what it is about. */
const keywords = new Set(
  (
    'const let var return else function export import default await async new this self string number boolean null undefined none true false ' +
    'for while private protected readonly void promise type interface class public static def func'
  ).split(' '),
);

/** Returns the words of code in order, compound names as their parts, without signs, keywords and what is of one or two letters. */
export function plainWords(code: string): string {
  const parts = code.split(/[^\p{L}\p{N}]+/u).flatMap((word) => word.split(hump));
  return parts
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 2 && !keywords.has(word))
    .join(' ');
}
