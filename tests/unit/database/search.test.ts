import assert from 'node:assert/strict';
import type { EntryInput } from '../../../src/protocol/entries';
import type { DatabaseService } from '../../../src/services/database/databaseService';
import { hasFts5 } from '../../../src/services/database/sqlite/capabilities';
import { indexSlice } from '../../../src/services/database/search/searchIndex';
import type { SearchPage } from '../../../src/services/database/search/searchResults';
import { searchSessions } from '../../../src/services/database/search/sessionSearch';
import { ManualClock } from './support/manualClock';
import { exitOf, nextMessage, startChild } from './processes/child';
import { fileOf, newSession, userInput, withRaw, Workbench } from './support/stores';
import { caseLimitMs } from '../../support/until';

const bench = new Workbench();
afterEach(() => bench.clean());

const everything = { offset: 0, limit: 50, newestFirst: true };
const answer = (content: string): EntryInput => ({ type: 'assistant_output', content, data: { end: 'complete' } });

/** Creates a store with one session per list of entries. The titles are `0`, `1`, …, and the last session is the newest. */
async function store(...sessions: (EntryInput | string)[][]) {
  const directory = bench.folder();
  const clock = new ManualClock();
  const database = await bench.service(directory, { clock });
  const ids: string[] = [];
  for (const [index, entries] of sessions.entries()) {
    const { id } = await database.sessions.create(newSession(String(index)));
    for (const entry of entries) await database.log.append(id, typeof entry === 'string' ? userInput(entry) : entry);
    ids.push(id);
    await clock.advance(10);
  }
  return { directory, database, ids, titles: (query: string) => titlesOf(database, query) };
}

async function titlesOf(database: DatabaseService, query: string): Promise<string[]> {
  return (await database.search({ query, ...everything })).found.map(({ title }) => title.text);
}

/** Returns the lines with `[` and `]` around the marked parts. */
function lines({ found }: SearchPage): (string | undefined)[] {
  return found.map(({ line }) => line?.marks.reduceRight((text, [from, to]) => bracket(text, from, to), line.text));
}
const bracket = (text: string, from: number, to: number) => `${text.slice(0, from)}[${text.slice(from, to)}]${text.slice(to)}`;

describe('search', () => {
  it('comes to an end over a title that older editors read cut', async () => {
    const { directory, ids, titles } = await store(['lion'], ['tiger']);
    withRaw(directory, (raw) => raw.prepare('UPDATE sessions SET title = ? WHERE id = ?').run('cut\0here', ids[0] ?? ''));
    assert.equal((await titles('lion')).length, 1);
    assert.deepEqual(await titles('tiger'), ['1']);
  });

  it('finds titles and everything that was said, thought, run and changed', async () => {
    const { titles, database, ids } = await store(
      ['where is the elephant'],
      [answer('an elephant is here')],
      [{ type: 'thinking', content: 'think of an elephant', data: {} }],
      [{ type: 'tool_call', data: { callId: 'c', name: 'run_terminal_command', input: { command: 'echo "elephant"\nls' } } }],
      [{ type: 'tool_result', content: 'for the elephant', data: { callId: 'c', name: 'x', status: 'success' } }],
      [{ type: 'tool_result', content: '', data: { callId: 'c', name: 'x', status: 'success', display: 'an elephant shown' } }],
      [fileEdit('src/zoo.ts', '-cat\n+elephant\n')],
      [fileEdit('src/elephant.ts', '')],
      [{ type: 'user_input', content: '', data: { mode: 'ask', attachments: [{ kind: 'file', path: 'elephant.md' }] } }],
      [{ type: 'run_end', data: { outcome: 'done' } }, 'no such animal'],
    );
    await database.sessions.update(ids[9] ?? '', { title: 'The elephant' });
    assert.deepEqual(await titles('elephant'), ['The elephant', '8', '7', '6', '5', '4', '3', '2', '1', '0']);
  });

  it('marks the best line, newest first: what was said before what tools wrote, and where most of the words are', async () => {
    const { database } = await store(
      [
        `nothing\n  the red fox ran over ${'a long way '.repeat(40)}\nfox`,
        { type: 'tool_result', content: 'fox red', data: { callId: 'c', name: 'x', status: 'success' } },
      ],
      [`${'x '.repeat(200)}the red foxes are running`],
    );
    const page = await database.search({ query: 'fox RED', ...everything });
    assert.deepEqual(lines(page), [
      `…${'x '.repeat(22)}the [red] [foxes] are running`,
      `the [red] [fox] ran over ${'a long way '.repeat(15).slice(0, 159)}…`.replace(/ …$/, '…'),
    ]);
    assert.deepEqual(
      page.found.map(({ line }) => line?.seq),
      [1, 1],
    );
  });

  it('gives the title its marks, and no line where only the title has the words', async () => {
    const { database, ids } = await store(['hello']);
    await database.sessions.update(ids[0] ?? '', { title: 'Fix the parser, Parsers' });
    const { found } = await database.search({ query: 'parser', ...everything });
    assert.deepEqual(found, [
      {
        sessionId: ids[0],
        line: null,
        title: {
          text: 'Fix the parser, Parsers',
          marks: [
            [8, 14],
            [16, 23],
          ],
        },
      },
    ]);
    await database.sessions.update(ids[0] ?? '', { title: 'Something else' });
    assert.deepEqual(await titlesOf(database, 'parser'), []);
    assert.deepEqual(await titlesOf(database, 'somethin'), ['Something else']);
  });

  it('finds a word from its second letter on, while it is being typed', async () => {
    const words = (
      'running configuration configured happiness connections testing tested validation tries carefully ' +
      'generalization management relational sensibilities authentication database queries useful usable'
    ).split(' ');
    const { titles } = await store([words.join(' ')]);
    const missed: string[] = [];
    for (const word of words) {
      for (let length = 2; length <= word.length; length += 1) {
        if ((await titles(word.slice(0, length))).length === 0) missed.push(word.slice(0, length));
      }
    }
    assert.deepEqual(missed, []);
    assert.deepEqual(await titles('xrunning'), []);
  });

  it('finds Chinese, Japanese, Korean and Thai by one character and by any more in a row', async () => {
    const { titles, database } = await store(
      ['请帮我写一个中文输入法的React组件'],
      ['日本語のテキストをカタカナで'],
      ['한국어를 배우고 있습니다'],
      ['สวัสดีครับ'],
      ['𠀀𠀁 rare ones'],
    );
    const expected: [string, string[]][] = [
      ['中', ['0']],
      ['文', ['0']],
      ['输入', ['0']],
      ['中文输入法', ['0']],
      ['中法', []],
      ['中 法', ['0']],
      ['react', ['0']],
      ['文 reac', ['0']],
      ['本語', ['1']],
      ['カナ', ['1']],
      ['ー', []],
      ['국어', ['2']],
      ['어', ['2']],
      ['สวัส', ['3']],
      ['𠀁', ['4']],
    ];
    for (const [query, found] of expected) assert.deepEqual(await titles(query), found, query);
    assert.deepEqual(lines(await database.search({ query: '输入 组件', ...everything })), [
      '请帮我写一个中文[输入]法的React[组件]',
    ]);
  });

  it('takes accents, case, paths and code as people type them', async () => {
    const { titles } = await store(['Café Übergröße'], ['see src/chatView.ts:12 and user_name'], ['if (a?.b => c) {}']);
    const expected: [string, string[]][] = [
      ['cafe', ['0']],
      ['ÜBERGRÖSSE', []],
      ['ubergröße', ['0']],
      ['src/chatView.ts', ['1']],
      ['chatview', ['1']],
      ['user_name', ['1']],
      ['name', ['1']],
      ['=>', ['2']],
      ['?.', ['2']],
      ['chat => view', []],
    ];
    for (const [query, found] of expected) assert.deepEqual(await titles(query), found, query);
  });

  it('takes whatever is typed as words: no operator, no error', async () => {
    const { titles } = await store(['alpha AND beta'], ['alpha NOT gamma OR delta NEAR']);
    const expected: [string, string[]][] = [
      ['alpha AND beta', ['0']],
      ['alpha NOT gamma', ['1']],
      ['"alpha', ['1', '0']],
      ['alpha"', ['1', '0']],
      ['text:alpha', []],
      ['^alpha', ['1', '0']],
      ['alpha*', ['1', '0']],
      ['(alpha', ['1', '0']],
      ['-alpha', []],
      ['--alpha', ['1', '0']],
      ['NEAR(gamma delta)', []],
      ["'; DROP TABLE messages; --", []],
      ['  ', []],
      ['', []],
    ];
    for (const [query, found] of expected) assert.deepEqual(await titles(query), found, query);
    const hostile = [
      '"',
      '""',
      '"""',
      "'",
      '\\',
      '*',
      'a*b"c',
      '\0',
      'a\0b',
      '\ud800',
      '\x01\x02\x1f',
      '{}',
      'a:b:c',
      '+',
      '^',
      '𞤀',
      '́',
    ];
    for (const query of [...hostile, 'x'.repeat(100_000), 'y '.repeat(5_000), '[a-z]+(', '漢"字']) await titles(query);
  });

  it('does not know an open entry until it is closed, and then knows all of it', async () => {
    const { database, ids, titles } = await store(['first']);
    const open = await database.log.open(ids[0] ?? '', { type: 'assistant_output', data: {} });
    open.write('giraffe ');
    await database.log.read(ids[0] ?? '', 0);
    assert.deepEqual(await titles('giraffe'), []);
    open.write('and okapi');
    await open.close({ end: 'complete' });
    assert.deepEqual(await titles('giraffe okapi'), ['0']);
  });

  it('finds what a rewind took out of the conversation', async () => {
    const { titles } = await store(['the old question', { type: 'rewind', data: { fromSeq: 1 } }, 'the new question']);
    assert.deepEqual([await titles('old'), await titles('new')], [['0'], ['0']]);
  });

  it('pages without repeating', async () => {
    const { database } = await store(...Array.from({ length: 7 }, () => ['the same word']));
    const pages = [];
    for (const offset of [0, 3, 6]) pages.push(await database.search({ query: 'same', offset, limit: 3, newestFirst: true }));
    assert.deepEqual(
      pages.map((page) => [page.found.map(({ title }) => title.text).join(''), page.hasMore]),
      [
        ['654', true],
        ['321', true],
        ['0', false],
      ],
    );
  });

  it('forgets a deleted session, index and all, and one that another program deleted', async () => {
    const { directory, database, ids, titles } = await store(['zebra'], ['zebra'], ['zebra']);
    assert.equal((await titles('zebra')).length, 3);
    await database.sessions.delete(ids[0] ?? '');
    withRaw(directory, (raw) => raw.prepare('DELETE FROM sessions WHERE id = ?').run(ids[1] ?? ''));
    assert.deepEqual(await titles('zebra'), ['2']);
    const left = withRaw(directory, (raw) => [
      raw.prepare("SELECT count(*) AS n FROM messages_fts WHERE messages_fts MATCH 'zebra'").get()?.['n'],
      raw.prepare('SELECT session_id FROM search_sessions').all().length,
    ]);
    assert.deepEqual(left, [1, 1]);
  });

  it('indexes what was there before in slices that may be cut off anywhere', async () => {
    const { directory, database, ids } = await store(
      Array.from({ length: 900 }, (_, index) => `word${index} old`),
      ['old too'],
    );
    const count = () =>
      withRaw(
        directory,
        (raw) => raw.prepare("SELECT count(*) AS n FROM messages_fts WHERE messages_fts MATCH 'old'").get()?.['n'],
      );
    const counts: unknown[] = [];
    for (let isDone = false; !isDone; counts.push(count())) isDone = indexSlice(fileOf(directory), 1_000);
    assert.deepEqual(counts, [400, 800, 901]);
    assert.equal(indexSlice(fileOf(directory), 1_000), true);
    assert.deepEqual(lines(await database.search({ query: 'word899', ...everything })), ['[word899] old']);
    await database.log.append(ids[0] ?? '', userInput('new and old'));
    assert.equal(indexSlice(fileOf(directory), 1_000), true);
    assert.equal(count(), 902);
  });

  it('says so while older entries are not indexed yet', async () => {
    const { directory } = await store(
      Array.from({ length: 900 }, () => 'old'),
      ['newest old'],
    );
    const conditions = { timeoutMs: caseLimitMs, patienceMs: 0, fts5: true };
    const search = () => searchSessions(fileOf(directory), { query: 'old', ...everything }, conditions);
    const pages = [search(), search(), search()];
    assert.deepEqual(
      pages.map(({ found, isComplete }) => [found.length, isComplete]),
      [
        [2, false],
        [2, false],
        [2, true],
      ],
    );
  });

  it('reads everything, and says so, where there is no full-text search', async () => {
    const { directory, ids } = await store(['The Red FOX'], ['a fox'], ['漢字 fox? red'], [answer('nothing')]);
    const search = (query: string) =>
      searchSessions(fileOf(directory), { query, ...everything }, { timeoutMs: caseLimitMs, patienceMs: 0, fts5: false });
    const page = search('fox red');
    assert.deepEqual(
      [page.isIndexed, page.isComplete, page.found.map(({ sessionId }) => sessionId)],
      [false, true, [ids[2], ids[0]]],
    );
    assert.deepEqual(lines(page), ['漢字 [fox]? [red]', 'The [Red] [FOX]']);
    assert.deepEqual([search('字').found.length, search('.*').found.length, search('fox?').found.length], [1, 0, 1]);
    assert.equal(
      withRaw(directory, (raw) => raw.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'messages_fts'").get()),
      undefined,
    );
  });

  it('is kept by two windows that write and index at the same time', async () => {
    assert.equal(hasFts5(), true);
    const directory = bench.folder();
    const database = await bench.service(directory);
    const { id } = await database.sessions.create(newSession());
    const children = ['a', 'b'].map((name) => startChild('searcher', directory, id, name, '60'));
    await Promise.all(children.map(nextMessage));
    for (const child of children) child.send('go');
    assert.deepEqual(await Promise.all(children.map(exitOf)), [0, 0]);
    for (const word of ['a0', 'a59', 'b0', 'b59']) assert.equal((await titlesOf(database, word)).length, 1, word);
    const indexed = withRaw(directory, (raw) =>
      raw.prepare("SELECT count(*) AS n FROM messages_fts WHERE messages_fts MATCH 'note'").get(),
    );
    assert.equal(indexed?.['n'], 120);
  });
});

function fileEdit(path: string, diff: string): EntryInput {
  return {
    type: 'file_edit',
    data: { path, diff, operation: 'modify', beforeHash: null, afterHash: null, additions: 1, deletions: 1 },
  };
}
