import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import type { AttachmentConcern, AttachmentEditor } from '../agent/prompt/attachmentReader';
import { confirm } from './confirm';

/** Gives attachments what they need of the editor. */
export const attachmentEditor: AttachmentEditor = {
  openText: (realPath) =>
    vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && isAt(uri.fsPath, realPath))?.getText(),
  confirm: (path, concern) => {
    const text = vscode.l10n.t('Attach {0} to the message?', path);
    return confirm({ text, detail: detailOf(concern), yes: vscode.l10n.t('Attach') });
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
