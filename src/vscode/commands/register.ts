import * as vscode from 'vscode';
import { AppError, isCancelled } from '../../utils/errors';
import type { Logger } from '../../utils/logger';

/** Names of all commands, without the prefix `ollamaCopilot.`. */
export const commandNames = [
  ...['openChat', 'newSession', 'addFileToChat', 'addSelectionToChat', 'explain', 'fix', 'editSelection', 'openWalkthrough'],
  ...['inlineChat', 'sendInlineChat', 'acceptInlineChat', 'discardInlineChat'],
  ...['regenerateInlineChat', 'followUpInlineChat', 'stopInlineChat', 'closeInlineChat'],
  ...['showHistory', 'searchHistory', 'openSettings', 'openPrivacy', 'importSessions', 'chooseEditorTools', 'showLog'],
  ...['exportSession', 'exportAllSessions', 'openAnalytics', 'showRequest'],
  ...['startLocalApi', 'stopLocalApi', 'copyLocalApiAccess'],
  'generateCommitMessage',
  ...['selectModel', 'pullModel', 'runModelExam', 'setBearerToken', 'chooseServer', 'testConnection'],
  ...['toggleAutoComplete', 'snoozeCompletions', 'acceptCompletionWord', 'acceptCompletionLine'],
  ...['acceptNextEdit', 'dismissNextEdit'],
  ...['keepFile', 'undoFile', 'keepAll', 'undoAll', 'openFileReview', 'openFileDiff'],
  ...['keepHunk', 'undoHunk', 'keepSelectedLines', 'undoSelectedLines', 'nextChange', 'previousChange', 'whoWroteThisLine'],
  ...['applyCode', 'discardCode'],
  ...[
    'createCheckpoint',
    'restoreCheckpoint',
    'compareWithCheckpoint',
    'compareFileWithCheckpoint',
    'compareCheckpoints',
    'approveSession',
    'resetSession',
  ],
  ...[
    'openStorage',
    'backupHistory',
    'verifyStorage',
    'collectGarbage',
    'recreateMessagesTable',
    'recreateCodeIndex',
    'clearAllData',
  ],
] as const;

export type CommandName = (typeof commandNames)[number];
export type Commands<Name extends CommandName = CommandName> = Record<Name, (...args: unknown[]) => unknown>;

/** Registers commands by their names without the prefix `ollamaCopilot.`. Logs and shows errors. */
export function registerCommands(commands: Record<string, (...args: unknown[]) => unknown>, logger: Logger): vscode.Disposable {
  const registrations = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`ollamaCopilot.${name}`, async (...args: unknown[]) => {
      try {
        return await run(...args);
      } catch (error) {
        if (isCancelled(error)) return undefined;
        logger.error(`Command ${name} failed`, error);
        void vscode.window.showErrorMessage(
          error instanceof AppError ? error.userMessage : vscode.l10n.t('The command failed: {0}', String(error)),
        );
        return undefined;
      }
    }),
  );
  return vscode.Disposable.from(...registrations);
}
