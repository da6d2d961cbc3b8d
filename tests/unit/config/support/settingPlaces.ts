import { editor } from '../../../support/fakeEditor';
import { manifest } from '../../package/manifest';

/**
 * Values of a setting by place. `machine` is the settings file of a remote machine, so a case with it or with `isRemote` is about a remote
 * window. `folder` is the settings file of a folder in a multi-root workspace.
 */
export interface Places {
  user?: unknown;
  machine?: unknown;
  workspace?: unknown;
  folder?: unknown;
  isRemote?: boolean;
}

/**
 * Provides the values that the editor lets through, by the scope in package.json: `application` only from user settings, `machine` only
 * from the machine of the extension host, neither from a workspace
 * (https://code.visualstudio.com/api/references/contribution-points#configuration-property-scope). The real editor also ignores a folder's
 * value for a window setting. Here it counts, so that the strict rule still holds if a scope becomes `resource`.
 */
export function writeSetting(key: string, places: Places): void {
  const name = `ollamaCopilot.${key}`;
  const scope = manifest.contributes.configuration.properties[name]?.scope ?? 'window';
  const isRemote = places.isRemote === true || 'machine' in places;
  const ofUser = scope === 'machine' && isRemote ? undefined : places.user;
  const ofMachine = scope === 'application' ? undefined : places.machine;
  const isWorkspaceRead = scope !== 'application' && scope !== 'machine';
  write(editor.userSettings, name, ofMachine ?? ofUser);
  write(editor.workspaceSettings, name, isWorkspaceRead ? places.workspace : undefined);
  write(editor.folderSettings, name, isWorkspaceRead ? places.folder : undefined);
}

function write(settings: Map<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) settings.delete(name);
  else settings.set(name, value);
}

export function forgetSettings(): void {
  for (const settings of [editor.userSettings, editor.workspaceSettings, editor.folderSettings]) settings.clear();
}
