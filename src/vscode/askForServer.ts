import * as vscode from 'vscode';
import type { WorkspaceServer } from '../config/settings';

/**
 * Asks which server to use in this workspace and shows both addresses. Resolves with
 * undefined if the user makes no choice.
 * @param isModal true for a dialog, after a user action; false for a notification
 */
export async function askForServer({ address, own }: WorkspaceServer, isModal: boolean): Promise<boolean | undefined> {
  const use = vscode.l10n.t('Use Workspace Server');
  const keep = vscode.l10n.t('Keep My Server');
  const question = vscode.l10n.t('This workspace sets another Ollama server: {0}. Your server is {1}.', address, own);
  const detail = vscode.l10n.t(
    'Your messages, the files that the agent reads and code for suggestions are sent to the server that you choose. Until you choose, your server is used.',
  );
  const answer = isModal
    ? await vscode.window.showWarningMessage(question, { modal: true, detail }, use, keep)
    : await vscode.window.showWarningMessage(`${question} ${detail}`, use, keep);
  return answer === undefined ? undefined : answer === use;
}
