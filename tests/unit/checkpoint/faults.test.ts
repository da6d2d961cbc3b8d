import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import type { CheckpointInfo } from '../../../src/services/checkpoint/checkpointTable';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';
import { places, runSeed } from '../../support/rounds';
import { EngineBench, treeOf } from './support/engineBench';
import { SnapshotError } from '../../../src/services/checkpoint/snapshotError';
import { reading, type Fault } from './support/faultyFileSystem';
import { PowerCut, PowerLoss } from './support/powerLoss';
import { Seeded } from './support/seeded';
import { seededBytes } from './support/seededBytes';

const randomBytes = seededBytes();

/** Operation during which faults are injected. */
interface Work {
  name: string;
  /** Setup that runs without faults. */
  before?: (scene: Scene) => void;
  work: (scene: Scene) => void;
}

const all = { overwrite: 'all' } as const;
/** Determines which unsynced writes reach the disk, and in which order. */
const seed = runSeed();
/** Number of fault positions per operation in `npm test`. */
const tried = 12;

const ignoredChange = 'a tool that changes an ignored file';

const works: Work[] = [
  { name: 'a checkpoint', work: (scene) => scene.acknowledge(scene.bench.checkpoint('Second')) },
  { name: 'a restore', work: (scene) => scene.restore() },
  { name: 'an undo', before: (scene) => scene.restore(), work: (scene) => scene.undo() },
  {
    name: 'a collection',
    before: (scene) => {
      scene.restore();
      scene.undo();
    },
    work: (scene) => void scene.bench.engine.care.collectGarbage(),
  },
  {
    name: "a collection on a person's word, which writes packs anew",
    before: (scene) => {
      scene.restore();
      scene.undo();
    },
    work: (scene) => void scene.bench.engine.care.collectGarbage('full'),
  },
  { name: 'an approval', work: (scene) => scene.approve() },
  {
    name: 'a reset',
    before: (scene) => {
      scene.approve();
      scene.changeAgain();
    },
    work: (scene) => scene.restored(scene.bench.engine.restores.restore('session', { kind: 'approved' }, scene.workspace, all)),
  },
  {
    name: 'the end of a restore that was cut off',
    before: (scene) => scene.cutOff(),
    work: (scene) => scene.bench.engine.restores.recover(scene.workspace).forEach((result) => scene.restored(result)),
  },
  { name: ignoredChange, work: (scene) => scene.changeIgnored() },
];

/** Workspace that changed after a checkpoint, with garbage in the store. */
class Scene {
  readonly bench = new EngineBench();
  readonly first: string;
  private readonly firstTree: Record<string, string>;
  private acknowledged = new Map<string, string[]>();
  private operation: string | undefined;
  /** True after a failed read. */
  wasUnreadable = false;

  constructor() {
    const { bench } = this;
    for (const name of ['same', 'changed', 'moved/deep/away', 'mode']) bench.write(name, `${name} one`);
    bench.write('.gitignore', 'secret\n');
    bench.write('secret', 'precious');
    symlinkSync('same', bench.at('link'));
    bench.write('garbage', randomBytes(20_000));
    const garbage = bench.checkpoint('Garbage');
    rmSync(bench.at('garbage'));
    bench.write('changed', 'one');
    this.first = bench.checkpoint('First');
    this.firstTree = treeOf(bench.root);
    this.acknowledge(this.first);
    bench.rows('DELETE FROM approved_states');
    for (const { id } of bench.engine.checkpoints.list('session')) if (id <= garbage) bench.engine.checkpoints.remove(id);
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

  /** Copies the scene. The returned function restores it from the copy. */
  image(): () => void {
    const anew = this.bench.image();
    const acknowledged = new Map(this.acknowledged);
    const operation = this.operation;
    const wasUnreadable = this.wasUnreadable;
    return () => {
      anew();
      this.acknowledged = new Map(acknowledged);
      this.operation = operation;
      this.wasUnreadable = wasUnreadable;
    };
  }

  acknowledge(id: string): void {
    this.acknowledged.set(id, this.bench.everything(id));
  }

  restore(): void {
    this.restored(this.bench.engine.restores.restore('session', { kind: 'checkpoint', id: this.first }, this.workspace, all));
  }

  approve(): void {
    this.acknowledge(this.bench.engine.approvals.approve('session', this.workspace, null).checkpointId);
  }

  changeAgain(): void {
    const { bench } = this;
    bench.write('changed', 'three');
    bench.write('new/other', 'new');
    rmSync(bench.at('same'));
  }

  /** Starts a restore and interrupts it. */
  cutOff(): void {
    const { bench } = this;
    let left = 3;
    bench.reopen({
      rename: (from, to) => {
        left -= 1;
        if (left === 0) throw new PowerCut();
        nodeFileSystem.rename(from, to);
      },
    });
    assert.throws(
      () => bench.engine.restores.restore('session', { kind: 'checkpoint', id: this.first }, this.workspace, all),
      PowerCut,
    );
    bench.reopen();
    for (const { id, kind } of bench.engine.checkpoints.list('session')) if (kind === 'restore_before') this.acknowledge(id);
  }

  /** Changes an ignored file as a tool does: stages it, then writes it. */
  changeIgnored(): void {
    const { bench } = this;
    bench.engine.checkpoints.stage('session', this.workspace, bench.root, 'secret');
    bench.write('secret', 'overwritten');
  }

  restored({ operationId, beforeId, afterId }: { operationId: string; beforeId: string; afterId: string }): void {
    this.operation = operationId;
    this.acknowledge(beforeId);
    this.acknowledge(afterId);
  }

  undo(): void {
    const operation = this.operation ?? (this.bench.rows("SELECT id FROM operations WHERE state = 'done'")[0]?.[0] as string);
    this.restored(this.bench.engine.restores.restore('session', { kind: 'restore', id: operation }, this.workspace, all));
  }

  /** Checks that a checkpoint contains every file that existed throughout, or reports the file as unreadable. */
  checkComplete({ id, state }: CheckpointInfo, trees: Record<string, string>[]): void {
    if (state !== 'taken') return;
    const held = new Set(this.bench.engine.checkpoints.files(id).map(({ path }) => path));
    const problems = this.bench.problemsOf(id);
    const [before = {}, after = {}] = trees;
    for (const name of Object.keys(before).filter((file) => after[file] !== undefined && file !== 'secret')) {
      const isTold = problems.some(({ path }) => path === '' || name === path || name.startsWith(`${path}/`));
      assert.ok(held.has(name) || isTold, `${name} is missing: ${JSON.stringify(problems)}`);
    }
  }

  /** Checks the scene after a fault: no acknowledged data is lost, every file has its old or new state, and all operations work. */
  check(before: Record<string, string>, after: Record<string, string>): void {
    const { bench } = this;
    const recovered = bench.engine.restores.recover(this.workspace);
    assert.deepEqual(bench.rows("SELECT id FROM operations WHERE state = 'running'"), []);
    const now = treeOf(bench.root);
    if (recovered.some(({ steps }) => steps.every(({ outcome }) => outcome === 'done'))) assert.deepEqual(now, after);
    for (const name of new Set([...Object.keys(now), ...Object.keys(before), ...Object.keys(after)])) {
      assert.ok(now[name] === before[name] || now[name] === after[name], `${name}: ${now[name]}`);
    }
    assert.deepEqual(bench.engine.care.verify().problems, []);
    for (const [id, files] of this.acknowledged) assert.deepEqual(bench.everything(id), files);
    const { operationId, steps } = bench.engine.restores.restore(
      'session',
      { kind: 'checkpoint', id: this.first },
      this.workspace,
      all,
    );
    // The restore leaves unreadable files as they are and reports them.
    const left = steps.filter(({ reason }) => reason === 'notStored').map(({ path }) => path);
    for (const [name, content] of Object.entries(this.firstTree)) {
      if (!left.includes(name)) assert.equal(treeOf(bench.root)[name], content, name);
    }
    if (left.length > 0) assert.deepEqual([left, this.wasUnreadable], [['secret'], true]);
    bench.engine.restores.restore('session', { kind: 'restore', id: operationId }, this.workspace, all);
    assert.deepEqual(treeOf(bench.root), now);
    bench.engine.care.collectGarbage();
    for (const [id, files] of this.acknowledged) assert.deepEqual(bench.everything(id), files);
  }
}

/** Scene for one operation: built once, then restored from a copy for each fault position. */
class Stage {
  readonly scene = new Scene();
  /** Workspace before and after the operation, without faults. */
  readonly trees: [Record<string, string>, Record<string, string>];
  private readonly anew: () => void;

  constructor(one: Work) {
    const { scene } = this;
    one.before?.(scene);
    this.anew = scene.image();
    const before = treeOf(scene.bench.root);
    one.work(scene);
    this.trees = [before, treeOf(scene.bench.root)];
  }

  /**
   * Counts the fault positions by running the operation without faults. Then runs it with a fault at some positions (`npm test`) or at all
   * positions (`npm run test:fuzz`). `attempt` returns the number of positions it passed.
   */
  each(attempt: (scene: Scene, at: number) => number): void {
    const count = this.at(Number.MAX_SAFE_INTEGER, attempt);
    assert.ok(count > 0);
    for (const at of places(count, tried, seed)) this.at(at, attempt);
  }

  clean(): void {
    this.scene.bench.clean();
  }

  private at(at: number, attempt: (scene: Scene, at: number) => number): number {
    this.scene.bench.faulty.arm(0, 'EIO');
    this.anew();
    try {
      return attempt(this.scene, at);
    } catch (error) {
      throw new Error(`operation ${at}`, { cause: error });
    }
  }
}

for (const [index, one] of works.entries()) {
  const { name, work } = one;
  describe(`when the disk fails, ${name}`, () => {
    let stage: Stage;
    before(() => (stage = new Stage(one)));
    after(() => stage.clean());

    for (const fault of ['ENOSPC', 'EIO', 'short'] as const satisfies Fault[]) {
      it(`loses nothing, whichever operation ${fault} hits, SEED=${seed}`, () => {
        stage.each((scene, at) => {
          const { bench } = scene;
          bench.faulty.arm(at, fault);
          let code: unknown;
          try {
            work(scene);
          } catch (error) {
            code = (error as { code?: unknown }).code;
          }
          const { count } = bench.faulty;
          bench.faulty.arm(0, fault);
          if (fault === 'short') assert.equal(code, undefined);
          else assert.ok(code === undefined || code === fault, String(code));
          bench.reopen();
          scene.check(...stage.trees);
          return count;
        });
      });
    }

    it(`loses nothing, and takes nothing for gone, whichever look at the disk fails, SEED=${seed}`, () => {
      stage.each((scene, at) => {
        const { bench } = scene;
        const known = new Set(bench.engine.checkpoints.list('session').map(({ id }) => id));
        scene.wasUnreadable = true;
        bench.faulty.arm(at, 'EIO', reading);
        try {
          work(scene);
        } catch (error) {
          assert.ok(error instanceof SnapshotError || (error as { code?: unknown }).code === 'EIO', String(error));
        }
        const { count } = bench.faulty;
        bench.faulty.arm(0, 'EIO');
        for (const info of bench.engine.checkpoints.list('session'))
          if (!known.has(info.id)) scene.checkComplete(info, stage.trees);
        bench.reopen();
        scene.check(...stage.trees);
        return count;
      });
    });

    it(`loses nothing to a loss of power at any operation, whatever no sync covered, SEED=${seed}`, () => {
      const [before, after] = stage.trees;
      stage.each((scene, at) => {
        const { bench } = scene;
        const random = new Seeded(seed + 1_000 * index + at);
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
        const { count } = disk;
        bench.engine.dispose();
        disk.lose(random);
        bench.boots += 1;
        bench.engine = bench.opened();
        // The simulated disk does not record the tool's own write.
        scene.check(isCut || name === ignoredChange ? before : after, after);
        return count;
      });
    });
  });
}
