import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { UndoOutcome } from '../../services/changes/fileUndo';
import type { PendingChanges } from '../../services/changes/pendingChanges';
import { AppError } from '../../utils/errors';
import type { ChangeReview } from '../review/changeReview';
import type { Commands } from './register';

/** The session in front and what reviews its changes. */
export interface Front {
  sessionId: string;
  changes: PendingChanges;
  review: ChangeReview;
}

class NothingChangedError extends AppError {
  readonly code = 'nothingChanged';
}

/** Commands on what the agent has changed: the file in the active editor, or all of them. */
export function changeCommands(
  front: () => Promise<Front | undefined>,
): Commands<'keepFile' | 'undoFile' | 'keepAll' | 'undoAll' | 'openFileReview'> {
  const needFront = async (): Promise<Front> => {
    const found = await front();
    if (found === undefined) throw new NothingChangedError('No session', vscode.l10n.t('No chat with changes is open.'));
    return found;
  };
  return {
    keepFile: async () => {
      const { sessionId, changes } = await needFront();
      await changes.keep(sessionId, [await activeFile()]);
    },
    undoFile: async () => {
      const { sessionId, changes } = await needFront();
      tell(await changes.undo(sessionId, [await activeFile()]));
    },
    keepAll: async () => {
      const { sessionId, changes } = await needFront();
      await changes.keep(sessionId, null);
    },
    undoAll: async () => {
      const { sessionId, changes } = await needFront();
      tell(await changes.undo(sessionId, null));
    },
    openFileReview: async () => {
      const { sessionId, changes, review } = await needFront();
      const sides = await changes.sides(sessionId, await activeFile());
      if (sides === undefined) {
        throw new NothingChangedError(
          'Not changed',
          vscode.l10n.t('The agent has not changed this file, or you have answered for it.'),
        );
      }
      await review.show(sides, undefined);
    },
  };
}

/** Returns the real path of the active file, even if it is gone, so that its deletion can be undone from its diff. */
async function activeFile(): Promise<string> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file') {
    throw new NothingChangedError('No file', vscode.l10n.t('Open the file first, then try again.'));
  }
  return realpath(uri.fsPath).catch(() => uri.fsPath);
}

function tell({ left }: UndoOutcome): void {
  const problems = left.filter(({ reason }) => reason !== 'asked').map(({ reason }) => reason);
  if (problems.length > 0) void vscode.window.showErrorMessage(problems.join(' '));
}
