import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../support/vscode/browser';
import { EditorServer, installExtension, ownHome, withoutGallery } from '../../support/vscode/editorServer';
import { extensionHostPids } from '../../support/vscode/extensionHostProcess';
import { repository, vsixFile } from '../../support/vscode/location';
import { removeFolder, temporaryFolder } from '../../support/vscode/temporaryFolder';
import { quietSettings, writeMachineSettings, writeUserSettings, type UserSettings } from '../../support/vscode/userData';
import { EditorWindow, indented } from './editorWindow';
import type { Theme } from './themes';

export interface WorkbenchOptions {
  /** On top of quiet defaults; `ollamaCopilot.baseUrl` and the like. */
  settings?: UserSettings;
  /** Of the machine that the server runs on, where the editor takes machine-scoped settings from. */
  machineSettings?: UserSettings;
  /** Whether folders count as trusted only when a person says so. Default: all are trusted. */
  isTrustAsked?: boolean;
  theme?: Theme;
  /** Of the browser window, in CSS pixels. Default 1280 × 800. */
  width?: number;
  height?: number;
  /** Copied to a temporary folder that is then opened. Default: the sample workspace. */
  workspace?: string;
  /** Default: the packaged extension. */
  vsix?: string;
  /** Installed beside it: VSIX files. */
  moreExtensions?: readonly string[];
  /** For the server and everything it starts. */
  env?: NodeJS.ProcessEnv;
}

/** The packaged extension, installed in a real VS Code that a real browser shows. Starting takes a few seconds: share it in a suite. */
export class Workbench extends EditorWindow {
  private constructor(
    folder: string,
    page: Page,
    private readonly temporary: string,
    private readonly userDataDir: string,
    private readonly server: EditorServer,
  ) {
    super(folder, page);
  }

  static async start(options: WorkbenchOptions = {}): Promise<Workbench> {
    const temporary = await temporaryFolder();
    const folder = path.join(temporary, 'sample-workspace');
    const userDataDir = path.join(temporary, 'user-data');
    const extensionsDir = path.join(temporary, 'extensions');
    const theme = options.theme ? { 'workbench.colorTheme': options.theme } : {};
    await writeUserSettings(userDataDir, { ...quietSettings, ...theme, ...options.settings });
    await writeMachineSettings(userDataDir, options.machineSettings ?? {});
    await cp(options.workspace ?? path.join(repository, 'resources/sample-workspace'), folder, { recursive: true });
    const install = async (): Promise<void> => {
      for (const vsix of [options.vsix ?? vsixFile(), ...(options.moreExtensions ?? [])]) {
        await installExtension(vsix, { userDataDir, extensionsDir });
      }
    };
    const [browser] = await Promise.all([launchBrowser(), install()]);
    const server = await EditorServer.start({
      kind: 'product',
      userDataDir,
      extensionsDir,
      isTrustAsked: options.isTrustAsked ?? false,
      env: { ...withoutGallery, ...(await ownHome(userDataDir)), ...options.env },
    });
    const page = await browser.newPage({ viewport: { width: options.width ?? 1280, height: options.height ?? 800 } });
    const workbench = new Workbench(folder, page, temporary, userDataDir, server);
    await page.goto(`${server.url}/?folder=${encodeURIComponent(folder)}`);
    await workbench.witnessed('start', workbench.untilLoaded());
    return workbench;
  }

  /** In the same tab, a window without a folder. */
  async openEmptyWindow(): Promise<void> {
    await this.page.goto(`${this.server.url}/?ew=true`);
    await this.untilLoaded();
  }

  /** The process that runs the extension for the window that is shown now. */
  async extensionHostPid(): Promise<number> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const newest = (await extensionHostPids(this.server.pid)).at(-1);
      if (newest !== undefined) return newest;
      await this.page.waitForTimeout(100);
    }
    throw new Error('The server has no extension host.');
  }

  /** SIGKILL: the extension gets no chance to write anything. The window stays as it was; `reloadWindow` brings a new host. */
  async killExtensionHost(): Promise<void> {
    const pid = await this.extensionHostPid();
    process.kill(pid, 'SIGKILL');
    while ((await extensionHostPids(this.server.pid)).includes(pid)) await this.page.waitForTimeout(20);
  }

  /** Writes user settings; the window sees them after `reloadWindow`. */
  changeSettings(settings: UserSettings): Promise<void> {
    return writeUserSettings(this.userDataDir, settings);
  }

  override async saveEvidence(name: string): Promise<string> {
    const folder = await super.saveEvidence(name);
    await writeFile(path.join(folder, 'server.log'), await this.server.log());
    await cp(path.join(this.userDataDir, 'logs'), path.join(folder, 'logs'), { recursive: true }).catch(() => undefined);
    return folder;
  }

  /** With what the extension has logged at last. */
  override async shown(): Promise<string> {
    const logs = path.join(this.userDataDir, 'logs');
    const names = await readdir(logs, { recursive: true }).catch((): string[] => []);
    const last = names
      .filter((name) => path.basename(name) === 'Ollama Copilot.log')
      .sort()
      .at(-1);
    const log = last === undefined ? '' : await readFile(path.join(logs, last), 'utf8').catch(String);
    return [await super.shown(), indented(log.split('\n').slice(-30))].join('\n');
  }

  override async close(): Promise<void> {
    await super.close();
    await this.server.close();
    await removeFolder(this.temporary);
  }
}
