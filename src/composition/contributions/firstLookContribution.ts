import type { Contribution } from '../contribution';
import * as vscode from 'vscode';
import { ChatViewProvider } from '../../views/chatView';

/** Shows the chat once per computer, and beside a sample file in a window opened by `npm start`. */
export const firstLookContribution: Contribution = {
  name: 'first look',
  start({ context, view, logger }) {
    const look = async () => {
      const isFirst = await isFirstTime(context.globalState, chatKey);
      if (await showSample(context.workspaceState, () => view.reveal('focusComposer', {}))) return;
      // The user's focus stays in place.
      if (isFirst) await vscode.commands.executeCommand(`${ChatViewProvider.viewId}.focus`, { preserveFocus: true });
    };
    look().catch((error: unknown) => logger.warn('The first look could not be shown', error));
    return { dispose: () => undefined };
  },
};

/** Key in the global state, which is not synchronized: the chat was opened automatically. */
const chatKey = 'firstLook.chatShown';
/** Key in the workspace state: the sample was shown. */
const sampleKey = 'firstLook.shown';

/** Returns true the first time. Stored before the action, so that closing the window meanwhile does not repeat it. */
async function isFirstTime(memento: vscode.Memento, key: string): Promise<boolean> {
  if (memento.get(key) === true) return false;
  await memento.update(key, true);
  return true;
}

/**
 * Shows the chat and a sample file once in a window opened by `npm start`. An environment variable contains the file name. Resolves with
 * true if it was shown.
 */
async function showSample(memento: vscode.Memento, showChat: () => Promise<void>): Promise<boolean> {
  const name = process.env['OLLAMA_COPILOT_FIRST_LOOK'];
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (name === undefined || folder === undefined || !(await isFirstTime(memento, sampleKey))) return false;
  await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, name), { preview: false, preserveFocus: true });
  await showChat();
  return true;
}
