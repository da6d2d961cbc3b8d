import assert from 'node:assert/strict';
import { isAlive } from '../../../src/services/database/sessions/heartbeat';
import { ManualClock } from './support/manualClock';
import { newSession, userInput, withRaw, Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

describe('SessionRepository', () => {
  it('creates a session and reads it back', async () => {
    const clock = new ManualClock(1_000);
    const { sessions } = await bench.service(bench.folder(), { clock });
    const created = await sessions.create({ mode: 'agent', model: 'qwen3:8b', title: 'Fix it', projectPath: '/work' });
    assert.deepEqual(created, {
      id: created.id,
      title: 'Fix it',
      mode: 'agent',
      model: 'qwen3:8b',
      status: 'idle',
      owner: null,
      heartbeat_at: null,
      revision: 0,
      auto_approve_commands: 0,
      auto_approve_sensitive_edits: 0,
      allowed_commands: '[]',
      sandbox: null,
      sensitive_file_patterns: null,
      explorer_model: null,
      session_memory: null,
      project_path: '/work',
      imported: null,
      is_inline: 0,
      created_at: 1_000,
      updated_at: 1_000,
    });
    assert.deepEqual(await sessions.get(created.id), created);
    assert.equal(await sessions.get('nowhere'), undefined);
  });

  it('lists the most recently active first, page by page, as another window sees it too', async () => {
    const directory = bench.folder();
    const clock = new ManualClock();
    const { sessions, log } = await bench.service(directory, { clock });
    const ids: string[] = [];
    for (const title of ['a', 'b', 'c']) {
      ids.push((await sessions.create(newSession(title))).id);
      await clock.advance(10);
    }
    await log.append(ids[0] ?? '', userInput('a is active again'));
    const other = await bench.service(directory);
    const first = await other.sessions.list({ offset: 0, limit: 2 });
    const second = await other.sessions.list({ offset: 2, limit: 2 });
    assert.deepEqual(
      [first, second].map((page) => [page.sessions.map(({ title }) => title), page.hasMore, page.nextOffset]),
      [
        [['a', 'c'], true, 2],
        [['b'], false, null],
      ],
    );
  });

  it('changes what a patch names and tells of it', async () => {
    const { sessions } = await bench.service(bench.folder());
    const before = await sessions.create(newSession());
    const heard: unknown[] = [];
    sessions.onDidChange((event) => heard.push(event));
    await sessions.update(before.id, { title: 'New', status: 'waiting_input', auto_approve_commands: 1 });
    await sessions.update(before.id, {});
    assert.deepEqual(await sessions.get(before.id), {
      ...before,
      title: 'New',
      status: 'waiting_input',
      auto_approve_commands: 1,
    });
    assert.deepEqual(heard, [{ sessionId: before.id }]);
    await assert.rejects(sessions.update('nowhere', { title: 'x' }), { code: 'notFound' });
  });

  it('keeps what SQLite cannot: every editor reads a title and a waiting message whole', async () => {
    const { sessions, queued } = await bench.service(bench.folder());
    const { id } = await sessions.create(newSession('a\0b'));
    assert.equal((await sessions.get(id))?.title, 'a\u2400b');
    await sessions.update(id, { title: 'c\0d\ud800' });
    assert.equal((await sessions.get(id))?.title, 'c\u2400d\ufffd');
    await sessions.begin('another', newSession('e\0f'), []);
    assert.equal((await sessions.get('another'))?.title, 'e\u2400f');
    await queued.add(id, { text: 'g\0h', mode: 'ask', model: null, attachments: [] });
    assert.deepEqual(
      (await queued.list(id)).map(({ text }) => text),
      ['g\u2400h'],
    );
  });

  it('deletes a session with its whole log, and only that', async () => {
    const directory = bench.folder();
    const { sessions, log } = await bench.service(directory);
    const gone = await sessions.create(newSession());
    const kept = await sessions.create(newSession());
    for (const { id } of [gone, kept]) await log.append(id, userInput('x'));
    const open = await log.open(gone.id, { type: 'thinking', data: {} });
    await sessions.delete(gone.id);
    await sessions.delete('nowhere');
    const rows = withRaw(directory, (database) => database.prepare('SELECT session_id FROM messages').all());
    assert.deepEqual(
      rows.map(({ session_id }) => session_id),
      [kept.id],
    );
    open.write('into nothing');
    await assert.rejects(open.close({}), { code: 'notFound' });
  });

  it('lets exactly one of two windows claim a session', async () => {
    const directory = bench.folder();
    const a = await bench.service(directory, { owner: 'a' });
    const b = await bench.service(directory, { owner: 'b' });
    const { id } = await a.sessions.create(newSession());
    const claims = await Promise.all([a.sessions.claim(id), b.sessions.claim(id)]);
    assert.deepEqual([...claims].sort(), [false, true]);
    const winner = claims[0] ? a : b;
    const loser = claims[0] ? b : a;
    assert.equal(await winner.sessions.claim(id), true);
    await loser.sessions.release(id, 'idle');
    assert.equal((await a.sessions.get(id))?.status, 'generating');
    await winner.sessions.release(id, 'error');
    assert.deepEqual(
      [(await a.sessions.get(id))?.status, (await a.sessions.get(id))?.owner, await loser.sessions.claim(id)],
      ['error', null, true],
    );
    await assert.rejects(a.sessions.claim('nowhere'), { code: 'notFound' });
  });

  it('keeps a run alive by heartbeats, and lets it be taken over 15 s after the last one', async () => {
    const directory = bench.folder();
    const clock = new ManualClock();
    const a = await bench.service(directory, { clock, owner: 'a' });
    const b = await bench.service(directory, { clock, owner: 'b' });
    const { id } = await a.sessions.create(newSession());
    await a.sessions.claim(id);
    await clock.advance(14_000);
    await a.sessions.heartbeat();
    await clock.advance(14_000);
    assert.equal(await b.sessions.claim(id), false);
    const record = await b.sessions.get(id);
    assert.ok(record);
    assert.deepEqual([isAlive(record, clock.now()), isAlive(record, clock.now() + 1_000)], [true, false]);
    assert.equal(isAlive(record, clock.now() - 3_600_000), false, 'a beat far in the future is no sign of life');
    await clock.advance(1_000);
    assert.equal(await b.sessions.claim(id), true);
  });

  it('gives up all of its own runs and nobody else\u2019s', async () => {
    const directory = bench.folder();
    const a = await bench.service(directory, { owner: 'a' });
    const b = await bench.service(directory, { owner: 'b' });
    const titles = ['generating', 'waiting', 'paused', 'other'];
    const ids: string[] = [];
    for (const title of titles) ids.push((await a.sessions.create(newSession(title))).id);
    const [generating = '', waiting = '', paused = '', other = ''] = ids;
    for (const id of [generating, waiting, paused]) await a.sessions.claim(id);
    await a.sessions.update(waiting, { status: 'waiting_input' });
    await a.sessions.update(paused, { status: 'paused' });
    await b.sessions.claim(other);
    await a.sessions.releaseAll();
    const records = await Promise.all(ids.map((id) => a.sessions.get(id)));
    assert.deepEqual(
      records.map((record) => [record?.status, record?.owner]),
      [
        ['idle', null],
        ['idle', null],
        ['paused', null],
        ['generating', 'b'],
      ],
    );
  });
});
