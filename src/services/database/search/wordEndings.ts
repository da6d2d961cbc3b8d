import { scratch } from './scratch';
import { separated } from './searchText';

/** Endings that the Porter stemmer removes or changes. */
const endings =
  'ations|izations|ational|izers|ators|alisms|iveness|fulness|ousness|alities|ivities|bilities|icates|icals|ments|ances|ences|' +
  'ables|ibles|ions|ings|eed|edly|ingly|ies|ied|ily|ness|ities|ives|izes|ised|ates|ants|ents|ally|ously|y';

/** Lists the words that `beginning` can become with each ending. `beginning` may already contain part of the ending. */
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

/**
 * Returns words that start with `beginning` but whose stems do not start with its stem,
 * so that a prefix search in the index would miss them. Returns one word per stem.
 */
export function wordsWithOtherStems(beginning: string): string[] {
  const words = [beginning, ...completions(beginning)];
  const stems = stemWords(words);
  const own = stems[0] ?? '';
  const found = new Map<string, string>();
  for (const [index, word] of words.entries()) {
    const stem = stems[index] ?? '';
    if (!stem.startsWith(own) && !found.has(stem)) found.set(stem, word);
  }
  return [...found.values()];
}

/** Returns the indexed form of the last part of each word. All words must have the same number of parts. */
function stemWords(words: readonly string[]): string[] {
  const terms = scratch().terms(separated(words.join(' ')));
  const parts = terms.length / words.length;
  return words.map((_, index) => terms[(index + 1) * parts - 1] ?? '');
}
