import * as vscode from 'vscode';
import type { ConnectionState, ModelsState } from '../protocol/webviewEvents';
import type { ChatMode } from '../types/session';
import type { Disposable } from '../utils/disposable';

/** State of the server and the model in use, in the status bar. */
export class StatusBar implements Disposable {
  private readonly item = vscode.window.createStatusBarItem('ollamaCopilot.status', vscode.StatusBarAlignment.Right, 100);

  constructor() {
    this.item.name = 'Ollama Copilot';
    this.item.command = 'ollamaCopilot.selectModel';
    this.item.show();
  }

  update(mode: ChatMode, connection: ConnectionState, models: ModelsState): void {
    const model = models.selected[mode];
    const isConnected = connection.state === 'connected' || connection.state === 'unknown';
    this.item.text = isConnected ? `$(comment-discussion) ${model ?? 'Ollama'}` : '$(debug-disconnect) Ollama';
    this.item.backgroundColor = isConnected ? undefined : new vscode.ThemeColor('statusBarItem.warningBackground');
    this.item.accessibilityInformation = {
      label: isConnected
        ? vscode.l10n.t('Ollama Copilot, model {0}', model ?? vscode.l10n.t('none'))
        : vscode.l10n.t('Ollama Copilot, no connection'),
      role: 'button',
    };
    const lines = [
      connection.message ?? vscode.l10n.t('Connected to {0}', connection.baseUrl),
      connection.version ? vscode.l10n.t('Ollama {0}', connection.version) : '',
      vscode.l10n.t('Select to change the model.'),
    ];
    this.item.tooltip = lines.filter((line) => line !== '').join('\n');
  }

  dispose(): void {
    this.item.dispose();
  }
}
