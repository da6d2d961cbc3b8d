import path from 'node:path';
import { isSystemError, messageOf } from '../../../../utils/errors';
import type { ObjectStore } from '../objects/objectStore';
import type { FileState } from '../scan/scannedFile';
import { SnapshotError } from '../../snapshotError';
import type { DoneSteps } from './doneSteps';
import type { FileWriter, Place } from './fileWriter';
import type { StepResult } from './operationRows';
import { isSameContent } from '../scan/scannedFile';
import type { RestoreStep } from './restoreStep';
import { blockedBy, BlockedError, type Obstacle } from './way';

const groupLength = 64;
const groupBytes = 16 * 1024 * 1024;

/**
 * Carries out the steps of a restore: each only where the file is as it was planned, none that was carried out before, and whatever keeps one
 * keeps no other.
 */
export class StepRunner {
  private numbers = new Map<RestoreStep, number>();
  /** Contents of files that are about to be replaced, and that nobody could bring back. */
  private lost: ReadonlySet<string> = new Set();

  constructor(
    private readonly objects: ObjectStore,
    private readonly writer: FileWriter,
    private readonly done: DoneSteps,
  ) {}

  /** Carries out the steps and returns the results in their order. */
  run(steps: readonly RestoreStep[]): StepResult[] {
    const { objects, writer } = this;
    this.numbers = new Map(steps.map((step, number) => [step, number]));
    const others = steps.filter(({ action }) => action !== 'delete');
    // A removal that makes room for what comes goes first, any other last: until then what it takes may be the last copy of a content. Of
    // folders within folders the inner ones go first.
    const isInTheWay = inTheWayOf(others);
    const removals = steps.filter(({ action }) => action === 'delete').toReversed();
    const results = new Map<RestoreStep, StepResult>();
    const removeAll = (some: readonly RestoreStep[]) => {
      for (const group of groupsOf(some)) {
        this.checkReplaced(group);
        for (const step of group) results.set(step, this.applyOne(step));
      }
    };
    const placeOf = objects.placeOf();
    const places = new Map(others.map((step) => [step, placeOf(step.to?.hash ?? '')]));
    others.sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
    removeAll(removals.filter(isInTheWay));
    for (const group of groupsOf(others)) {
      for (const step of group) this.prepare(step);
      writer.settle();
      this.checkReplaced(group);
      for (const step of group) results.set(step, this.applyOne(step));
    }
    removeAll(removals.filter((step) => !isInTheWay(step)));
    return steps.map((step) => results.get(step) as StepResult);
  }

  /** Looks whether what the next steps take away can be brought back, as packs are now. */
  private checkReplaced(steps: readonly RestoreStep[]): void {
    const replaced = steps.filter((step) => isPlanned(step) && !isModeOnly(step.from, step.to));
    this.lost = this.objects.unreadable(replaced.flatMap(({ from }) => from?.hash ?? []));
  }

  /** Writes a file beside its place, so that many become durable together. If that fails, its turn comes again. */
  private prepare(step: RestoreStep): void {
    const { writer } = this;
    const { root, from, to } = step;
    if (!isPlanned(step) || this.isDone(step) || to?.kind !== 1 || isModeOnly(from, to)) return;
    const file = path.join(root, step.path);
    try {
      writer.sweep(root, file);
      const place = writer.placeOf(root, file);
      if (!this.isReached(step, place) && isAsPlanned(step, place)) writer.prepare(root, file, to, this.contentOf(to));
    } catch (error) {
      if (!isExpected(error)) throw error;
    }
  }

  private applyOne(step: RestoreStep): StepResult {
    const { writer } = this;
    if (!isPlanned(step)) return { ...step, outcome: 'skipped', problem: null };
    const { root } = step;
    const file = path.join(root, step.path);
    try {
      if (!writer.isPrepared(file)) writer.sweep(root, file);
      const outcome = this.outcomeOf(step, writer.placeOf(root, file));
      if (outcome === null) {
        this.change(step, file);
        this.done.add(this.numbers.get(step) as number);
      } else writer.drop(root, file);
      return { ...step, outcome: outcome ?? 'done', problem: null };
    } catch (error) {
      if (!isExpected(error)) throw error;
      writer.drop(root, file);
      const reason = error instanceof SnapshotError ? 'damaged' : step.reason;
      return { ...step, reason, outcome: 'failed', problem: messageOf(error) };
    }
  }

  /** Returns the result of a step given the present content of its path; null if the step is to be carried out. Throws `BlockedError`. */
  private outcomeOf(step: RestoreStep, place: Place): 'done' | 'changed' | null {
    if (this.isReached(step, place)) return 'done';
    if (place.kind === 'blocked' && step.to !== null) throw blockedBy(place.by);
    return !this.isDone(step) && isAsPlanned(step, place) ? null : 'changed';
  }

  private isDone(step: RestoreStep): boolean {
    return this.done.has(this.numbers.get(step) as number);
  }

  private isReached(step: RestoreStep, place: Place): boolean {
    if (place.kind === 'state') return isSameContent(place.state, step.to);
    if (step.to !== null || place.kind === 'other') return false;
    // The file that goes is no folder, and is not in what took the place of its own folder. But of a link somebody has to be told.
    return place.kind !== 'blocked' || !place.by.isLink || this.isOurs(step, place.by);
  }

  /** Tells whether this restore has put the link there. */
  private isOurs({ root }: RestoreStep, { at }: Obstacle): boolean {
    const relative = path.relative(root, at).split(path.sep).join('/');
    for (const step of this.numbers.keys()) {
      if (step.root !== root || step.path !== relative || !isPlanned(step) || step.to?.kind !== 2) continue;
      const place = this.writer.placeOf(root, at);
      return place.kind === 'state' && isSameContent(place.state, step.to);
    }
    return false;
  }

  private change({ root, from, to }: RestoreStep, file: string): void {
    const { writer } = this;
    if (!isModeOnly(from, to) && this.lost.has(from?.hash ?? ''))
      throw new SnapshotError('damaged', `What is stored of ${file} is damaged, so it would be lost`);
    if (to === null) {
      writer.remove(root, file);
    } else if (isModeOnly(from, to)) {
      writer.setMode(root, file, to);
    } else {
      writer.write(root, file, to, () => this.contentOf(to));
    }
  }

  private contentOf({ hash }: FileState): Buffer {
    return this.objects.get(hash ?? '');
  }
}

export function isPlanned({ action }: RestoreStep): boolean {
  return action === 'create' || action === 'write' || action === 'delete';
}

/** Groups steps by number of files and bytes, so that neither open files nor room on the disk become scarce. */
function* groupsOf(steps: readonly RestoreStep[]): Generator<RestoreStep[]> {
  let [group, bytes]: [RestoreStep[], number] = [[], 0];
  for (const step of steps) {
    group.push(step);
    bytes += step.to?.size ?? 0;
    if (group.length < groupLength && bytes < groupBytes) continue;
    yield group;
    [group, bytes] = [[], 0];
  }
  yield group;
}

function isModeOnly(from: FileState | null, to: FileState | null): to is FileState {
  return from?.kind === 1 && to?.kind === 1 && from.hash === to.hash;
}

/** Tells of a removal whether a file comes back at its place, above or below it; also where the disk takes two names for one. */
function inTheWayOf(coming: readonly RestoreStep[]): (step: RestoreStep) => boolean {
  const nameOf = ({ root, path: relative }: RestoreStep) => path.join(root, relative).normalize('NFC').toLowerCase();
  const files = new Set(coming.filter(isPlanned).map(nameOf));
  const folders = new Set([...files].flatMap(foldersAbove));
  return (step) => {
    const name = nameOf(step);
    return files.has(name) || folders.has(name) || foldersAbove(name).some((folder) => files.has(folder));
  };
}

function foldersAbove(name: string): string[] {
  const above = path.dirname(name);
  return above === name ? [] : [above, ...foldersAbove(above)];
}

/** Tells whether a step can be carried out given the present content of its path. */
function isAsPlanned({ from }: RestoreStep, place: Place): boolean {
  if (place.kind === 'state') return isSameContent(place.state, from);
  return place.kind === 'folder' && from === null;
}

/** Tells whether an error keeps only one file from being restored. */
function isExpected(error: unknown): boolean {
  return isSystemError(error) || error instanceof BlockedError || error instanceof SnapshotError;
}
