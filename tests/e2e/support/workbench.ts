import assert from 'node:assert/strict';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { eventually, until } from '../../support/until';
import { extensionHostPids } from '../../support/vscode/extensionHostProcess';
import { repository, vsixFile } from '../../support/vscode/location';
import { removeFolder, temporaryFolder } from '../../support/vscode/temporaryFolder';
import { testSettings, writeMachineSettings, writeUserSettings, type UserSettings } from '../../support/vscode/userData';
import { ownPlace, sharedPlace, type EditorPlace } from './editorPlace';
import { EditorWindow, indented } from './editorWindow';
import type { Theme } from './themes';

export interface WorkbenchOptions {
  /** Settings in addition to quiet defaults, such as `ollamaCopilot.baseUrl`. */
  settings?: UserSettings;
  /** Settings of the server's machine, from which the editor reads machine-scoped settings. */
  machineSettings?: UserSettings;
  /** If true, folders are trusted only after the user confirms. Default: all folders are trusted. */
  isTrustAsked?: boolean;
  theme?: Theme;
  /** Language that the window reports. The editor's own texts stay English without its language pack. */
  language?: 'de';
  /** Width of the browser window in CSS pixels. Default: 1280 × 800. */
  width?: number;
  height?: number;
  /** Folder that is copied to a temporary folder and opened. Default: the sample workspace. */
  workspace?: string;
  /** Path of the extension's VSIX file. Default: the packaged extension. */
  vsix?: string;
  /** VSIX files of additional extensions. */
  moreExtensions?: readonly string[];
  /** Built-in extensions to enable in addition to those that every window needs, such as `git`. */
  builtins?: readonly string[];
  /** Environment variables for the server and everything it starts. */
  env?: NodeJS.ProcessEnv;
  /** Trace file for the connections of the server and everything it starts. See `connectionsIn`. */
  traceFile?: string;
}

/**
 * The packaged extension, installed in a real VS Code in a real browser. The suites of a process share the server and the browser, unless
 * the options concern the server. A start takes a few seconds, so share it within a suite.
 */
export class Workbench extends EditorWindow {
  private constructor(
    folder: string,
    page: Page,
    /** Temporary folder to remove with the window. Null for a second window. */
    private readonly temporary: string | null,
    private readonly place: EditorPlace,
  ) {
    super(folder, page);
  }

  static async start(options: WorkbenchOptions = {}): Promise<Workbench> {
    const { env, vsix, moreExtensions, builtins, isTrustAsked, traceFile } = options;
    const extensions = [vsix ?? vsixFile(), ...(moreExtensions ?? [])];
    const isShared = [env, vsix, moreExtensions, builtins, isTrustAsked, traceFile].every((option) => option === undefined);
    const place = await (isShared ? sharedPlace(extensions) : ownPlace({ ...options, extensions }));
    const temporary = await temporaryFolder();
    const folder = path.join(temporary, 'sample-workspace');
    const theme = options.theme ? { 'workbench.colorTheme': options.theme } : {};
    await writeUserSettings(place.userDataDir, { ...testSettings, ...theme, ...options.settings });
    await writeMachineSettings(place.userDataDir, options.machineSettings ?? {});
    await cp(options.workspace ?? path.join(repository, 'resources/sample-workspace'), folder, { recursive: true });
    const page = await place.browser.newPage({
      viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
      reducedMotion: 'reduce',
    });
    const workbench = new Workbench(folder, page, temporary, place);
    if (options.language !== undefined)
      await page.addInitScript((language) => Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: language }), options.language);
    await page.goto(`${place.server.url}/?folder=${encodeURIComponent(folder)}`);
    await workbench.witnessed('start', workbench.untilLoaded());
    return workbench;
  }

  /** Opens another window on the same folder with the same user data folder. Close it before this window. */
  async openSecondWindow(): Promise<Workbench> {
    const page = await this.place.browser.newPage({ viewport: this.page.viewportSize(), reducedMotion: 'reduce' });
    const second = new Workbench(this.folder, page, null, this.place);
    await page.goto(this.page.url());
    await second.witnessed('start', second.untilLoaded());
    return second;
  }

  /** Opens a window without a folder in the same tab. */
  async openEmptyWindow(): Promise<void> {
    await this.page.goto(`${this.place.server.url}/?ew=true`);
    await this.untilLoaded();
  }

  /** Returns the process ID of the extension host of the current window. */
  async extensionHostPid(): Promise<number> {
    return eventually(async () => {
      const pids = await extensionHostPids(this.place.server.pid);
      return pids.at(-1) ?? assert.fail('The server has no extension host.');
    });
  }

  /**
   * Kills the extension host with SIGKILL, so that the extension cannot write anything. The window stays unchanged. `reloadWindow` starts a
   * new host.
   */
  async killExtensionHost(): Promise<void> {
    const pid = await this.extensionHostPid();
    process.kill(pid, 'SIGKILL');
    await until(async () => !(await extensionHostPids(this.place.server.pid)).includes(pid), `process ${pid} is still there`);
  }

  /** Writes user settings. The window reads them after `reloadWindow`. */
  changeSettings(settings: UserSettings): Promise<void> {
    return writeUserSettings(this.place.userDataDir, settings);
  }

  /** Returns the text of the user's `settings.json`. */
  userSettings(): Promise<string> {
    return readFile(path.join(this.place.userDataDir, 'User', 'settings.json'), 'utf8');
  }

  override async saveEvidence(name: string): Promise<string> {
    const folder = await super.saveEvidence(name);
    await writeFile(path.join(folder, 'server.log'), await this.place.server.log());
    await cp(path.join(this.place.userDataDir, 'logs'), path.join(folder, 'logs'), { recursive: true }).catch(() => undefined);
    return folder;
  }

  /** Adds the last log lines of the extension. */
  override async shown(): Promise<string> {
    const logs = path.join(this.place.userDataDir, 'logs');
    const names = await readdir(logs, { recursive: true }).catch((): string[] => []);
    const last = names
      .filter((name) => path.basename(name) === 'Ollama Copilot.log')
      .sort()
      .at(-1);
    const log = last === undefined ? '' : await readFile(path.join(logs, last), 'utf8').catch(String);
    return [await super.shown(), indented(log.split('\n').slice(-30))].join('\n');
  }

  override async close(): Promise<void> {
    // Notifies the server that the window is gone, as a reload does.
    await this.page.goto('about:blank').catch(() => undefined);
    await super.close();
    if (this.temporary === null) return;
    await this.place.release();
    await removeFolder(this.temporary);
  }
}
