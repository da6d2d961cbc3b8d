import * as vscode from 'vscode';
import type { SessionController } from '../../agent/loop/sessionController';
import type { HostApi } from '../../protocol/hostApi';
import type { DatabaseService } from '../../services/database/databaseService';
import { deleteSession } from './sessionDeletion';

type SessionListApi = Pick<HostApi, 'renameSession' | 'deleteSession'>;

/** Requests of the view that change the list of sessions. */
export function sessionListHandlers(
  { sessions }: Pick<DatabaseService, 'sessions'>,
  controller: Pick<SessionController, 'runState' | 'stop'>,
  /** Told which session is gone. */
  onDeleted: (sessionId: string) => void,
): SessionListApi {
  return {
    renameSession: async ({ sessionId, title }) => {
      await sessions.update(sessionId, { title });
      return {};
    },
    deleteSession: async ({ sessionId }) => {
      const isDeleted = await deleteSession(sessionId, {
        sessions,
        runState: (id) => controller.runState(id),
        stop: (id) => controller.stop(id),
        confirm,
      });
      if (isDeleted) onDeleted(sessionId);
      return { isDeleted };
    },
  };
}

async function confirm(title: string, isRunning: boolean): Promise<boolean> {
  const remove = vscode.l10n.t('Delete');
  const question = vscode.l10n.t('Delete “{0}”?', title || vscode.l10n.t('Untitled'));
  const detail = isRunning
    ? vscode.l10n.t('It is running and will be stopped. The conversation cannot be brought back; files stay as they are.')
    : vscode.l10n.t('The conversation cannot be brought back; files stay as they are.');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) === remove;
}
