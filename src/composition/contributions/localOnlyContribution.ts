import * as vscode from 'vscode';
import { DisposableStore } from '../../utils/disposable';
import { onDidChangeSettings } from '../../vscode/settingsSource';
import type { Contribution } from '../contribution';

/** Shows a shield in the status bar while all connections except local ones are blocked. */
export const localOnlyContribution: Contribution = {
  name: 'local connections only',
  start({ settings }) {
    const store = new DisposableStore();
    const item = vscode.window.createStatusBarItem('ollamaCopilot.localOnly', vscode.StatusBarAlignment.Right, 99);
    store.add(item);
    const label = vscode.l10n.t('Local connections only');
    item.name = label;
    item.text = '$(shield)';
    item.command = 'ollamaCopilot.openPrivacy';
    item.accessibilityInformation = { label, role: 'button' };
    const update = (): void => {
      const { isLocalOnly, allowed } = settings.getPrivacyConfig();
      const others = allowed.length === 0 ? [] : [vscode.l10n.t('Also allowed: {0}', allowed.join(', '))];
      item.tooltip = [vscode.l10n.t('Ollama Copilot contacts only this computer.'), ...others].join('\n');
      if (isLocalOnly) item.show();
      else item.hide();
    };
    update();
    store.add(onDidChangeSettings(update));
    return store;
  },
};
