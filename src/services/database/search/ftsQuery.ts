import type { SearchQuery, SearchTerm } from './searchQuery';
import { separated } from './searchText';

/** The query in FTS5's language: what an entry has to match, and what keeps it out. Null where there is no such thing. */
export interface FtsQuery {
  match: string | null;
  without: string | null;
}

/** Null where nothing in it can be a word of the index (`=>`). */
export function toFts({ terms }: SearchQuery): FtsQuery | null {
  const words = terms.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (words.length === 0 && terms.length > 0) return null;
  const joined = (isExcluded: boolean, by: string) =>
    words
      .filter((term) => term.isExcluded === isExcluded)
      .map(matching)
      .join(by) || null;
  return { match: joined(false, ' AND '), without: joined(true, ' OR ') };
}

/**
 * Every word is quoted, so nothing a person types is an operator or an error; what the tokenizer parts (`foo.bar`, 漢字) has to
 * stand together.
 */
function matching({ field, text, isPrefix }: SearchTerm): string {
  return `${field} : ${isPrefix ? unfinished(text) : quoted(text)}`;
}

function quoted(word: string): string {
  return `"${separated(word).replaceAll('"', ' ')}"`;
}

/** The beginning of a word. The index holds stems, which that need not be the beginning of. */
function unfinished(word: string): string {
  if ([...word].length < 2) return quoted(word);
  const ends = /[a-z]{3}$/i.test(word) ? completions(word) : [];
  return `(${[`${quoted(word)} *`, ...ends.map(quoted)].join(' OR ')})`;
}

/** The endings that the Porter stemmer takes off or changes. */
const endings =
  'ations|izations|ational|izers|ators|alisms|iveness|fulness|ousness|alities|ivities|bilities|icates|icals|ments|ances|ences|' +
  'ables|ibles|ions|ings|eed|edly|ingly|ies|ied|ily|ness|ities|ives|izes|ised|ates|ants|ents|ally|ously|y';

/** What `beginning` may become with each ending, of which it may already have a part. */
function completions(beginning: string): string[] {
  const found = new Set<string>();
  for (const ending of endings.split('|')) {
    for (let begun = 0; begun < ending.length; begun += 1) {
      if (begun > beginning.length - 2 || !beginning.toLowerCase().endsWith(ending.slice(0, begun))) continue;
      found.add(beginning + ending.slice(begun));
    }
  }
  return [...found];
}
