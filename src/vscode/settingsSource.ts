import * as vscode from 'vscode';
import type { SettingKey, SettingsSource } from '../config/settings';
import type { ChatMode } from '../types/modes';
import { AppError, messageOf } from '../utils/errors';

const section = 'ollamaCopilot';

/**
 * Reads user and workspace settings separately, so that `Settings` decides which workspace values apply. VS Code does not
 * return restricted settings, or workspace values of settings with the scopes `application` and `machine`.
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

/** Value of a setting in the scope that `saveSetting` writes to, and the workspace value. `undefined` if not set. */
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

/** Error for a setting that VS Code did not save, for example because the settings file has errors or is read-only. */
class SettingNotSavedError extends AppError {
  readonly code = 'settingNotSaved';
}

/** Saves a setting globally. Only `baseUrl` keeps its scope. `undefined` removes the saved value. */
export async function saveSetting(key: string, value: unknown): Promise<void> {
  const { Global, Workspace } = vscode.ConfigurationTarget;
  const target = inspectSetting(key).scope === 'workspace' ? Workspace : Global;
  try {
    await vscode.workspace.getConfiguration(section).update(key, value, target);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new SettingNotSavedError(`${key} not saved: ${reason}`, vscode.l10n.t('Could not save the setting. {0}', reason), {
      cause,
    });
  }
}

/**
 * Saves the model that the user selected in a mode. The model applies to all modes, except
 * for other modes with a model in the settings.
 */
export async function saveModel(mode: ChatMode, model: string): Promise<void> {
  const own = `${mode}Mode.model`;
  if ((inspectSetting(own).value ?? '') !== '') await saveSetting(own, model);
  await saveSetting('chat.model', model);
}

/**
 * Saves a setting for a command. Shows a message if a workspace value overrides it, that is, if `isInForce` is false after
 * saving. The settings page shows this next to the field instead.
 */
export async function saveForCommand(key: SettingKey, value: unknown, isInForce: () => boolean): Promise<void> {
  await saveSetting(key, value);
  if (isInForce()) return;
  const open = vscode.l10n.t('Open Workspace Settings');
  const text = vscode.l10n.t(
    'The setting was saved, but this workspace uses its own stricter value of {0}.',
    `ollamaCopilot.${key}`,
  );
  void vscode.window.showInformationMessage(text, open).then((choice) => {
    if (choice === open)
      void vscode.commands.executeCommand('workbench.action.openWorkspaceSettings', { query: `ollamaCopilot.${key}` });
  });
}

/**
 * Returns the entries of an effective list that the user can save. These are all entries
 * that are not only in the workspace settings.
 */
export function ownEntries(key: SettingKey, entries: readonly string[]): string[] {
  const { value, workspaceValue } = inspectSetting(key);
  const has = (list: unknown, entry: string) => Array.isArray(list) && list.includes(entry);
  return entries.filter((entry) => has(value, entry) || !has(workspaceValue, entry));
}

/** Returns a function that checks whether the manifest of the package contributes a setting. */
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
