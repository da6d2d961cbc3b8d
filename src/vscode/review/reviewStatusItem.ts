import * as vscode from 'vscode';
import { formatNumber } from '../../types/format';
import type { Disposable } from '../../utils/disposable';

/** Number of the current change among all files, 1-based. */
export interface ChangePosition {
  current: number;
  total: number;
}

/** Shows “Change 2 of 7” in the status bar while changes are pending. */
export class ReviewStatusItem implements Disposable {
  private readonly item = vscode.window.createStatusBarItem('ollamaCopilot.review', vscode.StatusBarAlignment.Right, 99);

  constructor() {
    this.item.name = vscode.l10n.t('Ollama Copilot: Changes');
    this.item.command = 'ollamaCopilot.nextChange';
  }

  update(position: ChangePosition | null): void {
    if (position === null || position.total === 0) {
      this.item.hide();
      return;
    }
    const { current, total } = position;
    const text =
      current > 0
        ? vscode.l10n.t('Change {0} of {1}', formatNumber(current), formatNumber(total))
        : vscode.l10n.t(total === 1 ? '{0} change' : '{0} changes', formatNumber(total));
    this.item.text = `$(diff) ${text}`;
    this.item.tooltip = vscode.l10n.t('Go to the next change by the agent');
    this.item.accessibilityInformation = { label: vscode.l10n.t('{0}, go to the next change', text), role: 'button' };
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}
