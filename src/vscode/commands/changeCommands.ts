import * as vscode from 'vscode';
import type { PendingChanges } from '../../services/review/pendingChanges';
import { AppError } from '../../utils/errors';
import type { PendingEditReviewService } from '../../services/review/pendingEditReviewService';
import type { ChangeReview } from '../review/changeReview';
import { showProblems } from '../review/undoMessages';
import { fileOf } from './activeFile';
import type { Commands } from './register';

/** The session in front and what reviews its changes. */
export interface Front {
  sessionId: string;
  changes: PendingChanges;
  review: ChangeReview;
  hunks: PendingEditReviewService;
}

class NothingChangedError extends AppError {
  readonly code = 'nothingChanged';
}

/** Commands on what the agent has changed: the file in the active editor, or all of them. */
export function changeCommands(
  front: () => Promise<Front | undefined>,
): Commands<'keepFile' | 'undoFile' | 'keepAll' | 'undoAll' | 'openFileReview' | 'openFileDiff'> {
  const needFront = async (): Promise<Front> => {
    const found = await front();
    if (found === undefined) throw new NothingChangedError('No session', vscode.l10n.t('No chat with changes is open.'));
    return found;
  };
  return {
    keepFile: async (uri) => {
      const { sessionId, changes } = await needFront();
      await changes.keep(sessionId, [await fileOf(uri)]);
    },
    undoFile: async (uri) => {
      const { sessionId, changes } = await needFront();
      showProblems(await changes.undo(sessionId, [await fileOf(uri)]));
    },
    keepAll: async () => {
      const { sessionId, changes } = await needFront();
      await changes.keep(sessionId, null);
    },
    undoAll: async () => {
      const { sessionId, changes } = await needFront();
      showProblems(await changes.undo(sessionId, null));
    },
    openFileReview: async (uri) => {
      const { hunks } = await needFront();
      if ((await hunks.openFileReview(await fileOf(uri))) === undefined) throw notChanged();
    },
    openFileDiff: async (uri) => {
      const { sessionId, changes, review } = await needFront();
      const sides = await changes.sides(sessionId, await fileOf(uri));
      if (sides === undefined) throw notChanged();
      await review.show(sides, lineIn(sides.path));
    },
  };
}

/** Returns the line of the cursor, from 1, where the active editor shows the file. */
function lineIn(file: string): number | undefined {
  const active = vscode.window.activeTextEditor;
  return active?.document.uri.fsPath === file ? active.selection.active.line + 1 : undefined;
}

function notChanged(): NothingChangedError {
  return new NothingChangedError(
    'Not changed',
    vscode.l10n.t('The agent has not changed this file, or you have answered for it.'),
  );
}
