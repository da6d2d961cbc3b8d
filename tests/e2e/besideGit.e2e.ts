import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Locator } from 'playwright-core';
import type { OllamaDouble } from '../support/ollama/double';
import type { ChatPage } from './chatPage';
import { worker } from './scripts';
import { chatSuite } from './support/chatSuite';
import { expect } from './support/expect';
import type { Workbench } from './support/workbench';

const author = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.com'];
const original = Array.from({ length: 20 }, (_, index) => `export const value${index + 1} = ${index + 1};\n`).join('');
const written = original.replace('value3 = 3', 'value3 = 33').replace('value12 = 12', 'value12 = 1212');

async function beginRepository(folder: string): Promise<void> {
  await writeFile(path.join(folder, 'src/open.ts'), original);
  for (const args of [['init'], ['add', '.'], [...author, 'commit', '--message', 'Begin']])
    await promisify(execFile)('git', args, { cwd: folder });
}

/** Covers the first window with the extension, in a repository, with the built-in Git extension. */
describe('Beside Git, in a first window', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const tabs = (): Locator => workbench.page.locator('.tabs-container .tab');
  const titleButton = (name: string): Locator =>
    workbench.page.locator('.editor-actions').getByRole('button', { name: new RegExp(`^${name}`) });

  chatSuite(
    { models: [worker], window: { builtins: ['git', 'git-base'] }, opensChat: false, prepare: beginRepository },
    (suite) => {
      ({ double, workbench, chat } = suite);
    },
  );

  it('first hour 1: opens the chat by itself', async () => {
    await chat.composer.waitFor();
    await workbench.reloadWindow();
    await workbench.openChat();
  });

  it('opens the change of the agent from a bar in the gutter', async () => {
    await workbench.openFile('open.ts');
    await chat.pickMode('Agent');
    double.script.push(
      [{ call: { name: 'write_file', arguments: { path: 'src/open.ts', content: written } } }],
      'Written. [TASK_COMPLETE]',
    );
    await chat.ask('Change some values');
    const { page } = workbench;
    // Waits until Git has detected the change, so that its gutter bar is on the line too.
    await page.getByRole('button', { name: /master\*|main\*/ }).waitFor();
    await page.locator('.dirty-diff-glyph').nth(1).waitFor();
    // The bar is three pixels wide. The rest of its column belongs to folding.
    await page
      .locator('.dirty-diff-glyph')
      .first()
      .click({ position: { x: 1, y: 8 } });
    const peek = page.locator('.peekview-widget');
    // The editor hides widgets over its lines from the accessibility tree.
    await peek.locator('.codicon-check').waitFor();
    await expect(peek.locator('select').first()).toHaveValue('Ollama Copilot: pending changes');
    await page.keyboard.press('Escape');
    await peek.waitFor({ state: 'detached' });
  });

  it('opens the diff of the file by a key, and has three icons at most in its title', async () => {
    const { page } = workbench;
    for (const name of ['Go to Previous Change', 'Go to Next Change', 'Pending Changes in File'])
      await titleButton(name).waitFor();
    await workbench.clickLine();
    await page.keyboard.press('Shift+Alt+V');
    await page.getByRole('tab', { name: /before the agent/ }).waitFor();
    await workbench.runCommand('View: Close Editor');
    await page.getByRole('tab', { name: /before the agent/ }).waitFor({ state: 'detached' });
  });

  it('asks in the title of the tab whether code is applied, and closes it with the answer', async () => {
    const { page } = workbench;
    const file = () => readFile(path.join(workbench.folder, 'src/open.ts'), 'utf8');
    double.script.push('So:\n\n```ts\n// src/open.ts\nexport const value20 = 2000;\n```\n');
    await chat.pickMode('Ask');
    await chat.ask('Change the last one');
    const before = await file();
    for (const answer of ['Escape', 'Discard Code', 'Apply Code']) {
      await workbench.openFile('open.ts');
      await page.keyboard.press('Control+End');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Shift+End');
      await chat.button('Apply to file').last().click();
      const tab = page.getByRole('tab', { name: /Apply the code to/ });
      await tab.waitFor();
      await titleButton('Apply Code').waitFor();
      if (answer === 'Escape') await page.keyboard.press('Escape');
      else await titleButton(answer).click();
      await tab.waitFor({ state: 'detached' });
      await expect(tabs()).toHaveCount(1);
      if (answer !== 'Apply Code') assert.equal(await file(), before);
    }
    const lines = page.locator('.editor-instance .view-lines').first();
    await lines.getByText('export const value20 = 2000;').waitFor();
    // The first line of the code block only names the file.
    await expect(lines).not.toHaveText(/src\/open\.ts/, { useInnerText: true });
  });
});
