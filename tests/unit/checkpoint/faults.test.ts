import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import type { CheckpointInfo } from '../../../src/services/checkpoint/checkpointRows';
import { EngineBench, treeOf } from './support/engineBench';
import { SnapshotError } from '../../../src/services/checkpoint/snapshotError';
import { reading, type Fault } from './support/faultyFileSystem';
import { PowerCut, PowerLoss } from './support/powerLoss';
import { Seeded } from './support/seeded';

/** What is done while things go wrong, each from where the one before left the workspace. */
const works: [string, (scene: Scene) => void][] = [
  ['a checkpoint', (scene) => scene.acknowledge(scene.bench.checkpoint('Second'))],
  [
    'a restore',
    (scene) => scene.restored(scene.bench.engine.restore('session', scene.first, scene.workspace, { overwrite: 'all' })),
  ],
  ['an undo', (scene) => scene.undo()],
  ['a collection', (scene) => void scene.bench.engine.collectGarbage()],
];

/** A workspace that has changed since a checkpoint, with garbage in the store. */
class Scene {
  readonly bench = new EngineBench();
  readonly first: string;
  private readonly acknowledged = new Map<string, string[]>();
  private operation: string | undefined;

  constructor() {
    const { bench } = this;
    for (const name of ['same', 'changed', 'moved/deep/away', 'mode']) bench.write(name, `${name} one`);
    symlinkSync('same', bench.at('link'));
    bench.write('garbage', randomBytes(20_000));
    const garbage = bench.checkpoint('Garbage');
    rmSync(bench.at('garbage'));
    bench.write('changed', 'one');
    this.first = bench.checkpoint('First');
    this.acknowledge(this.first);
    bench.rows('DELETE FROM approved_states');
    for (const { id } of bench.engine.list('session')) if (id <= garbage) bench.engine.remove(id);
    bench.rows('UPDATE snapshot_objects SET stored_at = 0');
    bench.write('changed', 'two');
    rmSync(bench.at('moved'), { recursive: true });
    bench.write('new/file', 'new');
    chmodSync(bench.at('mode'), 0o755);
    rmSync(bench.at('link'));
    symlinkSync('changed', bench.at('link'));
  }

  get workspace() {
    return this.bench.workspace;
  }

  acknowledge(id: string): void {
    this.acknowledged.set(id, this.bench.everything(id));
  }

  restored({ operationId, beforeId, afterId }: { operationId: string; beforeId: string; afterId: string }): void {
    this.operation = operationId;
    this.acknowledge(beforeId);
    this.acknowledge(afterId);
  }

  undo(): void {
    const operation = this.operation ?? (this.bench.rows("SELECT id FROM operations WHERE state = 'done'")[0]?.[0] as string);
    this.restored(this.bench.engine.undoRestore(operation, this.workspace, { overwrite: 'all' }));
  }

  /** A checkpoint names each file that was there throughout, or says that it could not be read. */
  checkComplete({ id, state, problems }: CheckpointInfo, trees: Record<string, string>[]): void {
    if (state !== 'taken') return;
    const held = new Set(this.bench.engine.files(id).map(({ path }) => path));
    const [before = {}, after = {}] = trees;
    for (const name of Object.keys(before).filter((file) => after[file] !== undefined)) {
      const isTold = problems.some(({ path }) => path === '' || name === path || name.startsWith(`${path}/`));
      assert.ok(held.has(name) || isTold, `${name} is missing: ${JSON.stringify(problems)}`);
    }
  }

  /** After it went wrong: all that was told of is there, every file is what it was or what it should be, and everything works. */
  check(before: Record<string, string>, after: Record<string, string>): void {
    const { bench } = this;
    const recovered = bench.engine.recover(this.workspace);
    assert.deepEqual(bench.rows("SELECT id FROM operations WHERE state = 'running'"), []);
    const now = treeOf(bench.root);
    if (recovered.some(({ steps }) => steps.every(({ outcome }) => outcome === 'done'))) assert.deepEqual(now, after);
    for (const name of new Set([...Object.keys(now), ...Object.keys(before), ...Object.keys(after)])) {
      assert.ok(now[name] === before[name] || now[name] === after[name], `${name}: ${now[name]}`);
    }
    assert.deepEqual(bench.engine.verify().problems, []);
    for (const [id, files] of this.acknowledged) assert.deepEqual(bench.everything(id), files);
    const { operationId } = bench.engine.restore('session', this.first, this.workspace, { overwrite: 'all' });
    bench.engine.undoRestore(operationId, this.workspace, { overwrite: 'all' });
    assert.deepEqual(treeOf(bench.root), now);
    bench.engine.collectGarbage();
    for (const [id, files] of this.acknowledged) assert.deepEqual(bench.everything(id), files);
  }
}

/** The workspace before and after each piece of work when nothing goes wrong. */
function trees(): Record<string, string>[] {
  const scene = new Scene();
  try {
    const states = [treeOf(scene.bench.root)];
    for (const [, work] of works) {
      work(scene);
      states.push(treeOf(scene.bench.root));
    }
    return states;
  } finally {
    scene.bench.clean();
  }
}

/** Lets one operation of each piece of work fail, the first, the second, … until there are no more. Returns how many there were. */
function eachOperation(index: number, attempt: (scene: Scene, at: number) => boolean): number {
  for (let at = 1; ; at += 1) {
    const scene = new Scene();
    try {
      for (const [, work] of works.slice(0, index)) work(scene);
      if (!attempt(scene, at)) return at - 1;
    } catch (error) {
      throw new Error(`operation ${at}`, { cause: error });
    } finally {
      scene.bench.clean();
    }
  }
}

for (const [index, [name, work]] of works.entries()) {
  describe(`when the disk fails, ${name}`, () => {
    for (const fault of ['ENOSPC', 'EIO', 'short'] as const satisfies Fault[]) {
      it(`loses nothing, whichever operation ${fault} hits`, () => {
        const states = trees();
        const [before = {}, after = {}] = states.slice(index);
        const count = eachOperation(index, (scene, at) => {
          const { bench } = scene;
          bench.faulty.arm(at, fault);
          let code: unknown;
          try {
            work(scene);
          } catch (error) {
            code = (error as { code?: unknown }).code;
          }
          const wasHit = bench.faulty.count >= at;
          bench.faulty.arm(0, fault);
          if (fault === 'short') assert.equal(code, undefined);
          else assert.ok(code === undefined || code === fault, String(code));
          bench.reopen();
          scene.check(before, after);
          return wasHit;
        });
        assert.ok(count > 0);
      });
    }

    it('loses nothing, and takes nothing for gone, whichever look at the disk fails', () => {
      const states = trees();
      const [before = {}, after = {}] = states.slice(index);
      const count = eachOperation(index, (scene, at) => {
        const { bench } = scene;
        const known = new Set(bench.engine.list('session').map(({ id }) => id));
        bench.faulty.arm(at, 'EIO', reading);
        try {
          work(scene);
        } catch (error) {
          assert.ok(error instanceof SnapshotError || (error as { code?: unknown }).code === 'EIO', String(error));
        }
        const wasHit = bench.faulty.count >= at;
        bench.faulty.arm(0, 'EIO');
        for (const info of bench.engine.list('session')) if (!known.has(info.id)) scene.checkComplete(info, [before, after]);
        bench.reopen();
        scene.check(before, after);
        return wasHit;
      });
      assert.ok(count > 0);
    });

    it('loses nothing to a loss of power at any operation, whatever no sync covered', () => {
      const random = new Seeded(index + 1);
      const states = trees();
      const [before = {}, after = {}] = states.slice(index);
      const count = eachOperation(index, (scene, at) => {
        const { bench } = scene;
        mkdirSync(bench.objects, { recursive: true });
        const disk = new PowerLoss([bench.root, bench.objects]);
        bench.reopen(disk.fileSystem);
        disk.settle(at);
        let isCut = false;
        try {
          work(scene);
        } catch (error) {
          assert.ok(error instanceof PowerCut, String(error));
          isCut = true;
        }
        bench.engine.dispose();
        disk.lose(random);
        bench.engine = bench.opened();
        scene.check(isCut ? before : after, after);
        return isCut;
      });
      assert.ok(count > 0);
    });
  });
}
