import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, FrameLocator, Locator, Page } from 'playwright-core';
import { launchBrowser } from '../../support/vscode/browser';
import { EditorServer, installExtension, ownHome, withoutGallery } from '../../support/vscode/editorServer';
import { extensionHostPids } from '../../support/vscode/extensionHostProcess';
import { repository, vsixFile } from '../../support/vscode/location';
import { removeFolder, temporaryFolder } from '../../support/vscode/temporaryFolder';
import { quietSettings, writeMachineSettings, writeUserSettings, type UserSettings } from '../../support/vscode/userData';
import { setSideBarWidth } from './sideBar';
import { themeLooks, type Theme } from './themes';

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

const extensionId = 'ollama-copilot.ollama-copilot';
const open = new Set<Workbench>();

/** The packaged extension, installed in a real VS Code that a real browser shows. Starting takes a few seconds: share it in a suite. */
export class Workbench {
  private constructor(
    /** The opened folder, a copy that the test may change. */
    readonly folder: string,
    readonly page: Page,
    /** Everything that the window and the browser complained about. */
    readonly consoleErrors: readonly string[],
    private readonly temporary: string,
    private readonly userDataDir: string,
    private readonly server: EditorServer,
    private readonly browser: Browser,
  ) {
    open.add(this);
  }

  /** The workbenches that are not closed yet. */
  static get all(): readonly Workbench[] {
    return [...open];
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
    // A busy machine is no failure; each case has a time of its own.
    page.setDefaultTimeout(60_000);
    page.setDefaultNavigationTimeout(120_000);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    const workbench = new Workbench(folder, page, errors, temporary, userDataDir, server, browser);
    await page.goto(`${server.url}/?folder=${encodeURIComponent(folder)}`);
    await workbench.witnessed('start', workbench.untilLoaded());
    return workbench;
  }

  /** The inside of the chat view. Look things up by role and accessible name. */
  get view(): FrameLocator {
    return this.page.frameLocator(`iframe.webview[src*="extensionId=${extensionId}"]`).frameLocator('iframe#active-frame');
  }

  /** Shows the chat view by its icon in the activity bar, unless it is there already. */
  async openChat(): Promise<void> {
    const body = this.view.locator('body');
    const tab = this.page.locator('.activitybar').getByRole('tab', { name: 'Ollama Copilot' });
    await tab.waitFor({ timeout: 120_000 });
    // Pressed while its view is still being restored, the icon hides the view: then it is pressed once more.
    for (let attempt = 0; attempt < 4 && !(await body.isVisible()); attempt++) {
      const isChosen = await tab.evaluate((element) => element.closest('.action-item')?.classList.contains('checked') ?? false);
      if (!isChosen) await tab.click();
      await body.waitFor({ state: 'visible', timeout: 8000 }).catch(() => undefined);
    }
    await this.witnessed('open-chat', body.waitFor({ state: 'visible' }));
  }

  /** Runs a command of the Command Palette by its full title, e.g. `Ollama Copilot: New Chat`. */
  async runCommand(title: string): Promise<void> {
    const input = await this.openPalette();
    await input.fill(`>${title}`);
    await this.page
      .locator('.quick-input-list .monaco-list-row')
      .filter({ has: this.page.locator('.label-name', { hasText: title }) })
      .first()
      .click();
  }

  /** As `runCommand`, by keys alone. */
  async runCommandByKeys(title: string): Promise<void> {
    await this.openPalette();
    await this.page.keyboard.type(title);
    await this.page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: title }).waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** One that is closing still when the key is pressed closes all the same: then it is pressed once more. */
  private async openPalette(): Promise<Locator> {
    const input = this.page.locator('.quick-input-widget input:focus');
    for (let attempt = 0; attempt < 5; attempt++) {
      await this.page.keyboard.press('F1');
      const isOpen = await input.waitFor({ state: 'visible', timeout: 5000 }).then(
        () => true,
        () => false,
      );
      if (!isOpen) continue;
      await this.page.waitForTimeout(100);
      if (await input.isVisible()) break;
    }
    return input;
  }

  /** As `Developer: Reload Window` does: window, webviews and extension host start anew. */
  async reloadWindow(): Promise<void> {
    // In a browser the editor writes what an extension stores with it 100 ms late; nobody reloads that fast.
    await this.page.waitForTimeout(500);
    await this.page.reload();
    await this.untilLoaded();
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

  /** Chooses a colour theme as a person does; nothing is reloaded. */
  async setTheme(theme: Theme): Promise<void> {
    await this.runCommand('Preferences: Color Theme');
    const input = this.page.locator('.quick-input-widget input');
    await input.fill(themeLooks[theme].label);
    await this.page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    await input.press('Enter');
    await this.page.locator(`.monaco-workbench.${themeLooks[theme].kind}`).waitFor();
    await this.page.waitForTimeout(300);
  }

  /** Drags the edge of the side bar until the chat view is exactly so many CSS pixels wide inside. */
  setViewWidth(pixels: number): Promise<void> {
    return setSideBarWidth(this.page, this.view, pixels);
  }

  /** A picture of the whole window in `test-results/`; answers the file. */
  async screenshot(name: string): Promise<string> {
    const file = path.join(await resultsFolder(), `${name}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }

  /** Everything that helps to understand a failure, in `test-results/`: picture, the view's DOM, the server's log. */
  async saveEvidence(name: string): Promise<string> {
    const folder = path.join(await resultsFolder(), name);
    await mkdir(folder, { recursive: true });
    await this.page.screenshot({ path: path.join(folder, 'window.png') }).catch(() => undefined);
    const html = await this.view
      .locator('html')
      .evaluate((root) => root.outerHTML, undefined, { timeout: 3000 })
      .catch(String);
    await writeFile(path.join(folder, 'view.html'), html);
    await writeFile(path.join(folder, 'console.txt'), this.consoleErrors.join('\n'));
    await writeFile(path.join(folder, 'server.log'), await this.server.log());
    await cp(path.join(this.userDataDir, 'logs'), path.join(folder, 'logs'), { recursive: true }).catch(() => undefined);
    return folder;
  }

  /** What the chat view says and what the extension has logged at last, for where files of a failed run cannot be fetched. */
  async shown(): Promise<string> {
    const view = await this.view.locator('body').ariaSnapshot({ timeout: 3000 }).catch(String);
    const logs = path.join(this.userDataDir, 'logs');
    const names = await readdir(logs, { recursive: true }).catch((): string[] => []);
    const last = names
      .filter((name) => path.basename(name) === 'Ollama Copilot.log')
      .sort()
      .at(-1);
    const log = last === undefined ? '' : await readFile(path.join(logs, last), 'utf8').catch(String);
    return [...view.split('\n').slice(-80), ...log.split('\n').slice(-30)]
      .map((line) => `      | ${line.slice(0, 200)}`)
      .join('\n');
  }

  async close(): Promise<void> {
    open.delete(this);
    await this.browser.close();
    await this.server.close();
    await removeFolder(this.temporary);
  }

  /** A failing `before` hook reaches no `afterEach`, so what happens in one keeps its own evidence. */
  private async witnessed<T>(name: string, work: Promise<T>): Promise<T> {
    return work.catch(async (error: unknown) => {
      console.log(`      evidence: ${await this.saveEvidence(`failed-${name}`)}`);
      throw error;
    });
  }

  private async untilLoaded(): Promise<void> {
    await this.page.locator('.monaco-workbench .activitybar').waitFor({ timeout: 120_000 });
  }
}

async function resultsFolder(): Promise<string> {
  const folder = path.join(repository, 'test-results');
  await mkdir(folder, { recursive: true });
  return folder;
}
