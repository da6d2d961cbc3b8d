/**
 * Parsed search input, such as `fix "the parser" -python config* tool:terminal file:src/a.ts after:2026-01
 * before:2026-02-15`.
 */
export interface SearchQuery {
  terms: SearchTerm[];
  /** Milliseconds: entries from here on, where it is said. */
  after: number | null;
  /** Milliseconds: entries up to but without this moment. */
  before: number | null;
}

export interface SearchTerm {
  /** A word or a phrase, at least one character. */
  text: string;
  /** Field to look in: the text of an entry, the name of its tool, or the paths it is about. */
  field: 'text' | 'tool' | 'file';
  /** True if entries with this term are left out. */
  isExcluded: boolean;
  /** The beginning of words, as a `*` behind it says. */
  isPrefix: boolean;
  /** The last word, which may still be being typed. */
  isUnfinished: boolean;
}

const mostTerms = 20;
const mostCharacters = 2_000;

/** Parses any input into a query: a part that is no operator is a word. The last word may be unfinished. */
export function parseQuery(input: string): SearchQuery {
  const query: SearchQuery = { terms: [], after: null, before: null };
  const text = input.normalize('NFC').replaceAll('\0', ' ').replace(/[“”„]/g, '"').slice(0, mostCharacters);
  let isTyped = false;
  for (const [, minus = '', name = '', phrase, word = ''] of text.matchAll(partPattern)) {
    const field = name.toLowerCase();
    const isDate = field === 'before' || field === 'after';
    const date = isDate && minus === '' ? dateOf(phrase ?? word) : null;
    isTyped = false;
    if (isDate && date !== null) {
      query[field] = date;
      continue;
    }
    const term = isDate ? wordOf(`${name}:${phrase ?? word}`, minus) : termOf(minus, field, phrase, word);
    if (term === null) continue;
    query.terms.push(term);
    isTyped = term.field === 'text' && !term.isExcluded && phrase === undefined;
  }
  query.terms = query.terms.slice(0, mostTerms);
  const last = query.terms.at(-1);
  if (isTyped && last !== undefined) last.isUnfinished = true;
  return query;
}

/** A sign of exclusion, a field, and a phrase or a word. A quotation mark that nothing closes goes on to the end. */
const partPattern = /(?<=^|\s)(-(?=[^\s-]))?(?:(tool|file|before|after):(?=\S))?(?:"([^"]*)(?:"|$)(?=\s|$)|(\S+))/gi;

function termOf(minus: string, field: string, phrase: string | undefined, word: string): SearchTerm | null {
  const term = phrase === undefined ? wordOf(word, minus) : { ...plain, text: phrase.trim(), isExcluded: minus !== '' };
  if (term === null || term.text === '') return null;
  return field === 'tool' || field === 'file' ? { ...term, field } : term;
}

const plain: SearchTerm = { text: '', field: 'text', isExcluded: false, isPrefix: false, isUnfinished: false };

function wordOf(word: string, minus: string): SearchTerm | null {
  const isPrefix = /[\p{L}\p{N}]\*$/u.test(word);
  const text = isPrefix ? word.slice(0, -1) : word;
  return text === '' ? null : { ...plain, text, isPrefix, isExcluded: minus !== '' };
}

/** Returns the first moment of a day, month or year of this machine's calendar. */
function dateOf(text: string): number | null {
  const parts = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(text);
  if (parts === null) return null;
  const [year, month = 1, day = 1] = parts.slice(1).map((part) => (part === undefined ? 1 : Number(part)));
  const date = new Date(Number(year), month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? date.getTime() : null;
}
