import path from 'node:path';
import { isSystemError, messageOf } from '../../../../utils/errors';
import { foldedName } from '../../../../utils/files/foldedName';
import type { ObjectStore } from '../objects/objectStore';
import type { FileState } from '../scan/scannedFile';
import { SnapshotError } from '../../snapshotError';
import type { DoneSteps } from './doneSteps';
import type { FileWriter, Place } from './fileWriter';
import type { StepResult } from './operationRows';

import { isSameContent } from '../scan/scannedFile';
import type { RestoreStep } from './restoreStep';
import { blockedBy, BlockedError, type Obstacle } from './pathState';

const groupLength = 64;
const groupBytes = 16 * 1024 * 1024;

/**
 * Runs the steps of a restore. Changes only files that are in their planned state, and never runs a step twice. A failing step
 * does not stop the others.
 */
export class StepRunner {
  private numbers = new Map<RestoreStep, number>();
  /** Unreadable contents of files to replace. Replacing these files would lose the contents. */
  private lost: ReadonlySet<string> = new Set();
  /** Hashes of the contents that were read from the packs. Reading also verifies them. */
  readonly read = new Set<string>();
  /** Names of the files to create, in folded form. */
  private respelled: ReadonlySet<string> = new Set();

  constructor(
    private readonly objects: ObjectStore,
    private readonly writer: FileWriter,
    private readonly done: DoneSteps,
  ) {}

  /** Runs the steps and returns the results in their order. */
  run(steps: readonly RestoreStep[]): StepResult[] {
    const { objects, writer } = this;
    this.numbers = new Map(steps.map((step, number) => [step, number]));
    const others = objects.inOrder(
      steps.filter(({ action }) => action !== 'delete'),
      ({ to }) => to?.hash ?? '',
    );
    // Run deletions first if they make room for other files. Run all other deletions last, because a file may be the last copy of
    // its content. Delete inner folders before outer ones.
    const isInTheWay = createBlockerCheck(others);
    this.respelled = new Set(others.filter(isPlanned).map(namedBy));
    const removals = steps.filter(({ action }) => action === 'delete').toReversed();
    const results = new Map<RestoreStep, StepResult>();
    const removeAll = (some: readonly RestoreStep[]) => {
      for (const group of groupSteps(some)) {
        this.checkReplaced(group);
        for (const step of group) results.set(step, this.applyOne(step));
      }
    };
    removeAll(removals.filter(isInTheWay));
    writer.respellFolders(removals.filter(isPlanned), others.filter(isPlanned));
    for (const group of groupSteps(others)) {
      for (const step of group) this.prepare(step);
      writer.syncPrepared();
      this.checkReplaced(group);
      for (const step of group) results.set(step, this.applyOne(step));
    }
    removeAll(removals.filter((step) => !isInTheWay(step)));
    return steps.map((step) => results.get(step) as StepResult);
  }

  /** Checks whether the packs contain readable copies of the contents to be replaced or deleted. */
  private checkReplaced(steps: readonly RestoreStep[]): void {
    const replaced = steps.filter((step) => isPlanned(step) && !isModeOnly(step.from, step.to));
    this.lost = this.objects.unreadable(replaced.flatMap(({ from }) => from?.hash ?? []));
  }

  /** Writes a temporary file next to its target, so that many files are synced together. After a failure, `applyOne` writes it. */
  private prepare(step: RestoreStep): void {
    const { writer } = this;
    const { root, from, to } = step;
    if (!isPlanned(step) || this.isDone(step) || to?.kind !== 1 || isModeOnly(from, to)) return;
    const file = path.join(root, step.path);
    try {
      // `applyOne` compares the content immediately before it replaces the file.
      if (writer.maybe(root, file, from)) writer.prepare(root, file, to, this.readContent(to));
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
      const outcome = this.knownOutcome(step, writer.readPlace(root, file));
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

  /** Returns the result if the path's state already determines it, and null if the step must run. Throws `BlockedError`. */
  private knownOutcome(step: RestoreStep, place: Place): 'done' | 'changed' | null {
    if (this.isReached(step, place)) return 'done';
    if (place.kind === 'blocked' && step.to !== null) throw blockedBy(place.by);
    return !this.isDone(step) && isAsPlanned(step, place) ? null : 'changed';
  }

  private isDone(step: RestoreStep): boolean {
    return this.done.has(this.numbers.get(step) as number);
  }

  private isReached(step: RestoreStep, place: Place): boolean {
    if (place.kind === 'state' && place.state !== null && step.to === null) return this.isRespelled(step);
    if (place.kind === 'state') return isSameContent(place.state, step.to);
    if (step.to !== null || place.kind === 'other') return false;
    // The file is already deleted if a folder is in its place, or a file
    // is in place of a parent folder. A link in the path is reported.
    return place.kind !== 'blocked' || !place.by.isLink || this.isOurs(step, place.by);
  }

  /** Returns true if the file at this path has another spelling that this restore creates. */
  private isRespelled(step: RestoreStep): boolean {
    return this.respelled.has(namedBy(step)) && !this.writer.isSpelled(step.root, step.path);
  }

  /** Returns true if this restore created the link. */
  private isOurs({ root }: RestoreStep, { at }: Obstacle): boolean {
    const relative = path.relative(root, at).split(path.sep).join('/');
    for (const step of this.numbers.keys()) {
      if (step.root !== root || step.path !== relative || !isPlanned(step) || step.to?.kind !== 2) continue;
      const place = this.writer.readPlace(root, at);
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
      writer.write(root, file, to, () => this.readContent(to));
    }
  }

  private readContent({ hash }: FileState): Buffer {
    const content = this.objects.get(hash ?? '');
    this.read.add(hash ?? '');
    return content;
  }
}

export function isPlanned({ action }: RestoreStep): boolean {
  return action === 'create' || action === 'write' || action === 'delete';
}

/** Groups steps by file count and bytes. This limits the number of open files and the disk space. */
function* groupSteps(steps: readonly RestoreStep[]): Generator<RestoreStep[]> {
  let group: RestoreStep[] = [];
  let bytes = 0;
  for (const step of steps) {
    group.push(step);
    bytes += step.to?.size ?? 0;
    if (group.length < groupLength && bytes < groupBytes) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  yield group;
}

function isModeOnly(from: FileState | null, to: FileState | null): to is FileState {
  return from?.kind === 1 && to?.kind === 1 && from.hash === to.hash;
}

/** Returns a function that checks whether a deletion makes room for a file. Ignores case and Unicode form. */
function createBlockerCheck(coming: readonly RestoreStep[]): (step: RestoreStep) => boolean {
  const files = new Set(coming.filter(isPlanned).map(namedBy));
  const folders = new Set([...files].flatMap(foldersAbove));
  return (step) => {
    const name = namedBy(step);
    return files.has(name) || folders.has(name) || foldersAbove(name).some((folder) => files.has(folder));
  };
}

function namedBy({ root, path: relative }: RestoreStep): string {
  return foldedName(path.join(root, relative));
}

function foldersAbove(name: string): string[] {
  const above = path.dirname(name);
  return above === name ? [] : [above, ...foldersAbove(above)];
}

/** Returns true if the path is still in the planned state. */
function isAsPlanned({ from }: RestoreStep, place: Place): boolean {
  if (place.kind === 'state') return isSameContent(place.state, from);
  return place.kind === 'folder' && from === null;
}

/** Returns true if the error concerns only one file. */
function isExpected(error: unknown): boolean {
  return isSystemError(error) || error instanceof BlockedError || error instanceof SnapshotError;
}
