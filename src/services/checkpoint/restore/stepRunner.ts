import path from 'node:path';
import { messageOf } from '../../../utils/errors';
import { isSystemError } from '../fileSystem';
import type { ObjectStore } from '../objectStore';
import type { FileState } from '../scan/scannedFile';
import { SnapshotError } from '../snapshotError';
import { BlockedError, type FileWriter } from './fileWriter';
import type { StepResult } from './operationRows';
import { isSameContent, type RestoreStep } from './restorePlan';

const groupLength = 64;
const groupBytes = 16 * 1024 * 1024;

/** Carries out the steps of a restore: each only where the file is as it was planned, and whatever keeps one keeps no other. */
export class StepRunner {
  constructor(
    private readonly objects: ObjectStore,
    private readonly writer: FileWriter,
  ) {}

  /** What became of the steps, in their order. */
  run(steps: readonly RestoreStep[]): StepResult[] {
    const { objects, writer } = this;
    // What goes makes room for what comes; of folders within folders the inner ones go first.
    const [removals, others] = [
      steps.filter(({ action }) => action === 'delete'),
      steps.filter(({ action }) => action !== 'delete'),
    ];
    const results = new Map<RestoreStep, StepResult>();
    const placeOf = objects.placeOf();
    const places = new Map(others.map((step) => [step, placeOf(step.to?.hash ?? '')]));
    others.sort((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
    for (const step of removals.toReversed()) results.set(step, this.applyOne(step));
    for (const group of groupsOf(others)) {
      for (const step of group) this.prepare(step);
      writer.settle();
      for (const step of group) results.set(step, this.applyOne(step));
    }
    return steps.map((step) => results.get(step) as StepResult);
  }

  /** Files that are written beside their places first become durable together. Whatever keeps one from that, its turn comes again. */
  private prepare(step: RestoreStep): void {
    const { writer } = this;
    const { root, from, to } = step;
    if (!isPlanned(step) || to?.kind !== 1 || isModeOnly(from, to)) return;
    const file = path.join(root, step.path);
    try {
      writer.sweep(file);
      if (this.obstacleTo(step, writer.stateOf(file)) === null) writer.prepare(root, file, to, this.contentOf(to));
    } catch (error) {
      if (!isExpected(error)) throw error;
    }
  }

  private applyOne(step: RestoreStep): StepResult {
    const { writer } = this;
    if (!isPlanned(step)) return { ...step, outcome: 'skipped', problem: null };
    const file = path.join(step.root, step.path);
    try {
      // Nothing is there: also where that is what was planned, nobody knows what became of the file.
      if (!writer.isThere(step.root)) throw new BlockedError(`${step.root} is not there`);
      if (!writer.isPrepared(file)) writer.sweep(file);
      const outcome = this.obstacleTo(step, writer.stateOf(file));
      if (outcome === null) this.change(step, file);
      else writer.drop(file);
      return { ...step, outcome: outcome ?? 'done', problem: null };
    } catch (error) {
      if (!isExpected(error)) throw error;
      writer.drop(file);
      return { ...step, outcome: 'failed', problem: messageOf(error) };
    }
  }

  /** Why a step is not carried out where this is what is there now; null where it is. */
  private obstacleTo({ from, to }: RestoreStep, state: FileState | null | undefined): 'done' | 'changed' | null {
    if (state !== undefined && isSameContent(state, to)) return 'done';
    const isEmptyPlace = state === undefined && from === null;
    return isEmptyPlace || (state !== undefined && isSameContent(state, from)) ? null : 'changed';
  }

  private change({ root, from, to }: RestoreStep, file: string): void {
    const { writer } = this;
    if (to === null) {
      writer.remove(file);
    } else if (isModeOnly(from, to)) {
      writer.setMode(file, to.mode);
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

/** Of so many files, or so many bytes, at most, so that neither open files nor room on the disk become scarce. */
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

function isModeOnly(from: FileState | null, to: FileState): boolean {
  return from?.kind === 1 && to.kind === 1 && from.hash === to.hash;
}

/** What keeps one file from being restored, and no other. */
function isExpected(error: unknown): boolean {
  return isSystemError(error) || error instanceof BlockedError || error instanceof SnapshotError;
}
