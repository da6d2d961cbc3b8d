import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

export type UserSettings = Record<string, unknown>;

/** The terminals use the same `node` as the tests, so that commands have the same output on every machine. */
const ownNodeFirst = { PATH: `${path.dirname(process.execPath)}${path.delimiter}\${env:PATH}` };

/** Keeps a new window quiet and avoids network traffic that the extension does not cause. */
export const quietSettings: UserSettings = {
  // The scripts of the double only contain replies to messages.
  'ollamaCopilot.agent.sessionTitleGeneration': false,
  'workbench.startupEditor': 'none',
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': 'off',
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'git.openRepositoryInParentFolders': 'never',
  'security.workspace.trust.enabled': false,
  'terminal.integrated.env.linux': ownNodeFirst,
  'terminal.integrated.env.osx': ownNodeFirst,
  'terminal.integrated.env.windows': ownNodeFirst,
};

/**
 * Settings for tests. They disable animations, blinking and invisible rendering, a second extension host in the browser, and requests that
 * no test step causes.
 */
export const testSettings: UserSettings = {
  ...quietSettings,
  'ollamaCopilot.chat.readAhead': false,
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'editor.occurrencesHighlight': 'off',
  // A hover covers the elements that a test clicks next.
  'editor.hover.enabled': 'off',
  'workbench.hover.delay': 600_000,
  'terminal.integrated.gpuAcceleration': 'off',
  'extensions.webWorker': false,
};

/** Merges settings into the user's `settings.json`. A window reads them when it is next loaded. */
export function writeUserSettings(userDataDir: string, settings: UserSettings): Promise<void> {
  return writeSettings(path.join(userDataDir, 'User', 'settings.json'), settings);
}

export function writeMachineSettings(userDataDir: string, settings: UserSettings): Promise<void> {
  return writeSettings(path.join(userDataDir, 'Machine', 'settings.json'), settings);
}

async function writeSettings(file: string, settings: UserSettings): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const present = await readFile(file, 'utf8').catch(() => '{}');
  await writeFile(file, JSON.stringify({ ...(JSON.parse(present) as UserSettings), ...settings }, null, 2));
}
