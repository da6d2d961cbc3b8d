import assert from 'node:assert/strict';
import type { EntryInput } from '../../../src/protocol/entries';
import { LogQueries } from '../../../src/services/database/log/logQueries';
import { newSession, userInput, withRaw, Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

const answer = (content: string): EntryInput => ({ type: 'assistant_output', content, data: { end: 'complete' } });
const rewind = (fromSeq: number): EntryInput => ({ type: 'rewind', data: { fromSeq } });
const edit = (path: string): EntryInput => ({
  type: 'file_edit',
  data: { path, diff: '', operation: 'modify', beforeHash: null, afterHash: null, additions: 0, deletions: 0 },
});

async function written(...inputs: EntryInput[]) {
  const directory = bench.folder();
  const database = await bench.service(directory);
  const { id: sessionId } = await database.sessions.create(newSession());
  await database.log.appendAll(sessionId, inputs);
  const seqs = async (query: object) =>
    (await database.queries.page({ sessionId, ...query })).entries.map(({ seq }) => seq).join(' ');
  return { directory, database, sessionId, seqs, queries: database.queries };
}

describe('questions to the log', () => {
  it('pages in both directions, by type, and the last ones', async () => {
    const texts = ['1', '2', '3', '4', '5', '6', '7'];
    const { seqs, queries, sessionId } = await written(
      ...texts.map((text) => (Number(text) % 2 ? userInput(text) : answer(text))),
    );
    assert.equal(await seqs({ limit: 3 }), '1 2 3');
    assert.equal(await seqs({ afterSeq: 3, limit: 3 }), '4 5 6');
    assert.equal(await seqs({ beforeSeq: 5, limit: 3 }), '2 3 4');
    assert.equal(await seqs({ afterSeq: 1, beforeSeq: 5, limit: 2 }), '2 3');
    assert.equal(await seqs({ types: ['assistant_output'] }), '2 4 6');
    assert.equal(await seqs({ types: ['assistant_output'], beforeSeq: 6, limit: 1 }), '4');
    assert.equal(await seqs({ types: [] }), '');
    assert.deepEqual(
      (await queries.recent(sessionId, 2)).map(({ seq }) => seq),
      [6, 7],
    );
    const more = await Promise.all([3, 7].map((limit) => queries.page({ sessionId, limit })));
    assert.deepEqual(
      more.map(({ hasMore }) => hasMore),
      [true, false],
    );
    assert.equal(await queries.count(sessionId), 7);
  });

  it('finds markers and edits by their own index, at any length of the log', async () => {
    const directory = bench.folder();
    const { connection, log } = await bench.parts(directory);
    const asked = new Set<string>();
    const prepare = connection.statement.bind(connection);
    connection.statement = (sql) => prepare((asked.add(sql), sql));
    const queries = new LogQueries(connection, log);
    await queries.page({ sessionId: 'none' });
    await queries.fileEdits('none');
    const ofMarks = [...asked].filter((sql) => sql.includes("'compact_marker'"));
    assert.equal(ofMarks.length, 2);
    const plans = withRaw(directory, (raw) => ofMarks.map((sql) => raw.prepare(`EXPLAIN QUERY PLAN ${sql}`).all('none')));
    for (const plan of plans) assert.match(String(plan[0]?.['detail']), /messages_marks/);
  });

  it('neither skips nor repeats while entries are being written', async () => {
    const { database, sessionId, queries } = await written(...Array.from({ length: 20 }, (_, index) => userInput(`${index}`)));
    const forwards: number[] = [];
    const backwards: number[] = [];
    let after = 0;
    let before = 21;
    for (let hasMore = true; hasMore;) {
      const page = await queries.page({ sessionId, afterSeq: after, limit: 3 });
      if (forwards.length < 15) await database.log.append(sessionId, userInput('more'));
      forwards.push(...page.entries.map(({ seq }) => seq));
      after = forwards.at(-1) ?? 0;
      ({ hasMore } = page);
    }
    for (let hasMore = true; hasMore;) {
      const page = await queries.page({ sessionId, beforeSeq: before, limit: 3 });
      await database.log.append(sessionId, userInput('more'));
      backwards.unshift(...page.entries.map(({ seq }) => seq));
      before = backwards[0] ?? 0;
      ({ hasMore } = page);
    }
    assert.deepEqual(
      forwards,
      Array.from({ length: forwards.length }, (_, index) => index + 1),
    );
    assert.ok(forwards.length >= 25);
    assert.deepEqual(
      backwards,
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it('marks as compacted by an entry; what is compacted follows from it and rewrites nothing', async () => {
    const { directory, database, sessionId, queries, seqs } = await written(...['1', '2', '3', '4'].map(userInput));
    const rows = () => withRaw(directory, (raw) => raw.prepare('SELECT * FROM messages WHERE seq <= 4 ORDER BY seq').all());
    const before = rows();
    assert.equal(await queries.markCompacted(sessionId, 3, 'The first three'), 3);
    assert.equal(await queries.markCompacted(sessionId, 3, 'Again'), 0);
    assert.deepEqual(rows(), before);
    assert.equal(await seqs({}), '4 5');
    assert.equal(await seqs({ includeCompacted: true }), '1 2 3 4 5');
    const all = await queries.page({ sessionId, includeCompacted: true });
    assert.deepEqual(
      all.entries.map(({ isCompacted }) => isCompacted),
      [true, true, true, false, false],
    );
    assert.deepEqual(all.entries[4]?.data, { compactedCount: 3, throughSeq: 3, summary: 'The first three' });
    assert.deepEqual([await queries.count(sessionId), await queries.count(sessionId, false)], [5, 2]);
    assert.equal(await queries.markCompacted(sessionId, 5, 'All'), 2);
    assert.equal(await seqs({}), '6');
    // A marker that a rewind removed has no effect.
    await database.log.append(sessionId, rewind(6));
    assert.equal(await seqs({}), '4 5 6 7');
    await database.log.append(sessionId, rewind(5));
    assert.equal(await seqs({ limit: 2 }), '1 2');
  });

  it('leaves messages that a summary keeps, and what a marker stood for that is taken back', async () => {
    const { database, sessionId, queries, seqs } = await written(...['1', '2', '3', '4'].map(userInput));
    const data = { compactedCount: 2, throughSeq: 3, summary: 'Most', kept: [2] };
    const { seq: markerSeq } = await database.log.append(sessionId, { type: 'compact_marker', content: 'Most', data });
    assert.deepEqual([await seqs({}), await queries.count(sessionId, false)], ['2 4 5', 3]);
    await database.log.append(sessionId, { type: 'compact_undone', data: { markerSeq } });
    assert.equal(await seqs({}), '1 2 3 4 5 6');
    // The same must hold if there was a rewind in between.
    const again = await database.log.append(sessionId, { type: 'compact_marker', content: 'Most', data });
    assert.equal(await seqs({}), '2 4 5 6 7');
    await database.log.append(sessionId, userInput('8'));
    await database.log.append(sessionId, rewind(8));
    await database.log.append(sessionId, { type: 'compact_undone', data: { markerSeq: again.seq } });
    assert.equal(await seqs({}), '1 2 3 4 5 6 7 8 9 10');
  });

  it('lists file edits, and the entries of a checkpoint and of a plan item', async () => {
    const { database, sessionId, queries } = await written(
      userInput('1'),
      edit('a.ts'),
      { ...answer('3'), checkpointId: 'c' },
      { ...edit('b.ts'), planItemId: 'p' },
      { ...answer('5'), checkpointId: 'c', planItemId: 'p' },
    );
    assert.deepEqual(
      (await queries.fileEdits(sessionId)).map(({ data }) => data.path),
      ['a.ts', 'b.ts'],
    );
    // Another session may use the same plan item id.
    const { id: other } = await database.sessions.create(newSession());
    await database.log.append(other, { ...userInput('1'), planItemId: 'p' });
    const found = await Promise.all([
      queries.ofCheckpoint('c'),
      queries.ofPlanItem(sessionId, 'p'),
      queries.ofPlanItem(sessionId, 'none'),
    ]);
    assert.deepEqual(
      found.map((entries) => entries.map(({ seq }) => seq)),
      [[3, 5], [4, 5], []],
    );
  });

  it('names the work session of the checkpoint that an entry belongs to', async () => {
    const first = 'ckpt_0000000000001_000000000001';
    const second = 'ckpt_0000000000002_000000000002';
    const message = (text: string, checkpointId: string) => [
      { type: 'checkpoint' as const, data: { kind: 'message', title: text }, checkpointId },
      { ...userInput(text), checkpointId },
    ];
    const { directory, sessionId, queries } = await written(...message('one', first), answer('fine'), ...message('two', second), {
      ...answer('gone'),
      checkpointId: 'ckpt_gone',
    });
    withRaw(directory, (raw) =>
      raw.exec(`UPDATE checkpoints SET work_session = CASE WHEN title = 'one' THEN 'session_1' ELSE 'session_2' END`),
    );
    const { entries } = await queries.page({ sessionId });
    assert.deepEqual(
      entries.map(({ type, workSession }) => [type, workSession]),
      [
        ['checkpoint', 'session_1'],
        ['user_input', 'session_1'],
        ['assistant_output', null],
        ['checkpoint', 'session_2'],
        ['user_input', 'session_2'],
        ['assistant_output', null],
      ],
    );
  });

  it('lists sessions by status and by project', async () => {
    const { database } = await written();
    const { sessions } = database;
    for (const [title, projectPath] of [
      ['one', '/a'],
      ['two', '/b'],
      ['three', '/a'],
    ] as const) {
      const { id } = await sessions.create({ ...newSession(title), projectPath });
      if (title === 'three') await sessions.update(id, { status: 'paused' });
    }
    const titles = async (only: object) =>
      new Set((await sessions.list({ offset: 0, limit: 10 }, only)).sessions.map(({ title }) => title));
    assert.deepEqual(await titles({ project_path: '/a' }), new Set(['one', 'three']));
    assert.deepEqual(await titles({ status: 'paused' }), new Set(['three']));
    assert.deepEqual(await titles({ status: 'idle', project_path: '/a' }), new Set(['one']));
    assert.deepEqual(await titles({ status: 'error' }), new Set());
    assert.equal((await titles({})).size, 4);
  });

  it('sums up what waits for an answer: by files, or by the checkpoint where its files are not counted yet', async () => {
    const { directory, database, sessionId } = await written(userInput('1'));
    withRaw(directory, (raw) => {
      const checkpoint = raw.prepare(
        `INSERT INTO checkpoints (id, session_id, kind, title, state, total_additions, total_deletions, created_at)
         VALUES (?, ?, 'message', '', 'failed', ?, ?, 1)`,
      );
      checkpoint.run('counted', sessionId, 100, 100);
      checkpoint.run('uncounted', sessionId, 10, 20);
      checkpoint.run('empty', sessionId, null, null);
      const snapshot = raw.prepare(
        `INSERT INTO file_snapshots (session_id, checkpoint_id, turn_seq, path, shown, status, additions, deletions, created_at)
         VALUES (?, ?, 1, ?, '', ?, ?, ?, 1)`,
      );
      snapshot.run(sessionId, 'counted', 'a', 'pending', 1, 2);
      snapshot.run(sessionId, 'counted', 'b', 'pending', null, null);
      snapshot.run(sessionId, 'counted', 'c', 'kept', 1000, 1000);
      snapshot.run(sessionId, 'uncounted', 'a', 'pending', null, null);
      snapshot.run(sessionId, 'empty', 'd', 'pending', null, null);
    });
    assert.deepEqual(
      [...(await database.fileSnapshots.getSessionsPendingStats())],
      [[sessionId, { additions: 11, deletions: 22, files: 3 }]],
    );
  });

  it('say whether words were sent since, or how a message begins that was sent soon after', async () => {
    const { database, queries, sessionId } = await written(userInput('Why so slow?'), answer('Because.'), userInput('And now?'));
    const { created_at: since, project_path: folder } = (await database.sessions.get(sessionId)) ?? assert.fail();
    const sent = (text: string, id: string | null, time = since) => queries.wasSent({ sessionId: id, text, since: time }, folder);
    assert.equal(await sent('Why so slow?', null), 'whole');
    assert.equal(await sent('Why so', null), 'begun');
    assert.equal(await sent('Why not', null), null);
    assert.equal(await sent('And now?', null), null);
    assert.equal(await sent('And now?', sessionId), 'whole');
    assert.equal(await sent('And', sessionId), 'begun');
    assert.equal(await sent('and', sessionId), null);
    assert.equal(await sent('Because', sessionId), null);
    assert.equal(await sent('And now? Or', sessionId), null);
    assert.equal(await sent('And now?', 'another'), null);
    assert.equal(await queries.wasSent({ sessionId: null, text: 'Why so slow?', since }, '/another'), null);
    const longAgo = since - 600_000;
    assert.equal(await sent('Why so slow?', null, longAgo), 'whole');
    assert.equal(await sent('Why so', null, longAgo), null);
    assert.equal(await sent('And', sessionId, longAgo), null);
    const later = Date.now() + 60_000;
    assert.equal(await sent('Why so slow?', null, later), null);
    assert.equal(await sent('And now?', sessionId, later), null);
    await database.queued.add(sessionId, { text: 'Later \u0000 \ud83d', mode: 'ask', model: null, attachments: [] });
    assert.equal(await sent('Later \u0000 \ud83d', sessionId), 'whole');
    assert.equal(await sent('Later', null), null);
  });
});
