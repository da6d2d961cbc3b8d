import * as vscode from 'vscode';
import { settingProblem } from '../../config/settingProblem';
import { isSettingKey, settingDefaults, type SettingKey, type Settings } from '../../config/settings';
import type { HostApi } from '../../protocol/hostApi';
import type { SettingsState, SettingState } from '../../protocol/webviewEvents';
import { completedAddress, shownAddress } from '../../types/httpAddress';
import { AppError } from '../../utils/errors';
import { folderSize } from '../../utils/files/folderSize';
import type { Logger } from '../../utils/logger';
import { confirm } from '../../vscode/confirm';
import type { ServerAnswers } from '../../vscode/serverAnswers';
import { inspectSetting, saveSetting } from '../../vscode/settingsSource';
import { noResult } from '../noResult';

type SettingsApi = Pick<HostApi, 'readSettings' | 'saveSetting' | 'openEditorSettings' | 'removeToken' | 'measureStorage'>;

export interface SettingsServices {
  settings: Settings;
  servers: Pick<ServerAnswers, 'set'>;
  logger: Logger;
  /** Returns the configured storage root. */
  folder: () => string;
  token: ServerToken;
  /** Returns true if this package contributes a setting. The universal package has no settings that require LanceDB. */
  isOffered: (key: string) => boolean;
}

export interface ServerToken {
  isSet(): Promise<boolean>;
  remove(): Promise<void>;
}

class SettingError extends AppError {
  constructor(
    readonly code: 'settingUnknown' | 'settingValue',
    userMessage: string,
  ) {
    super(`${code}: ${userMessage}`, userMessage);
  }
}

/** Creates the handlers of the settings page. Validates all values, because validation in the page cannot be trusted. */
export function settingsHandlers(services: SettingsServices): SettingsApi {
  return {
    readSettings: () => settingsState(services),
    saveSetting: noResult(async ({ key, value: given }) => {
      const known = knownKey(key);
      const value = known === 'baseUrl' && typeof given === 'string' ? completedAddress(given) : given;
      const problem = value === null ? null : settingProblem(known, value);
      if (problem !== null) throw new SettingError('settingValue', problem);
      // The user entered this address, so no consent for the workspace is needed.
      if (known === 'baseUrl' && typeof value === 'string' && inspectSetting(known).scope === 'workspace')
        await services.servers.set(shownAddress(value), true);
      await saveSetting(known, value ?? undefined);
    }),
    openEditorSettings: noResult(({ key }) => {
      const query = key === null ? '@ext:ollama-copilot.ollama-copilot' : `@id:ollamaCopilot.${knownKey(key)}`;
      return vscode.commands.executeCommand('workbench.action.openSettings', query);
    }),
    removeToken: noResult(async () => {
      const isSure = await confirm({
        text: vscode.l10n.t('Remove the access token of this server?'),
        detail: vscode.l10n.t('To use the token later, you must enter it again.'),
        yes: vscode.l10n.t('Remove'),
      });
      if (isSure) await services.token.remove();
    }),
    measureStorage: async () => ({ bytes: await folderSize(services.folder()) }),
  };
}

function knownKey(key: string): SettingKey {
  if (isSettingKey(key)) return key;
  throw new SettingError('settingUnknown', vscode.l10n.t('This setting does not exist.'));
}

export async function settingsState({
  settings: source,
  folder,
  token,
  logger,
  isOffered,
}: SettingsServices): Promise<SettingsState> {
  const settings = Object.entries(settingDefaults())
    .filter(([key]) => isOffered(key))
    .map(([key, byDefault]) => toSettingState(source, key as SettingKey, byDefault));
  const hasToken = await token.isSet().catch((error: unknown) => {
    logger.error('Could not read the bearer token', error);
    return false;
  });
  return { settings, folder: folder(), hasToken };
}

function toSettingState(settings: Settings, key: SettingKey, byDefault: unknown): SettingState {
  const { value, scope, workspaceValue } = inspectSetting(key);
  const problem = value === undefined ? null : settingProblem(key, value);
  return {
    key,
    scope,
    default: byDefault,
    value: value ?? byDefault,
    isSet: value !== undefined,
    problem,
    ...(workspaceValue !== undefined && { workspaceValue }),
    ...(hasChoice(settings, key, workspaceValue) && { inForce: settings.readValue(key) }),
  };
}

/** Returns true if the workspace also sets a value. */
function hasChoice(settings: Settings, key: SettingKey, workspaceValue: unknown): boolean {
  return key === 'baseUrl' ? settings.workspaceServer !== null : workspaceValue !== undefined;
}
