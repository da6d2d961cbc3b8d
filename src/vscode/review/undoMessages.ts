import * as vscode from 'vscode';
import { listSkipReasons, type UndoOutcome } from '../../services/review/reviewTypes';

/** Shows why changes could not be undone. Returns true if there were no problems. */
export function showProblems(outcome: UndoOutcome | void): boolean {
  const problems = outcome ? listSkipReasons(outcome) : [];
  if (problems.length > 0) void vscode.window.showErrorMessage(problems.join(' '));
  return problems.length === 0;
}

export function tellRestores(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('An interrupted restore was completed. Its chat lists the restored files. You can undo the restore there.'),
  );
}

export function tellUndos(outcomes: readonly UndoOutcome[]): void {
  if (outcomes.some(({ left }) => left.length > 0)) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t(
        'An undo was interrupted, and some files could not be restored. Their changes are still pending in the chat.',
      ),
    );
  } else if (outcomes.some(({ undone }) => undone.length > 0)) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('An interrupted undo was completed. Its chat lists the changes. You can reapply them there.'),
    );
  }
}
