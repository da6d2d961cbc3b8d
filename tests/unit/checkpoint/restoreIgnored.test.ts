import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import type { RestoreOptions } from '../../../src/services/checkpoint/engine/restore/restorePlan';
import type { RestoreStep } from '../../../src/services/checkpoint/engine/restore/restoreStep';
import { EngineBench } from './support/engineBench';

let bench: EngineBench;
beforeEach(() => (bench = new EngineBench()));
afterEach(() => bench.clean());

const all: RestoreOptions = { overwrite: 'all' };
const brief = (steps: readonly RestoreStep[]) =>
  steps.map(({ action, path: file, reason }) => `${action} ${file}${reason === null ? '' : `: ${reason}`}`);
const restore = (id: string, options: RestoreOptions = all) =>
  bench.engine.restores.restore('session', { kind: 'checkpoint', id }, bench.workspace, options);
const undo = (id: string, options: RestoreOptions = all) =>
  bench.engine.restores.restore('session', { kind: 'restore', id }, bench.workspace, options);

describe('a restore of ignored files', () => {
  it('brings an ignored file back to what it was before the agent, and takes away one that was not there', () => {
    bench.write('.gitignore', '.env\n');
    bench.write('.env', 'KEY=mine');
    const first = bench.checkpoint('First');
    bench.checkpoint('Second');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, '.env');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'node_modules/new.js');
    bench.write('.env', 'KEY=agent');
    bench.write('node_modules/new.js', 'new');
    bench.write('node_modules/theirs.js', 'theirs');
    const { operationId } = restore(first);
    assert.equal(readFileSync(bench.at('.env'), 'utf8'), 'KEY=mine');
    assert.deepEqual(readdirSync(bench.at('node_modules')), ['theirs.js']);
    undo(operationId);
    assert.equal(readFileSync(bench.at('.env'), 'utf8'), 'KEY=agent');
    assert.deepEqual(readdirSync(bench.at('node_modules')), ['new.js', 'theirs.js']);
  });

  it('names an ignored file that was made after the checkpoint and stays, touched by a tool', () => {
    bench.write('.gitignore', '*.env\n');
    const first = bench.checkpoint('First');
    bench.write('mine.env', 'KEY=mine');
    bench.checkpoint('Second');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'mine.env');
    const plan = () => brief(bench.engine.restores.plan('session', { kind: 'checkpoint', id: first }, bench.workspace, {}));
    assert.deepEqual(plan(), ['keep mine.env: leftOut']);
    bench.write('mine.env', 'KEY=agent');
    assert.deepEqual(plan(), ['conflict mine.env: changedSince']);
    const { steps } = restore(first, { files: [] });
    assert.deepEqual(steps, []);
  });

  it('knows what an ignored file was also where the checkpoint or the session that kept it is gone', () => {
    bench.write('.gitignore', '.env\n');
    bench.write('.env', 'KEY=mine');
    const first = bench.checkpoint('First');
    const touch = (session: string, content: string) => {
      const [id = ''] = bench.engine.checkpoints
        .takeNow(session, 'manual', 'Touched', bench.workspace)
        .slice(-1)
        .map((info) => info.id);
      bench.engine.checkpoints.stage(session, bench.workspace, bench.root, '.env');
      bench.write('.env', content);
      return id;
    };
    const planned = () => {
      const [step] = bench.engine.restores.plan('session', { kind: 'checkpoint', id: first }, bench.workspace, all);
      return step?.to && Buffer.from(bench.engine.objects.get(step.to.hash ?? '')).toString();
    };
    for (const name of ['second', 'third']) bench.store.session(name);
    const second = touch('second', 'KEY=second');
    touch('second', 'KEY=second again');
    touch('third', 'KEY=third');
    assert.equal(planned(), 'KEY=mine');
    bench.engine.checkpoints.remove(second);
    assert.equal(planned(), 'KEY=mine');
    bench.rows("DELETE FROM sessions WHERE id = 'second'");
    assert.equal(planned(), 'KEY=mine');
    bench.checkReferences();
    restore(first);
    assert.equal(readFileSync(bench.at('.env'), 'utf8'), 'KEY=mine');
  });

  it('brings back an ignored file that the agent deleted, and undoes that too', () => {
    bench.write('.gitignore', '.env\n');
    bench.write('.env', 'KEY=mine');
    const id = bench.checkpoint('First');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, '.env');
    rmSync(bench.at('.env'));
    const { operationId } = restore(id);
    assert.equal(readFileSync(bench.at('.env'), 'utf8'), 'KEY=mine');
    undo(operationId);
    assert.equal(existsSync(bench.at('.env')), false);
  });

  it('keeps an ignored file that lies where one is to come back, and brings it back too', () => {
    bench.write('.gitignore', '.env\n');
    const first = bench.checkpoint('First');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, '.env');
    bench.write('.env', 'KEY=agent');
    const second = bench.checkpoint('Second');
    restore(first);
    bench.write('.env', 'KEY=mine');
    assert.deepEqual(brief(bench.engine.restores.plan('session', { kind: 'checkpoint', id: second }, bench.workspace, {})), [
      'conflict .env: changedSince',
    ]);
    const { operationId } = restore(second);
    assert.equal(readFileSync(bench.at('.env'), 'utf8'), 'KEY=agent');
    undo(operationId);
    assert.equal(readFileSync(bench.at('.env'), 'utf8'), 'KEY=mine');
  });

  it('sees a file that lies there and is ignored now, but was not then', () => {
    bench.write('notes', 'then');
    bench.write('same', 'same');
    const id = bench.checkpoint('First');
    bench.write('.gitignore', 'notes\nsame\n');
    bench.write('notes', 'now');
    bench.checkpoint('Second');
    const files = [bench.at('notes'), bench.at('same')];
    assert.deepEqual(brief(bench.engine.restores.plan('session', { kind: 'checkpoint', id }, bench.workspace, { files })), [
      'conflict notes: changedSince',
    ]);
    assert.deepEqual(brief(restore(id, { files }).steps), ['conflict notes: changedSince']);
    assert.equal(readFileSync(bench.at('notes'), 'utf8'), 'now');
    const { operationId, steps } = restore(id, { ...all, files });
    assert.deepEqual(
      steps.map(({ action, outcome }) => `${action} ${outcome}`),
      ['write done'],
    );
    assert.equal(readFileSync(bench.at('notes'), 'utf8'), 'then');
    undo(operationId);
    assert.equal(readFileSync(bench.at('notes'), 'utf8'), 'now');
  });
});
