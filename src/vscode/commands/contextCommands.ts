import * as vscode from 'vscode';
import type { AttachmentReader } from '../../agent/prompt/attachmentReader';
import type { AttachmentRef } from '../../protocol/entries';
import { editorItem, fileItem, selectionItem } from '../editorItems';

type Checker = Pick<AttachmentReader, 'checkAll'>;

/** Returns the files that a menu was opened on, or the active file. Returns an empty list if no file can be attached. */
export async function filesToAttach(checker: Checker, args: readonly unknown[]): Promise<AttachmentRef[]> {
  const [clicked, selected] = args;
  const uris = Array.isArray(selected) && selected.length > 0 ? selected : [clicked];
  const items = uris.filter((uri): uri is vscode.Uri => uri instanceof vscode.Uri).map(fileItem);
  const current = items.length === 0 ? vscode.window.activeTextEditor?.document.uri : undefined;
  if (current?.scheme === 'file') items.push(fileItem(current));
  return allowed(checker, items, vscode.l10n.t('Open the file to attach, or save it if it is new, then try again.'));
}

export async function selectionToAttach(checker: Checker): Promise<AttachmentRef[]> {
  const item = selectionItem();
  return allowed(checker, item ? [item] : [], vscode.l10n.t('Select the lines to attach, then try again.'));
}

/** Returns the selection, or the file if nothing is selected. */
export async function codeToAskAbout(checker: Checker): Promise<AttachmentRef[]> {
  const item = editorItem();
  return allowed(checker, item ? [item] : [], vscode.l10n.t('Open the file to ask about, then try again.'));
}

async function allowed(checker: Checker, items: readonly AttachmentRef[], hint: string): Promise<AttachmentRef[]> {
  const checked = await checker.checkAll(items);
  const problems = items.length === 0 ? [hint] : checked.problems;
  if (problems.length > 0) void vscode.window.showWarningMessage(problems.join(' '));
  return checked.items;
}
