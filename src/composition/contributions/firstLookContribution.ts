import type { Contribution } from '../contribution';
import * as vscode from 'vscode';
import { ChatViewProvider } from '../../views/chatView';

/** Shows the chat once per computer. In a window opened by `npm start`, shows it next to a sample file. */
export const firstLookContribution: Contribution = {
  name: 'first look',
  start({ context, view, logger }) {
    const look = async () => {
      const isFirst = await isFirstTime(context.globalState, chatKey);
      if (await showSample(context.workspaceState, () => view.reveal('focusComposer', {}))) return;
      if (isFirst) await vscode.commands.executeCommand(`${ChatViewProvider.viewId}.focus`, { preserveFocus: true });
    };
    look().catch((error: unknown) => logger.warn('The first look could not be shown', error));
    return { dispose: () => undefined };
  },
};

/** Key in the global state, which is not synchronized. It is set after the chat was opened automatically. */
const chatKey = 'firstLook.chatShown';
/** Key in the workspace state. It is set after the sample was shown. */
const sampleKey = 'firstLook.shown';

/** Returns true only on the first call for a key. The key is stored first, so that the action runs at most once. */
async function isFirstTime(memento: vscode.Memento, key: string): Promise<boolean> {
  if (memento.get(key) === true) return false;
  await memento.update(key, true);
  return true;
}

/**
 * Shows the chat and a sample file once in a window opened by `npm start`. An environment
 * variable contains the file name. Resolves with true if the sample was shown.
 */
async function showSample(memento: vscode.Memento, showChat: () => Promise<void>): Promise<boolean> {
  const name = process.env['OLLAMA_COPILOT_FIRST_LOOK'];
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (name === undefined || folder === undefined || !(await isFirstTime(memento, sampleKey))) return false;
  await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, name), { preview: false, preserveFocus: true });
  await showChat();
  return true;
}
