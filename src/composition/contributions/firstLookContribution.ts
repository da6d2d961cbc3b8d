import type { Contribution } from '../contribution';
import * as vscode from 'vscode';
import { ChatViewProvider } from '../../views/chatView';

/** Shows the chat once on a machine, and beside a file of the sample workspace in a window that `npm start` has opened. */
export const firstLookContribution: Contribution = {
  name: 'first look',
  start({ context, view, logger }) {
    const look = async () => {
      const isFirst = await isFirstTime(context.globalState, chatKey);
      if (await showSample(context.workspaceState, () => view.reveal('focusComposer', {}))) return;
      // The cursor stays where the user has it.
      if (isFirst) await vscode.commands.executeCommand(`${ChatViewProvider.viewId}.focus`, { preserveFocus: true });
    };
    look().catch((error: unknown) => logger.warn('The first look could not be shown', error));
    return { dispose: () => undefined };
  },
};

/** In the extension's storage for the machine, which no synchronisation carries elsewhere: the chat has opened by itself. */
const chatKey = 'firstLook.chatShown';
/** In its storage for the workspace: the sample was shown. */
const sampleKey = 'firstLook.shown';

/** Tells whether something happens for the first time. It is noted before it happens: a window that is closed meanwhile does not repeat it. */
async function isFirstTime(memento: vscode.Memento, key: string): Promise<boolean> {
  if (memento.get(key) === true) return false;
  await memento.update(key, true);
  return true;
}

/**
 * Shows the chat, with a file beside it, once in a window that `npm start` has opened: it names the file of the sample workspace in the
 * environment. Nothing happens anywhere else. Resolves with whether it was shown.
 */
async function showSample(memento: vscode.Memento, showChat: () => Promise<void>): Promise<boolean> {
  const name = process.env['OLLAMA_COPILOT_FIRST_LOOK'];
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (name === undefined || folder === undefined || !(await isFirstTime(memento, sampleKey))) return false;
  await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, name), { preview: false, preserveFocus: true });
  await showChat();
  return true;
}
