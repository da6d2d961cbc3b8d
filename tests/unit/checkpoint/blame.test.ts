import assert from 'node:assert/strict';
import { realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Blame } from '../../../src/services/checkpoint/engine/manifests/blame';
import { checkpointTime } from '../../../src/services/database/sessions/checkpointName';
import { EngineBench } from './support/engineBench';
import { Seeded } from './support/seeded';

let bench: EngineBench;
let seq: number;
beforeEach(() => {
  bench = new EngineBench();
  seq = 0;
});
afterEach(() => bench.clean());

/** Adds a user message and the checkpoint before it. Returns the checkpoint's id. */
function message(content: string, sessionId = 'session'): string {
  seq += 1;
  bench.store.database
    .prepare(
      `INSERT INTO messages (id, session_id, seq, revision, type, role, content, timestamp)
       VALUES (:id, :session, :seq, :seq, 'user_input', 'user', :content, :seq)`,
    )
    .run({ id: `message ${seq}`, session: sessionId, seq, content });
  const id = bench.engine.checkpoints.takeForMessage(sessionId, bench.workspace, Date.now()).at(-1)?.id ?? '';
  // Checkpoints of different sessions are ordered by time.
  while (Date.now() <= checkpointTime(id));
  return id;
}

/** Writes a file as the agent's tools do after the last message. */
function agentWrites(checkpointId: string, relative: string, content: string): void {
  bench.write(relative, content);
  const [hash = ''] = bench.engine.objects.put([Buffer.from(content)]);
  bench.store.database
    .prepare(
      `INSERT INTO file_snapshots (session_id, checkpoint_id, turn_seq, path, shown, left_state, left_object_id, created_at)
       VALUES ('session', :checkpoint, :seq, :path, '', 'file', (SELECT id FROM snapshot_objects WHERE hash = :hash), :time)`,
    )
    .run({
      checkpoint: checkpointId,
      seq,
      path: path.join(realpathSync(bench.root), relative),
      hash,
      time: checkpointTime(checkpointId),
    });
}

/** Returns the message after which each line appeared. `*` marks lines by the agent, `-` marks older lines. */
function origins(blame: Blame | null): string[] {
  return (blame?.lines ?? []).flatMap(({ count, origin }) =>
    new Array<string>(count).fill(origin === null ? '-' : `${origin.message?.content}${origin.isByAgent ? '*' : ''}`),
  );
}

const blame = (relative: string, id: string | null = null) => bench.engine.checkpoints.blame(bench.root, relative, id);

describe('BlameReader', () => {
  it('tells for each line the message and the checkpoint it came from, and who wrote it', () => {
    bench.write('f', 'one\ntwo\nthree\n');
    const first = message('First');
    agentWrites(first, 'f', 'one\nTWO\nthree\n');
    bench.write('f', 'zero\none\nTWO\nthree\n');
    const second = message('Second');
    bench.write('f', 'zero\none\nTWO\nthree\nfour');
    assert.deepEqual(origins(blame('f')), ['First', '-', 'First*', '-', 'Second']);
    assert.deepEqual(origins(blame('f', second)), ['First', '-', 'First*', '-']);
    assert.deepEqual(origins(blame('f', first)), ['-', '-', '-']);
    assert.deepEqual(blame('f')?.lines.at(-1), {
      start: 4,
      count: 1,
      origin: {
        checkpointId: second,
        sessionId: 'session',
        message: { id: 'message 2', seq: 2, content: 'Second' },
        isByAgent: false,
      },
    });
    bench.reopen();
    bench.write('f', 'zero\r\none\r\nTWO\r\n');
    assert.deepEqual(origins(blame('f')), ['First', '-', 'First*'], 'ends of lines are no change');
  });

  it('goes back through all sessions, through commands, and past the time when there was no file', () => {
    bench.store.session('other');
    bench.write('f', 'old\n');
    message('First');
    rmSync(bench.at('f'));
    message('Other', 'other');
    bench.write('f', 'old\n');
    bench.engine.checkpoints.takeNow('session', 'command_before', 'Before command', bench.workspace);
    bench.write('f', 'old\nby command\n');
    bench.engine.checkpoints.takeNow('session', 'command_after', 'After command', bench.workspace);
    bench.write('f', 'old\nby command\nlast\n');
    assert.deepEqual(origins(blame('f')), ['Other', 'First', 'First']);
    assert.equal(blame('f')?.lines[1]?.origin?.checkpointId, bench.engine.checkpoints.list('session').at(-2)?.id);
    assert.equal(blame('f')?.lines[2]?.origin?.checkpointId, bench.engine.checkpoints.list('session').at(-1)?.id);
  });

  it('gives back to lines that a restore brought back where they came from', () => {
    bench.write('f', 'a\n');
    message('First');
    bench.write('f', 'a\nb\n');
    const second = message('Second');
    bench.write('f', 'x\n');
    message('Third');
    const { operationId } = bench.engine.restores.restore('session', { kind: 'checkpoint', id: second }, bench.workspace, {
      overwrite: 'all',
    });
    assert.deepEqual(origins(blame('f')), ['-', 'First']);
    bench.engine.restores.restore('session', { kind: 'restore', id: operationId }, bench.workspace, { overwrite: 'all' });
    assert.deepEqual(origins(blame('f')), ['Second']);
    bench.write('f', 'x\ny\n');
    assert.deepEqual(origins(blame('f')), ['Second', 'Third']);
  });

  it('knows an ignored file that the agent has touched', () => {
    bench.write('.gitignore', 'secret\n');
    bench.write('secret', 'mine\n');
    const first = message('First');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'secret');
    agentWrites(first, 'secret', 'mine\nhis\n');
    message('Second');
    assert.deepEqual(origins(blame('secret')), ['-', 'First*']);
  });

  it('says nothing of what is no text, too large, not there or elsewhere, and goes on past what is not stored', () => {
    bench.write('binary', Buffer.from([0, 1, 2]));
    bench.write('large', 'line\n'.repeat(300_000));
    bench.write('f', 'short\n');
    const first = message('First');
    bench.workspace.maxFileBytes = 10;
    bench.write('f', 'short\nlonger than that\n');
    message('Second');
    bench.workspace.maxFileBytes = 1_000;
    bench.write('f', 'short\nlonger than that\nlast\n');
    for (const name of ['binary', 'large', 'missing']) assert.equal(blame(name), null);
    assert.equal(bench.engine.checkpoints.blame(bench.folder(), 'f', null), null);
    assert.equal(blame('missing', first), null);
    assert.throws(() => blame('f', 'ckpt_none'), { code: 'notFound' });
    assert.deepEqual(origins(blame('f')), ['-', 'First', 'First']);
    bench.isCancelled = true;
    assert.throws(() => blame('f'), { code: 'cancelled' });
  });

  it('agrees with who put each line there, whatever came and went', () => {
    let last = '-';
    for (let round = 0; round < 6; round += 1) {
      const random = new Seeded(4_711 + round);
      const file = `file${round}`;
      let lines: { text: string; origin: string }[] = [];
      let unique = 0;
      for (let step = 0; step < 10; step += 1) {
        if (step > 0) message((last = `Message ${round}.${step}`));
        for (let edits = random.below(4) + 1; edits > 0; edits -= 1) {
          const at = random.below(lines.length + 1);
          const added = Array.from({ length: random.below(4) }, () => ({ text: `line ${(unique += 1)}`, origin: last }));
          lines = [...lines.slice(0, at), ...added, ...lines.slice(at + random.below(3))];
        }
        bench.write(file, lines.map(({ text }) => `${text}\n`).join(''));
      }
      assert.deepEqual(
        origins(blame(file)),
        lines.map(({ origin }) => origin),
        `seed ${4_711 + round}`,
      );
    }
  });
});
