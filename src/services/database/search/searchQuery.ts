/**
 * Parsed search input, such as `fix "the parser" -python config* tool:terminal file:src/a.ts after:2026-01 before:2026-02-15`.
 */
export interface SearchQuery {
  terms: SearchTerm[];
  /** Inclusive lower bound in milliseconds; null for no bound. */
  after: number | null;
  /** Exclusive upper bound in milliseconds; null for no bound. */
  before: number | null;
}

export interface SearchTerm {
  /** Word or phrase. It is never empty. */
  text: string;
  /** Field to search: the text, the tool name, or the paths of an entry. */
  field: 'text' | 'tool' | 'file';
  /** True to exclude entries with this term. */
  isExcluded: boolean;
  /** True for a prefix, which the user types with a final `*`. */
  isPrefix: boolean;
  /** True for the last word, which may be incomplete. */
  isUnfinished: boolean;
}

/**
 * Returns the query with its excluded words as required words, as needed for a pasted command
 * such as `rm -rf build`. Returns null if the query excludes no word or requires none.
 */
export function withoutExclusions(query: SearchQuery): SearchQuery | null {
  const isOption = (term: SearchTerm): boolean => term.field === 'text' && term.isExcluded;
  if (!query.terms.some(isOption) || query.terms.every(({ isExcluded }) => isExcluded)) return null;
  return { ...query, terms: query.terms.map((term) => (isOption(term) ? { ...term, isExcluded: false } : term)) };
}

const mostTerms = 20;
const mostCharacters = 2_000;

/** Parses any input. Everything that is not an operator counts as words. The last word may be incomplete. */
export function parseQuery(input: string): SearchQuery {
  const query: SearchQuery = { terms: [], after: null, before: null };
  const text = input.normalize('NFC').replaceAll('\0', ' ').replace(/[“”„]/g, '"').slice(0, mostCharacters);
  let isTyped = false;
  for (const [, minus = '', name = '', phrase, word = ''] of text.matchAll(partPattern)) {
    const field = name.toLowerCase();
    const isDate = field === 'before' || field === 'after';
    const date = isDate && minus === '' ? parseDate(phrase ?? word) : null;
    isTyped = false;
    if (isDate && date !== null) {
      query[field] = date;
      continue;
    }
    const term = isDate ? parseWord(`${name}:${phrase ?? word}`, minus) : parseTerm(minus, field, phrase, word);
    if (term === null) continue;
    query.terms.push(term);
    isTyped = term.field === 'text' && !term.isExcluded && phrase === undefined;
  }
  query.terms = query.terms.slice(0, mostTerms);
  const last = query.terms.at(-1);
  if (isTyped && last !== undefined) last.isUnfinished = true;
  return query;
}

/** Matches an exclusion sign, a field, and a phrase or word. An unclosed quotation mark extends to the end. */
const partPattern = /(?<=^|\s)(-(?=[^\s-]))?(?:(tool|file|before|after):(?=\S))?(?:"([^"]*)(?:"|$)(?=\s|$)|(\S+))/gi;

function parseTerm(minus: string, field: string, phrase: string | undefined, word: string): SearchTerm | null {
  const term = phrase === undefined ? parseWord(word, minus) : { ...plain, text: phrase.trim(), isExcluded: minus !== '' };
  if (term === null || term.text === '') return null;
  return field === 'tool' || field === 'file' ? { ...term, field } : term;
}

const plain: SearchTerm = { text: '', field: 'text', isExcluded: false, isPrefix: false, isUnfinished: false };

function parseWord(word: string, minus: string): SearchTerm | null {
  const isPrefix = /[\p{L}\p{N}]\*$/u.test(word);
  const text = isPrefix ? word.slice(0, -1) : word;
  return text === '' ? null : { ...plain, text, isPrefix, isExcluded: minus !== '' };
}

/** Returns the start of a day, month or year in local time. */
function parseDate(text: string): number | null {
  const parts = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(text);
  if (parts === null) return null;
  const [year, month = 1, day = 1] = parts.slice(1).map((part) => (part === undefined ? 1 : Number(part)));
  const date = new Date(Number(year), month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? date.getTime() : null;
}
