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

/** A window of VS Code with the extension, in a browser: what a person does in it. */
export abstract class EditorWindow {
  /** Everything that the window and the browser complained about. */
  readonly consoleErrors: string[] = [];

  protected constructor(
    /** The opened folder, a copy that the test may change. */
    readonly folder: string,
    readonly page: Page,
  ) {
    // A busy machine is no failure.
    page.setDefaultTimeout(stateLimitMs);
    page.on('pageerror', (error) => this.consoleErrors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.consoleErrors.push(message.text());
    });
    open.add(this);
  }

  /** Those that are not closed yet. */
  static get all(): readonly EditorWindow[] {
    return [...open];
  }

  /** The inside of the chat view. Look things up by role and accessible name. */
  get view(): FrameLocator {
    return this.page.frameLocator(`iframe.webview[src*="extensionId=${extensionId}"]`).frameLocator('iframe#active-frame');
  }

  /** Shows the chat view by its icon in the activity bar, unless it is there already. */
  async openChat(): Promise<void> {
    const body = this.view.locator('body');
    const tab = this.views.getByRole('tab', { name: 'Ollama Copilot' });
    await tab.waitFor();
    // Pressed while its view is still being restored, the icon hides the view: then it is pressed once more.
    const opened = tried(async (timeout) => {
      if (await body.isVisible()) return;
      if ((await tab.getAttribute('aria-expanded')) !== 'true') await tab.click();
      await body.waitFor({ state: 'visible', timeout });
    });
    await this.witnessed('open-chat', opened);
  }

  /** Runs a command of the Command Palette by its full title, e.g. `Ollama Copilot: New Chat`. */
  async runCommand(title: string): Promise<void> {
    // What opens meanwhile takes the focus, and the palette closes: then it is opened once more.
    await tried(async (timeout) => {
      const input = await this.openPalette();
      await input.fill(`>${title}`, { timeout });
      await this.page.getByRole('option', { name: title }).first().click({ timeout });
    });
  }

  /** As `runCommand`, by keys alone. */
  async runCommandByKeys(title: string): Promise<void> {
    await this.openPalette();
    await this.page.keyboard.type(title);
    await this.page.getByRole('option').first().filter({ hasText: title }).waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** Opens a file of the workspace by its name, and has the cursor in it. */
  async openFile(name: string): Promise<void> {
    // What opens meanwhile, such as a walkthrough, takes the focus, and the list closes: then it is asked for once more.
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

  /** Clicks the first line of an editor that has this text. */
  clickLine(text: string | RegExp = '', editor = '.editor-instance'): Promise<void> {
    return this.clickInEditor(this.page.locator(`${editor} .view-line`).filter({ hasText: text }).first());
  }

  /**
   * Clicks a line or a code lens. The hover of a tab lies over the lines until the pointer leaves the tab, and the editor can redraw a line
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

  /** One that is closing still when the key is pressed closes all the same: then it is pressed once more. */
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

  /** As `Developer: Reload Window` does: window, webviews and extension host start anew. */
  async reloadWindow(): Promise<void> {
    // eslint-disable-next-line waits/long -- In a browser the editor writes what an extension stores 100 ms late; nobody reloads that fast.
    await this.page.waitForTimeout(500);
    await this.page.reload();
    await this.untilLoaded();
  }

  /**
   * Waits until the editor has stored a text of a view, or with `isWanted` false until it has stored that the text is gone. In a browser it
   * stores every few seconds, and not when a page goes.
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

  /** Chooses a colour theme as a person does; nothing is reloaded. */
  async setTheme(theme: Theme): Promise<void> {
    await this.runCommand('Preferences: Color Theme');
    const input = this.page.locator('.quick-input-widget input');
    await input.fill(themeLooks[theme].label);
    await this.page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    await input.press('Enter');
    await this.page.locator(`.monaco-workbench.${themeLooks[theme].kind}`).waitFor();
    // eslint-disable-next-line waits/long -- Colours fade in.
    await this.page.waitForTimeout(300);
  }

  /** As *Move View* does: the chat is in the secondary side bar then, and shown. */
  async moveChatToSecondarySideBar(): Promise<void> {
    await this.runCommand('View: Move View');
    await this.page.getByRole('option', { name: /^Chat/ }).first().click();
    await this.page.getByRole('option', { name: 'New Secondary Side Bar Entry' }).click();
    await this.page.locator('.part.auxiliarybar').waitFor();
    await this.view.locator('body').waitFor({ state: 'visible' });
  }

  /** Drags the edge of the side bar until the chat view is exactly so many CSS pixels wide inside. */
  setViewWidth(pixels: number): Promise<void> {
    return setSideBarWidth(this.page, this.view, pixels);
  }

  /** Everything that helps to understand a failure, in `test-results/`: picture, the view's DOM, what the window complained about. */
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

  /** What the chat view says, for where files of a failed run cannot be fetched. */
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

  /** A failing `before` hook reaches no `afterEach`, so what happens in one keeps its own evidence. */
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
