import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import type { AttachmentConcern, AttachmentEditor } from '../agent/prompt/attachmentReader';
import { confirm } from './confirm';

export const attachmentEditor: AttachmentEditor = {
  openText: (realPath) =>
    vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && isAt(uri.fsPath, realPath))?.getText(),
  confirm: (path, concern) => {
    const text = vscode.l10n.t('Attach {0} to the message?', path);
    return confirm({ text, detail: describeConcern(concern), yes: vscode.l10n.t('Attach') });
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

function describeConcern(concern: AttachmentConcern): string {
  return concern === 'outside'
    ? vscode.l10n.t('The file is outside the workspace. Its content is sent to the model and stored with the chat.')
    : vscode.l10n.t('The file may contain keys or passwords. Its content is sent to the model and stored with the chat.');
}
