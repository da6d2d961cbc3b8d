import * as vscode from 'vscode';
import { AppError } from '../utils/errors';
import type { ChangeReview } from './review/changeReview';
import { closeDiffs, rightSide } from './review/diffTabs';

export class CannotApplyError extends AppError {
  readonly code = 'cannotApply';
}

export interface CodeProposal {
  document: vscode.TextDocument;
  range: vscode.Range;
  text: string;
}

interface ShownProposal extends CodeProposal {
  /** URI of the right side of the diff. */
  right: vscode.Uri;
  name: string;
  before: string;
}

/** Context key that the manifest uses. It is set while the active tab shows a proposal. */
const contextKey = 'ollamaCopilot.codeProposed';

/**
 * Shows proposals as diffs with *Apply Code* and *Discard Code* in the title bar. Both commands close
 * the tab. Closing the tab discards the proposal.
 */
export class CodeProposals {
  private readonly shown = new Map<string, ShownProposal>();
  private watch: vscode.Disposable | undefined;
  private isInFront = false;

  constructor(private readonly review: Pick<ChangeReview, 'showLoss'>) {}

  /** Resolves when the diff is shown. */
  async show(proposal: CodeProposal): Promise<void> {
    const { document, range, text } = proposal;
    const name = vscode.workspace.asRelativePath(document.uri);
    const before = document.getText();
    const after = before.slice(0, document.offsetAt(range.start)) + text + before.slice(document.offsetAt(range.end));
    const right = await this.review.showLoss(document.uri, name, after, vscode.l10n.t('Apply the code to {0}?', name));
    this.shown.set(right.toString(), { ...proposal, right, name, before });
    this.watch ??= vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      for (const tab of closed) this.shown.delete(rightSide(tab) ?? '');
      this.update();
    });
    this.update();
  }

  /**
   * Applies the active proposal as one undo step and shows the file with unsaved changes. Throws if the file has changed in the
   * meantime or cannot be edited.
   */
  async apply(): Promise<void> {
    const { document, range, text, name, before, right } = this.activeProposal();
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, range, text);
    const now = await vscode.workspace.openTextDocument(document.uri);
    const isApplied = now.getText() === before && (await vscode.workspace.applyEdit(edit)) && now.getText() !== before;
    await closeDiffs(right);
    await vscode.window.showTextDocument(now);
    if (isApplied) return;
    throw new CannotApplyError(
      `Not applied: ${name}`,
      vscode.l10n.t('The code was not applied. {0} has changed since the diff was opened, or it cannot be edited.', name),
    );
  }

  /** Leaves the file unchanged and returns to the chat. */
  async discard(): Promise<void> {
    await closeDiffs(this.activeProposal().right);
    await vscode.commands.executeCommand('ollamaCopilot.chatView.focus');
  }

  private activeProposal(): ShownProposal {
    const found = this.shown.get(rightSide(vscode.window.tabGroups.activeTabGroup.activeTab) ?? '');
    if (found !== undefined) return found;
    throw new CannotApplyError('No proposal', vscode.l10n.t('This tab has no code to apply.'));
  }

  private update(): void {
    const isInFront = this.shown.has(rightSide(vscode.window.tabGroups.activeTabGroup.activeTab) ?? '');
    if (isInFront !== this.isInFront) void vscode.commands.executeCommand('setContext', contextKey, isInFront);
    this.isInFront = isInFront;
    if (this.shown.size > 0) return;
    this.watch?.dispose();
    this.watch = undefined;
  }
}
