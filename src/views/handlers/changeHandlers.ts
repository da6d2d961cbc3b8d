import type { ChangedFile } from '../../services/changes/changedFile';
import type { UndoOutcome } from '../../services/changes/fileUndo';
import type { PendingChanges } from '../../services/changes/pendingChanges';
import type { HostApi } from '../../protocol/hostApi';
import type { ChangedFileState } from '../../protocol/webviewEvents';
import type { ChangeReview } from '../../vscode/review/changeReview';

type ChangeApi = Pick<HostApi, 'listChanges' | 'keepChanges' | 'undoChanges' | 'takeBackReview' | 'reviewChange'>;

/** Changes beyond these are counted, not stepped through. */
const maxPlaces = 500;

/** Requests of the view about what the agent has changed. */
export function changeHandlers(changes: PendingChanges, review: Pick<ChangeReview, 'show'>): ChangeApi {
  return {
    listChanges: async ({ sessionId }) => ({ files: (await changes.list(sessionId)).map(changedFileState) }),
    keepChanges: async ({ sessionId, paths }) => {
      await changes.keep(sessionId, paths);
      return {};
    },
    undoChanges: async ({ sessionId, paths }) => problemsOf(await changes.undo(sessionId, paths)),
    takeBackReview: async ({ sessionId, seq }) => problemsOf(await changes.takeBack(sessionId, seq)),
    reviewChange: async ({ sessionId, path, line }) => {
      const sides = await changes.sides(sessionId, path);
      if (sides !== undefined) await review.show(sides, line);
      return {};
    },
  };
}

export function changedFileState({ places, ...file }: ChangedFile): ChangedFileState {
  return { ...file, places: places.slice(0, maxPlaces) };
}

/** What a person has decided to leave is no problem. */
function problemsOf({ left }: UndoOutcome): { problems: string[] } {
  return { problems: left.filter(({ reason }) => reason !== 'asked').map(({ reason }) => reason) };
}
