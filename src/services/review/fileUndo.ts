import { sep } from 'node:path';
import type { FileOperation, FileOperations, FilePlan, FileStep, PlannedChange } from '../database/sessions/fileOperations';
import type { FileSnapshots } from '../database/sessions/fileSnapshots';
import { changedJustNow, type FilesOnDisk } from '../files/fileOnDisk';
import { AppError, messageOf } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import type { PendingFiles } from './pendingFiles';
import type { UndoOutcome } from './reviewTypes';

interface UndoParts {
  rows: FileSnapshots;
  operations: FileOperations;
  pending: PendingFiles;
  files: FilesOnDisk;
  logger: Logger;
}

/** Changes the state of files and records this in the log. Stores plans first, so that interrupted plans can be finished. */
export class FileUndo {
  constructor(private readonly parts: UndoParts) {}

  /**
   * Plans one change. If the user chose to skip the file or planning
   * fails, returns an empty array and adds the reason to `outcome`.
   */
  async plan(shown: string, plan: () => Promise<PlannedChange | undefined>, outcome: UndoOutcome): Promise<[PlannedChange] | []> {
    try {
      const planned = await plan();
      if (planned !== undefined) return [planned];
      outcome.left.push({ shown, reason: 'asked' });
    } catch (error) {
      this.parts.logger.warn(`Could not undo ${shown}`, error);
      outcome.left.push({ shown, reason: describeReason(error) });
    }
    return [];
  }

  /** Carries out a plan and adds the results to `outcome`. Skips files that cannot be changed. Do not call it concurrently. */
  async perform(sessionId: string, plan: FilePlan, outcome: UndoOutcome): Promise<UndoOutcome> {
    if (plan.changes.length > 0) await this.finish(await this.parts.operations.begin(sessionId, plan), outcome);
    return outcome;
  }

  /** Finishes interrupted operations. Returns the outcomes to report. See `FileOperations.takeOverUnfinished`. */
  async finishUnfinished(folders: readonly string[], sessionId?: string): Promise<UndoOutcome[]> {
    const outcomes: UndoOutcome[] = [];
    for (const operation of await this.parts.operations.takeOverUnfinished(folders, sessionId)) {
      const outcome: UndoOutcome = { undone: [], left: [] };
      await this.finish(operation, outcome);
      if (operation.hasSession) outcomes.push(outcome);
    }
    return outcomes;
  }

  private async finish({ id, sessionId, hasSession, plan }: FileOperation, outcome: UndoOutcome): Promise<void> {
    const { rows, operations, logger } = this.parts;
    const done: PlannedChange[] = [];
    const gone: string[] = [];
    for (const change of plan.changes) {
      try {
        for (const step of change.steps) {
          await this.carryOut(step, gone);
          if (step.to === null) gone.push(step.path);
        }
        done.push(change);
      } catch (error) {
        logger.warn(`Could not undo ${change.shown}`, error);
        await this.restoreDeleted(change).catch((reason: unknown) => logger.error(`Could not put ${change.shown} back`, reason));
        outcome.left.push({ shown: change.shown, reason: describeReason(error) });
      }
    }
    await this.parts.files.tidyAbove(gone);
    // If there is no session, no decisions can be recorded. The files have been changed anyway.
    if (done.length === 0 || !hasSession) return operations.end(id);
    const answered = inOrder(plan.status, done);
    const paths = answered.flatMap(({ shown, isUnnamed }) => (isUnnamed === true ? [] : [shown]));
    const resolution = {
      status: plan.status,
      rows: answered.flatMap((change) => change.rows),
      hunks: answered.flatMap((change) => change.hunks ?? []),
      renewed: answered.flatMap((change) => change.renewed ?? []),
      entry: { type: 'review' as const, data: { ...plan.review, paths } },
    };
    await rows.resolve(sessionId, resolution, id);
    outcome.undone.push(...paths);
  }

  private async carryOut({ path, shown, from, to }: FileStep, gone: readonly string[]): Promise<void> {
    const { files, pending } = this.parts;
    // The path may be occupied by an empty folder that contained the deleted files.
    const below = to === null ? [] : gone.filter((other) => other.startsWith(path + sep));
    if (below.length > 0) await files.tidyAbove(below);
    const current = await files.read(path, shown);
    const isUnsaved = current.state?.document?.isDirty === true;
    if (current.hash === (to?.hash ?? null) && !isUnsaved) return files.bringToMode(current, to?.mode ?? null);
    if (current.hash !== from) throw changedJustNow({ shown });
    await files.bringTo(current, await pending.load(to));
  }

  /** Restores a file that was deleted for a failed case-only rename. Otherwise the file would be missing on disk. */
  private async restoreDeleted({ steps: [first, next], rows }: PlannedChange): Promise<void> {
    if (first === undefined || first.to !== null || !next?.to) return;
    const was = rows.find(({ undone }) => undone?.hash === first.from)?.undone;
    const { files, pending } = this.parts;
    const current = await files.read(first.path, first.shown);
    if (was && current.state === null) await files.bringTo(current, await pending.load(was));
  }
}

/** Orders changes for an undo, with the last changed file first. A moved file can then return when its new path is free. */
export function inOrder<T>(status: FilePlan['status'], changes: readonly T[]): T[] {
  return status === 'undone' ? changes.toReversed() : [...changes];
}

function describeReason(error: unknown): string {
  return error instanceof AppError ? error.userMessage : messageOf(error);
}
