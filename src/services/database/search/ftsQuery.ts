import type { SearchQuery, SearchTerm } from './searchQuery';
import { separated } from './searchText';
import { wordsWithOtherStems } from './wordEndings';

/** The query in FTS5's language: what an entry has to match, and what keeps it out. Null where there is no such thing. */
export interface FtsQuery {
  match: string | null;
  /** `match` with whole words only: what has these matches that too, and they are looked up far faster. Null where it is the same. */
  whole: string | null;
  without: string | null;
}

/** Translates a query; null if nothing in it can be a word of the index (`=>`). */
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
 * Builds one condition of a full-text query. Every word is quoted, so nothing a person types is an operator or an error;
 * the parts
 * that the tokenizer makes of a word (`foo.bar`, 漢字) have to stand together.
 */
function matching({ field, text, isPrefix, isUnfinished }: SearchTerm): string {
  // Of one character that nobody said is a beginning, far too much begins with.
  const isBeginning = isPrefix || (isUnfinished && [...text].length >= 2);
  return `${field} : ${isBeginning ? beginning(text) : quoted(text)}`;
}

function quoted(word: string): string {
  return `"${separated(word).replaceAll('"', ' ')}"`;
}

/** Matches the beginning of a word, and the words whose stems in the index do not begin with it. */
function beginning(word: string): string {
  const ends = /[a-z]{3}$/i.test(word) ? wordsWithOtherStems(word) : [];
  return `(${[`${quoted(word)} *`, ...ends.map(quoted)].join(' OR ')})`;
}
