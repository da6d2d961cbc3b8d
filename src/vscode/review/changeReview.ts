import { basename } from 'node:path';
import * as vscode from 'vscode';
import { shownTitle } from '../../types/checkpointTitle';
import { formatNumber } from '../../types/format';
import type { ChangeSides } from '../../services/review/pendingChanges';
import type { MergeConflict, ReplaceQuestion, ReviewQuestions } from '../../services/review/reviewPorts';
import type { PlannedFile } from '../../protocol/restore';
import type { ComparedWorkspace } from '../../services/checkpoint/host/restores';
import { confirm } from '../confirm';
import { closeDiffs } from './diffTabs';
import type { SnapshotDocuments } from './snapshotDocuments';

type ComparedFile = Pick<PlannedFile, 'file' | 'shown' | 'exists' | 'hash'> & { isBase: boolean };

/** Both sides of a comparison. A side is undefined if the file did not exist. */
interface ComparedSides {
  file: string;
  shown: string;
  left: vscode.Uri | undefined;
  right: vscode.Uri | undefined;
}

/** Maximum number of files in a multi-file diff, and of single diffs if there is no multi-file diff. */
const maxCompared = 300;
const maxSingle = 10;

const mergeCommand = '_open.mergeEditor';

export class ChangeReview implements ReviewQuestions {
  constructor(private readonly documents: SnapshotDocuments) {}

  /** Compares a file before the agent's changes with the current file. `line` is 1-based. */
  async show({ path, shown, from = shown, before, exists }: ChangeSides, line: number | undefined): Promise<void> {
    const left = this.documents.of(from, before);
    const right = exists ? vscode.Uri.file(path) : this.documents.of(shown, null);
    const title = vscode.l10n.t('{0} (before the agent ↔ now)', formatName(from, shown));
    const selection = line === undefined ? undefined : new vscode.Range(line - 1, 0, line - 1, 0);
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true, ...(selection && { selection }) });
  }

  async compare({ file, shown, exists, hash, isBase }: ComparedFile): Promise<void> {
    const now = exists ? vscode.Uri.file(file) : this.documents.of(shown, null);
    const stored = this.documents.of(shown, hash);
    const title = isBase
      ? vscode.l10n.t('{0} (approved ↔ now)', basename(shown))
      : vscode.l10n.t('{0} (now ↔ checkpoint)', basename(shown));
    const [left, right] = isBase ? [stored, now] : [now, stored];
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  }

  /** Shows all changes since a checkpoint. Uses a multi-file diff if available. */
  async compareAll({ title: stored, changes, leftOut }: ComparedWorkspace): Promise<void> {
    const checkpoint = shownTitle(stored, vscode.l10n.t);
    const missing = leftOut.count - leftOut.unstableCount;
    const missingText = formatNumber(missing);
    const unstableText = formatNumber(leftOut.unstableCount);
    if (changes.length === 0) {
      const same =
        missing === 0
          ? vscode.l10n.t('No files have changed since this checkpoint.')
          : vscode.l10n.t('No files in the checkpoint have changed since then. Files not in the checkpoint: {0}.', missingText);
      const unsure = vscode.l10n.t('Files that changed while the checkpoint was created: {0}.', unstableText);
      void vscode.window.showInformationMessage(leftOut.unstableCount === 0 ? same : `${same} ${unsure}`);
      return;
    }
    const compared =
      changes.length > maxCompared
        ? vscode.l10n.t('{0} ↔ now (first {1} of {2} files)', checkpoint, formatNumber(maxCompared), formatNumber(changes.length))
        : vscode.l10n.t('{0} ↔ now', checkpoint);
    const held = missing === 0 ? compared : vscode.l10n.t('{0}, files not in the checkpoint: {1}', compared, missingText);
    const title =
      leftOut.unstableCount === 0
        ? held
        : vscode.l10n.t('{0}, files that changed while the checkpoint was being created: {1}', held, unstableText);
    const sides = changes.map(({ file, shown, before, after }) => {
      const left = before === null ? undefined : this.documents.ofFile(file, before.hash);
      return { file, shown, left, right: after === null ? undefined : vscode.Uri.file(file) };
    });
    await this.openAll(title, sides);
  }

  /** Compares the stored states of files before and after a command. */
  async compareStates(
    changes: ComparedWorkspace['changes'],
    title = vscode.l10n.t('Changes while the command was running'),
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

  /** Opens a multi-file diff if this version of VS Code supports it. */
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
    const question = vscode.l10n.t('Replace {0}? The file also has later changes that are not from the agent.', shown);
    const detail =
      why === 'undo'
        ? vscode.l10n.t('Restores the file to its state before the agent changed it. All later changes are lost.')
        : vscode.l10n.t('Restores the file to its state before the undo. All later changes are lost.');
    try {
      return await confirm({ text: question, detail, yes: vscode.l10n.t('Replace') });
    } finally {
      if (loss !== undefined) await closeDiffs(loss);
    }
  }

  /** Compares the current file with its replacement. Returns the URI of the replacement. */
  async showLoss(file: string | vscode.Uri, shown: string, text: string, named?: string): Promise<vscode.Uri> {
    const title = named ?? vscode.l10n.t('{0} (now ↔ replacement)', basename(shown));
    const uri = typeof file === 'string' ? vscode.Uri.file(file) : file;
    const right = this.documents.ofText(shown, text);
    await vscode.commands.executeCommand('vscode.diff', uri, right, title, { preview: true });
    return right;
  }

  async remove(shown: string): Promise<boolean> {
    const text = vscode.l10n.t('Delete {0}?', shown);
    const detail = vscode.l10n.t(
      'The agent created this file, and it has changed since then. Undo deletes the file, including the later changes.',
    );
    return confirm({ text, detail, yes: vscode.l10n.t('Delete') });
  }

  /**
   * Opens the merge editor. The current text is the base, so that the change is the only difference. Then accepting the change
   * does not combine both versions.
   */
  async merge({ path, shown, why, before }: MergeConflict): Promise<boolean> {
    // Internal command, which Git also uses. It may be missing.
    if (!(await vscode.commands.getCommands()).includes(mergeCommand)) return false;
    const output = vscode.Uri.file(path);
    const document = await vscode.workspace.openTextDocument(output);
    const now = () => this.documents.ofText(shown, document.getText());
    const title = why === 'undo' ? vscode.l10n.t('Before the agent') : vscode.l10n.t('Change reapplied');
    await vscode.commands.executeCommand(mergeCommand, {
      base: now(),
      input1: { uri: now(), title: vscode.l10n.t('Now') },
      input2: { uri: this.documents.ofText(shown, before), title },
      output,
    });
    const words =
      why === 'undo'
        ? vscode.l10n.t(
            'You also edited lines of a change in {0}, so it was not undone. To undo it together with these edits, choose “{1}” in the merge editor. Close the merge editor to leave the file as it is.',
            shown,
            title,
          )
        : vscode.l10n.t(
            'Lines of a change in {0} were edited after the undo, so it was not reapplied. To replace these edits, choose “{1}” in the merge editor. Close the merge editor to leave the file as it is.',
            shown,
            title,
          );
    void vscode.window.showInformationMessage(words);
    return true;
  }
}

function formatName(from: string, shown: string): string {
  if (from === shown) return basename(shown);
  return basename(from) === basename(shown) ? `${from} → ${shown}` : `${basename(from)} → ${basename(shown)}`;
}
