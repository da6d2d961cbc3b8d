import * as vscode from 'vscode';
import { formatNumber } from '../../types/format';
import type { Codebase } from '../../services/codebase/codebase';
import type { Disposable } from '../../utils/disposable';

/** Shows in the status bar how much of the workspace is embedded while embedding is running. */
export function indexStatusItem(codebase: Pick<Codebase, 'onDidProgress'>): Disposable {
  const { l10n } = vscode;
  const item = vscode.window.createStatusBarItem('ollamaCopilot.codebase', vscode.StatusBarAlignment.Right, 90);
  item.name = l10n.t('Ollama Copilot: workspace index');
  const listening = codebase.onDidProgress((progress) => {
    if (progress === null) {
      item.hide();
      return;
    }
    const { done, all, model } = progress;
    item.text = `$(sync~spin) ${l10n.t('Indexing {0} of {1}', formatNumber(done), formatNumber(all))}`;
    item.tooltip = l10n.t('Indexing the workspace with {0} for search by meaning. Chats have priority.', model);
    item.show();
  });
  return {
    dispose: () => {
      void listening.dispose();
      item.dispose();
    },
  };
}
