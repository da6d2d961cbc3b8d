import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import type { AttachmentConcern, AttachmentEditor } from '../agent/prompt/attachmentReader';

/** Gives attachments what they need of the editor. */
export const attachmentEditor: AttachmentEditor = {
  openText: (realPath) =>
    vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && isAt(uri.fsPath, realPath))?.getText(),
  confirm: async (path, concern) => {
    const attach = vscode.l10n.t('Attach');
    const question = vscode.l10n.t('Attach {0} to the message?', path);
    return (await vscode.window.showWarningMessage(question, { modal: true, detail: detailOf(concern) }, attach)) === attach;
  },
};

function isAt(path: string, realPath: string): boolean {
  if (path === realPath) return true;
  try {
    return realpathSync.native(path) === realPath;
  } catch {
    return false;
  }
}

function detailOf(concern: AttachmentConcern): string {
  return concern === 'outside'
    ? vscode.l10n.t('It is outside the workspace. Its text is sent to the model and kept with the conversation.')
    : vscode.l10n.t('It may hold keys or passwords. Its text is sent to the model and kept with the conversation.');
}
