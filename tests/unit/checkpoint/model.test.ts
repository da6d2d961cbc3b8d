import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import type { RestoreOptions } from '../../../src/services/checkpoint/engine/restore/restorePlan';
import type { RestoreResult } from '../../../src/services/checkpoint/engine/restore/restoreExecution';
import { rounds, runSeed } from '../../support/rounds';
import { filesIn } from './support/churnReport';
import { EngineBench } from './support/engineBench';
import { isSpecial, SpecialFiles } from './support/specialFiles';
import {
  foldersAbove,
  isInWay,
  WorkspaceModel,
  type ModelChoice,
  type ModelLook,
  type ModelTree,
} from './support/workspaceModel';

const parts = 8;
/** `SEQUENCES=20000 npx mocha …` runs more sequences, `SEED=…` repeats a failed run. */
const sequences = Number(process.env.SEQUENCES ?? rounds(5) * parts);
const firstSeed = runSeed();
/** Spellings that are the same file if the system ignores case and Unicode form. On such systems, `caselessSequences` tests renames. */
const alike = ignoresCase() ? [] : ['A', 'e\u0301'];
const paths = ['a', 'b', 'd', 'd/x', 'd/e', 'd/e/y', 'ign1', 'd/ign2', 'out/z', 'é', 'k', 'k/x', 'c/x', ...alike];
const isIgnored = (file: string) => /(^|\/)ign|^out\/|^k$/.test(file);
/** Files outside the workspace, which must never change. */
const outside = { x: 'x', 'e/y': 'y', ign2: 'ignored', z: 'z' };

/** Relative frequency of each step. */
const weights = {
  write: 20,
  sameSize: 10,
  chmod: 8,
  link: 6,
  delete: 8,
  rename: 8,
  agentWrites: 10,
  agentDeletes: 4,
  look: 12,
  checkpoint: 18,
  restore: 8,
  undo: 6,
  approve: 4,
  reset: 3,
  removeCheckpoint: 4,
  collect: 3,
  startAgain: 3,
  command: 6,
  hardLink: 8,
  // Not supported on Windows.
  special: process.platform === 'win32' ? 0 : 8,
  clone: 4,
};

interface Step {
  what: keyof typeof weights;
  file: string;
  other: string;
  content: string;
  /** Index of one of the existing checkpoints, restores or links. */
  which: number;
  /** The user's choice for a restore: everything, the default, or the paths whose bits are set. */
  choice: 'all' | 'default' | 'some' | 'each';
  files: number;
  overwrite: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.oneof(...Object.entries(weights).map(([what, weight]) => ({ weight, arbitrary: fc.constant(what as Step['what']) }))),
  file: fc.constantFrom(...paths),
  other: fc.constantFrom(...paths),
  content: fc.string({ unit: fc.constantFrom('a', 'b', '\r', '\n'), maxLength: 11 }),
  which: fc.nat(1_000),
  choice: fc.constantFrom('all', 'default', 'default', 'some', 'each'),
  files: fc.nat(2 ** paths.length - 1),
  overwrite: fc.nat(2 ** paths.length - 1),
});

function ignoresCase(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-case-'));
  try {
    return existsSync(path.join(path.dirname(folder), path.basename(folder).toUpperCase()));
  } finally {
    rmdirSync(folder);
  }
}

/** Converts a step's choice to the format of the model. */
function chosenBy({ choice, files, overwrite }: Step): ModelChoice {
  const of = (bits: number) => new Set(paths.filter((_, index) => (bits & (1 << index)) !== 0));
  if (choice === 'all') return { overwrite: 'all' };
  if (choice === 'default') return {};
  return choice === 'some' ? { files: of(files) } : { files: of(files), overwrite: of(overwrite) };
}

const specials = new SpecialFiles();

class Sequence {
  readonly bench = new EngineBench();
  readonly outside = this.bench.folder();
  /** Hard links outside the workspace, with the states that they must keep. */
  private readonly names = new Map<string, string>();
  private readonly namesFolder = this.bench.folder();
  readonly model = new WorkspaceModel(isIgnored);
  private readonly restores: { id: string; beforeId: string; changed: string[] }[] = [];
  private approved: string | undefined;
  /** True if the folder `c` has a Git history. No restore changes the history. */
  private isClone = false;
  /** Paths that changed since the last look. `earlier` has the paths of the look before. */
  private events: string[] = [];
  private earlier: string[] = [];

  constructor() {
    // `k` is ignored as a file, but not as a folder, so that either can replace the other.
    const rules = 'ign*\nk\n!k/\nout/\n';
    this.bench.write('.gitignore', rules);
    this.model.disk.set('.gitignore', `644 ${rules}`);
    for (const [name, content] of Object.entries(outside)) {
      mkdirSync(path.dirname(path.join(this.outside, name)), { recursive: true });
      writeFileSync(path.join(this.outside, name), content);
    }
    this.write('a', 'one');
    this.write('ign1', 'two');
  }

  perform(step: Step): void {
    const { what, other, content, which } = step;
    // Usually an existing file, so that restores encounter it.
    const found =
      what === 'hardLink' || (what === 'special' && which % 4 < 3) ? pick([...this.model.disk.keys()].sort(), which) : undefined;
    const file = found === '.gitignore' ? step.file : (found ?? step.file);
    const choice = chosenBy(step);
    const work: Record<Step['what'], () => void> = {
      write: () => this.write(file, content),
      sameSize: () => this.writeSameSize(file, content),
      chmod: () => this.chmod(file),
      link: () => this.link(file, this.targets(file)[which % 7] ?? ''),
      delete: () => this.remove(file),
      rename: () => this.rename(file, other),
      agentWrites: () => this.agent(file, () => this.write(file, content)),
      agentDeletes: () => this.agent(file, () => this.remove(file)),
      look: () => this.look(which),
      checkpoint: () => this.checkpoint(),
      restore: () => this.restore(which, choice),
      undo: () => this.undo(which, choice),
      approve: () => this.approve(),
      reset: () => this.reset(choice),
      removeCheckpoint: () => this.removeCheckpoint(which),
      collect: () => this.collect(),
      startAgain: () => this.bench.reopen(),
      command: () => this.command(file, other, content),
      hardLink: () => this.hardLink(file, other, which % 2 === 0),
      special: () => this.special(file, which),
      clone: () => this.clone(),
    };
    work[what]();
    const changing = [
      'write',
      'sameSize',
      'chmod',
      'link',
      'delete',
      'rename',
      'agentWrites',
      'agentDeletes',
      'command',
      'hardLink',
      'special',
    ];
    if (changing.includes(what)) {
      this.events.push(file, ...(['rename', 'command', 'hardLink'].includes(what) ? [other] : []));
    }
  }

  /** Checks the workspace and the hashes of every checkpoint, and reads the contents of one checkpoint. */
  check({ which }: Step): void {
    assert.deepEqual(this.disk(), new Map([...this.model.disk].sort()));
    assert.equal(this.lookAt('c/.git/HEAD') !== undefined, this.isClone);
    assert.deepEqual(
      Object.fromEntries(filesIn(this.outside).map((name) => [name, readFileSync(path.join(this.outside, name), 'utf8')])),
      outside,
    );
    for (const [name, state] of this.names) assert.equal(stateOf(name), state, name);
    for (const name of this.model.specials) assert.ok(isSpecial(this.bench.at(name)), name);
    for (const one of this.model.checkpoints) this.checkStored(one);
    const one = pick(this.model.checkpoints, which);
    if (one !== undefined) this.checkContents(one);
  }

  checkAll(): void {
    for (const one of this.model.checkpoints) this.checkContents(one);
    assert.deepEqual(this.bench.engine.care.verify().problems, []);
  }

  /** Creates a nested clone or removes its history. The last checkpoint then reports the history as missing. */
  private clone(): void {
    const last = this.model.checkpoints.at(-1)?.id;
    const historiesOf = (id: string) =>
      this.bench.engine.restores
        .uncovered('session', { kind: 'checkpoint', id }, 9)
        .histories.map((one) => [one.path, one.isGone]);
    const named = last === undefined ? [] : historiesOf(last);
    this.isClone = !this.isClone;
    if (this.isClone) this.bench.write('c/.git/HEAD', 'ref: refs/heads/main\n');
    else rmSync(this.bench.at('c/.git'), { recursive: true });
    const expected = named.map(([folder]) => [folder, !this.isClone]);
    if (last !== undefined) assert.deepEqual(historiesOf(last), expected);
  }

  private checkStored({ id, tree }: { id: string; tree: ModelTree }): void {
    const stored = this.bench.engine.checkpoints
      .files(id)
      .map(({ path: file, state }) => `${file} ${state.kind === 2 ? '->' : state.mode.toString(8)} ${state.hash}`);
    const expected = [...tree].map(([file, state]) => {
      const mode = state.slice(0, state.indexOf(' '));
      return `${file} ${mode} ${hashOf(state.slice(mode.length + 1))}`;
    });
    assert.deepEqual(stored.sort(), expected.sort());
  }

  private checkContents({ id, tree }: { id: string; tree: ModelTree }): void {
    const stored = this.bench.engine.checkpoints.files(id).map(({ path: file, state }): [string, string] => {
      const content = Buffer.from(this.bench.engine.objects.get(state.hash ?? '')).toString();
      return [file, state.kind === 2 ? `-> ${content}` : `${state.mode.toString(8)} ${content}`];
    });
    assert.deepEqual(new Map(stored.sort()), new Map([...tree].sort()));
  }

  /** Returns possible link targets: a file, missing paths, a sibling folder, paths outside the workspace, and the link itself. */
  private targets(file: string): string[] {
    return ['a', '../nowhere', 'nowhere/d', 'd', this.outside, path.join(this.outside, 'e'), path.basename(file)];
  }

  /** Deletes everything that blocks a path, as a user would. */
  private makeRoom(file: string): void {
    for (const other of [...this.model.disk.keys()].filter((one) => isInWay(one, file))) {
      this.model.disk.delete(other);
      this.events.push(other);
      rmSync(this.bench.at(other));
    }
    for (const other of [...this.model.specials].filter((one) => one === file || isInWay(one, file))) this.removeSpecial(other);
    rmSync(this.bench.at(file), { recursive: !this.model.disk.has(file), force: true });
    mkdirSync(path.dirname(this.bench.at(file)), { recursive: true });
  }

  private write(file: string, content: string): void {
    const known = this.model.disk.get(file);
    if (known?.startsWith('->')) this.remove(file);
    if (!this.model.disk.has(file)) this.makeRoom(file);
    mkdirSync(path.dirname(this.bench.at(file)), { recursive: true });
    this.unshare(file);
    writeFileSync(this.bench.at(file), content);
    this.model.disk.set(file, `${known?.startsWith('755') ? '755' : '644'} ${content}`);
  }

  private writeSameSize(file: string, content: string): void {
    const known = this.model.disk.get(file);
    if (known === undefined || known.startsWith('->')) return;
    this.write(file, content.slice(0, known.length - 4).padEnd(known.length - 4, 'c'));
  }

  private chmod(file: string): void {
    const known = this.model.disk.get(file);
    if (known === undefined || known.startsWith('->')) return;
    const mode = known.startsWith('755') ? 0o644 : 0o755;
    this.unshare(file);
    chmodSync(this.bench.at(file), mode);
    this.model.disk.set(file, `${mode.toString(8)}${known.slice(3)}`);
  }

  private link(file: string, target: string): void {
    this.remove(file);
    this.makeRoom(file);
    symlinkSync(target, this.bench.at(file));
    this.model.disk.set(file, `-> ${target}`);
  }

  private remove(file: string): void {
    if (!this.model.disk.has(file)) return;
    rmSync(this.bench.at(file), { force: true });
    this.model.disk.delete(file);
  }

  /** Creates a hard link to a file, inside or outside the workspace. */
  private hardLink(file: string, other: string, isInside: boolean): void {
    const known = this.model.disk.get(file);
    if (known === undefined || known.startsWith('->') || file === other || isInWay(file, other)) return;
    if (isInside) {
      this.remove(other);
      this.makeRoom(other);
      linkSync(this.bench.at(file), this.bench.at(other));
      this.model.disk.set(other, known);
    } else {
      const name = path.join(this.namesFolder, String(this.names.size));
      linkSync(this.bench.at(file), name);
      this.names.set(name, known);
    }
  }

  /** Separates a file from its hard links before the user changes it. */
  private unshare(file: string): void {
    const at = this.bench.at(file);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats?.isFile() !== true || stats.nlink === 1) return;
    const content = readFileSync(at);
    rmSync(at);
    writeFileSync(at, content);
    chmodSync(at, stats.mode & 0o777);
  }

  /** Adds or removes a pipe or socket. */
  private special(file: string, which: number): void {
    if (this.model.specials.has(file)) {
      this.removeSpecial(file);
      return;
    }
    this.remove(file);
    this.makeRoom(file);
    specials.put(which % 2 === 0 ? 'pipe' : 'socket', this.bench.at(file));
    this.model.specials.add(file);
  }

  private removeSpecial(file: string): void {
    rmSync(this.bench.at(file));
    this.model.specials.delete(file);
    this.events.push(file);
  }

  private rename(from: string, to: string): void {
    const known = this.model.disk.get(from);
    if (known === undefined || from === to || isInWay(from, to)) return;
    if (!this.model.disk.has(to)) this.makeRoom(to);
    renameSync(this.bench.at(from), this.bench.at(to));
    // POSIX `rename` keeps both names if they are hard links to the same file. `mv` removes the old name.
    rmSync(this.bench.at(from), { force: true });
    this.model.disk.delete(from);
    this.model.disk.set(to, known);
  }

  private agent(file: string, work: () => void): void {
    // Tools use real paths and do not replace a folder with a file.
    if ([...this.model.disk.keys(), ...this.model.specials].some((other) => other !== file && isInWay(other, file))) return;
    if (this.model.specials.has(file)) return;
    this.bench.engine.checkpoints.stage('session', this.bench.workspace, this.bench.root, file);
    this.model.stage(file);
    work();
  }

  /** Delivers events once, twice, late or never. Checkpoints must be correct in all cases. */
  private look(which: number): void {
    if (this.approved === undefined) return;
    const how = (['all', 'twice', 'late', 'lost'] as const)[which % 4];
    const { events, earlier } = this;
    const told =
      how === 'twice' ? [...earlier, ...events, ...events] : how === 'all' ? events : events.filter((_, at) => at % 2 === 0);
    const hints = told.map((file) => this.bench.at(file));
    const seen = this.bench.engine.checkpoints.diffNow(this.approved, this.bench.workspace, hints);
    this.earlier = events;
    this.events = how === 'late' ? events.filter((_, at) => at % 2 === 1) : [];
    if (how === 'all' || how === 'twice')
      assert.deepEqual(seen, this.bench.engine.checkpoints.diffNow(this.approved, this.bench.workspace));
    // Scans everything before the next check.
    if (how === 'lost') this.bench.engine.checkpoints.diffNow(this.approved, this.bench.workspace);
  }

  private checkpoint(): void {
    const taken = this.bench.engine.checkpoints.takeNow('session', 'message', 'A message', this.bench.workspace);
    const ids = taken.map(({ id }) => id);
    const tree = this.model.snapshot();
    for (const id of ids) this.model.checkpoint(id, this.ignored(), tree);
    this.approved ??= ids[0];
  }

  /** Changes files as a command of the session does, between two checkpoints. */
  private command(file: string, other: string, content: string): void {
    const take = (kind: 'command_before' | 'command_after'): string => {
      const infos = this.bench.engine.checkpoints.takeNow('session', kind, 'A command', this.bench.workspace);
      const tree = this.model.snapshot();
      for (const { id } of infos) this.model.checkpoint(id, this.ignored(), tree);
      this.approved ??= infos[0]?.id;
      return infos.at(-1)?.id ?? '';
    };
    const before = take('command_before');
    this.write(file, content);
    this.remove(other);
    this.model.pairOfCommand(before, take('command_after'));
  }

  private restore(which: number, choice: ModelChoice): void {
    const chosen = pick(this.model.checkpoints, which);
    if (chosen === undefined) return;
    const { id } = chosen;
    this.follow(
      id,
      this.seen(id),
      this.bench.engine.restores.restore('session', { kind: 'checkpoint', id }, this.bench.workspace, this.optionsOf(choice)),
      choice,
    );
  }

  private undo(which: number, choice: ModelChoice): void {
    const known = this.restores.filter(({ beforeId }) => this.model.checkpoints.some(({ id }) => id === beforeId));
    const chosen = pick(known, which);
    if (chosen === undefined) return;
    const { id, beforeId, changed } = chosen;
    const look = this.seen(beforeId);
    const result = this.bench.engine.restores.restore(
      'session',
      { kind: 'restore', id },
      this.bench.workspace,
      this.optionsOf(choice),
    );
    const files = new Set(changed.filter((file) => choice.files?.has(file) ?? true));
    this.follow(beforeId, look, result, { ...choice, files }, true);
  }

  private approve(): void {
    if (this.approved === undefined) return;
    this.approved = this.bench.engine.approvals.approve('session', this.bench.workspace, null).checkpointId;
    this.model.checkpoint(this.approved, this.ignored());
  }

  private reset(choice: ModelChoice): void {
    if (this.approved === undefined) return;
    this.follow(
      this.approved,
      this.seen(this.approved),
      this.bench.engine.restores.restore('session', { kind: 'approved' }, this.bench.workspace, this.optionsOf(choice)),
      choice,
    );
  }

  private optionsOf({ files, overwrite }: ModelChoice): RestoreOptions {
    const absolute = (chosen: ReadonlySet<string> | undefined) => chosen && [...chosen].map((file) => this.bench.at(file));
    return { files: absolute(files), overwrite: overwrite === 'all' ? 'all' : absolute(overwrite) };
  }

  /** Repeats the engine's restore in the model and compares the results. */
  private follow(
    target: string,
    look: ModelLook,
    { operationId, beforeId, afterId, steps }: RestoreResult,
    choice: ModelChoice,
    isUndo = false,
  ): void {
    const { done, left, failed } = this.model.restore(target, beforeId, choice, look);
    const told = new Map(steps.map(({ path: file, reason }) => [file, reason]));
    const expected = [
      ...done.map((file) => `${file} done`),
      // If there are several reasons, any of them is accepted.
      ...[...left].map(
        ([file, reasons]) => `${file} skipped ${[...reasons].find((one) => one === told.get(file)) ?? [...reasons][0]}`,
      ),
      ...failed.map((file) => `${file} failed`),
    ];
    assert.deepEqual(
      steps.map(({ path: file, outcome, reason }) => [file, outcome, ...(reason === null ? [] : [reason])].join(' ')).sort(),
      expected.sort(),
    );
    this.model.checkpoint(afterId, this.ignored());
    this.model.pairOfRestore(beforeId, afterId, { target, isUndo });
    this.restores.push({ id: operationId, beforeId, changed: [...done, ...failed] });
  }

  /** Returns the names that a checkpoint would leave out now: ignored files and skipped folders. */
  private ignored(): string[] {
    const files = [...this.model.disk.keys()].filter((file) => isIgnored(file) && !file.startsWith('out/'));
    const folders = ['out', 'c/.git'].filter((folder) => this.lookAt(folder)?.isDirectory() === true);
    return [...files, ...folders];
  }

  /** Reads the state of the disk before a restore. */
  private seen(target: string): ModelLook {
    const time = Number(this.bench.rows('SELECT created_at FROM checkpoints WHERE id = ?', target)[0]?.[0] ?? 0);
    const there = new Set([...paths, 'out', 'c/.git'].filter((name) => this.lookAt(name) !== undefined));
    const older = new Set(paths.filter((name) => (this.lookAt(name)?.birthtimeMs ?? time) < time));
    const unchanged = new Set(paths.filter((name) => (this.lookAt(name)?.ctimeMs ?? time) < time));
    return {
      ignored: this.ignored(),
      isThere: (name) => there.has(name),
      isOlder: (name) => older.has(name),
      isUnchanged: (name) => unchanged.has(name),
    };
  }

  /** Returns the stats of a path in the workspace. Returns undefined if the path leads through a link. */
  private lookAt(name: string): Stats | undefined {
    const isFolder = (folder: string) => lstatSync(this.bench.at(folder), { throwIfNoEntry: false })?.isDirectory() === true;
    if (!foldersAbove(name).every(isFolder)) return undefined;
    return lstatSync(this.bench.at(name), { throwIfNoEntry: false });
  }

  private removeCheckpoint(which: number): void {
    const removable = this.model.checkpoints.filter(({ id }) => this.bench.isRemovable(id));
    const id = pick(removable, which)?.id;
    if (id === undefined) return;
    const parent = this.bench.rows('SELECT parent_id FROM checkpoints WHERE id = ?', id)[0]?.[0] as string | null;
    this.bench.engine.checkpoints.remove(id);
    this.model.remove(id, parent ?? undefined);
  }

  private collect(): void {
    this.bench.rows('UPDATE snapshot_objects SET stored_at = 0');
    this.bench.engine.care.collectGarbage();
  }

  private disk(): Map<string, string> {
    const files: [string, string][] = [];
    for (const name of filesIn(this.bench.root).filter((one) => !one.includes('.git/'))) {
      const state = stateOf(this.bench.at(name));
      if (state !== null) files.push([name, state]);
    }
    return new Map(files.sort());
  }
}

/** Returns the state of a file or link in the format of the model. */
function stateOf(file: string): string | null {
  const stats = lstatSync(file);
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(file)}`;
  return stats.isFile() ? `${(stats.mode & 0o777).toString(8)} ${readFileSync(file, 'utf8')}` : null;
}

const hashes = new Map<string, string>();

function hashOf(content: string): string {
  let hash = hashes.get(content);
  if (hash === undefined) hashes.set(content, (hash = createHash('sha256').update(content).digest('hex')));
  return hash;
}

function pick<T>(from: readonly T[], which: number): T | undefined {
  return from[which % from.length];
}

describe(`workspace and store, SEED=${firstSeed}`, () => {
  after(() => specials.clean());
  for (let part = 1; part <= parts; part += 1) {
    it(`equal a plain model after every step of random sequences, ${part} of ${parts}`, function () {
      this.timeout(0);
      const property = fc.property(fc.array(step, { maxLength: 12, size: 'max' }), (steps) => {
        const sequence = new Sequence();
        try {
          for (const one of steps) {
            sequence.perform(one);
            sequence.check(one);
          }
          sequence.checkAll();
        } finally {
          sequence.bench.clean();
        }
      });
      fc.assert(property, { numRuns: Math.ceil(sequences / parts), seed: firstSeed + part });
    });
  }
});
