import type { HostApi } from '../protocol/hostApi';
import type { RestorePlan } from '../protocol/restore';
import type { PlannedRestore, Restores } from '../services/checkpoint/restores';
import type { ChangeReview } from '../vscode/changeReview';

export type RestoreApi = Pick<HostApi, 'planRestore' | 'restoreFiles' | 'compareFile'>;

/** Requests of the view about bringing the workspace back. */
export function restoreHandlers(
  restores: Pick<Restores, 'plan' | 'restore'>,
  review: Pick<ChangeReview, 'compare'>,
  onRestored: () => void,
): RestoreApi {
  return {
    planRestore: async ({ sessionId, target }) => planOf(await restores.plan(sessionId, target)),
    restoreFiles: async ({ sessionId, target, files, overwrite }) => {
      await restores.restore(sessionId, target, { files, overwrite });
      onRestored();
      return {};
    },
    compareFile: async (file) => {
      await review.compare(file);
      return {};
    },
  };
}

function planOf({ title, steps }: PlannedRestore): RestorePlan {
  const files = steps.map(({ file, shown, action, reason, from, to }) => {
    return { file, shown, action, reason, exists: from !== null, hash: to?.hash ?? null };
  });
  return { title, files };
}
