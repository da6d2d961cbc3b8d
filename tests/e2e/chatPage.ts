import type { FrameLocator, Locator, Page } from 'playwright-core';
import { stateLimitMs, until } from '../support/until';

/** The chat as a user experiences it: every element is located by its accessible name. */
export class ChatPage {
  constructor(
    readonly view: () => FrameLocator,
    readonly page: Page,
  ) {}

  get conversation(): Locator {
    return this.view().getByRole('log', { name: 'Conversation' });
  }

  get composer(): Locator {
    return this.view().getByRole('textbox', { name: 'Message' });
  }

  button(name: string | RegExp): Locator {
    return this.view().getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
  }

  group(name: string): Locator {
    return this.view().getByRole('group', { name, exact: true });
  }

  articles(name: 'You' | 'Assistant'): Locator {
    return this.conversation.getByRole('article', { name, exact: true });
  }

  async pickMode(name: string): Promise<void> {
    await this.pick(/^Mode: /, name);
    await this.button(`Mode: ${name}`).waitFor();
  }

  async pickModel(name: string): Promise<void> {
    await this.pick(/^Model: /, name);
    await this.button(`Model: ${name}`).waitFor();
  }

  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.button('Send').click();
  }

  /** Sends a message and waits until its run has started and finished. On a busy machine, `Stop` appears some time after the click. */
  async ask(text: string, timeout = stateLimitMs): Promise<void> {
    const answers = await this.articles('Assistant').count();
    await this.send(text);
    await this.articles('Assistant').nth(answers).waitFor({ timeout });
    await this.settled(timeout);
  }

  /** Edits the message that begins with `from`, and resends it. */
  async edit(from: string, to: string): Promise<void> {
    const message = this.articles('You').filter({ hasText: from });
    await message.hover();
    await message.getByRole('button', { name: 'Edit and resend' }).click();
    const field = this.view().getByRole('textbox', { name: 'Edit message' });
    await field.fill(to);
    await field.press('Enter');
  }

  /** Stops the run, which may also finish on its own. */
  async stop(): Promise<void> {
    await until(async () => {
      if (await this.button('Send').isVisible()) return true;
      await this.button('Stop').click({ timeout: 2_000 });
      return false;
    }, 'it still runs');
    await this.settled();
  }

  /** Waits until nothing is running and the composer shows `Send` again. */
  async settled(timeout = stateLimitMs): Promise<void> {
    await this.button('Stop').waitFor({ state: 'detached', timeout });
    await this.button('Send').waitFor({ timeout });
  }

  /**
   * Returns the text of the conversation with every disclosure open. It must be the same after a reload. Times of day are returned as
   * timestamps, because their text changes on the next day.
   */
  async everything(): Promise<string> {
    await this.openDisclosures();
    const said = await this.conversation.ariaSnapshot();
    const moments = await this.conversation
      .locator('time')
      .evaluateAll((times) => times.map((time) => time.getAttribute('datetime')));
    return [said.replaceAll(/^( *- time): .*$/gm, '$1'), ...moments].join('\n');
  }

  private async openDisclosures(): Promise<void> {
    // Skips menus, because they close again.
    const closed = this.conversation.getByRole('button', { expanded: false }).and(this.view().locator(':not([aria-haspopup])'));
    for (let count = await closed.count(); count > 0; count = await closed.count()) await closed.first().click();
  }

  private async pick(picker: RegExp, option: string): Promise<void> {
    await this.button(picker).click();
    await this.view().getByRole('option', { name: option, exact: true }).click();
  }
}
