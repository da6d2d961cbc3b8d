import * as vscode from 'vscode';
import type { SettingsSource } from '../config/settings';
import { AppError, messageOf } from '../utils/errors';

const section = 'ollamaCopilot';

/** The editor's settings. Restricted and machine-scoped ones are already withheld by the editor where they must be. */
export const settingsSource: SettingsSource = {
  get: (key) => vscode.workspace.getConfiguration(section).get(key),
};

/** A setting where `saveSetting` saves it, and what this workspace says in its place. `undefined`: nothing is said. */
export interface SavedSetting {
  value: unknown;
  scope: 'user' | 'workspace';
  workspaceValue: unknown;
}

export function inspectSetting(key: string): SavedSetting {
  const { globalValue, workspaceValue, workspaceFolderValue } = vscode.workspace.getConfiguration(section).inspect(key) ?? {};
  if (followsScope(key) && workspaceValue !== undefined)
    return { value: workspaceValue, scope: 'workspace', workspaceValue: undefined };
  return { value: globalValue, scope: 'user', workspaceValue: workspaceFolderValue ?? workspaceValue };
}

/** Thrown if the editor has refused to save, and says why: a settings file with mistakes in it, or one that cannot be written. */
class SettingNotSavedError extends AppError {
  readonly code = 'settingNotSaved';
}

/** Saves globally; only `baseUrl` stays in the scope it is set in. `undefined` takes back what was saved. */
export async function saveSetting(key: string, value: unknown): Promise<void> {
  const { Global, Workspace } = vscode.ConfigurationTarget;
  const target = inspectSetting(key).scope === 'workspace' ? Workspace : Global;
  try {
    await vscode.workspace.getConfiguration(section).update(key, value, target);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new SettingNotSavedError(`${key} not saved: ${reason}`, vscode.l10n.t('Not saved. {0}', reason), { cause });
  }
}

function followsScope(key: string): boolean {
  return key === 'baseUrl';
}

export function onDidChangeSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(section)) listener();
  });
}
