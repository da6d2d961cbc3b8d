import * as vscode from 'vscode';
import { hunkAt } from '../../services/review/reviewNavigator';
import type { HunksOf } from './hunkLenses';

export class HunkQuickFixes implements vscode.CodeActionProvider {
  constructor(private readonly hunksOf: HunksOf) {}

  provideCodeActions(document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    const hunk = hunkAt({ hunks: this.hunksOf(document) }, range.start.line);
    if (hunk === undefined) return [];
    const action = (title: string, command: string) => {
      const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      made.command = { title, command: `ollamaCopilot.${command}`, arguments: [document.uri, hunk.id] };
      return made;
    };
    return [
      action(vscode.l10n.t('Keep this agent change'), 'keepHunk'),
      action(vscode.l10n.t('Undo this agent change'), 'undoHunk'),
    ];
  }
}
