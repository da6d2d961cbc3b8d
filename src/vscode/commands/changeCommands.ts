import * as vscode from 'vscode';
import type { PendingChanges } from '../../services/review/pendingChanges';
import { AppError } from '../../utils/errors';
import type { ChangeReview } from '../review/changeReview';
import type { ShownReviews } from '../review/shownReviews';
import { showProblems } from '../review/undoMessages';
import { findFile } from './activeFile';
import type { Commands } from './register';

export interface ReviewedSessions {
  /** Session of the open inline chat, then the session of the active chat. Contains at least one. */
  sessionIds: readonly string[];
  changes: PendingChanges;
  review: ChangeReview;
  hunks: ShownReviews;
}

class NothingChangedError extends AppError {
  readonly code = 'nothingChanged';
}

export function changeCommands(
  session: () => Promise<ReviewedSessions | undefined>,
): Commands<'keepFile' | 'undoFile' | 'keepAll' | 'undoAll' | 'openFileReview' | 'openFileDiff'> {
  const needSession = async (): Promise<ReviewedSessions> => {
    const found = await session();
    if (found === undefined) throw new NothingChangedError('No session', vscode.l10n.t('No chat with pending changes is open.'));
    return found;
  };
  const keep = async (paths: string[] | null) => {
    const sessions = await needSession();
    for (const sessionId of await withChanges(sessions, paths)) await sessions.changes.keep(sessionId, paths);
  };
  const undo = async (paths: string[] | null) => {
    const sessions = await needSession();
    for (const sessionId of await withChanges(sessions, paths)) showProblems(await sessions.changes.undo(sessionId, paths));
  };
  return {
    keepFile: async (uri) => keep([await findFile(uri)]),
    undoFile: async (uri) => undo([await findFile(uri)]),
    keepAll: () => keep(null),
    undoAll: () => undo(null),
    openFileReview: async (uri) => {
      const { hunks } = await needSession();
      if ((await hunks.openFileReview(await findFile(uri))) === undefined) throw notChanged();
    },
    openFileDiff: async (uri) => {
      const sessions = await needSession();
      const file = await findFile(uri);
      const { changes, review } = sessions;
      const [sessionId = ''] = await withChanges(sessions, [file]);
      const sides = await changes.sides(sessionId, file);
      if (sides === undefined) throw notChanged();
      await review.show(sides, lineIn(sides.path));
    },
  };
}

/** Returns the sessions with changes in the given paths. Null means any path. If there are none, returns the last session. */
async function withChanges({ sessionIds, changes }: ReviewedSessions, paths: readonly string[] | null): Promise<string[]> {
  const found: string[] = [];
  for (const sessionId of sessionIds)
    if ((await changes.list(sessionId)).some(({ path }) => paths?.includes(path) ?? true)) found.push(sessionId);
  return found.length === 0 ? sessionIds.slice(-1) : found;
}

/** Returns the 1-based cursor line if the active editor shows the file. */
function lineIn(file: string): number | undefined {
  const active = vscode.window.activeTextEditor;
  return active?.document.uri.fsPath === file ? active.selection.active.line + 1 : undefined;
}

function notChanged(): NothingChangedError {
  return new NothingChangedError('Not changed', vscode.l10n.t('This file has no pending changes.'));
}
