import * as vscode from 'vscode';
import type { SettingsSource } from '../config/settings';

const section = 'ollamaCopilot';

/** The editor's settings. Restricted and machine-scoped ones are already withheld by the editor where they must be. */
export const settingsSource: SettingsSource = {
  get: (key) => vscode.workspace.getConfiguration(section).get(key),
};

/** Saves globally; only `baseUrl` stays in the scope it is set in. */
export async function saveSetting(key: string, value: unknown): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(section);
  const target =
    key === 'baseUrl' && configuration.inspect(key)?.workspaceValue !== undefined
      ? vscode.ConfigurationTarget.Workspace
      : vscode.ConfigurationTarget.Global;
  await configuration.update(key, value, target);
}

export function onDidChangeSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(section)) listener();
  });
}
