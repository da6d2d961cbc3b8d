import * as vscode from 'vscode';
import type { SettingKey, SettingsSource } from '../config/settings';
import { AppError, messageOf } from '../utils/errors';

const section = 'ollamaCopilot';

/**
 * Reads the editor's settings: the user's apart from those of the workspace, so that `Settings` decides what a workspace may say. The
 * editor withholds restricted ones and those of the scopes `application` and `machine`.
 */
export function editorSettings({ answerTo }: Required<Pick<SettingsSource, 'answerTo'>>): SettingsSource {
  return {
    answerTo,
    get: (key) => {
      const { globalValue, defaultValue } = inspected(key);
      return globalValue ?? defaultValue;
    },
    ofWorkspace: (key) => {
      const { workspaceValue, workspaceFolderValue } = inspected(key);
      return [workspaceValue, workspaceFolderValue].filter((value) => value !== undefined && value !== null);
    },
  };
}

function inspected(key: string): Partial<NonNullable<ReturnType<vscode.WorkspaceConfiguration['inspect']>>> {
  return vscode.workspace.getConfiguration(section).inspect(key) ?? {};
}

/** A setting where `saveSetting` saves it, and what this workspace sets besides. `undefined`: nothing is set. */
export interface SavedSetting {
  value: unknown;
  scope: 'user' | 'workspace';
  workspaceValue: unknown;
}

export function inspectSetting(key: string): SavedSetting {
  const { globalValue, workspaceValue, workspaceFolderValue } = inspected(key);
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

/**
 * Saves a setting for a command. Where the workspace is stricter, so that the command has no effect here (`isInForce`, asked after saving),
 * says so. The settings page says it beside the field.
 */
export async function saveForCommand(key: SettingKey, value: unknown, isInForce: () => boolean): Promise<void> {
  await saveSetting(key, value);
  if (isInForce()) return;
  const open = vscode.l10n.t('Open Workspace Settings');
  const text = vscode.l10n.t('Saved, but this workspace sets a stricter {0}, which is used here.', `ollamaCopilot.${key}`);
  void vscode.window.showInformationMessage(text, open).then((choice) => {
    if (choice === open)
      void vscode.commands.executeCommand('workbench.action.openWorkspaceSettings', { query: `ollamaCopilot.${key}` });
  });
}

/** Returns the entries of a list in force that are the user's to save: without those that only the workspace has. */
export function ownEntries(key: SettingKey, entries: readonly string[]): string[] {
  const { value, workspaceValue } = inspectSetting(key);
  const has = (list: unknown, entry: string) => Array.isArray(list) && list.includes(entry);
  return entries.filter((entry) => has(value, entry) || !has(workspaceValue, entry));
}

/** Returns which settings a package offers, by their keys, as its manifest says. */
export function offeredSettings(manifest: unknown): (key: string) => boolean {
  const { contributes } = manifest as { contributes?: { configuration?: { properties?: Record<string, unknown> } } };
  const properties = contributes?.configuration?.properties;
  return (key) => properties === undefined || Object.hasOwn(properties, `${section}.${key}`);
}

function followsScope(key: string): boolean {
  return key === 'baseUrl';
}

export function onDidChangeSettings(listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(section)) listener();
  });
}
