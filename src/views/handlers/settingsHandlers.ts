import * as vscode from 'vscode';
import { settingProblem } from '../../config/settingProblem';
import { isSettingKey, settingDefaults, type SettingKey, type Settings } from '../../config/settings';
import type { HostApi } from '../../protocol/hostApi';
import type { SettingsState, SettingState } from '../../protocol/webviewEvents';
import { shownAddress } from '../../types/httpAddress';
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
  /** The storage root as configured now. */
  folder: () => string;
  token: ServerToken;
  /** Tells whether this package offers a setting: the one for all platforms has none that needs LanceDB. */
  isOffered: (key: string) => boolean;
}

/** The bearer token of the configured server. */
export interface ServerToken {
  isSet(): Promise<boolean>;
  remove(): Promise<void>;
}

/** A setting cannot be what it was asked to be. */
class SettingError extends AppError {
  constructor(
    readonly code: 'settingUnknown' | 'settingValue',
    userMessage: string,
  ) {
    super(`${code}: ${userMessage}`, userMessage);
  }
}

/** Requests of the settings page. What may be saved is decided here, whatever the page has checked. */
export function settingsHandlers(services: SettingsServices): SettingsApi {
  return {
    readSettings: () => settingsState(services),
    saveSetting: noResult(async ({ key, value }) => {
      const known = knownKey(key);
      const problem = value === null ? null : settingProblem(known, value);
      if (problem !== null) throw new SettingError('settingValue', problem);
      // The user has written this address: saving it for the workspace needs no question.
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
        text: vscode.l10n.t('Remove the bearer token of this server?'),
        detail: vscode.l10n.t('To use it again it has to be entered again.'),
        yes: vscode.l10n.t('Remove'),
      });
      if (isSure) await services.token.remove();
    }),
    measureStorage: async () => ({ bytes: await folderSize(services.folder()) }),
  };
}

function knownKey(key: string): SettingKey {
  if (isSettingKey(key)) return key;
  throw new SettingError('settingUnknown', vscode.l10n.t('There is no setting of this name.'));
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
    .map(([key, byDefault]) => stateOf(source, key as SettingKey, byDefault));
  const hasToken = await token.isSet().catch((error: unknown) => {
    logger.error('Could not read the bearer token', error);
    return false;
  });
  return { settings, folder: folder(), hasToken };
}

function stateOf(settings: Settings, key: SettingKey, byDefault: unknown): SettingState {
  const { value, scope, workspaceValue } = inspectSetting(key);
  const problem = value === undefined ? null : settingProblem(key, value);
  return {
    ...{ key, scope, default: byDefault },
    value: value ?? byDefault,
    isSet: value !== undefined,
    problem,
    ...(workspaceValue !== undefined && { workspaceValue }),
    ...(hasChoice(settings, key, workspaceValue) && { inForce: settings.valueOf(key) }),
  };
}

/** Tells whether the workspace sets something else than the user. */
function hasChoice(settings: Settings, key: SettingKey, workspaceValue: unknown): boolean {
  return key === 'baseUrl' ? settings.workspaceServer !== null : workspaceValue !== undefined;
}
