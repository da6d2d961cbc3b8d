import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { RestoreOptions } from '../../../src/services/checkpoint/engine/restore/restorePlan';
import type { RestoreResult } from '../../../src/services/checkpoint/engine/restore/restoreExecution';
import { foldedName } from '../../../src/utils/files/foldedName';
import { isSystemError } from '../../../src/utils/errors';
import { hasCaselessDisk, mountCaselessDisk, type CaselessDisk } from '../../support/caselessDisk';
import { rounds, runSeed } from '../../support/rounds';
import { EngineBench, treeOf } from './support/engineBench';

type Tree = Record<string, string>;

/** `SEED=…` repeats a failed run. */
const firstSeed = runSeed();
const sequences = Number(process.env['SEQUENCES'] ?? rounds(6));
/** Pairs of spellings that refer to the same file. */
const names = [
  ['a', 'A'],
  ['b', 'B'],
  ['d', 'D'],
  ['\u00e9', 'e\u0301'],
] as const;
const segment = fc.tuple(fc.constantFrom(...names), fc.nat(1)).map(([spellings, which]) => spellings[which] ?? spellings[0]);
const file = fc.oneof(
  { weight: 2, arbitrary: segment },
  { weight: 4, arbitrary: fc.tuple(segment, segment).map((parts) => parts.join('/')) },
  { weight: 1, arbitrary: fc.tuple(segment, segment, segment).map((parts) => parts.join('/')) },
);
const isIgnored = (name: string) => path.basename(name) === 'ign';

const weights = { write: 20, ignored: 4, link: 3, remove: 8, rename: 12, respell: 16, checkpoint: 10, restore: 16, look: 8 };

interface Step {
  what: keyof typeof weights;
  file: string;
  other: string;
  content: string;
  /** True if a command of the session makes the change. */
  isOwn: boolean;
  which: number;
  choice: 'all' | 'default' | 'some';
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.oneof(...Object.entries(weights).map(([what, weight]) => ({ weight, arbitrary: fc.constant(what as Step['what']) }))),
  file,
  other: file,
  content: fc.constantFrom('one', 'two', 'three', ''),
  isOwn: fc.boolean(),
  which: fc.nat(1_000),
  choice: fc.constantFrom('all', 'all', 'default', 'some'),
});

/** Changes a workspace on a case-insensitive file system. Every restore must reproduce the exact names, and its undo must lose nothing. */
class Sequence {
  readonly bench: EngineBench;
  private readonly taken: { id: string; tree: Tree }[] = [];
  private hints: string[] = [];

  constructor(folder: string) {
    this.bench = new EngineBench(folder);
    this.bench.write('.gitignore', 'ign\n');
    this.bench.write('d/a', 'first');
    this.checkpoint();
  }

  perform(one: Step): void {
    const { what } = one;
    if (what === 'checkpoint') this.checkpoint();
    else if (what === 'restore') this.restore(one);
    else if (what === 'look') this.look();
    else if (!one.isOwn) this.change(one);
    else {
      this.checkpoint('command_before');
      this.change(one);
      this.checkpoint('command_after');
    }
  }

  private change({ what, file: name, other, content }: Step): void {
    const at = this.bench.at(name);
    try {
      if (what === 'write') this.put(at, () => writeFileSync(at, content));
      else if (what === 'ignored') this.put(path.join(at, 'ign'), () => writeFileSync(path.join(at, 'ign'), content));
      else if (what === 'link') this.put(at, () => symlinkSync('nowhere', at));
      else if (what === 'remove') rmSync(at, { recursive: true });
      else if (what === 'rename') this.put(this.bench.at(other), () => renameSync(at, this.bench.at(other)));
      else renameSync(at, path.join(path.dirname(at), otherSpelling(path.basename(at))));
    } catch (error) {
      // The path does not exist or has another kind.
      if (!isSystemError(error)) throw error;
    }
    this.hints.push(at, this.bench.at(other), path.join(path.dirname(at), otherSpelling(path.basename(at))));
  }

  private put(at: string, work: () => void): void {
    mkdirSync(path.dirname(at), { recursive: true });
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(at);
    work();
  }

  private checkpoint(kind?: 'command_before' | 'command_after'): void {
    const id = this.bench.checkpoint('Checkpoint', kind);
    const tree = this.visible();
    assert.deepEqual(
      Object.fromEntries(this.bench.engine.checkpoints.files(id).map(({ path: name }) => [name, true])),
      onlyNames(tree),
    );
    this.taken.push({ id, tree });
  }

  private look(): void {
    const id = this.taken[0]?.id ?? '';
    const seen = this.bench.engine.checkpoints.diffNow(id, this.bench.workspace, this.hints);
    this.hints = [];
    assert.deepEqual(seen, this.bench.engine.checkpoints.diffNow(id, this.bench.workspace));
  }

  private restore({ which, choice }: Step): void {
    const target = this.taken[which % this.taken.length];
    if (target === undefined) return;
    const before = treeOf(this.bench.root);
    const files = Object.keys({ ...this.visible(), ...target.tree }).filter((_, index) => (which >> index) % 2 === 0);
    const options: RestoreOptions = {
      ...(choice === 'default' ? {} : { overwrite: 'all' }),
      ...(choice === 'some' ? { files: files.map((name) => this.bench.at(name)) } : {}),
    };
    const result = this.bench.engine.restores.restore(
      'session',
      { kind: 'checkpoint', id: target.id },
      this.bench.workspace,
      options,
    );
    this.keepsIgnored(before);
    const isDone = ({ steps }: RestoreResult) => steps.every(({ outcome }) => outcome === 'done');
    if (choice === 'all' && isDone(result)) this.equals(this.visible(), target.tree);
    if (which % 3 === 0) {
      this.checkpoint();
      return;
    }
    const undo = this.bench.engine.restores.restore(
      'session',
      { kind: 'restore', id: result.operationId },
      this.bench.workspace,
      {
        overwrite: 'all',
      },
    );
    const now = treeOf(this.bench.root);
    const then = before;
    if (choice === 'all' && isDone(undo)) this.equals(now, then);
    else assert.deepEqual(folded(now), folded(then));
  }

  /** Compares names exactly. Ignores case if ignored files exist, because they can keep the old spelling of their folder. */
  private equals(now: Tree, then: Tree): void {
    if (Object.keys(treeOf(this.bench.root)).some(isIgnored)) assert.deepEqual(folded(now), folded(then));
    else assert.deepEqual(now, then);
  }

  /** Checks that ignored files are unchanged, except that a restore may change the case of their folders. */
  private keepsIgnored(before: Tree): void {
    const of = (tree: Tree) => folded(Object.fromEntries(Object.entries(tree).filter(([name]) => isIgnored(name))));
    assert.deepEqual(of(treeOf(this.bench.root)), of(before));
  }

  private visible(): Tree {
    return Object.fromEntries(Object.entries(treeOf(this.bench.root)).filter(([name]) => !isIgnored(name)));
  }
}

function otherSpelling(name: string): string {
  const spellings = names.find((pair) => (pair as readonly string[]).includes(name));
  return spellings?.find((one) => one !== name) ?? name;
}

function onlyNames(tree: Tree): Record<string, true> {
  return Object.fromEntries(Object.keys(tree).map((name) => [name, true]));
}

function folded(tree: Tree): Tree {
  return Object.fromEntries(
    Object.entries(tree)
      .map(([name, content]): [string, string] => [foldedName(name), content])
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

function randomRenames(): void {
  let disk: CaselessDisk;

  before(async () => {
    disk = await mountCaselessDisk();
  });
  after(() => disk.unmount());

  it('are restored and undone with the exact names', function () {
    this.timeout(0);
    const property = fc.property(fc.array(step, { maxLength: 14, size: 'max' }), (steps) => {
      const sequence = new Sequence(disk.folder);
      try {
        for (const one of steps) sequence.perform(one);
        assert.deepEqual(sequence.bench.engine.care.verify().problems, []);
      } finally {
        sequence.bench.clean();
      }
    });
    fc.assert(property, { numRuns: sequences, seed: firstSeed });
  });
}

if (hasCaselessDisk('random renames on a file system that ignores case'))
  describe(`random renames where case and Unicode form do not count, SEED=${firstSeed}`, randomRenames);
