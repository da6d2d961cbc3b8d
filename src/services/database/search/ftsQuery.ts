import type { SearchQuery, SearchTerm } from './searchQuery';
import { separated } from './searchText';
import { wordsWithOtherStems } from './wordEndings';

/** FTS5 expressions that an entry must match and must not match; null if empty. */
export interface FtsQuery {
  match: string | null;
  /** `match` limited to whole words: a faster subset. Null if identical. */
  whole: string | null;
  without: string | null;
}

/** Translates a query. Returns null if it has no indexed words (`=>`). */
export function toFts({ terms }: SearchQuery): FtsQuery | null {
  const words = terms.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (words.length === 0 && terms.length > 0) return null;
  const joined = (isExcluded: boolean, by: string, write = matching) =>
    words
      .filter((term) => term.isExcluded === isExcluded)
      .map(write)
      .join(by) || null;
  const match = joined(false, ' AND ');
  const whole = joined(false, ' AND ', (term) => matching({ ...term, isPrefix: false, isUnfinished: false }));
  return { match, whole: whole === match ? null : whole, without: joined(true, ' OR ') };
}

/**
 * Builds one FTS5 condition. Quotes every word, so that input contains no operators. Parts of one word (`foo.bar`, 漢字) must be adjacent.
 */
function matching({ field, text, isPrefix, isUnfinished }: SearchTerm): string {
  // A single character is not expanded to a prefix, which would match too much, unless the user typed `*`.
  const isBeginning = isPrefix || (isUnfinished && [...text].length >= 2);
  return `${field} : ${isBeginning ? beginning(text) : quoted(text)}`;
}

function quoted(word: string): string {
  return `"${separated(word).replaceAll('"', ' ')}"`;
}

/** Matches all words that start with a prefix, even if their stems do not. */
function beginning(word: string): string {
  const ends = /[a-z]{3}$/i.test(word) ? wordsWithOtherStems(word) : [];
  return `(${[`${quoted(word)} *`, ...ends.map(quoted)].join(' OR ')})`;
}
