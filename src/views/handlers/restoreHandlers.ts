import type { WorkSessions, WorkSessionStatus } from '../../services/review/workSessions';
import type { HostApi } from '../../protocol/hostApi';
import type { LeftOut, RestorePlan, WorkSession } from '../../protocol/restore';
import type { CheckpointProblems } from '../../services/checkpoint/checkpointProblems';
import type { HistoryKeeper } from '../../services/checkpoint/host/historyKeeper';
import { planCommandUndo } from '../../services/checkpoint/host/commandUndo';
import type { PlannedRestore, Restores } from '../../services/checkpoint/host/restores';
import type { ChangeReview } from '../../vscode/review/changeReview';
import { noResult } from '../noResult';

type RestoreApi = Pick<
  HostApi,
  | 'planRestore'
  | 'planCommandUndo'
  | 'restoreFiles'
  | 'keepTurns'
  | 'compareFile'
  | 'listMissingCheckpoints'
  | 'compareWithCheckpoint'
  | 'compareCommand'
  | 'bringBackHistory'
  | 'getWorkSession'
  | 'approveSession'
>;

/** Maximum number of files to list at a time. All files are counted. */
const maxFiles = 500;

/** Returns the display name of a file in the chat. */
export type NameFile = (file: { root: string; path: string }) => string;

/** Returns the files that a checkpoint does not contain, for the view. */
export function toLeftOut({ count, unstableCount, first }: CheckpointProblems, nameFile: NameFile): LeftOut {
  return { count, unstableCount, files: first.map((problem) => ({ path: nameFile(problem), reason: problem.reason })) };
}

/** Creates the handlers for restores and approvals. `onChanged` is called when files may have changed. */
export function restoreHandlers(
  restores: Pick<Restores, 'plan' | 'restore' | 'keepTurns' | 'missing' | 'compare' | 'compareAround' | 'shown'>,
  workSessions: Pick<WorkSessions, 'status' | 'approve'>,
  histories: Pick<HistoryKeeper, 'restore'>,
  review: Pick<ChangeReview, 'compare' | 'compareAll' | 'compareStates'>,
  onChanged: () => void,
): RestoreApi {
  const nameFile: NameFile = (file) => restores.shown(file);
  return {
    planRestore: async ({ sessionId, target, files }) => toRestorePlan(await restores.plan(sessionId, target, files), nameFile),
    planCommandUndo: async ({ sessionId, before, after }) =>
      toRestorePlan(await planCommandUndo(restores, sessionId, { before, after }), nameFile),
    restoreFiles: noResult(({ sessionId, target, ...choice }) => restores.restore(sessionId, target, choice).finally(onChanged)),
    keepTurns: noResult(({ sessionId, seq }) => restores.keepTurns(sessionId, seq)),
    compareFile: noResult((file) => review.compare(file)),
    listMissingCheckpoints: async ({ sessionId }) => ({ ids: await restores.missing(sessionId) }),
    compareWithCheckpoint: noResult(async ({ sessionId, checkpointId }) =>
      review.compareAll(await restores.compare(sessionId, checkpointId)),
    ),
    compareCommand: noResult(async ({ before, after, path }) =>
      review.compareStates(await restores.compareAround({ before, after }, path)),
    ),
    bringBackHistory: ({ sessionId, id }) => histories.restore(sessionId, id),
    getWorkSession: async ({ sessionId, from = 0 }) => {
      return { workSession: toWorkSession(await workSessions.status(sessionId, undefined, from), from) };
    },
    approveSession: noResult(({ sessionId }) => workSessions.approve(sessionId).finally(onChanged)),
  };
}

function toRestorePlan({ title, steps, leftOut, uncovered, closedFolders }: PlannedRestore, nameFile: NameFile): RestorePlan {
  const files = steps.map(({ file, shown, action, reason, isByHand, from, to, loses }) => {
    const marks = { ...(isByHand && { isByHand }), ...(loses && { loses }) };
    return { file, shown, action, reason, exists: from !== null, hash: to?.hash ?? null, ...marks };
  });
  return { title, files, leftOut: toLeftOut(leftOut, nameFile), uncovered, ...(closedFolders.length > 0 && { closedFolders }) };
}

export function toWorkSession(status: WorkSessionStatus | null, from = 0): WorkSession | null {
  if (status === null) return null;
  const { workSession, approvedCheckpointId, lastApprovedAt, changes, earlier } = status;
  const files = changes.slice(from, from + maxFiles).map(({ file, shown, status: how, lines, before, source }) => {
    const isNew = how === 'added';
    const hash = before?.hash ?? null;
    return { path: file, shown, status: isNew ? ('created' as const) : how, lines, hash, ...(source && { source }) };
  });
  return { name: workSession, approvedCheckpointId, lastApprovedAt, files, count: changes.length, earlier };
}
