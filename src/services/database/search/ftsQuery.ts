import type { SearchQuery, SearchTerm } from './searchQuery';
import { separated } from './searchText';
import { wordsWithOtherStems } from './wordEndings';

/** FTS5 expressions that an entry must match and must not match. An expression is null if it is empty. */
export interface FtsQuery {
  match: string | null;
  /** `match` for whole words only, which is faster but finds fewer entries. Null if it is identical to `match`. */
  whole: string | null;
  without: string | null;
}

/** Translates a query. Returns null if the query contains no indexed words, for example only `=>`. */
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
 * Creates one FTS5 condition. Quotes every word, so that input cannot
 * contain operators. The parts of one word (`foo.bar`, 漢字) must be adjacent.
 */
function matching({ field, text, isPrefix, isUnfinished }: SearchTerm): string {
  // Do not treat a single character as a prefix unless the user typed `*`, because it would match too much.
  const isBeginning = isPrefix || (isUnfinished && [...text].length >= 2);
  return `${field} : ${isBeginning ? beginning(text) : quoted(text)}`;
}

function quoted(word: string): string {
  return `"${separated(word).replaceAll('"', ' ')}"`;
}

/** Matches all words that begin with a prefix, even if their stems do not begin with it. */
function beginning(word: string): string {
  const ends = /[a-z]{3}$/i.test(word) ? wordsWithOtherStems(word) : [];
  return `(${[`${quoted(word)} *`, ...ends.map(quoted)].join(' OR ')})`;
}
