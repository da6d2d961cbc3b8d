import assert from 'node:assert/strict';
import { indexSlice, mergeSlice } from '../../../src/services/database/search/searchIndex';
import { SearchReader } from '../../../src/services/database/search/searchReader';
import { searchSessions } from '../../../src/services/database/search/sessionSearch';
import { wordsWithOtherStems } from '../../../src/services/database/search/wordEndings';
import { ManualClock } from './support/manualClock';
import { fileOf, newSession, userInput, withRaw, Workbench } from './support/stores';
import { caseLimitMs } from '../../support/until';

const bench = new Workbench();
afterEach(() => bench.clean());

describe('search among many', () => {
  it('shows the newest of what more match than can be ranked, with or without a match in each session', async () => {
    const directory = bench.folder();
    const clock = new ManualClock();
    const database = await bench.service(directory, { clock });
    const ids: string[] = [];
    const texts = [
      Array(2_600).fill('a fox'),
      Array(2_600).fill('the fox'),
      ['fox', 'no such'],
      ['foxglove', 'the fo'],
    ] as string[][];
    for (const [index, entries] of texts.entries()) {
      const { id } = await database.sessions.create(newSession(index === 1 ? 'Fox' : String(index)));
      await database.log.appendAll(id, entries.map(userInput));
      ids.push(id);
      await clock.advance(10);
    }
    const found = async (query: string, offset = 0, limit = 50) => {
      const { found: sessions, hasMore } = await database.search({ query, offset, limit });
      return [...sessions.map(({ sessionId, line, title }) => [ids.indexOf(sessionId), line?.seq, title.marks.length]), hasMore];
    };
    while (!(await database.search({ query: 'fox', offset: 0, limit: 1 })).isComplete);
    const first = [3, 1, 0];
    const second = [2, 1, 0];
    const third = [1, 2_600, 1];
    const fourth = [0, 2_600, 0];
    assert.deepEqual(await found('fox'), [first, second, third, fourth, false]);
    assert.deepEqual(await found('"fox"'), [second, third, fourth, false]);
    assert.deepEqual(await found('"fox" -glove'), [second, third, fourth, false]);
    assert.deepEqual(await found('"fox" -"no such"'), [third, fourth, false]);
    assert.deepEqual(await found('fo', 1, 2), [second, third, true]);
    await database.sessions.delete(ids[3] ?? '');
    assert.deepEqual(await found('fox'), [second, third, fourth, false]);
    assert.deepEqual(await found('fox', 0, 1), [second, true]);
    assert.deepEqual(await found('fox', 2, 1), [fourth, false]);
  });

  it('makes one part of the many that an index came in, and finds the same', async () => {
    const directory = bench.folder();
    const database = await bench.service(directory, { clock: new ManualClock() });
    const { id } = await database.sessions.create(newSession('many'));
    const file = fileOf(directory);
    const parts = () => withRaw(directory, (raw) => raw.prepare('SELECT DISTINCT segid FROM messages_fts_idx').all().length);
    for (let count = 0; count < 14; count += 1) {
      await database.log.append(id, userInput(`fox number${count}`));
      indexSlice(file, 1_000);
    }
    assert.ok(parts() > 4, String(parts()));
    for (let isBegun = false; mergeSlice(file, 1_000, isBegun); isBegun = true);
    assert.equal(parts(), 1);
    assert.equal(mergeSlice(file, 1_000, false), false);
    const { found } = await database.searchEntries({ query: 'fox', sessionId: id, offset: 0, limit: 50 });
    assert.equal(found.length, 14);
  });

  it('knows by one kept connection what others have written since', async () => {
    const directory = bench.folder();
    const database = await bench.service(directory, { clock: new ManualClock() });
    const { id } = await database.sessions.create(newSession('kept'));
    const reader = new SearchReader(fileOf(directory), caseLimitMs);
    const conditions = { timeoutMs: caseLimitMs, patienceMs: caseLimitMs, fts5: true, reader };
    const count = () => searchSessions(fileOf(directory), { query: 'fox', offset: 0, limit: 5 }, conditions).found.length;
    try {
      assert.deepEqual([reader.isIndexCurrent(), count(), reader.isIndexCurrent()], [false, 0, true]);
      await database.log.append(id, userInput('fox'));
      assert.deepEqual([reader.isIndexCurrent(), count(), reader.isIndexCurrent()], [false, 1, true]);
      await database.rebuildIndex();
      assert.deepEqual([reader.isIndexCurrent(), count()], [false, 1]);
    } finally {
      reader.close();
    }
  });

  it('asks for endings only where they change the beginning of a word', () => {
    assert.deepEqual(wordsWithOtherStems('fox'), []);
    assert.deepEqual(wordsWithOtherStems('common'), ['commoness']);
  });
});
