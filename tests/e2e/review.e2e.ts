import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
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

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const lines = (...changed: [number, string][]): string => {
  const all = Array.from({ length: 30 }, (_, index) => `export const value${index + 1} = ${index + 1};`);
  for (const [line, text] of changed) all[line - 1] = text;
  return `${all.join('\n')}\n`;
};
const original = lines();
const written = lines(
  [3, 'export const value3 = 33;'],
  [12, 'export const value12 = 1212;'],
  [25, 'export const value25 = 25 + 25;'],
);

/** Keeps or undoes each change of the agent in the editor. */
describe('The review in the editor', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const file = (name: string): string => path.join(workbench.folder, name);
  const onDisk = (name: string) => readFile(file(name), 'utf8');
  const panel = (): Locator => chat.view().getByRole('region', { name: 'Files changed' });
  const lens = (title: string): Locator =>
    workbench.page.locator('.codelens-decoration a').filter({ hasText: new RegExp(`^${title}$`) });
  const position = (text: string): Locator => panel().getByText(text, { exact: true });

  const prepare = async (folder: string): Promise<void> => {
    for (const name of ['src/open.ts', 'src/closed.ts']) await writeFile(path.join(folder, name), original);
  };
  chatSuite({ models: [worker], prepare, mode: 'Agent' }, (suite) => ({ double, workbench, chat } = suite));
  before(() => workbench.openFile('open.ts'));

  async function reload(): Promise<void> {
    await workbench.reloadWindow();
    await workbench.openChat();
    await panel().getByRole('button', { name: 'Keep all' }).waitFor();
  }

  it('first hour 7: shows changes in the open file while the agent goes on writing, and opens no other', async () => {
    const pause = hold();
    double.script.push(
      [call('write_file', { path: 'src/open.ts', content: written })],
      ['More is to come. ', pause.step, call('write_file', { path: 'src/closed.ts', content: written })],
      [call('create_file', { path: 'src/made.ts', content: 'export const made = 1;\n' })],
      'All three are written. [TASK_COMPLETE]',
    );
    await chat.send('Change some values');
    await lens('Keep').nth(2).waitFor();
    await expect(lens('Keep')).toHaveCount(3);
    await lens('Keep file').waitFor();
    pause.release();
    await chat.conversation.getByText('All three are written.').waitFor();
    await chat.settled();
    await panel().getByRole('button', { name: 'Keep src/made.ts' }).waitFor();
    await expect(workbench.page.locator('.tabs-container .tab')).toHaveCount(1);
    await panel().getByText('7 changes').first().waitFor();
  });

  it('keeps one change and undoes another by their lenses, and is the same after a reload', async () => {
    await workbench.clickInEditor(lens('Keep').first());
    await expect(workbench.page.locator('.codelens-decoration')).toHaveCount(3);
    await workbench.clickInEditor(lens('Undo').first());
    const half = lines([3, 'export const value3 = 33;'], [25, 'export const value25 = 25 + 25;']);
    await untilOnDisk(file('src/open.ts'), half);
    await lens('Keep').nth(1).waitFor({ state: 'detached' });
    await reload();
    await lens('Keep').first().waitFor();
    await expect(lens('Keep')).toHaveCount(1);
    assert.equal(await onDisk('src/open.ts'), half);
  });

  it('leaves what a person typed inside of a change when that is undone', async () => {
    await panel().getByRole('button', { name: 'Next change' }).click();
    await position('Change 1 of 5').waitFor();
    await workbench.page.locator('.editor-instance .monaco-editor.focused').waitFor();
    await workbench.page.keyboard.press('End');
    await workbench.page.keyboard.insertText('\n// mine');
    await workbench.page.keyboard.press('Control+S');
    const saved = lines([3, 'export const value3 = 33;'], [25, 'export const value25 = 25 + 25;\n// mine']);
    await untilOnDisk(file('src/open.ts'), saved);
    await workbench.clickInEditor(lens('Undo').first());
    const own = lines([3, 'export const value3 = 33;'], [25, 'export const value25 = 25;\n// mine']);
    await untilOnDisk(file('src/open.ts'), own);
    await panel().getByRole('button', { name: 'Keep src/open.ts' }).waitFor({ state: 'detached' });
  });

  it('goes on into a file that is closed by the key, and says where it is', async () => {
    await workbench.page.keyboard.press('Alt+F5');
    await workbench.page.getByRole('tab', { name: /closed\.ts/ }).waitFor();
    await position('Change 1 of 4').waitFor();
    await workbench.page.getByRole('button', { name: /Change 1 of 4/ }).waitFor();
    await workbench.page.keyboard.press('Alt+F5');
    await position('Change 2 of 4').waitFor();
    await workbench.page.keyboard.press('Shift+Alt+F5');
    await position('Change 1 of 4').waitFor();
  });

  it('undoes a file, and takes answers back', async () => {
    await workbench.clickInEditor(lens('Undo file'));
    await panel().getByRole('button', { name: 'Undo src/closed.ts' }).waitFor({ state: 'detached' });
    await untilOnDisk(file('src/closed.ts'), original);
    await reload();
    // The browser may be reloaded before it has stored that a tab was opened.
    await workbench.openFile('closed.ts');
    await chat.button('Reapply').last().click();
    await panel().getByRole('button', { name: 'Undo src/closed.ts' }).waitFor();
    await untilOnDisk(file('src/closed.ts'), written);
    await lens('Keep').nth(2).waitFor();
    await chat.button('Undo Keep').first().click();
    await panel().getByRole('button', { name: 'Keep src/open.ts' }).waitFor();
  });

  it('brings everything back as it was, but for what a person wrote', async () => {
    await panel().getByRole('button', { name: 'Undo all' }).click();
    await panel().getByRole('button', { name: 'Undo all' }).waitFor({ state: 'detached' });
    await untilOnDisk(file('src/closed.ts'), original);
    await untilOnDisk(file('src/open.ts'), lines([25, 'export const value25 = 25;\n// mine']));
    assert.equal(existsSync(file('src/made.ts')), false);
    await lens('Keep file').waitFor({ state: 'detached' });
  });
});
