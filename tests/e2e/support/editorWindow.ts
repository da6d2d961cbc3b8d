import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { stateLimitMs, until } from '../../support/until';
import { repository } from '../../support/vscode/location';
import { setSideBarWidth } from './sideBar';
import { themeLooks, type Theme } from './themes';
import { tried } from './tries';

const extensionId = 'ollama-copilot.ollama-copilot';
const open = new Set<EditorWindow>();

/** A VS Code window with the extension, in a browser, and the user's actions in it. */
export abstract class EditorWindow {
  /** All errors that the window and the browser have reported. */
  readonly consoleErrors: string[] = [];

  protected constructor(
    /** Opened folder, a copy that the test may change. */
    readonly folder: string,
    readonly page: Page,
  ) {
    // A slow response on a busy machine is not a failure.
    page.setDefaultTimeout(stateLimitMs);
    page.on('pageerror', (error) => this.consoleErrors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.consoleErrors.push(message.text());
    });
    open.add(this);
  }

  /** Windows that are not closed yet. */
  static get all(): readonly EditorWindow[] {
    return [...open];
  }

  /** Content of the chat view. Locate its elements by role and accessible name. */
  get view(): FrameLocator {
    return this.page.frameLocator(`iframe.webview[src*="extensionId=${extensionId}"]`).frameLocator('iframe#active-frame');
  }

  /** Shows the chat view with its icon in the activity bar, unless the view is already visible. */
  async openChat(): Promise<void> {
    const body = this.view.locator('body');
    const tab = this.views.getByRole('tab', { name: 'Ollama Copilot' });
    await tab.waitFor();
    // A click on the icon while the view is being restored hides the view. In that case, the icon is clicked again.
    const opened = tried(async (timeout) => {
      if (await body.isVisible()) return;
      if ((await tab.getAttribute('aria-expanded')) !== 'true') await tab.click();
      await body.waitFor({ state: 'visible', timeout });
    });
    await this.witnessed('open-chat', opened);
  }

  /** Runs a command of the Command Palette by its full title, e.g. `Ollama Copilot: New Chat`. */
  async runCommand(title: string): Promise<void> {
    // If something else opens, it takes the focus and the palette closes. Then the palette is opened again.
    await tried(async (timeout) => {
      const input = await this.openPalette();
      await input.fill(`>${title}`, { timeout });
      await this.page.getByRole('option', { name: title }).first().click({ timeout });
    });
  }

  /** Does the same as `runCommand` with the keyboard only. */
  async runCommandByKeys(title: string): Promise<void> {
    await this.openPalette();
    await this.page.keyboard.type(title);
    await this.page.getByRole('option').first().filter({ hasText: title }).waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** Opens a file in the workspace by its name and places the cursor in it. */
  async openFile(name: string): Promise<void> {
    // If something else opens, such as a walkthrough, it takes the focus and the list closes. Then the list is opened again.
    await tried(async (timeout) => {
      try {
        await this.page.keyboard.press('Control+P');
        await this.page.getByRole('textbox', { name: /^Search files by name/ }).fill(name, { timeout });
        await this.page.getByRole('option', { name }).first().click({ timeout });
      } catch (error) {
        await this.page.keyboard.press('Escape');
        throw error;
      }
    });
    await this.page.getByRole('tab', { name }).waitFor();
    await this.page.locator('.editor-instance .monaco-editor.focused').first().waitFor();
  }

  /** Clicks the first line with this text in an editor. */
  clickLine(text: string | RegExp = '', editor = '.editor-instance'): Promise<void> {
    return this.clickInEditor(this.page.locator(`${editor} .view-line`).filter({ hasText: text }).first());
  }

  /**
   * Clicks a line or a code lens. The hover of a tab covers the lines until the pointer leaves the tab. The editor may re-render a line
   * when the pointer enters it.
   */
  async clickInEditor(target: Locator): Promise<void> {
    await this.parkPointer();
    await target.hover();
    await target.click();
  }

  /** Moves the pointer to the status bar, where it covers nothing that a test clicks. */
  async parkPointer(): Promise<void> {
    const { width, height } = this.page.viewportSize() ?? { width: 1280, height: 800 };
    await this.page.mouse.move(width / 2, height - 10, { steps: 3 });
  }

  private get views(): Locator {
    return this.page.getByRole('tablist', { name: 'Active View Switcher' });
  }

  /** Opens the Command Palette. If an earlier palette is still closing, the new one closes too. Then the key is pressed again. */
  private async openPalette(): Promise<Locator> {
    const input = this.page.getByRole('textbox', { name: 'Type the name of a command to run.' });
    return tried(async (timeout) => {
      await this.page.keyboard.press('F1');
      await input.waitFor({ state: 'visible', timeout });
      await this.page.waitForTimeout(100);
      if (!(await input.isVisible())) throw new Error('The palette has closed.');
      return input;
    });
  }

  /** Does the same as `Developer: Reload Window`: restarts the window, the webviews and the extension host. */
  async reloadWindow(): Promise<void> {
    // eslint-disable-next-line waits/long -- In a browser, the editor stores extension data after 100 ms. No user reloads that fast.
    await this.page.waitForTimeout(500);
    await this.page.reload();
    await this.untilLoaded();
  }

  /**
   * Waits until the editor has stored a text of a view, or the removal of the text if `isWanted` is false. In a browser, the editor stores
   * every few seconds, but not when a page unloads.
   */
  async untilStored(text: string, isWanted = true): Promise<void> {
    const isStored = () =>
      this.page.evaluate(async (words) => {
        const promised = <T>(request: IDBRequest<T>): Promise<T> =>
          new Promise((resolve, reject) => {
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(new Error(String(request.error)));
          });
        for (const { name = '' } of await indexedDB.databases()) {
          const database = await promised(indexedDB.open(name));
          try {
            for (const store of database.objectStoreNames)
              if (JSON.stringify(await promised(database.transaction(store).objectStore(store).getAll())).includes(words))
                return true;
          } finally {
            database.close();
          }
        }
        return false;
      }, text);
    await until(async () => (await isStored()) === isWanted, `stored: ${text}, wanted: ${isWanted}`);
  }

  /** Selects a color theme as a user does, without a reload. */
  async setTheme(theme: Theme): Promise<void> {
    await this.runCommand('Preferences: Color Theme');
    const input = this.page.locator('.quick-input-widget input');
    await input.fill(themeLooks[theme].label);
    await this.page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    await input.press('Enter');
    await this.page.locator(`.monaco-workbench.${themeLooks[theme].kind}`).waitFor();
    // eslint-disable-next-line waits/long -- Colors fade in.
    await this.page.waitForTimeout(300);
  }

  /** Moves the chat to the secondary side bar with *Move View*, where it is visible afterwards. */
  async moveChatToSecondarySideBar(): Promise<void> {
    await this.runCommand('View: Move View');
    await this.page.getByRole('option', { name: /^Chat/ }).first().click();
    await this.page.getByRole('option', { name: 'New Secondary Side Bar Entry' }).click();
    await this.page.locator('.part.auxiliarybar').waitFor();
    await this.view.locator('body').waitFor({ state: 'visible' });
  }

  /** Drags the edge of the side bar until the content of the chat view is exactly `pixels` CSS pixels wide. */
  setViewWidth(pixels: number): Promise<void> {
    return setSideBarWidth(this.page, this.view, pixels);
  }

  /** Saves evidence of a failure in `test-results/`: a screenshot, the DOM of the view and the errors of the window. */
  async saveEvidence(name: string): Promise<string> {
    const folder = path.join(repository, 'test-results', name);
    await mkdir(folder, { recursive: true });
    await this.page.screenshot({ path: path.join(folder, 'window.png'), timeout: 10_000 }).catch(() => undefined);
    const html = await this.view
      .locator('html')
      .evaluate((root) => root.outerHTML, undefined, { timeout: 3000 })
      .catch(String);
    await writeFile(path.join(folder, 'view.html'), html);
    await writeFile(path.join(folder, 'console.txt'), this.consoleErrors.join('\n'));
    return folder;
  }

  /** Returns the text of the chat view, for environments where files of a failed run cannot be downloaded. */
  async shown(): Promise<string> {
    const view = await this.view.locator('body').ariaSnapshot({ timeout: 3000 }).catch(String);
    return indented(view.split('\n').slice(-80));
  }

  async close(): Promise<void> {
    open.delete(this);
    await this.page.context().close();
  }

  protected async untilLoaded(): Promise<void> {
    await this.views.first().waitFor();
  }

  /** Saves evidence if `work` fails, because no `afterEach` runs after a failing `before` hook. */
  protected async witnessed<T>(name: string, work: Promise<T>): Promise<T> {
    return work.catch(async (error: unknown) => {
      console.log(`      evidence: ${await this.saveEvidence(`failed-${name}`)}`);
      throw error;
    });
  }
}

export function indented(lines: readonly string[]): string {
  return lines.map((line) => `      | ${line.slice(0, 200)}`).join('\n');
}
