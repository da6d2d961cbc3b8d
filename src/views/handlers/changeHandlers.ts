import type { ChangedFile } from '../../services/review/changedFile';
import { listSkipReasons, type FileReviewState } from '../../services/review/reviewTypes';
import type { HostApi } from '../../protocol/hostApi';
import type { ChangedFileState } from '../../protocol/changedFiles';
import { noResult } from '../noResult';
import type { SessionServices } from '../sessionServices';
import { turnsToAnswer } from '../../services/review/reviewSessionBuilder';
import type { ChangeReview } from '../../vscode/review/changeReview';

type ChangeApi = Pick<
  HostApi,
  | 'listChanges'
  | 'keepChanges'
  | 'undoChanges'
  | 'takeBackReview'
  | 'reviewChange'
  | 'compareChange'
  | 'stepChange'
  | 'keepHunk'
  | 'undoHunk'
  | 'keepMessage'
  | 'undoMessage'
>;

/** Maximum number of changes to step through. Further changes are only counted. */
const maxPlaces = 500;
/** Maximum number of hunks listed per file, and maximum number of characters shown per line. */
const maxHunks = 50;
const maxText = 200;

export function changeHandlers(
  { changes, review, reviewEditor }: Pick<SessionServices, 'changes' | 'review' | 'reviewEditor'>,
  diff: Pick<ChangeReview, 'show'>,
): ChangeApi {
  const compare = async (sessionId: string, path: string, line?: number): Promise<void> => {
    const sides = await changes.sides(sessionId, path);
    if (sides !== undefined) await diff.show(sides, line);
  };
  return {
    listChanges: async ({ sessionId }) => ({
      files: (await changes.list(sessionId)).map((file) => changedFileState(file, review.getState(file.path))),
      revertible: await changes.revertible(sessionId),
    }),
    keepChanges: noResult(({ sessionId, paths }) => changes.keep(sessionId, paths)),
    undoChanges: async ({ sessionId, paths }) => ({ problems: listSkipReasons(await changes.undo(sessionId, paths)) }),
    takeBackReview: async ({ sessionId, seq }) => ({ problems: listSkipReasons(await changes.revertAnswer(sessionId, seq)) }),
    reviewChange: noResult(async ({ sessionId, path, line }) => {
      const state = review.getState(path);
      const isText = state?.level === 'hunks' && state.status !== 'deleted';
      if (!isText) await compare(sessionId, path, line);
      else if (line === undefined) await review.openFileReview(path);
      else await reviewEditor.show({ path, line: line - 1 });
    }),
    compareChange: noResult(({ sessionId, path }) => compare(sessionId, path)),
    stepChange: noResult(({ direction }) => review.navigateChange(direction)),
    keepHunk: noResult(({ path, id }) => review.keepHunk(path, id)),
    undoHunk: async ({ path, id }) => ({ problems: listSkipReasons(await review.undoHunk(path, id)) }),
    keepMessage: noResult(({ turn }) => review.keepMessage(turn)),
    undoMessage: async ({ turn }) => ({ problems: listSkipReasons(await review.undoMessage(turn)) }),
  };
}

export function changedFileState({ places, ...file }: ChangedFile, review?: FileReviewState): ChangedFileState {
  const hunks = review?.hunks.slice(0, maxHunks).map(({ id, range, newLines, oldLines, additions, deletions }) => {
    const text = (newLines.find((line) => line.trim() !== '') ?? oldLines[0] ?? '').trim().slice(0, maxText);
    return { id, line: range.start + 1, text, additions, deletions };
  });
  const answered = review && { hunks, turns: turnsToAnswer(review) };
  return { ...file, places: places.slice(0, maxPlaces), ...answered };
}
