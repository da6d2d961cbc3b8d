import type { Contribution } from '../contribution';
import * as vscode from 'vscode';

/** The chat beside a file of the sample workspace, once, in a window that `npm start` has opened. */
export const firstLookContribution: Contribution = {
  name: 'first look',
  start({ context, view, logger }) {
    showFirstLook(context.workspaceState, () => view.reveal('focusComposer', {})).catch((error: unknown) =>
      logger.warn('The first look could not be shown', error),
    );
    return { dispose: () => undefined };
  },
};

const shownKey = 'firstLook.shown';

/**
 * Shows the chat, with a file beside it, once in a window that `npm start` has opened: it names the file of the sample workspace in the
 * environment. Nothing happens anywhere else.
 */
async function showFirstLook(memento: vscode.Memento, showChat: () => Promise<void>): Promise<void> {
  const name = process.env['OLLAMA_COPILOT_FIRST_LOOK'];
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (name === undefined || folder === undefined || memento.get(shownKey) === true) return;
  await memento.update(shownKey, true);
  await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, name), { preview: false, preserveFocus: true });
  await showChat();
}
