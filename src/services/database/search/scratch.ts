import { openSqlite } from '../sqlite/sqlite';
import { markers } from './searchText';

/** Columns and tokenizer of the index and the scratch table. */
export const indexed = "text, tool, file, tokenize = 'porter unicode61 remove_diacritics 2'";

type Scratch = ReturnType<typeof makeScratch>;
let kept: Scratch | null = null;

/**
 * Returns an in-memory index for highlighting a few entries, because the main index stores
 * no texts. Each thread has only one, because creating it takes longer than a search.
 */
export function scratch(): Scratch {
  return (kept ??= makeScratch());
}

function makeScratch() {
  const database = openSqlite(':memory:');
  database.exec(`
    CREATE VIRTUAL TABLE page USING fts5 (${indexed});
    CREATE VIRTUAL TABLE page_terms USING fts5vocab (page, instance)`);
  const put = database.prepare('INSERT INTO page (rowid, text, tool, file) VALUES (?, ?, ?, ?)');
  const highlight = database.prepare('SELECT rowid, highlight(page, 0, ?, ?) AS text FROM page WHERE page MATCH ?');
  const terms = database.prepare('SELECT term FROM page_terms ORDER BY offset');
  const without = <T>(work: () => T): T => {
    database.exec('BEGIN');
    try {
      return work();
    } finally {
      database.exec('ROLLBACK');
    }
  };
  return {
    /** Returns the first column of each entry with `markers` around the matches. Returns null for an entry without a match. */
    highlighted: (query: string, entries: readonly (readonly string[])[]): (string | null)[] =>
      without(() => {
        for (const [index, columns] of entries.entries()) put.run(index, ...columns);
        const found = new Map(highlight.all(markers.open, markers.close, query).map(({ rowid, text }) => [rowid, String(text)]));
        return entries.map((_, index) => found.get(index) ?? null);
      }),
    /** Returns the indexed words of a text, in order. */
    terms: (text: string): string[] =>
      without(() => {
        put.run(0, text, '', '');
        return terms.all().map(({ term }) => String(term));
      }),
  };
}
