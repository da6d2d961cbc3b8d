import * as vscode from 'vscode';
import { problemsOf, type UndoOutcome } from '../../services/review/reviewTypes';

/** Shows why changes could not be undone. Returns true if all were, or a person decided otherwise. */
export function showProblems(outcome: UndoOutcome | void): boolean {
  const problems = outcome ? problemsOf(outcome) : [];
  if (problems.length > 0) void vscode.window.showErrorMessage(problems.join(' '));
  return problems.length === 0;
}

/** Tells a person that an interrupted restore is finished now. */
export function tellRestores(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('A restore that was interrupted has been finished. Its chat says what was restored, and can undo it.'),
  );
}

/** Tells a person of interrupted undos that are finished now. */
export function tellUndos(outcomes: readonly UndoOutcome[]): void {
  if (outcomes.some(({ left }) => left.length > 0)) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('An undo was interrupted, and not all of its files could be brought back. They still wait in its chat.'),
    );
  } else if (outcomes.some(({ undone }) => undone.length > 0)) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('An undo that was interrupted has been finished. Its chat says what was undone, and can take it back.'),
    );
  }
}
