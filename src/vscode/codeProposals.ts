import * as vscode from 'vscode';
import { AppError } from '../utils/errors';
import type { ChangeReview } from './review/changeReview';
import { closeDiffs, rightOf } from './review/diffTabs';

/** Code that could not be proposed or applied. */
export class CannotApplyError extends AppError {
  readonly code = 'cannotApply';
}

/** Change that a block of code would make. */
export interface CodeProposal {
  document: vscode.TextDocument;
  range: vscode.Range;
  text: string;
}

interface ShownProposal extends CodeProposal {
  /** Address of the text on the right side. */
  right: vscode.Uri;
  name: string;
  /** Text of the file when the proposal was shown. */
  before: string;
}

/** Condition of the manifest: the tab in front asks whether code is to be applied. */
const contextKey = 'ollamaCopilot.codeProposed';

/**
 * Asks about code in the title bar of the comparison that shows it: *Apply Code* and *Discard Code* answer, closing the tab discards. Either
 * answer closes the tab.
 */
export class CodeProposals {
  private readonly shown = new Map<string, ShownProposal>();
  private watch: vscode.Disposable | undefined;
  private isInFront = false;

  constructor(private readonly review: Pick<ChangeReview, 'showLoss'>) {}

  /** Shows what the file would become; resolves when it is shown. */
  async show(proposal: CodeProposal): Promise<void> {
    const { document, range, text } = proposal;
    const name = vscode.workspace.asRelativePath(document.uri);
    const before = document.getText();
    const after = before.slice(0, document.offsetAt(range.start)) + text + before.slice(document.offsetAt(range.end));
    const right = await this.review.showLoss(document.uri, name, after, vscode.l10n.t('Apply the code to {0}?', name));
    this.shown.set(right.toString(), { ...proposal, right, name, before });
    this.watch ??= vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      for (const tab of closed) this.shown.delete(rightOf(tab) ?? '');
      this.update();
    });
    this.update();
  }

  /**
   * Makes the change that is in front, as one step to undo, and shows the file. It is not saved. Throws where the file was changed since, or
   * cannot be changed.
   */
  async apply(): Promise<void> {
    const { document, range, text, name, before, right } = this.inFront();
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, range, text);
    const now = await vscode.workspace.openTextDocument(document.uri);
    const isApplied = now.getText() === before && (await vscode.workspace.applyEdit(edit)) && now.getText() !== before;
    await closeDiffs(right);
    await vscode.window.showTextDocument(now);
    if (isApplied) return;
    throw new CannotApplyError(
      `Not applied: ${name}`,
      vscode.l10n.t('{0} was changed meanwhile or cannot be changed, so nothing was applied.', name),
    );
  }

  /** Leaves the file as it is, and goes back to the chat. */
  async discard(): Promise<void> {
    await closeDiffs(this.inFront().right);
    await vscode.commands.executeCommand('ollamaCopilot.chatView.focus');
  }

  private inFront(): ShownProposal {
    const found = this.shown.get(rightOf(vscode.window.tabGroups.activeTabGroup.activeTab) ?? '');
    if (found !== undefined) return found;
    throw new CannotApplyError('No proposal', vscode.l10n.t('No code waits to be applied in this tab.'));
  }

  private update(): void {
    const isInFront = this.shown.has(rightOf(vscode.window.tabGroups.activeTabGroup.activeTab) ?? '');
    if (isInFront !== this.isInFront) void vscode.commands.executeCommand('setContext', contextKey, isInFront);
    this.isInFront = isInFront;
    if (this.shown.size > 0) return;
    this.watch?.dispose();
    this.watch = undefined;
  }
}
