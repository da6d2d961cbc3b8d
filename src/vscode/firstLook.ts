import * as vscode from 'vscode';

const shownKey = 'firstLook.shown';

/**
 * Shows the chat, with a file beside it, once in a window that `npm start` has opened: it names the file of the sample workspace in the
 * environment. Nothing happens anywhere else.
 */
export async function showFirstLook(memento: vscode.Memento, showChat: () => Promise<void>): Promise<void> {
  const name = process.env['OLLAMA_COPILOT_FIRST_LOOK'];
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (name === undefined || folder === undefined || memento.get(shownKey) === true) return;
  await memento.update(shownKey, true);
  await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, name), { preview: false, preserveFocus: true });
  await showChat();
}
