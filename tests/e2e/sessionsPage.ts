import type { FrameLocator, Locator } from 'playwright-core';
import type { Workbench } from './support/workbench';

/** The sessions page as a user experiences it: every element is located by its accessible name. */
export class SessionsPage {
  constructor(
    private readonly view: () => FrameLocator,
    private readonly workbench: Workbench,
  ) {}

  get rows(): Locator {
    return this.view().getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  }

  row(title: string): Locator {
    return this.rows.filter({ has: this.view().getByText(title, { exact: true }) });
  }

  async show(): Promise<void> {
    await this.workbench.runCommand('Ollama Copilot: History');
    await this.searchBox.waitFor();
  }

  async newChat(): Promise<void> {
    await this.workbench.runCommand('Ollama Copilot: New chat');
    await this.view().getByRole('article').first().waitFor({ state: 'detached' });
    await this.view().getByRole('textbox', { name: 'Message' }).waitFor();
  }

  async open(title: string): Promise<void> {
    await this.row(title).getByRole('button', { name: 'Open', exact: true }).click();
    await this.view().getByRole('log', { name: 'Conversation' }).waitFor();
  }

  async search(words: string): Promise<void> {
    await this.searchBox.fill(words);
  }

  async rename(title: string, next: string): Promise<void> {
    await this.row(title).hover();
    await this.row(title)
      .getByRole('button', { name: /^Rename/ })
      .click();
    const field = this.view().getByRole('textbox', { name: /title|Rename/i });
    await field.fill(next);
    await field.press('Enter');
    await this.row(next).waitFor();
  }

  /** Deletes a session and confirms the deletion in the dialog. */
  async delete(title: string): Promise<void> {
    await this.row(title).hover();
    await this.row(title)
      .getByRole('button', { name: /^Delete/ })
      .click();
    await this.workbench.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  }

  private get searchBox(): Locator {
    return this.view().getByRole('searchbox', { name: 'Search sessions' });
  }
}
