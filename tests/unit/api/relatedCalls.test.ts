import assert from 'node:assert/strict';
import { relatedCalls } from '../../../src/api/socket/relatedCalls';
import type { EntryInput } from '../../../src/protocol/entries';
import type { DatabaseService } from '../../../src/services/database/databaseService';
import { userInput, Workbench } from '../database/support/stores';

const call = (callId: string): EntryInput => ({
  type: 'tool_call',
  data: { callId, name: 'read_file', input: { path: callId } },
});
const result = (callId: string): EntryInput => ({
  type: 'tool_result',
  content: `of ${callId}`,
  data: { callId, name: 'read_file', status: 'success' },
});

describe('calls and results beyond a page of a transcript', () => {
  const bench = new Workbench();
  let database: DatabaseService;
  let id: string;
  beforeEach(async () => {
    database = await bench.service(bench.folder());
    ({ id } = await database.sessions.create({ title: '', mode: 'agent', model: null, projectPath: null }));
  });
  afterEach(() => bench.clean());

  /** Returns the ids found for a page, and the number of entries that each further query may read. */
  async function related(afterSeq: number, limit: number): Promise<{ calls: string[]; results: string[]; ranges: number[] }> {
    const { entries } = await database.queries.page({ sessionId: id, afterSeq, limit });
    const ranges: number[] = [];
    const page: typeof database.queries.page = (query) => {
      ranges.push((query.beforeSeq ?? Infinity) - (query.afterSeq ?? 0));
      return database.queries.page(query);
    };
    const { calls, results } = await relatedCalls({ page }, id, entries);
    return { calls: [...calls.keys()].sort(), results: [...results.keys()].sort(), ranges };
  }

  it('are found on both sides of it', async () => {
    await database.log.appendAll(id, [call('a'), call('b'), result('a'), call('c'), result('b'), result('c')]);
    const found = await related(2, 2);
    assert.deepEqual([found.calls, found.results.includes('c')], [['a', 'b', 'c'], true]);
  });

  it('are found near a result that follows many other entries, the nearest first', async () => {
    const filler = Array.from({ length: 300 }, () => userInput('More'));
    const earlier = Array.from({ length: 100 }, (_, index) => call(`earlier${index}`));
    await database.log.appendAll(id, [...earlier, call('a'), ...filler, result('a')]);
    const { calls } = await related(401, 1);
    assert.ok(calls.includes('a'), calls.join());
  });

  it('cost no more in a long dialog: a call without a result reads a bounded part of it', async () => {
    await database.log.appendAll(id, [call('lost'), userInput('More'), result('found')]);
    const first = await related(0, 1);
    const last = await related(2, 1);
    assert.deepEqual([first.ranges.length, last.ranges.length], [1, 1]);
    for (const range of [...first.ranges, ...last.ranges]) assert.ok(range <= 1_001, `${range} entries`);
  });
});
