import { separated } from './searchText';

/** What a person asked for. Operators (phrases, exclusions, filters) will become fields of their own. */
export interface SearchQuery {
  /** All of them have to occur; the last one may be the beginning of a longer word. */
  words: string[];
}

const mostWords = 20;

export function parseQuery(input: string): SearchQuery {
  const words = input.normalize('NFC').replaceAll('\0', ' ').split(/\s+/).filter(Boolean);
  return { words: words.slice(0, mostWords) };
}

/**
 * The query in FTS5's language, or null where nothing in it can be a word of the index. Every word is quoted, so nothing a person
 * types is an operator or an error; what the tokenizer parts (`foo.bar`, 漢字) has to stand together.
 */
export function toFts(query: SearchQuery): string | null {
  const words = query.words.filter((word) => /[\p{L}\p{N}]/u.test(word));
  if (words.length === 0) return null;
  return words.map((word, index) => (index === words.length - 1 ? unfinished(word) : quoted(word))).join(' AND ');
}

function quoted(word: string): string {
  return `"${separated(word).replaceAll('"', ' ')}"`;
}

/** A word that is still being typed. The index holds stems, which the beginning of a word need not be the beginning of. */
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
