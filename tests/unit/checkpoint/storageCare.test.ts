import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EngineBench } from './support/engineBench';
import { seededBytes } from './support/seededBytes';

const randomBytes = seededBytes();

let bench: EngineBench;
beforeEach(() => (bench = new EngineBench()));
afterEach(() => bench.clean());

const kilobytes = (count: number) => randomBytes(count * 1_000);
const age = () => void bench.rows('UPDATE snapshot_objects SET stored_at = 0');
const onDisk = () => readdirSync(bench.objects).reduce((sum, name) => sum + statSync(path.join(bench.objects, name)).size, 0);
const addSession = (id: string) =>
  void bench.rows(
    "INSERT INTO sessions (id, title, mode, created_at, updated_at) VALUES (?, ?, 'agent', 0, 0)",
    id,
    `Chat ${id}`,
  );
const take = (sessionId: string) => void bench.engine.checkpoints.takeNow(sessionId, 'message', 'Before', bench.workspace);
const usage = () =>
  bench.engine.care
    .account()
    .sessions.map(({ sessionId, checkpoints, bytes, ownBytes }) => [sessionId, checkpoints, bytes, ownBytes]);

describe('the account of what is stored', () => {
  it('is empty before the first checkpoint', () => {
    const { sessions, approved, bytes } = bench.engine.care.account();
    assert.deepEqual([sessions, approved, bytes], [[], { count: 0, oldest: null }, 0]);
  });

  it('counts all that is on the disk for checkpoints: packs, what scans remember, and their share of the database, without the chats', () => {
    bench.write('a', kilobytes(5));
    for (let file = 0; file < 3_000; file += 1) bench.write(`some/folder/with/a/name/file-${file}.txt`, `${file % 7}`);
    take('session');
    const packs = onDisk();
    const { bytes: before } = bench.engine.care.usage();
    // Includes the names of 3,000 files.
    assert.ok(before > packs + 3_000 * 30, `${before} of which packs ${packs}`);
    bench.engine.rest();
    const seen = path.join(path.dirname(bench.objects), 'seen');
    const remembered = readdirSync(seen).reduce((sum, name) => sum + statSync(path.join(seen, name)).size, 0);
    assert.ok(remembered > 0);
    assert.equal(bench.engine.care.usage().bytes, before + remembered);
    bench.rows(
      `INSERT INTO messages (id, session_id, seq, revision, type, role, content, data, is_open, timestamp)
       VALUES ('m', 'session', 1, 1, 'user_input', 'user', ?, '{}', 0, 1)`,
      'x'.repeat(2_000_000),
    );
    assert.ok(bench.engine.care.usage().bytes < before + remembered + 100_000);
    bench.rows('DELETE FROM approved_states');
    bench.rows('DELETE FROM checkpoints');
    bench.rows('DELETE FROM manifests');
    assert.ok(bench.engine.care.usage().bytes < before + remembered - 3_000 * 30);
  });

  it('counts for each session what it refers to, once, and what nobody else does', () => {
    addSession('other');
    bench.write('shared', kilobytes(5));
    bench.write('mine', kilobytes(2));
    take('session');
    bench.write('mine', kilobytes(3));
    take('session');
    // The delta is based on manifests of the other session, but needs only the first one.
    bench.write('mine', kilobytes(7));
    take('other');
    assert.deepEqual(usage(), [
      ['other', 2, 14_000, 7_000],
      ['session', 3, 10_000, 3_000],
    ]);
    bench.rows("DELETE FROM sessions WHERE id = 'other'");
    assert.deepEqual(usage(), [['session', 3, 10_000, 10_000]]);
  });

  it('counts what a session keeps of files that it changed, and not what was too large to be stored', () => {
    bench.workspace.maxFileBytes = 4_000;
    bench.write('large', kilobytes(5));
    take('session');
    const [hash = ''] = bench.engine.objects.put([kilobytes(2)]);
    bench.rows(
      `INSERT INTO file_snapshots (session_id, turn_seq, path, shown, object_id, created_at)
       SELECT 'session', 1, '/a', 'a', id, 0 FROM snapshot_objects WHERE hash = ?`,
      hash,
    );
    assert.deepEqual(usage(), [['session', 2, 2_000, 2_000]]);
  });
});

describe('what is told to be freed', () => {
  /** Creates five chats in different states that share some files. */
  function chats(): void {
    bench.write('shared', kilobytes(100));
    for (const id of ['1', '2', '3', '4', '5']) {
      addSession(id);
      bench.write('own', kilobytes(60));
      bench.write('text', `chat ${id} `.repeat(20_000));
      for (let file = 0; file < 20; file += 1) bench.write(`small/${file}`, `chat ${id}, file ${file} `.repeat(file * 10));
      take(id);
    }
    age();
  }
  const remove = (...ids: string[]) => ids.forEach((id) => void bench.rows('DELETE FROM sessions WHERE id = ?', id));

  for (const gone of [['1'], ['2', '4'], ['1', '2', '3', '4']]) {
    it(`is freed on a person's word, to the byte on the disk: ${gone.length} of 5 chats`, () => {
      chats();
      assert.equal(bench.engine.care.account().freeable, 0);
      remove(...gone);
      const { freeable } = bench.engine.care.account();
      assert.ok(freeable > gone.length * 60_000, `${freeable} bytes`);
      const before = onDisk();
      const [kept] = bench.engine.checkpoints.list('5');
      const files = bench.engine.checkpoints.files(kept?.id ?? '');
      const { bytes } = bench.engine.care.collectGarbage('full');
      assert.equal(bytes, before - onDisk());
      assert.ok(Math.abs(bytes - freeable) < freeable / 20 + 4096, `${bytes} freed, ${freeable} told`);
      assert.equal(bench.engine.care.account().freeable, 0);
      assert.deepEqual([bench.engine.care.verify().problems, bench.engine.checkpoints.files(kept?.id ?? '')], [[], files]);
      for (const { state } of files) assert.equal(Buffer.from(bench.engine.objects.get(state.hash ?? '')).length, state.size);
    });
  }

  it('is not freed by itself before half of a pack is not needed', () => {
    chats();
    remove('1');
    assert.equal(bench.engine.care.collectGarbage().bytes, 0);
    assert.ok(bench.engine.care.account().freeable > 60_000);
  });

  it('is nothing of what another program writes to', () => {
    chats();
    remove('1', '2', '3', '4');
    bench.rows("UPDATE snapshot_packs SET owner = 'elsewhere#1#window'");
    assert.deepEqual([bench.engine.care.account().freeable, bench.engine.care.collectGarbage('full').bytes], [0, 0]);
  });
});

describe('checkpoints that are old', () => {
  it('go from all sessions, with what they alone kept, but no approved state', () => {
    addSession('other');
    for (const sessionId of ['session', 'other', 'session', 'other']) {
      bench.write('file', kilobytes(50));
      take(sessionId);
    }
    const state = bench.engine.checkpoints.files(bench.engine.checkpoints.list('session').at(-1)?.id ?? '');
    bench.rows('UPDATE checkpoints SET created_at = 1000 WHERE id NOT IN (SELECT max(id) FROM checkpoints GROUP BY session_id)');
    assert.equal(bench.engine.care.countOlder(2_000), 2);
    assert.equal(bench.engine.care.removeOlder(2_000), 2);
    assert.deepEqual(
      ['session', 'other'].flatMap((id) => bench.engine.checkpoints.list(id).map(({ kind }) => kind)),
      ['initial', 'message', 'initial', 'message'],
    );
    assert.deepEqual(bench.engine.checkpoints.files(bench.engine.checkpoints.list('session').at(-1)?.id ?? ''), state);
    assert.equal(bench.engine.care.removeOlder(2_000), 0);
    bench.checkReferences();
  });
});

describe('room', () => {
  /** Creates four work sessions, three of them approved. Each changes 100 kB five times. */
  function work(): void {
    for (let piece = 0; piece < 4; piece += 1) {
      for (let turn = 0; turn < 5; turn += 1) {
        bench.write('file', kilobytes(100));
        take('session');
      }
      if (piece < 3) bench.engine.approvals.approve('session', bench.workspace, null);
    }
    age();
  }
  const titles = () => bench.engine.checkpoints.list('session').map(({ kind, workSession }) => `${kind} ${workSession}`);

  it('is made from the oldest approved work, and no further than it takes', () => {
    work();
    // Simulates a clock that was set back. The checkpoints keep their order.
    bench.rows('UPDATE checkpoints SET created_at = 9999999999999 - created_at');
    assert.ok(onDisk() > 1_900_000);
    const { approved } = bench.engine.care.account();
    // The first and last checkpoint of each work session equal an approved state, so removing them frees nothing.
    assert.equal(approved.count, 11);
    const made = bench.engine.care.makeRoom(1_500_000);
    assert.ok(made.isEnough && made.removed >= 5 && made.removed <= 6, JSON.stringify(made));
    assert.ok(onDisk() <= 1_500_000);
    assert.equal(titles().filter((title) => title.endsWith('session_1')).length, 4);
    assert.equal(titles().filter((title) => title.endsWith('session_2')).length, 9 - made.removed);
    assert.equal(titles().filter((title) => title.endsWith('session_3')).length, 6);
    assert.deepEqual(bench.engine.care.verify().problems, []);
    bench.checkReferences();
  });

  it('is not made from work that is not approved, nor from approved states', () => {
    work();
    const made = bench.engine.care.makeRoom(1);
    assert.deepEqual([made.removed, made.isEnough], [11, false]);
    assert.deepEqual(titles(), [
      ...['initial session_1', 'message session_1', 'message session_1', 'manual session_1'],
      ...['message session_2', 'manual session_2'],
      ...['message session_3', 'manual session_3'],
      ...Array.from({ length: 5 }, () => 'message session_4'),
    ]);
    assert.deepEqual(bench.engine.care.account().approved, { count: 0, oldest: null });
  });

  /** Takes `count` checkpoints with different content and approves the work. */
  function approvedWork(count: number, change: (turn: number) => void): void {
    for (let turn = 0; turn < count; turn += 1) {
      change(turn);
      take('session');
    }
    bench.engine.approvals.approve('session', bench.workspace, null);
    age();
  }
  /** Makes a change that takes a lot of space in the database and little elsewhere. */
  const rename = (turn: number) => {
    for (let file = 0; file < 800; file += 1) bench.write(`some/folder/with/a/name/file-${file}.txt`, `${turn}-${file % 7}`);
  };

  it('is made from no more checkpoints than it takes where it is their names that exceed the limit', () => {
    approvedWork(25, rename);
    const { bytes } = bench.engine.care.usage();
    const { count } = bench.engine.care.account().approved;
    const before = onDisk();
    const made = bench.engine.care.makeRoom(Math.floor(bytes * 0.6));
    assert.ok(made.isEnough && made.removed >= 8 && made.removed < count - 8, JSON.stringify({ ...made, count }));
    // The database file does not shrink.
    assert.equal(made.bytes, Math.max(0, before - onDisk()));
  });

  it('is not made from checkpoints of which none is gained', () => {
    // Without changes, the checkpoints equal the approved state.
    bench.write('file', kilobytes(100));
    approvedWork(20, () => undefined);
    assert.deepEqual(bench.engine.care.account().approved, { count: 0, oldest: null });
    // The approved state also contains the content of these checkpoints.
    approvedWork(40, (turn) => bench.write(`added-${turn}`, kilobytes(2)));
    const { count } = bench.engine.care.account().approved;
    const made = bench.engine.care.makeRoom(1);
    assert.ok(!made.isEnough && made.removed < count / 4, JSON.stringify({ ...made, count }));
  });

  it('is not made where what no checkpoint changes exceeds the limit alone', () => {
    approvedWork(5, rename);
    bench.engine.rest();
    assert.equal(bench.engine.care.makeRoom(1).removed, 0);
  });

  it('needs no checkpoint to go where collecting garbage is enough', () => {
    bench.write('file', kilobytes(600));
    take('session');
    bench.rows('DELETE FROM approved_states');
    bench.write('file', kilobytes(400));
    bench.engine.approvals.approve('session', bench.workspace, null);
    for (const { id } of bench.engine.checkpoints.list('session').slice(0, 2)) bench.engine.checkpoints.remove(id);
    age();
    const made = bench.engine.care.makeRoom(500_000);
    assert.deepEqual([made.removed, made.isEnough, made.bytes > 550_000], [0, true, true]);
  });
});

describe('verifying', () => {
  it('names the files of which a state is damaged', () => {
    bench.write('src/a', kilobytes(50));
    take('session');
    const [pack = ''] = readdirSync(bench.objects).map((name) => path.join(bench.objects, name));
    const bytes = readFileSync(pack);
    bytes[30_000] = (bytes[30_000] ?? 0) ^ 1;
    writeFileSync(pack, bytes);
    bench.reopen();
    assert.deepEqual(bench.engine.care.verify().files, ['src/a']);
  });

  it('ends when the window does', () => {
    bench.write('a', kilobytes(50));
    take('session');
    bench.isCancelled = true;
    assert.throws(() => bench.engine.care.verify(), { name: 'CancelledError' });
    bench.isCancelled = false;
  });
});
