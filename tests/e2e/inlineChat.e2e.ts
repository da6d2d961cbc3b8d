import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import type { OllamaDouble } from '../support/ollama/double';
import { hold } from '../support/ollama/doubleReply';
import type { ChatPage } from './chatPage';
import { worker } from './scripts';
import { chatSuite } from './support/chatSuite';
import { untilOnDisk } from './support/disk';
import { expect } from './support/expect';
import type { Workbench } from './support/workbench';

const original = [
  'export function total(prices: number[]): number {',
  '  return prices.reduce((sum, price) => sum + price, 0);',
  '}',
  '',
].join('\n');
const checked = original.replace('  return', "  if (prices.length === 0) throw new Error('No prices');\n  return");
const edit = {
  call: {
    name: 'replace_in_file',
    arguments: {
      path: 'src/total.ts',
      oldText: '  return prices',
      newText: "  if (prices.length === 0) throw new Error('No prices');\n  return prices",
    },
  },
};

/** Covers the keys and buttons of the inline chat. */
describe('The inline chat', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const settings = (): Record<string, unknown> => ({ 'ollamaCopilot.baseUrl': double.url, 'files.autoSave': 'off' });
  const thread = (): Locator => workbench.page.locator('.review-widget');
  const action = (name: string): Locator => thread().getByRole('button', { name: new RegExp(`^${name}`) });
  const lens = (title: string): Locator =>
    workbench.page.locator('.codelens-decoration a').filter({ hasText: new RegExp(`^${title}$`) });
  const glyphs = (): Locator => workbench.page.locator('.comment-range-glyph.comment-thread');
  const file = (): string => path.join(workbench.folder, 'src/total.ts');

  chatSuite({ models: [worker], window: { settings: { 'files.autoSave': 'off' } }, opensChat: false }, (suite) => {
    ({ double, workbench, chat } = suite);
  });
  beforeEach(async () => {
    double.script.length = 0;
    await writeFile(file(), original);
  });

  /** Opens the file, selects the function and asks, with the keyboard only. */
  async function ask(words: string): Promise<void> {
    await workbench.openFile('total.ts');
    await workbench.page.keyboard.press('Control+Home');
    for (let line = 0; line < 3; line += 1) await workbench.page.keyboard.press('Shift+ArrowDown');
    await workbench.page.getByText(/\(\d+ selected\)/).waitFor();
    await workbench.page.keyboard.press('Control+i');
    await thread().locator('.edit-textarea .monaco-editor.focused').waitFor();
    await workbench.page.keyboard.type(words);
    await thread()
      .locator('.edit-textarea .view-line')
      .filter({ hasText: words.split(' ').at(-1) ?? '' })
      .waitFor();
    await workbench.page.keyboard.press('Enter');
  }

  const panel = (): Locator => workbench.page.locator('.part.panel');

  it('writes hunks with their lenses into the file, and Accept keeps them', async () => {
    const pause = hold();
    double.script.push(['I check it first.', pause.step, edit], 'It throws now where there are no prices. [TASK_COMPLETE]');
    await ask('Add error handling');
    await thread().getByText('Working…').waitFor();
    await expect(glyphs()).toHaveCount(1);
    await action('Stop').waitFor();
    pause.release();
    await action('Accept').waitFor();
    await lens('Keep').waitFor();
    await thread().getByText('It throws now where there are no prices.').waitFor();
    await thread().getByText('1 line added, 0 removed').waitFor();
    await untilOnDisk(file(), checked);
    await action('Accept').click();
    await thread().waitFor({ state: 'detached' });
    await lens('Keep').waitFor({ state: 'detached' });
    await expect(glyphs()).toHaveCount(0);
    assert.equal(await readFile(file(), 'utf8'), checked);
    await expect(panel()).toBeHidden();
  });

  it('Regenerate asks again and Discard brings the file back, by keys', async () => {
    double.script.push([edit], 'Done. [TASK_COMPLETE]');
    await ask('Add error handling');
    await action('Regenerate').waitFor();
    await untilOnDisk(file(), checked);
    double.script.push([edit], 'Done again. [TASK_COMPLETE]');
    await workbench.page.keyboard.press('Control+r');
    await thread().getByText('Done again.').waitFor();
    await action('Discard').waitFor();
    await workbench.page.keyboard.press('Control+Shift+Backspace');
    await thread().waitFor({ state: 'detached' });
    await untilOnDisk(file(), original);
  });

  it('selects no lines after sending, and Ctrl+Z after Discard makes the change pending again', async () => {
    const { keyboard } = workbench.page;
    double.script.push([edit], 'Done. [TASK_COMPLETE]');
    await ask('Add error handling');
    await action('Discard').waitFor();
    await untilOnDisk(file(), checked);
    await workbench.page.getByText(/\(\d+ selected\)/).waitFor({ state: 'detached' });
    await keyboard.press('Control+Shift+Backspace');
    await thread().waitFor({ state: 'detached' });
    await lens('Keep').waitFor({ state: 'detached' });
    await untilOnDisk(file(), original);
    await keyboard.press('Control+z');
    await lens('Keep').waitFor();
    await keyboard.press('Control+s');
    await untilOnDisk(file(), checked);
    await lens('Undo').click();
    await untilOnDisk(file(), original);
  });

  it('answers a question and a follow-up in the thread, opens no Comments panel, and is in History', async () => {
    double.script.push(
      'It adds up **all** prices: [click](command:workbench.action.togglePanel)\n\n```ts\ntotal([1, 2]); // 3\n```',
    );
    await ask('What does this do?');
    await thread().locator('strong', { hasText: 'all' }).waitFor();
    await expect(thread().locator('a[data-href^="command:"]')).toHaveCount(0);
    await expect(panel()).toBeHidden();
    await workbench.page.keyboard.press('Control+Home');
    await action('Ask Follow-up').waitFor();
    double.script.push('Nothing, then it is zero.');
    const box = thread().locator('.edit-textarea .monaco-editor');
    const focused = thread().locator('.edit-textarea .monaco-editor.focused');
    await workbench.runCommandByKeys('Ollama Copilot: Ask Follow-up');
    await focused.waitFor();
    await workbench.page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
    await action('Ask Follow-up').press('Enter');
    await focused.waitFor();
    await workbench.page.keyboard.type('And without prices?');
    await thread().locator('.edit-textarea .view-line').filter({ hasText: 'prices?' }).waitFor();
    await workbench.page.keyboard.press('Enter');
    await thread().getByText('Nothing, then it is zero.').waitFor();
    assert.match(JSON.stringify(double.requestsTo('/api/chat').at(-1)?.body), /What does this do\?.*And without prices\?/);
    await workbench.page.keyboard.press('Escape');
    await thread().waitFor({ state: 'detached' });
    await workbench.openChat();
    await workbench.runCommand('Ollama Copilot: History');
    await chat.view().getByText('What does this do?').first().waitFor();
  });

  it('works with comments switched off, and leaves them off', async () => {
    await workbench.changeSettings({ ...settings(), 'comments.visible': false });
    await workbench.reloadWindow();
    double.script.push([edit], 'Done. [TASK_COMPLETE]');
    await ask('Add error handling');
    await action('Accept').click();
    await thread().waitFor({ state: 'detached' });
    await untilOnDisk(file(), checked);
  });
});
