import * as vscode from 'vscode';
import type { UndoOutcome } from '../../services/review/reviewTypes';

/** Tells a person of interrupted work that is finished now. */

export function tellRestores(): void {
  void vscode.window.showInformationMessage(
    vscode.l10n.t('A restore that was interrupted has been finished. Its chat says what was restored, and can undo it.'),
  );
}

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
