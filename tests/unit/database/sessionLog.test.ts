import assert from 'node:assert/strict';
import type { EntryInput } from '../../../src/protocol/entries';
import { ManualClock } from './support/manualClock';
import { newSession, recordEvents, userInput, withRaw, Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

describe('SessionLog', () => {
  it('gives entries their seq in the order of the calls and one revision each', async () => {
    const { sessions, log } = await bench.service(bench.folder());
    const { id } = await sessions.create(newSession());
    const entries = await Promise.all(['one', 'two', 'three'].map((text) => log.append(id, userInput(text))));
    assert.deepEqual(
      entries.map(({ seq, revision, content }) => [seq, revision, content]),
      [
        [1, 1, 'one'],
        [2, 2, 'two'],
        [3, 3, 'three'],
      ],
    );
    assert.equal((await sessions.get(id))?.revision, 3);
  });

  it('keeps seq and revision of one session whole when two windows write it', async () => {
    const directory = bench.folder();
    const first = await bench.service(directory);
    const second = await bench.service(directory);
    const { id } = await first.sessions.create(newSession());
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 ? first : second).log.append(id, userInput(String(index)))),
    );
    const { entries, revision } = await second.log.read(id, 0);
    const expected = Array.from({ length: 100 }, (_, index) => index + 1);
    assert.deepEqual(
      [entries.map(({ seq }) => seq), entries.map(({ revision: own }) => own), revision],
      [expected, expected, 100],
    );
  });

  it('tells of changes of all sessions in the order they were stored, each with its revision', async () => {
    const { sessions, log } = await bench.service(bench.folder());
    const a = await sessions.create(newSession('a'));
    const b = await sessions.create(newSession('b'));
    const events = recordEvents(log);
    const appended = await Promise.all([a, b, a, b, b].map(({ id }, index) => log.append(id, userInput(String(index)))));
    assert.deepEqual(
      events,
      appended.map((entry) => ({ kind: 'entry', sessionId: entry.sessionId, revision: entry.revision, entry })),
    );
    assert.deepEqual(
      events.map(({ revision }) => revision),
      [1, 1, 2, 2, 3],
    );
  });

  it('increases timestamps strictly when the clock stands, goes back, and after a restart', async () => {
    const directory = bench.folder();
    const clock = new ManualClock(5_000);
    const first = await bench.service(directory, { clock });
    const { id } = await first.sessions.create(newSession());
    await first.log.append(id, userInput('at 5000'));
    await first.log.append(id, userInput('still at 5000'));
    clock.set(1_000);
    await first.log.append(id, userInput('at 1000'));
    await first.dispose();
    const second = await bench.service(directory, { clock });
    await second.log.append(id, userInput('after a restart, at 1000'));
    clock.set(9_000);
    await second.log.append(id, userInput('at 9000'));
    const { entries } = await second.log.read(id, 0);
    assert.deepEqual(
      entries.map(({ timestamp }) => timestamp),
      [5_000, 5_001, 5_002, 5_003, 9_000],
    );
    assert.equal((await second.sessions.get(id))?.updated_at, 9_000);
  });

  it('reads back every type of entry as it was announced', async () => {
    const { sessions, log } = await bench.service(bench.folder());
    const { id } = await sessions.create(newSession());
    const events = recordEvents(log);
    for (const input of oneOfEach) await log.append(id, input);
    const { entries } = await log.read(id, 0);
    assert.deepEqual(
      entries,
      events.map((event) => event.kind === 'entry' && event.entry),
    );
    assert.deepEqual(
      entries.map(({ type, content, data, model, checkpointId, planItemId }) => ({
        type,
        content,
        data,
        model,
        checkpointId,
        planItemId,
      })),
      oneOfEach.map((input) => ({ content: '', model: null, checkpointId: null, planItemId: null, ...input })),
    );
  });

  it('brings a reader up to date with what changed after the revision it has seen', async () => {
    const { sessions, log } = await bench.service(bench.folder());
    const { id } = await sessions.create(newSession());
    await log.append(id, userInput('one'));
    const open = await log.open(id, { type: 'assistant_output', data: {} });
    await log.append(id, userInput('three'));
    const seen = await log.read(id, 0);
    open.write('grown');
    const since = await log.read(id, seen.revision);
    assert.deepEqual(
      [since.revision, since.entries.map(({ seq, content, revision }) => [seq, content, revision])],
      [4, [[2, 'grown', 4]]],
    );
    assert.deepEqual(await log.read(id, 4), { entries: [], revision: 4 });
  });

  it('shows a row it cannot read as a notice in its place and leaves the row as it is', async () => {
    const directory = bench.folder();
    const { sessions, log } = await bench.service(directory);
    const { id } = await sessions.create(newSession());
    for (const text of ['one', 'two', 'three', 'four']) await log.append(id, userInput(text));
    withRaw(directory, (database) => {
      database.exec(
        `UPDATE messages SET checksum = NULL; UPDATE messages SET data = '{"mode":' WHERE seq = 2;
         UPDATE messages SET type = 'from_the_future' WHERE seq = 3`,
      );
    });
    const { entries } = await log.read(id, 0);
    assert.deepEqual(
      entries.map((entry) => [entry.seq, entry.type, entry.type === 'system_message' ? entry.data.code : entry.content]),
      [
        [1, 'user_input', 'one'],
        [2, 'system_message', 'unreadable'],
        [3, 'system_message', 'unreadable'],
        [4, 'user_input', 'four'],
      ],
    );
    const rows = withRaw(directory, (database) =>
      database.prepare('SELECT type, content, data FROM messages WHERE seq IN (2, 3)').all(),
    );
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { type: 'user_input', content: 'two', data: '{"mode":' },
        { type: 'from_the_future', content: 'three', data: '{"mode":"ask","attachments":[]}' },
      ],
    );
  });

  it('refuses what it could not read back, and stores nothing of it', async () => {
    const { sessions, log } = await bench.service(bench.folder());
    const { id } = await sessions.create(newSession());
    const malformed = { type: 'tool_call', data: { callId: 1, name: 'read_file', input: {} } } as unknown as EntryInput;
    await assert.rejects(log.append(id, malformed), { name: 'StorageError', code: 'invalid' });
    assert.deepEqual(await log.read(id, 0), { entries: [], revision: 0 });
  });

  it('answers notFound for a session that does not exist', async () => {
    const { log } = await bench.service(bench.folder());
    await assert.rejects(log.append('nowhere', userInput('x')), { code: 'notFound' });
    await assert.rejects(log.read('nowhere', 0), { code: 'notFound' });
  });

  it('stores text that SQLite or its readers cannot hold with the same length', async () => {
    const { sessions, log } = await bench.service(bench.folder());
    const { id } = await sessions.create(newSession());
    const entry = await log.append(id, userInput('a\0b\ud83d c \ud83d\ude00'));
    assert.equal(entry.content, 'a\u2400b\ufffd c \ud83d\ude00');
    assert.deepEqual((await log.read(id, 0)).entries, [entry]);
  });
});

const oneOfEach: EntryInput[] = [
  {
    type: 'user_input',
    content: 'Grüße, 世界',
    data: { mode: 'agent', attachments: [{ kind: 'file', path: 'src/a.ts' }] },
    checkpointId: 'ckpt_1',
  },
  { type: 'thinking', content: 'Hm.', data: { durationMs: 12.5 }, model: 'qwen3:8b' },
  { type: 'assistant_output', content: 'Yes.', data: { end: 'complete', stats: { promptTokens: 3 } }, model: 'qwen3:8b' },
  { type: 'tool_call', data: { callId: 'c1', name: 'read_file', input: { path: 'a', nested: [1, null] }, label: 'a' } },
  { type: 'tool_call', data: { callId: 'c2', name: 'read_file', input: {} } },
  {
    type: 'tool_result',
    content: 'text',
    data: { callId: 'c1', name: 'read_file', status: 'success', summary: '3 lines', display: 'shown', details: { startLine: 1 } },
  },
  { type: 'tool_result', content: 'no', data: { callId: 'c2', name: 'read_file', status: 'denied', durationMs: 4 } },
  {
    type: 'file_edit',
    data: {
      callId: 'c1',
      path: 'a',
      newPath: 'b',
      operation: 'rename',
      diff: '--- a\n+++ b\n',
      beforeHash: 'a'.repeat(64),
      afterHash: null,
      additions: 1,
      deletions: 0,
    },
    planItemId: 'plan_1',
  },
  { type: 'approval', data: { approvalId: 'a1', callId: 'c1', phase: 'requested', kind: 'command', command: 'ls', reasons: [] } },
  { type: 'review', data: { action: 'keep', scope: 'file', paths: ['a'] } },
  { type: 'checkpoint', data: { kind: 'message', title: 'Before user message: x' } },
  { type: 'restore', data: { targetCheckpointId: 'ckpt_1', paths: [] } },
  { type: 'compact_marker', data: { compactedCount: 2, throughSeq: 2, summary: 'so far' } },
  { type: 'rewind', data: { fromSeq: 3 } },
  { type: 'run_end', data: { outcome: 'done', iterations: 2 } },
  { type: 'system_message', content: 'Note', data: { level: 'info', code: 'note' } },
  { type: 'error', content: 'It failed', data: { code: 'connection', actions: ['retry'] } },
];
