import * as vscode from 'vscode';
import type { ConnectionMonitor } from '../../services/model/connection/connectionMonitor';
import { isUnencrypted, parseServerAddress } from '../../services/model/client/serverAddress';
import type { TokenManager } from '../../services/model/connection/tokenManager';

interface BearerServices {
  tokens: TokenManager;
  connection: ConnectionMonitor;
}

/** Asks for the access token of the configured server. An empty input removes the token. */
export async function setBearerToken({ tokens, connection }: BearerServices, baseUrl: string): Promise<void> {
  const { origin } = parseServerAddress(baseUrl);
  const token = await vscode.window.showInputBox({
    title: vscode.l10n.t('Access token for {0}', origin),
    prompt: isUnencrypted(baseUrl)
      ? vscode.l10n.t(
          'The token is sent to {0} without encryption, so others on the network can read it. Leave empty to remove the token.',
          origin,
        )
      : vscode.l10n.t('Sent to this server only. Leave empty to remove the token.'),
    password: true,
    ignoreFocusOut: true,
  });
  if (token === undefined) return;
  await tokens.setToken(origin, token.trim());
  await connection.check();
}

export async function testConnection(connection: ConnectionMonitor): Promise<void> {
  const state = await connection.check();
  if (state.state === 'connected') {
    void vscode.window.showInformationMessage(vscode.l10n.t('Ollama {0} is running at {1}.', state.version ?? '', state.baseUrl));
  } else {
    const settings = vscode.l10n.t('Open Settings');
    const text = state.message ?? vscode.l10n.t('Ollama does not respond at {0}.', state.baseUrl);
    if ((await vscode.window.showWarningMessage(text, settings)) === settings) {
      await vscode.commands.executeCommand('ollamaCopilot.openSettings');
    }
  }
}
