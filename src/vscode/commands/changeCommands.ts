import * as vscode from 'vscode';
import type { PendingChanges } from '../../services/review/pendingChanges';
import { AppError } from '../../utils/errors';
import type { PendingEditReviewService } from '../../services/review/pendingEditReviewService';
import type { ChangeReview } from '../review/changeReview';
import { showProblems } from '../review/undoMessages';
import { fileOf } from './activeFile';
import type { Commands } from './register';

export interface ReviewedSession {
  sessionId: string;
  changes: PendingChanges;
  review: ChangeReview;
  hunks: PendingEditReviewService;
}

class NothingChangedError extends AppError {
  readonly code = 'nothingChanged';
}

export function changeCommands(
  session: () => Promise<ReviewedSession | undefined>,
): Commands<'keepFile' | 'undoFile' | 'keepAll' | 'undoAll' | 'openFileReview' | 'openFileDiff'> {
  const needSession = async (): Promise<ReviewedSession> => {
    const found = await session();
    if (found === undefined) throw new NothingChangedError('No session', vscode.l10n.t('No chat with pending changes is open.'));
    return found;
  };
  return {
    keepFile: async (uri) => {
      const { sessionId, changes } = await needSession();
      await changes.keep(sessionId, [await fileOf(uri)]);
    },
    undoFile: async (uri) => {
      const { sessionId, changes } = await needSession();
      showProblems(await changes.undo(sessionId, [await fileOf(uri)]));
    },
    keepAll: async () => {
      const { sessionId, changes } = await needSession();
      await changes.keep(sessionId, null);
    },
    undoAll: async () => {
      const { sessionId, changes } = await needSession();
      showProblems(await changes.undo(sessionId, null));
    },
    openFileReview: async (uri) => {
      const { hunks } = await needSession();
      if ((await hunks.openFileReview(await fileOf(uri))) === undefined) throw notChanged();
    },
    openFileDiff: async (uri) => {
      const { sessionId, changes, review } = await needSession();
      const sides = await changes.sides(sessionId, await fileOf(uri));
      if (sides === undefined) throw notChanged();
      await review.show(sides, lineIn(sides.path));
    },
  };
}

/** Returns the cursor line, from 1, if the active editor shows the file. */
function lineIn(file: string): number | undefined {
  const active = vscode.window.activeTextEditor;
  return active?.document.uri.fsPath === file ? active.selection.active.line + 1 : undefined;
}

function notChanged(): NothingChangedError {
  return new NothingChangedError('Not changed', vscode.l10n.t('This file has no pending changes.'));
}
