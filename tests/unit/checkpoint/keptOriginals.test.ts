import assert from 'node:assert/strict';
import { EngineBench } from './support/engineBench';
import { seededBytes } from './support/seededBytes';

const randomBytes = seededBytes();

let bench: EngineBench;
beforeEach(() => (bench = new EngineBench()));
afterEach(() => bench.clean());

const kilobytes = (count: number) => randomBytes(count * 1_000);
const day = 24 * 60 * 60 * 1_000;

/** Adds the user's answer `seq` with a time in milliseconds. */
function answer(seq: number, time: number): void {
  bench.rows(
    `INSERT INTO messages (id, session_id, seq, revision, type, role, content, data, is_open, timestamp)
     VALUES (?, 'session', ?, ?, 'review', 'system', '', '{}', 0, ?)`,
    ...[`m${seq}`, seq, seq, time],
  );
}

/** Adds the snapshot of a 200 kB file that the answer `seq` approved. If `seq` is null, the change is pending. */
function snapshot(file: string, seq: number | null): string {
  const [hash = ''] = bench.engine.objects.put([kilobytes(200)]);
  bench.rows(
    `INSERT INTO file_snapshots (session_id, turn_seq, path, shown, object_id, status, review_seq, created_at)
     SELECT 'session', 1, ?, ?, id, ?, nullif(?, 0), 0 FROM snapshot_objects WHERE hash = ?`,
    ...[`/${file}`, file, seq === null ? 'pending' : 'kept', seq ?? 0, hash],
  );
  return hash;
}

const held = () =>
  bench.rows('SELECT shown FROM file_snapshots WHERE object_id IS NOT NULL ORDER BY id').map(([shown]) => String(shown));
const age = () => void bench.rows('UPDATE snapshot_objects SET stored_at = 0');
const release = (time: number) => {
  const released = bench.engine.care.releaseOlder(time);
  age();
  bench.engine.care.collectGarbage('full');
  return released;
};

describe('originals of kept files', () => {
  it('go by the time at which they were kept, and no pending one goes', () => {
    answer(1, day);
    answer(2, 3 * day);
    const old = snapshot('old', 1);
    snapshot('young', 2);
    snapshot('waits', null);
    bench.rows(`INSERT INTO hunk_answers (session_id, snapshot_id, review_seq, action, created_at)
      SELECT 'session', id, 1, 'keep', 0 FROM file_snapshots`);
    const { care } = bench.engine;
    assert.deepEqual([care.countOriginals(2 * day), care.account().originals], [1, 2]);
    assert.equal(release(2 * day), 1);
    assert.deepEqual(held(), ['young', 'waits']);
    assert.equal(bench.rows('SELECT id FROM hunk_answers').length, 2);
    assert.throws(() => bench.engine.objects.get(old));
    assert.deepEqual([care.countOriginals(2 * day), care.account().originals, release(2 * day)], [0, 1, 0]);
    assert.equal(release(9 * day), 1);
    assert.deepEqual(held(), ['waits']);
    bench.checkReferences();
  });

  it('stay where the clock says that an earlier answer is younger, and while an undo of the session is not over', () => {
    answer(1, 3 * day);
    answer(2, day);
    snapshot('first', 1);
    snapshot('second', 2);
    assert.equal(release(2 * day), 0);
    bench.rows(
      "INSERT INTO operations (id, kind, session_id, owner, data, state, created_at) VALUES ('o', 'undo', 'session', 'w', '{}', 'running', 0)",
    );
    assert.equal(release(9 * day), 0);
    bench.rows('DELETE FROM operations');
    assert.equal(release(9 * day), 2);
  });

  it('stay when garbage is collected without a word about them', () => {
    answer(1, 0);
    snapshot('old', 1);
    age();
    bench.engine.care.collectGarbage('full');
    bench.engine.care.removeOlder(9 * day);
    assert.deepEqual([held(), bench.engine.care.account().freeable], [['old'], 0]);
  });

  it('make room, the oldest first, and no more of them than it takes', () => {
    for (let index = 1; index <= 6; index += 1) {
      answer(index, index * day);
      snapshot(`kept-${index}`, index);
    }
    snapshot('waits', null);
    age();
    const { bytes } = bench.engine.care.usage();
    const made = bench.engine.care.makeRoom(bytes - 350_000);
    assert.deepEqual([made.removed, made.originals, made.isEnough, made.bytes > 350_000], [0, 2, true, true]);
    assert.deepEqual(held(), ['kept-3', 'kept-4', 'kept-5', 'kept-6', 'waits']);
    assert.deepEqual([bench.engine.care.makeRoom(1).isEnough, held()], [false, ['waits']]);
    bench.checkReferences();
  });
});
