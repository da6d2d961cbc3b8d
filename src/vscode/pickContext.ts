import * as vscode from 'vscode';
import { imageExtensions } from '../agent/prompt/imageAttachment';
import { attachmentIcons, namedReferences } from '../protocol/context/references';
import type { AttachmentRef } from '../protocol/entries';
import type { MentionItem } from '../protocol/requests/messageRequests';
import { activeFileEditor, fileItem, selectionItem } from './editorItems';
import { mentionItems } from './mentionItems';
import { hasProblems } from './emptyItems';
import { EditorSourceControl } from './workspace/editorSourceControl';

/** Milliseconds without a key press until files, folders and symbols are searched. */
const pause = 100;

interface Choice extends vscode.QuickPickItem {
  /** Returns the items to attach. */
  items?: () => AttachmentRef[] | Promise<AttachmentRef[]>;
}

/**
 * Lets the user pick an item that a reference such as `#problems` or `#file:` can name, or files on disk. Offers only
 * items that exist now. Resolves with an empty list if the user cancels.
 */
export async function pickContext(lastTerminal: () => unknown): Promise<AttachmentRef[]> {
  const pick = vscode.window.createQuickPick<Choice>();
  pick.title = vscode.l10n.t('Add Context');
  pick.placeholder = vscode.l10n.t('Search for files, folders and symbols');
  pick.matchOnDescription = true;
  let timer: NodeJS.Timeout | undefined;
  let kinds = kindChoices(lastTerminal() !== null, false);
  let found: Choice[] = [];

  const show = (): void => {
    const active = pick.activeItems[0];
    pick.items = [...kinds, ...found];
    // Setting new items moves the focus to the first item.
    const same = pick.items.find(({ label, description }) => label === active?.label && description === active.description);
    if (same !== undefined) pick.activeItems = [same];
  };
  const search = async (): Promise<void> => {
    const typed = pick.value;
    pick.busy = true;
    const [files, symbols] = await Promise.all([mentionItems('any', typed.trim()), mentionItems('symbol', typed.trim())]);
    if (pick.value !== typed) return;
    found = foundChoices(files, symbols);
    pick.busy = false;
    show();
  };
  const addChanges = async (): Promise<void> => {
    const changed = await new EditorSourceControl().changed();
    if (changed === null || changed.length === 0) return;
    kinds = kindChoices(lastTerminal() !== null, true);
    show();
  };

  const chosen = await new Promise<Choice | undefined>((resolve, reject) => {
    pick.onDidChangeValue(() => {
      clearTimeout(timer);
      timer = setTimeout(() => void search().catch(reject), pause);
    });
    pick.onDidAccept(() => resolve(pick.selectedItems[0]));
    pick.onDidHide(() => resolve(undefined));
    show();
    pick.show();
    Promise.all([search(), addChanges()]).catch(reject);
  }).finally(() => {
    clearTimeout(timer);
    pick.dispose();
  });
  return (await chosen?.items?.()) ?? [];
}

/** Lists the kinds that currently have content to attach. */
function kindChoices(hasTerminal: boolean, hasChanges: boolean): Choice[] {
  const choices: Choice[] = [];
  const add = (item: AttachmentRef, label: string, description: string): void => {
    choices.push(toChoice(item, label, description));
  };
  const selection = selectionItem();
  if (selection !== null) {
    const lines = `${selection.path} ${selection.startLine}–${selection.endLine}`;
    add(selection, '#selection', `${vscode.l10n.t('Selection in the editor')}: ${lines}`);
  }
  const current = activeFileEditor()?.document.uri;
  if (current !== undefined) add(fileItem(current), vscode.l10n.t('Current file'), fileItem(current).path);
  if (hasProblems()) add(namedReferences.problems, '#problems', vscode.l10n.t('Errors and warnings'));
  if (hasChanges) add(namedReferences.changes, '#changes', vscode.l10n.t('List of changed files'));
  if (hasTerminal) add(namedReferences.terminal, '#terminal', vscode.l10n.t('Last terminal output'));
  if (vscode.workspace.workspaceFolders !== undefined)
    add(namedReferences.codebase, '#codebase', vscode.l10n.t('Search the workspace'));
  choices.push({
    label: vscode.l10n.t('Image…'),
    iconPath: new vscode.ThemeIcon(attachmentIcons.image),
    items: () => browse({ filters: { [vscode.l10n.t('Images')]: imageExtensions } }),
  });
  choices.push({
    label: vscode.l10n.t('Browse…'),
    iconPath: new vscode.ThemeIcon('folder-opened'),
    alwaysShow: true,
    items: () => browse({}),
  });
  return choices;
}

function foundChoices(items: readonly MentionItem[], symbols: readonly MentionItem[]): Choice[] {
  const section = (heading: string, choices: Choice[]): Choice[] =>
    choices.length === 0 ? [] : [{ label: heading, kind: vscode.QuickPickItemKind.Separator }, ...choices];
  // Use the whole path, because the typed text can contain the folder.
  const byPath = ({ label, item }: MentionItem) => toChoice(item, label, item.path);
  return [
    ...section(vscode.l10n.t('Files'), items.filter(({ item }) => item.kind === 'file').map(byPath)),
    ...section(vscode.l10n.t('Folders'), items.filter(({ item }) => item.kind === 'folder').map(byPath)),
    ...section(
      vscode.l10n.t('Symbols'),
      symbols.map(({ label, about, item }) => toChoice(item, label, about, 'symbol-misc')),
    ),
  ];
}

function toChoice(item: AttachmentRef, label: string, description: string, icon = attachmentIcons[item.kind]): Choice {
  return { label, description, iconPath: new vscode.ThemeIcon(icon), items: () => [item] };
}

async function browse(options: vscode.OpenDialogOptions): Promise<AttachmentRef[]> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const files = await vscode.window.showOpenDialog({
    canSelectMany: true,
    openLabel: vscode.l10n.t('Attach'),
    ...(folder !== undefined && { defaultUri: folder }),
    ...options,
  });
  return (files ?? []).map(fileItem);
}
