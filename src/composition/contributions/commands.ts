import * as vscode from 'vscode';
import type { Chat } from '../chat';
import type { Completions } from '../completions';
import type { LocalApi } from '../localApi';
import type { OpenedStorage } from '../openedStorage';
import type { Settings } from '../../config/settings';
import type { AttachmentRef } from '../../protocol/entries';
import type { ServerServices } from '../../services/model/connection/serverServices';
import type { StorageGate } from '../../services/database/storageGate';
import type { ChatMode } from '../../types/modes';
import type { ChatViewProvider } from '../../views/chatView';
import { changeCommands } from '../../vscode/commands/changeCommands';
import { completionCommands } from '../../vscode/commands/completionCommands';
import { checkpointCommands } from '../../vscode/commands/checkpointCommands';
import { setBearerToken, testConnection } from '../../vscode/commands/connectionCommands';
import { runModelExam } from '../../vscode/commands/examCommands';
import { pullModel, selectModel } from '../../vscode/commands/modelCommands';
import type { Commands } from '../../vscode/commands/register';
import type { ServerAnswers } from '../../vscode/serverAnswers';
import { reviewCommands } from '../../vscode/commands/reviewCommands';
import { storageCommands } from '../../vscode/commands/storageCommands';
import { chooseServer } from './workspaceServerContribution';

export interface CommandServices {
  chat: () => Promise<Chat>;
  view: ChatViewProvider;
  storage: StorageGate<OpenedStorage>;
  server: () => Promise<ServerServices>;
  completions: () => Promise<Completions>;
  localApi: () => Promise<LocalApi>;
  settings: Settings;
  servers: ServerAnswers;
  logger: vscode.LogOutputChannel;
  baseUrl: () => string;
  mode: () => ChatMode;
  /** Returns the configured storage root. */
  folder: () => string;
  extensionId: string;
}

/** Returns the implementations of all commands. This file loads when a command is first called. */
export function commands(services: CommandServices): Commands {
  const { chat, view, storage, server } = services;
  const attach = async (items: AttachmentRef[]) => {
    if (items.length > 0) await view.reveal('attach', { items });
  };
  const ask = async (prompt: 'explain' | 'fix') => {
    const items = await (await chat()).codeToAskAbout();
    if (items.length > 0) await view.reveal('ask', { prompt, items });
  };
  const inline = async () => (await chat()).inlineChat((sessionId) => view.reveal('navigate', { page: 'chat', sessionId }));
  const open = async (words: unknown) => (await inline()).open(words);
  return {
    // Hovers of the review pass the id of the chat to open.
    openChat: (sessionId) =>
      typeof sessionId === 'string' ? view.reveal('navigate', { page: 'chat', sessionId }) : view.reveal('focusComposer', {}),
    newSession: () => view.reveal('navigate', { page: 'chat', sessionId: null }),
    addFileToChat: async (...args) => attach(await (await chat()).filesToAttach(args)),
    addSelectionToChat: async () => attach(await (await chat()).selectionToAttach()),
    explain: () => ask('explain'),
    fix: () => ask('fix'),
    inlineChat: open,
    // Earlier name of the command.
    editSelection: open,
    sendInlineChat: async (comment) => (await inline()).send(comment),
    acceptInlineChat: async () => (await inline()).accept(),
    discardInlineChat: async () => (await inline()).discard(),
    regenerateInlineChat: async () => (await inline()).regenerate(),
    stopInlineChat: async () => (await inline()).stop(),
    closeInlineChat: async (target) => (await inline()).cancel(target),
    followUpInlineChat: async () => (await inline()).followUp(),
    openWalkthrough: () => vscode.commands.executeCommand('workbench.action.openWalkthrough', `${services.extensionId}#start`),
    showHistory: () => view.reveal('navigate', { page: 'history' }),
    searchHistory: () => view.reveal('navigate', { page: 'history', search: true }),
    openSettings: () => view.reveal('navigate', { page: 'settings' }),
    openPrivacy: () => view.reveal('navigate', { page: 'settings', tab: 'privacy' }),
    openAnalytics: () => view.reveal('navigate', { page: 'analytics' }),
    openStorage: () => openFolder(services.folder()),
    ...storageCommands(
      async () => (await chat()).stored(),
      () => storage.clear(),
    ),
    ...changeCommands(async () => (await chat()).reviewedSessions()),
    ...reviewCommands(async () => (await (await chat()).stored()).shownReviews),
    applyCode: async () => (await chat()).proposals.apply(),
    discardCode: async () => (await chat()).proposals.discard(),
    whoWroteThisLine: async () => (await chat()).tellWhoWroteThisLine(),
    ...checkpointCommands(
      async () => (await chat()).sessionCheckpoints(),
      (target) => view.reveal('restore', { target }),
    ),
    ...completionCommands(services.settings, services.completions),
    generateCommitMessage: async (given) => {
      const { writeCommitMessage } = await import(/* webpackChunkName: "chat" */ '../languageModels');
      await writeCommitMessage(given, services);
    },
    importSessions: async (...args) => (await chat()).importSessions(args),
    chooseEditorTools: async () => {
      const { chooseEditorTools } = await import(/* webpackChunkName: "chat" */ '../../vscode/commands/chooseEditorTools');
      await chooseEditorTools(services.settings.getAgentConfig().editorTools);
    },
    exportSession: async (...args) => (await chat()).exportSession(args),
    showRequest: async (...args) => (await chat()).showRequest(args),
    exportAllSessions: async (...args) => (await chat()).exportAllSessions(args),
    startLocalApi: async () => {
      const api = await services.localApi();
      const url = await api.start();
      const copy = vscode.l10n.t('Copy Address and Token');
      void vscode.window
        .showInformationMessage(vscode.l10n.t('The local API is running at {0}.', url), copy)
        .then(async (choice) => {
          if (choice === copy) await api.copyAccess();
        });
      return url;
    },
    stopLocalApi: async () => (await services.localApi()).stop(),
    copyLocalApiAccess: async () => (await services.localApi()).copyAccess(),
    showLog: () => services.logger.show(),
    selectModel: async () => selectModel((await server()).catalog, services.mode(), services.baseUrl()),
    pullModel: async () => pullModel((await server()).actions),
    runModelExam: async () => runModelExam((await server()).catalog, (await (await chat()).stored()).exams),
    setBearerToken: async () => setBearerToken(await server(), services.baseUrl()),
    chooseServer: () => chooseServer(services, true),
    testConnection: async () => testConnection((await server()).connection),
  };
}

async function openFolder(path: string): Promise<void> {
  const folder = vscode.Uri.file(path);
  await vscode.workspace.fs.createDirectory(folder);
  await vscode.commands.executeCommand('revealFileInOS', folder);
}
