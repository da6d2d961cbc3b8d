import assert from 'node:assert/strict';
import path from 'node:path';
import type { EntryInput } from '../../../src/protocol/entries';
import type { DatabaseService } from '../../../src/services/database/databaseService';
import { migrateOnce } from '../../../src/services/database/sqlite/migrations';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import { ImportBench } from '../import/support/importBench';

function result(name: string, status: 'success' | 'error' | 'denied', durationMs: number, waitedMs?: number): EntryInput {
  const waited = waitedMs === undefined ? {} : { waitedMs };
  return { type: 'tool_result', content: '', data: { callId: `${name}${durationMs}`, name, status, durationMs, ...waited } };
}

describe('statistics', () => {
  let bench: ImportBench;
  let database: DatabaseService;
  beforeEach(async () => {
    bench = await ImportBench.create();
    database = await bench.database();
  });
  afterEach(() => bench.clean());

  async function use(): Promise<string> {
    const { id } = await database.sessions.create({ title: 'Work', mode: 'agent', model: 'qwen', projectPath: null });
    await database.log.append(id, result('read_file', 'success', 10));
    await database.log.append(id, result('read_file', 'error', 30));
    await database.log.append(id, result('run_terminal_command', 'denied', 5, 3000));
    await database.log.append(id, result('run_terminal_command', 'success', 40, 1000));
    const answer = await database.log.open(id, { type: 'assistant_output', data: {}, model: 'qwen' });
    answer.write('Words');
    await answer.close({
      end: 'complete',
      stats: { promptTokens: 100, answerTokens: 50, loadMs: 100, promptMs: 400, answerMs: 2000 },
    });
    await database.log.append(id, {
      type: 'compact_marker',
      content: '',
      data: { compactedCount: 1, throughSeq: 1, summary: '' },
    });
    return id;
  }
  const figures = async () => database.statistics(0);
  const expected = {
    models: [{ model: 'qwen', answers: 1, promptTokens: 100, answerTokens: 50, firstTokenMs: 500, tokensPerSecond: 25 }],
    tools: [
      { tool: 'read_file', calls: 2, successes: 1, failures: 1, averageMs: 20, averageWaitMs: null },
      { tool: 'run_terminal_command', calls: 2, successes: 1, failures: 0, averageMs: 40, averageWaitMs: 2000 },
    ],
    edits: [],
    completions: { shown: 0, accepted: 0, retained: null },
    compactions: 1,
  };

  it('are there with the result and the answer that they are about', async () => {
    const id = await use();
    const { tokensByDay, toolsByDay, sessions, ...rest } = await figures();
    assert.deepEqual(rest, expected);
    const day = new Date().toISOString().slice(0, 10);
    assert.deepEqual(tokensByDay, [{ day, prompt: 100, answer: 50 }]);
    assert.deepEqual(toolsByDay, [{ day, calls: 4, failures: 1 }]);
    const tools = [
      { tool: 'read_file', calls: 2 },
      { tool: 'run_terminal_command', calls: 2 },
    ];
    assert.deepEqual(sessions, [{ sessionId: id, title: 'Work', tools }]);
  });

  it('are not counted where the result could not be stored', async () => {
    const id = await use();
    await assert.rejects(
      database.log.appendAll(id, [result('read_file', 'success', 1), { type: 'nothing' } as unknown as EntryInput]),
    );
    assert.deepEqual((await figures()).tools, expected.tools);
  });

  it('are filled in once from a log that is older than they are, however often it is cut off', async () => {
    await use();
    const before = await figures();
    const raw = openSqlite(bench.file);
    raw.exec(`DELETE FROM tool_events; DELETE FROM tool_days; DELETE FROM answer_days;
      INSERT INTO meta SELECT 'statistics_before', CAST(max(rowid) AS TEXT) FROM messages`);
    raw.close();
    assert.deepEqual(await figures(), before);
    assert.deepEqual(await figures(), before);
  });

  it('of refused calls of an earlier version have no duration any more', async () => {
    await database.dispose();
    const file = path.join(path.dirname(bench.file), 'earlier.db');
    const earlier = openSqlite(file);
    for (let step = 0; step < 24; step += 1) migrateOnce(earlier);
    const call = `INSERT INTO tool_events (session_id, tool_name, duration_ms, success, error_type, created_at) VALUES ('s', 'run', `;
    earlier.exec(`INSERT INTO sessions (id, title, mode, created_at, updated_at) VALUES ('s', '', 'agent', 1, 1);
      ${call} 10, 1, NULL, 1); ${call} 30, 0, 'tool_error', 1); ${call} 5000, 0, 'denied', 1); ${call} NULL, 0, 'denied', 1)`);
    migrateOnce(earlier);
    assert.deepEqual(
      { ...earlier.prepare('SELECT calls, timed, duration_ms, waits, waited_ms FROM tool_days').get() },
      {
        calls: 4,
        timed: 2,
        duration_ms: 40,
        waits: 0,
        waited_ms: 0,
      },
    );
    const durations = earlier.prepare('SELECT duration_ms AS ms FROM tool_events ORDER BY id').all();
    assert.deepEqual(
      durations.map(({ ms }) => ms),
      [10, 30, null, null],
    );
    earlier.close();
  });

  it('are gone when they are deleted, and conversations are not', async () => {
    const id = await use();
    await database.deleteStatistics();
    const { models, tools, sessions, compactions } = await figures();
    assert.deepEqual([models, tools, sessions, compactions], [[], [], [], 1]);
    assert.equal((await bench.entries(id)).length, 6);
    await database.log.append(id, result('read_file', 'success', 1));
    assert.equal((await figures()).tools.length, 1);
  });

  it('go with their session, but for the sums of a day, which name nothing of it', async () => {
    await database.sessions.delete(await use());
    const { sessions, tools } = await figures();
    assert.deepEqual([sessions, tools], [[], expected.tools]);
    const raw = openSqlite(bench.file, { readOnly: true });
    assert.equal(raw.prepare('SELECT count(*) AS count FROM tool_events').get()?.count, 0);
    raw.close();
  });
});
