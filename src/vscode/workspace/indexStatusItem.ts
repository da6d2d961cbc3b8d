import * as vscode from 'vscode';
import type { Codebase } from '../../services/codebase/codebase';
import type { Disposable } from '../../utils/disposable';

/** Shows in the status bar how much of the workspace is embedded, while that goes on. */
export function indexStatusItem(codebase: Pick<Codebase, 'onDidProgress'>): Disposable {
  const { l10n } = vscode;
  const item = vscode.window.createStatusBarItem('ollamaCopilot.codebase', vscode.StatusBarAlignment.Right, 90);
  item.name = l10n.t('Ollama Copilot: index of the workspace');
  const listening = codebase.onDidProgress((progress) => {
    if (progress === null) {
      item.hide();
      return;
    }
    const { done, all, model } = progress;
    item.text = `$(sync~spin) ${l10n.t('Indexing {0} of {1}', done.toLocaleString(), all.toLocaleString())}`;
    item.tooltip = l10n.t('The code of the workspace is embedded by {0}, so that it is found by meaning. Chats go first.', model);
    item.show();
  });
  return {
    dispose: () => {
      void listening.dispose();
      item.dispose();
    },
  };
}
