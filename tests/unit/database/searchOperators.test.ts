import assert from 'node:assert/strict';
import type { EntryInput } from '../../../src/protocol/entries';
import { toFts } from '../../../src/services/database/search/ftsQuery';
import { parseQuery } from '../../../src/services/database/search/searchQuery';
import { searchEntries, searchSessions } from '../../../src/services/database/search/sessionSearch';
import { highlightLine } from '../../../src/services/database/search/snippet';
import { seeds } from '../../support/rounds';
import { ManualClock } from './support/manualClock';
import { fileOf, newSession, userInput, withRaw, Workbench } from './support/stores';
import { caseLimitMs } from '../../support/until';

const bench = new Workbench();
afterEach(() => bench.clean());

const page = { offset: 0, limit: 50 };
const day = 86_400_000;
const call = (name: string, input: Record<string, string>): EntryInput => ({
  type: 'tool_call',
  data: { callId: 'c', name, input },
});
const result = (name: string, content: string): EntryInput => ({
  type: 'tool_result',
  content,
  data: { callId: 'c', name, status: 'success' },
});
const edit = (path: string, diff: string): EntryInput => ({
  type: 'file_edit',
  data: { path, diff, operation: 'modify', beforeHash: null, afterHash: null, additions: 1, deletions: 1 },
});

/** Creates one session per list of entries, titled `a`, `b`, …, one per day from 1 May 2026. */
async function store(...sessions: (EntryInput | string)[][]) {
  const directory = bench.folder();
  const clock = new ManualClock(new Date(2026, 4, 1, 12).getTime());
  const database = await bench.service(directory, { clock });
  const ids: string[] = [];
  for (const [index, entries] of sessions.entries()) {
    const { id } = await database.sessions.create(newSession('abcdefgh'[index] ?? ''));
    for (const entry of entries) await database.log.append(id, typeof entry === 'string' ? userInput(entry) : entry);
    ids.push(id);
    await clock.advance(day);
  }
  const nameOf = (id: string) => 'abcdefgh'[ids.indexOf(id)] ?? '';
  return {
    directory,
    database,
    ids,
    clock,
    names: async (query: string) => {
      const { found } = await database.search({ query, ...page, newestFirst: true });
      return found.map(({ sessionId }) => nameOf(sessionId)).join('');
    },
    /** Searches without an index. */
    scanned: (query: string) =>
      searchSessions(fileOf(directory), { query, ...page }, { timeoutMs: caseLimitMs, patienceMs: 0, fts5: false })
        .found.map(({ sessionId }) => nameOf(sessionId))
        .join(''),
    entries: async (query: string, sessionId: string | null = null, newestFirst = true) => {
      const { found } = await database.searchEntries({ query, sessionId, ...page, newestFirst });
      return found.map(({ sessionId: id, seq }) => `${nameOf(id)}${seq}`).join(' ');
    },
  };
}

describe('search operators', () => {
  it('phrases, exclusions, beginnings, tools, files and times, with an index and without', async () => {
    const { names, scanned } = await store(
      ['the quick brown fox', call('run_terminal_command', { command: 'npm test' })],
      ['the brown quick fox', edit('src/services/parser.ts', '+const fox = 1;')],
      ['a configuration of wolves', result('read_file', 'export class Parser {}')],
      ['an empty one', call('read_file', { path: 'src/services/parser.ts' })],
    );
    const expected: [string, string][] = [
      ['quick brown', 'ba'],
      ['"quick brown"', 'a'],
      ['"quick brown" fox', 'a'],
      ['“quick brown”', 'a'],
      ['"quick brown', 'a'],
      ['fox -"quick brown"', 'b'],
      ['-fox', 'dc'],
      ['-fox -wolves', 'd'],
      ['-"brown quick"', 'dca'],
      ['fox -wolves', 'ba'],
      ['config* wolves', 'c'],
      ['-config*', 'dba'],
      ['w* of', 'c'],
      ['w*', 'c'],
      ['"fox" j*', ''],
      ['fox -w*', 'ba'],
      ['-w*', 'dba'],
      ['file:s*', 'db'],
      ['2* fox', ''],
      ['tool:run_terminal_command', 'a'],
      ['TOOL:read_file', 'dc'],
      ['tool:terminal npm', 'a'],
      ['-tool:read_file', 'ba'],
      ['parser tool:read_file', 'dc'],
      ['file:parser.ts', 'db'],
      ['file:src/services', 'db'],
      ['file:"src/services/parser.ts" fox', 'b'],
      ['-file:parser.ts', 'ca'],
      ['after:2026-05-03', 'dc'],
      ['before:2026-05-03', 'ba'],
      ['after:2026-05-02 before:2026-05-04', 'cb'],
      ['fox after:2026-05-02', 'b'],
      ['after:2026', 'dcba'],
      ['after:2026-06', ''],
      ['before:2026-5-2', 'a'],
      ['-fox before:2026-05-04', 'c'],
      ['after:2026-13', ''],
      ['tool:nothing', ''],
    ];
    for (const [query, found] of expected) assert.equal(await names(query), found, query);
    for (const [query, found] of expected) assert.equal(scanned(query), found, `${query}, without an index`);
  });

  it('finds a pasted command whose options look like exclusions, with an index and without', async () => {
    const { names, scanned, database } = await store(
      ['plain words', call('run_terminal_command', { command: 'rm -rf ~/build' })],
      ['fox and wolves'],
    );
    for (const [query, found] of [
      ['rm -rf ~/build', 'a'],
      ['fox -wolves', 'b'],
      ['fox -and -cats', ''],
      ['-fox -plain', ''],
    ] as const) {
      assert.equal(await names(query), found, query);
      assert.equal(scanned(query), found, `${query}, without an index`);
    }
    const isAsText = async (query: string) => (await database.search({ query, ...page })).isAsText;
    assert.deepEqual([await isAsText('rm -rf ~/build'), await isAsText('rm -cats')], [true, undefined]);
  });

  it('takes a * behind any beginning at its word, of one letter or sign too, with an index and without', async () => {
    const { names, scanned, entries } = await store(
      ['x'],
      ['xylem'],
      ['a_xenon'],
      ['zax'],
      ['中文 and 日本'],
      ['2026'],
      ['Ünlü'],
    );
    const expected: [string, string][] = [
      ['x*', 'cba'],
      ['X*', 'cba'],
      ['-x*', 'gfed'],
      ['xy*', 'b'],
      ['a_x*', 'c'],
      ['z* -x*', 'd'],
      ['文*', 'e'],
      ['中*', 'e'],
      ['2*', 'f'],
      ['ü*', 'g'],
      ['l*', ''],
    ];
    for (const [query, found] of expected) assert.equal(await names(query), found, query);
    for (const [query, found] of expected) assert.equal(scanned(query), found, `${query}, without an index`);
    assert.equal(await entries('x*'), 'c1 b1 a1');
    // Without a star, a single typed character is not expanded to longer words.
    assert.equal(await names('x'), 'a');
  });

  it('leaves a session out as a whole, and single entries where entries are asked for', async () => {
    const { names, entries, ids } = await store(['red fox', 'red wolf', 'blue fox'], ['red deer'], ['fox']);
    assert.equal(await names('red -wolf'), 'b');
    assert.equal(await entries('red -wolf'), 'b1 a1');
    assert.equal(await entries('-wolf', ids[0]), 'a3 a1');
    assert.equal(await entries('fox'), 'c1 a3 a1');
    assert.equal(await entries('fox', ids[0]), 'a3 a1');
    assert.equal(await entries('fox', 'none'), '');
    assert.equal(await entries('fox before:2026-05-02'), 'a3 a1');
    assert.equal(await entries('after:2026-05-02'), 'c1 b1');
  });

  it('finds the entries of a time within a session, however long that is', async () => {
    const { database, clock, ids, entries } = await store(['one']);
    const id = ids[0] ?? '';
    for (let index = 2; index <= 30; index += 1) {
      await database.log.append(id, userInput('word'));
      await clock.advance(day);
    }
    // The second entry is from 2 May.
    assert.equal(await entries('word after:2026-05-10 before:2026-05-13', id), 'a12 a11 a10');
    assert.equal(await entries('word after:2026-05-29', id), 'a30 a29');
    assert.equal(await entries('word before:2026-05-03', id), 'a2');
    assert.equal((await database.search({ query: 'word after:2026-05-10 before:2026-05-13', ...page })).found[0]?.line?.seq, 12);
    const newest = await database.search({ query: 'word before:2026-05-13', ...page, newestFirst: true });
    assert.equal(newest.found[0]?.line?.seq, 12);
  });

  it('puts the best match first, or the newest where that is asked for', async () => {
    const { database, ids } = await store(
      ['wolf wolf wolf'],
      [`a wolf among ${'many other words '.repeat(30)}`],
      ['nothing'],
      [result('x', `${'noise '.repeat(300)}wolf`)],
    );
    await database.sessions.update(ids[2] ?? '', { title: 'The wolf' });
    const order = async (newestFirst: boolean) =>
      (await database.search({ query: 'wolf', ...page, newestFirst })).found.map(({ sessionId }) => ids.indexOf(sessionId));
    assert.deepEqual(await order(false), [2, 0, 1, 3]);
    assert.deepEqual(await order(true), [3, 2, 1, 0]);
    const ranked = await database.searchEntries({ query: 'wolf', sessionId: null, ...page });
    assert.deepEqual(
      ranked.found.map(({ sessionId }) => ids.indexOf(sessionId)),
      [0, 1, 3],
    );
  });

  it('shows the first line of what was found by its tool or file alone', async () => {
    const { database } = await store([edit('src/a.ts', `@@ -1 +1 @@\n-${'x'.repeat(400)}\n`)]);
    const { found } = await database.search({ query: 'file:a.ts', ...page });
    assert.deepEqual(found[0]?.line, { text: 'src/a.ts', marks: [], seq: 1 });
  });

  it('makes the index again on command, and where an earlier version made one with less in it', async () => {
    const { directory, database, names } = await store(['fox', call('read_file', { path: 'a.ts' })], ['wolf']);
    assert.equal(await names('fox'), 'a');
    withRaw(directory, (raw) => raw.exec("INSERT INTO messages_fts (messages_fts) VALUES ('delete-all')"));
    assert.equal(await names('fox'), '');
    await database.rebuildIndex();
    assert.equal(await names('fox'), 'a');
    withRaw(directory, (raw) => {
      raw.exec('DROP TABLE messages_fts');
      raw.exec("CREATE VIRTUAL TABLE messages_fts USING fts5 (text, content = '', contentless_delete = 1)");
    });
    assert.equal(await names('tool:read_file'), 'a');
    assert.equal(await names('wolf'), 'b');
  });

  it('takes every input, in every form of search', async () => {
    const { directory } = await store(['fox "in" quotes: a*b -c', edit('src/a.ts', '+x')], ['漢字']);
    const file = fileOf(directory);
    const conditions = { timeoutMs: caseLimitMs, patienceMs: 50 };
    for (const [index, seed] of seeds(150).entries()) {
      const query = randomQuery(seed);
      const fts = toFts(parseQuery(query));
      for (const part of [fts?.match, fts?.without])
        assert.doesNotThrow(() => highlighted(part ?? null), `seed ${seed}: ${query}`);
      if (index >= 20) continue;
      for (const fts5 of [true, false]) {
        const request = { query, ...page, newestFirst: seed % 2 === 0 };
        assert.doesNotThrow(() => searchSessions(file, request, { ...conditions, fts5 }), `seed ${seed}: ${query}`);
        const inAll = { ...request, sessionId: null };
        assert.doesNotThrow(() => searchEntries(file, inAll, { ...conditions, fts5 }), `seed ${seed}: ${query}`);
      }
    }
  });

  it('pages without repeating, by rank too', async () => {
    const { database } = await store(...Array.from({ length: 8 }, () => ['same word']));
    const seen: string[] = [];
    for (let offset = 0, hasMore = true; hasMore; offset += 3) {
      const found = await database.search({ query: 'same', offset, limit: 3 });
      seen.push(...found.found.map(({ sessionId }) => sessionId));
      ({ hasMore } = found);
    }
    assert.deepEqual([seen.length, new Set(seen).size], [8, 8]);
  });
});

/** Runs an FTS5 expression, which must be valid. */
function highlighted(fts: string | null): void {
  highlightLine(fts, [{ text: 'fox', tool: 'a', file: '漢' }]);
}

const signs = [
  '"',
  '-',
  '*',
  ':',
  '(',
  ')',
  '^',
  '{',
  '+',
  ' ',
  '  ',
  '--',
  '=>',
  '\0',
  '\x01',
  '\x1f',
  "'",
  ';',
  '\\',
  '\ud800',
  '𠀀',
];
const words = [
  'tool:',
  'file:',
  'before:',
  'after:',
  '2026-02-30',
  '2026',
  'AND',
  'OR',
  'NOT',
  'NEAR(',
  'text:',
  'fox',
  '漢',
  'a',
];

/** Returns a random query for a seed, with up to twelve parts that may have a special meaning. */
function randomQuery(seed: number): string {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const parts = [...signs, ...words];
  return Array.from({ length: 1 + next(12) }, () =>
    next(8) === 0 ? String.fromCharCode(next(0x10000)) : (parts[next(parts.length)] ?? ''),
  ).join('');
}
