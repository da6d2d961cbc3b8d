import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { ChangeSides } from '../agent/changes/pendingChanges';
import type { MergeConflict, ReviewQuestions } from '../agent/changes/undoPlan';
import type { PlannedFile } from '../protocol/restore';
import type { SnapshotDocuments } from './snapshotDocuments';

type ComparedFile = Pick<PlannedFile, 'file' | 'shown' | 'exists' | 'hash'>;

const mergeCommand = '_open.mergeEditor';

/** Shows what the agent has changed, and asks what only a person can decide. */
export class ChangeReview implements ReviewQuestions {
  constructor(private readonly documents: SnapshotDocuments) {}

  /** Before and now beside each other; `line` counts from 1. */
  async show({ path, shown, from = shown, before, exists }: ChangeSides, line: number | undefined): Promise<void> {
    const left = this.documents.of(from, before);
    const right = exists ? vscode.Uri.file(path) : this.documents.of(shown, null);
    const title = vscode.l10n.t('{0} (before the agent ↔ now)', nameOf(from, shown));
    const selection = line === undefined ? undefined : new vscode.Range(line - 1, 0, line - 1, 0);
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true, ...(selection && { selection }) });
  }

  /** A file now and as a checkpoint holds it. */
  async compare({ file, shown, exists, hash }: ComparedFile): Promise<void> {
    const left = exists ? vscode.Uri.file(file) : this.documents.of(shown, null);
    const title = vscode.l10n.t('{0} (now ↔ checkpoint)', basename(shown));
    await vscode.commands.executeCommand('vscode.diff', left, this.documents.of(shown, hash), title, { preview: true });
  }

  async replace(shown: string, why: 'undo' | 'takeBack'): Promise<boolean> {
    const question = vscode.l10n.t('{0} has been changed since, also by others than the agent.', shown);
    const detail =
      why === 'undo'
        ? vscode.l10n.t('Replacing it brings back what it was before the agent; what was changed since is lost.')
        : vscode.l10n.t('Replacing it brings back what it was before the undo; what was changed since is lost.');
    const replace = vscode.l10n.t('Replace');
    return (await vscode.window.showWarningMessage(question, { modal: true, detail }, replace)) === replace;
  }

  async remove(shown: string): Promise<boolean> {
    const question = vscode.l10n.t('Delete {0}?', shown);
    const detail = vscode.l10n.t(
      'The agent created it, and it has been changed since. Undoing its creation deletes it as it is now.',
    );
    const remove = vscode.l10n.t('Delete');
    return (await vscode.window.showWarningMessage(question, { modal: true, detail }, remove)) === remove;
  }

  async merge({ path, shown, base, before }: MergeConflict): Promise<boolean> {
    // An internal command of the editor, which Git uses too: it may not be there.
    if (!(await vscode.commands.getCommands()).includes(mergeCommand)) return false;
    const output = vscode.Uri.file(path);
    const document = await vscode.workspace.openTextDocument(output);
    await vscode.commands.executeCommand(mergeCommand, {
      base: this.documents.ofText(shown, base),
      input1: { uri: this.documents.ofText(shown, document.getText()), title: vscode.l10n.t('Now') },
      input2: { uri: this.documents.ofText(shown, before), title: vscode.l10n.t('Before the agent') },
      output,
    });
    return true;
  }
}

function nameOf(from: string, shown: string): string {
  if (from === shown) return basename(shown);
  return basename(from) === basename(shown) ? `${from} → ${shown}` : `${basename(from)} → ${basename(shown)}`;
}
