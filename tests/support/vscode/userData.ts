import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

export type UserSettings = Record<string, unknown>;

/** The terminals' `node` is the one that runs us, so that a command says the same on every machine. */
const ownNodeFirst = { PATH: `${path.dirname(process.execPath)}${path.delimiter}\${env:PATH}` };

/** Keeps a fresh window quiet and its network traffic down to ours. */
export const quietSettings: UserSettings = {
  // The scripts of the double answer messages only.
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
 * For tests: without what moves, blinks or is drawn for nobody, without a second extension host in the browser, and without requests that
 * no step of a test has caused.
 */
export const testSettings: UserSettings = {
  ...quietSettings,
  'ollamaCopilot.chat.readAhead': false,
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'editor.occurrencesHighlight': 'off',
  // A hover covers what a test clicks next.
  'editor.hover.enabled': 'off',
  'workbench.hover.delay': 600_000,
  'terminal.integrated.gpuAcceleration': 'off',
  'extensions.webWorker': false,
};

/** Merges settings into the user's `settings.json`; a window sees them when it is next loaded. */
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
