import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { ChangeSides } from '../../services/review/pendingChanges';
import type { MergeConflict, ReplaceQuestion, ReviewQuestions } from '../../services/review/reviewPorts';
import type { PlannedFile } from '../../protocol/restore';
import type { ComparedWorkspace } from '../../services/checkpoint/host/restores';
import { confirm } from '../confirm';
import { closeDiffs } from './diffTabs';
import type { SnapshotDocuments } from './snapshotDocuments';

type ComparedFile = Pick<PlannedFile, 'file' | 'shown' | 'exists' | 'hash'> & { isBase: boolean };

/** A file before and after; undefined where there was none. */
interface ComparedSides {
  file: string;
  shown: string;
  left: vscode.Uri | undefined;
  right: vscode.Uri | undefined;
}

/** Files of one comparison, and editors that are opened at once where there is none for many. */
const maxCompared = 300;
const maxSingle = 10;

const mergeCommand = '_open.mergeEditor';

/** Shows what the agent has changed, and asks what only a person can decide. */
export class ChangeReview implements ReviewQuestions {
  constructor(private readonly documents: SnapshotDocuments) {}

  /** Shows a file before the agent's changes beside the present one; `line` counts from 1. */
  async show({ path, shown, from = shown, before, exists }: ChangeSides, line: number | undefined): Promise<void> {
    const left = this.documents.of(from, before);
    const right = exists ? vscode.Uri.file(path) : this.documents.of(shown, null);
    const title = vscode.l10n.t('{0} (before the agent ↔ now)', nameOf(from, shown));
    const selection = line === undefined ? undefined : new vscode.Range(line - 1, 0, line - 1, 0);
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true, ...(selection && { selection }) });
  }

  /** A file now and as it was stored. */
  async compare({ file, shown, exists, hash, isBase }: ComparedFile): Promise<void> {
    const now = exists ? vscode.Uri.file(file) : this.documents.of(shown, null);
    const stored = this.documents.of(shown, hash);
    const title = isBase
      ? vscode.l10n.t('{0} (approved ↔ now)', basename(shown))
      : vscode.l10n.t('{0} (now ↔ checkpoint)', basename(shown));
    const [left, right] = isBase ? [stored, now] : [now, stored];
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  }

  /** All that has changed since a checkpoint, in one editor where there is one for it. */
  async compareAll({ title: checkpoint, changes, leftOut }: ComparedWorkspace): Promise<void> {
    const missing = leftOut.count - leftOut.unstableCount;
    const missingText = missing.toLocaleString(vscode.env.language);
    const unstableText = leftOut.unstableCount.toLocaleString(vscode.env.language);
    if (changes.length === 0) {
      const same =
        missing === 0
          ? vscode.l10n.t('All files are as they were then.')
          : vscode.l10n.t(
              'All files that the checkpoint holds are as they were then. Files that it does not hold: {0}.',
              missingText,
            );
      const unsure = vscode.l10n.t('Files that were changing while it was taken: {0}.', unstableText);
      void vscode.window.showInformationMessage(leftOut.unstableCount === 0 ? same : `${same} ${unsure}`);
      return;
    }
    const compared =
      changes.length > maxCompared
        ? vscode.l10n.t('{0} ↔ now (the first {1} of {2} files)', checkpoint, maxCompared, changes.length)
        : vscode.l10n.t('{0} ↔ now', checkpoint);
    const held = missing === 0 ? compared : vscode.l10n.t('{0}, files not in the checkpoint: {1}', compared, missingText);
    const title =
      leftOut.unstableCount === 0
        ? held
        : vscode.l10n.t('{0}, files that were changing while it was taken: {1}', held, unstableText);
    const sides = changes.map(({ file, shown, before, after }) => {
      const left = before === null ? undefined : this.documents.ofFile(file, before.hash);
      return { file, shown, left, right: after === null ? undefined : vscode.Uri.file(file) };
    });
    await this.openAll(title, sides);
  }

  /** Shows stored states of files from before and after a command beside each other. */
  async compareStates(
    changes: ComparedWorkspace['changes'],
    title = vscode.l10n.t('Changed while the command ran'),
  ): Promise<void> {
    const sides = changes.map(({ file, shown, before, after }) => {
      return { file, shown, left: this.stored(shown, before), right: this.stored(shown, after) };
    });
    const [only, ...others] = sides;
    if (only === undefined || others.length > 0) await this.openAll(title, sides);
    else await this.openOne(only, vscode.l10n.t('{0} (before ↔ after the command)', basename(only.shown)), true);
  }

  private stored(shown: string, state: { hash: string | null } | null): vscode.Uri | undefined {
    return state === null ? undefined : this.documents.of(shown, state.hash);
  }

  /** Opens all files in one editor if this version of VS Code has one for it. */
  private async openAll(title: string, sides: readonly ComparedSides[]): Promise<void> {
    const shown = sides.slice(0, maxCompared);
    try {
      const resources = shown.map(({ file, left, right }) => [vscode.Uri.file(file), left, right]);
      await vscode.commands.executeCommand('vscode.changes', title, resources);
    } catch {
      for (const side of shown.slice(0, maxSingle)) await this.openOne(side, side.shown, false);
    }
  }

  private async openOne({ shown, left, right }: ComparedSides, title: string, preview: boolean): Promise<void> {
    const nothing = this.documents.of(shown, null);
    await vscode.commands.executeCommand('vscode.diff', left ?? nothing, right ?? nothing, title, { preview });
  }

  async replace({ path, shown, why, text }: ReplaceQuestion): Promise<boolean> {
    const loss = text === undefined ? undefined : await this.showLoss(path, shown, text);
    const question = vscode.l10n.t('{0} has been changed since, also by others than the agent.', shown);
    const detail =
      why === 'undo'
        ? vscode.l10n.t('Replacing it brings back what it was before the agent; what was changed since is lost.')
        : vscode.l10n.t('Replacing it brings back what it was before the undo; what was changed since is lost.');
    try {
      return await confirm({ text: question, detail, yes: vscode.l10n.t('Replace') });
    } finally {
      if (loss !== undefined) await closeDiffs(loss);
    }
  }

  /** Shows the file as it is beside what would be in its place. Returns the address of the latter. */
  async showLoss(file: string | vscode.Uri, shown: string, text: string, named?: string): Promise<vscode.Uri> {
    const title = named ?? vscode.l10n.t('{0} (now ↔ what would replace it)', basename(shown));
    const uri = typeof file === 'string' ? vscode.Uri.file(file) : file;
    const right = this.documents.ofText(shown, text);
    await vscode.commands.executeCommand('vscode.diff', uri, right, title, { preview: true });
    return right;
  }

  async remove(shown: string): Promise<boolean> {
    const text = vscode.l10n.t('Delete {0}?', shown);
    const detail = vscode.l10n.t(
      'The agent created it, and it has been changed since. Undoing its creation deletes it as it is now.',
    );
    return confirm({ text, detail, yes: vscode.l10n.t('Delete') });
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
