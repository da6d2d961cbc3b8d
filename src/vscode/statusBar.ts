import * as vscode from 'vscode';
import type { ConnectionState, ModelsState } from '../protocol/webviewEvents';
import type { RunningModel } from '../types/ollama';
import type { ChatMode } from '../types/modes';
import type { Disposable } from '../utils/disposable';
import { fileSize, formatNumber } from '../types/format';

export interface Status {
  mode: ChatMode;
  connection: ConnectionState;
  models: ModelsState;
  /** Latency of the last check, in milliseconds. */
  latency: number | null;
  inMemory: readonly RunningModel[];
  /** Number of running or queued chats. */
  runs: number;
}

export class StatusBar implements Disposable {
  private readonly item = vscode.window.createStatusBarItem('ollamaCopilot.status', vscode.StatusBarAlignment.Right, 100);

  constructor() {
    this.item.name = 'Ollama Copilot';
    this.item.command = 'ollamaCopilot.selectModel';
    this.item.show();
  }

  update({ mode, connection, models, latency, inMemory, runs }: Status): void {
    const model = models.selected[mode];
    const isConnected = connection.state === 'connected' || connection.state === 'unknown';
    const icon = runs > 0 ? '$(loading~spin)' : '$(comment-discussion)';
    this.item.text = isConnected ? `${icon} ${model ?? 'Ollama'}` : '$(debug-disconnect) Ollama';
    this.item.backgroundColor = isConnected ? undefined : new vscode.ThemeColor('statusBarItem.warningBackground');
    this.item.accessibilityInformation = { label: spokenState(isConnected, model ?? null, runs), role: 'button' };
    const lines = [
      connection.message ?? addressLine(connection),
      ...(connection.version ? [versionLine(connection.version, latency)] : []),
      ...(runs > 0 ? [vscode.l10n.t(runs === 1 ? '{0} chat is running' : '{0} chats are running', formatNumber(runs))] : []),
      ...(connection.state === 'connected' ? memoryLines(inMemory) : []),
      vscode.l10n.t('Select to change the model.'),
    ];
    this.item.tooltip = lines.join('\n');
  }

  dispose(): void {
    this.item.dispose();
  }
}

/** Describes the connection. The extension contacts the server only after the chat is opened. */
function addressLine({ state, baseUrl }: ConnectionState): string {
  return state === 'unknown' ? vscode.l10n.t('Not connected to {0} yet', baseUrl) : vscode.l10n.t('Connected to {0}', baseUrl);
}

function spokenState(isConnected: boolean, model: string | null, runs: number): string {
  if (!isConnected) return vscode.l10n.t('Ollama Copilot, no connection');
  const name = model ?? vscode.l10n.t('none');
  return runs > 0 ? vscode.l10n.t('Ollama Copilot, model {0}, running', name) : vscode.l10n.t('Ollama Copilot, model {0}', name);
}

function versionLine(version: string, latency: number | null): string {
  return latency === null
    ? vscode.l10n.t('Ollama {0}', version)
    : vscode.l10n.t('Ollama {0}, response time {1} ms', version, formatNumber(latency));
}

/** Describes the memory and GPU share of each loaded model. */
function memoryLines(inMemory: readonly RunningModel[]): string[] {
  if (inMemory.length === 0) return [vscode.l10n.t('No model in memory')];
  return inMemory.map(({ name, size, size_vram: onGpu }) => {
    const share = size > 0 ? Math.round((100 * onGpu) / size) : 0;
    return vscode.l10n.t('{0}: {1} in memory, {2}% on the GPU', name, fileSize(size), formatNumber(share));
  });
}
