import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { RestoreResult } from '../../../src/services/checkpoint/restore/restorer';
import { EngineBench } from './support/engineBench';
import { Seeded } from './support/seeded';
import { WorkspaceModel } from './support/workspaceModel';

/** `SEQUENCES=2000 SEED=1 npx mocha …` for more of them, or for one that failed. */
const sequences = Number(process.env.SEQUENCES ?? 60);
const firstSeed = Number(process.env.SEED ?? 1);
const steps = 16;
const paths = ['a', 'A', 'b', 'd/x', 'd/e/y', 'ign1', 'd/ign2', 'out/z', 'é', 'e\u0301'];
const isIgnored = (file: string) => /(^|\/)ign|^out\//.test(file);

class Sequence {
  readonly bench = new EngineBench();
  readonly model = new WorkspaceModel(isIgnored);
  private readonly restores: { id: string; beforeId: string; changed: string[] }[] = [];
  private approved: string | undefined;

  constructor(private readonly random: Seeded) {
    this.bench.write('.gitignore', 'ign*\n');
    this.model.disk.set('.gitignore', '644 ign*\n');
    this.write('a');
    this.write('ign1');
  }

  step(): string {
    const { random } = this;
    const file = random.pick(paths);
    const actions: [number, string, () => void][] = [
      [20, `write ${file}`, () => this.write(file)],
      [10, `same size ${file}`, () => this.write(file, true)],
      [8, `chmod ${file}`, () => this.chmod(file)],
      [6, `link ${file}`, () => this.link(file)],
      [8, `delete ${file}`, () => this.remove(file)],
      [8, `rename ${file}`, () => this.rename(file, random.pick(paths))],
      [10, `agent writes ${file}`, () => this.agent(file, () => this.write(file))],
      [4, `agent deletes ${file}`, () => this.agent(file, () => this.remove(file))],
      [18, 'checkpoint', () => this.checkpoint()],
      [8, 'restore', () => this.restore()],
      [6, 'undo', () => this.undo()],
      [4, 'approve', () => this.approve()],
      [3, 'reset', () => this.reset()],
      [4, 'remove checkpoint', () => this.removeCheckpoint()],
      [3, 'collect garbage', () => this.collect()],
      [3, 'start again', () => this.bench.reopen()],
    ];
    let at = random.below(actions.reduce((sum, [weight]) => sum + weight, 0));
    const [, name, run] = actions.find(([weight]) => (at -= weight) < 0) as (typeof actions)[number];
    run();
    return name;
  }

  check(): void {
    assert.deepEqual(this.disk(), new Map([...this.model.disk].sort()));
    this.bench.checkReferences();
  }

  checkAll(): void {
    for (const { id, tree } of this.model.checkpoints) {
      const stored = this.bench.engine.files(id).map(({ path: file, state }): [string, string] => {
        const content = Buffer.from(this.bench.engine.get(state.hash ?? '')).toString();
        return [file, state.kind === 2 ? `-> ${content}` : `${state.mode.toString(8)} ${content}`];
      });
      assert.deepEqual(new Map(stored.sort()), new Map([...tree].sort()));
    }
    assert.deepEqual(this.bench.engine.verify().problems, []);
  }

  private write(file: string, isSameSize = false): void {
    const known = this.model.disk.get(file);
    if (isSameSize && !known?.startsWith('6')) return;
    if (known?.startsWith('->')) this.remove(file);
    const length = isSameSize ? (known?.length ?? 4) - 4 : this.random.below(12);
    const content = Array.from({ length }, () => 'abcd\r\n'[this.random.below(6)]).join('');
    mkdirSync(path.dirname(this.bench.at(file)), { recursive: true });
    writeFileSync(this.bench.at(file), content);
    this.model.disk.set(file, `${known?.startsWith('755') ? '755' : '644'} ${content}`);
  }

  private chmod(file: string): void {
    const known = this.model.disk.get(file);
    if (known === undefined || known.startsWith('->')) return;
    const mode = known.startsWith('755') ? 0o644 : 0o755;
    chmodSync(this.bench.at(file), mode);
    this.model.disk.set(file, `${mode.toString(8)}${known.slice(3)}`);
  }

  private link(file: string): void {
    this.remove(file);
    mkdirSync(path.dirname(this.bench.at(file)), { recursive: true });
    const target = this.random.pick(['a', '../nowhere', 'nowhere/d']);
    symlinkSync(target, this.bench.at(file));
    this.model.disk.set(file, `-> ${target}`);
  }

  private remove(file: string): void {
    rmSync(this.bench.at(file), { force: true });
    this.model.disk.delete(file);
  }

  private rename(from: string, to: string): void {
    const known = this.model.disk.get(from);
    if (known === undefined || from === to) return;
    mkdirSync(path.dirname(this.bench.at(to)), { recursive: true });
    renameSync(this.bench.at(from), this.bench.at(to));
    this.model.disk.delete(from);
    this.model.disk.set(to, known);
  }

  private agent(file: string, work: () => void): void {
    this.bench.engine.stage('session', this.bench.workspace, this.bench.root, file);
    this.model.stage(file);
    work();
  }

  private checkpoint(): void {
    const ids = this.bench.engine.begin('session', 'message', 'A message');
    this.bench.engine.take(ids, this.bench.workspace);
    const tree = this.model.snapshot();
    for (const id of ids) this.model.checkpoint(id, tree);
    this.approved ??= ids[0];
  }

  private restore(): void {
    if (this.model.checkpoints.length === 0) return;
    const { id } = this.random.pick(this.model.checkpoints);
    this.follow(id, this.bench.engine.restore('session', id, this.bench.workspace, { overwrite: 'all' }));
  }

  private undo(): void {
    const known = this.restores.filter(({ beforeId }) => this.model.checkpoints.some(({ id }) => id === beforeId));
    if (known.length === 0) return;
    const { id, beforeId, changed } = this.random.pick(known);
    const result = this.bench.engine.undoRestore(id, this.bench.workspace, { overwrite: 'all' });
    this.follow(beforeId, result, new Set(changed));
  }

  private approve(): void {
    if (this.approved === undefined) return;
    this.approved = this.bench.engine.approve('session', this.bench.workspace, null).checkpointId;
    this.model.checkpoint(this.approved);
  }

  private reset(): void {
    if (this.approved === undefined) return;
    this.follow(this.approved, this.bench.engine.reset('session', this.bench.workspace, { overwrite: 'all' }));
  }

  private follow(
    target: string,
    { operationId, beforeId, afterId, steps: done }: RestoreResult,
    only?: ReadonlySet<string>,
  ): void {
    assert.ok(
      done.every(({ outcome }) => outcome === 'done'),
      JSON.stringify(done),
    );
    const changed = this.model.restore(target, beforeId, only);
    assert.deepEqual(done.map(({ path: file }) => file).sort(), changed.sort());
    this.model.checkpoint(afterId);
    this.restores.push({ id: operationId, beforeId, changed });
  }

  private removeCheckpoint(): void {
    const removable = this.model.checkpoints.filter(({ id }) => this.bench.isRemovable(id));
    if (removable.length === 0) return;
    const { id } = this.random.pick(removable);
    const parent = this.bench.rows('SELECT parent_id FROM checkpoints WHERE id = ?', id)[0]?.[0] as string | null;
    this.bench.engine.remove(id);
    this.model.remove(id, parent ?? undefined);
  }

  private collect(): void {
    this.bench.rows('UPDATE snapshot_objects SET stored_at = 0');
    this.bench.engine.collectGarbage();
  }

  private disk(): Map<string, string> {
    const files: [string, string][] = [];
    for (const name of readdirSync(this.bench.root, { recursive: true }).map(String)) {
      const stats = lstatSync(this.bench.at(name));
      if (stats.isSymbolicLink()) files.push([name, `-> ${readlinkSync(this.bench.at(name))}`]);
      else if (stats.isFile())
        files.push([name, `${(stats.mode & 0o777).toString(8)} ${readFileSync(this.bench.at(name), 'utf8')}`]);
    }
    return new Map(files.sort());
  }
}

describe('workspace and store', () => {
  it(`equal a plain model after every step of ${sequences} random sequences`, function () {
    this.timeout(0);
    for (let seed = firstSeed; seed < firstSeed + sequences; seed += 1) {
      const sequence = new Sequence(new Seeded(seed));
      const done: string[] = [];
      try {
        for (let step = 0; step < steps; step += 1) {
          done.push(sequence.step());
          sequence.check();
        }
        sequence.checkAll();
      } catch (error) {
        throw new Error(`SEED=${seed} SEQUENCES=1: ${done.join(', ')}`, { cause: error });
      } finally {
        sequence.bench.clean();
      }
      assert.equal(existsSync(sequence.bench.root), false);
    }
  });
});
