import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import type { OllamaDouble } from '../../support/ollama/double';
import { eventually } from '../../support/until';
import type { ChatPage } from '../chatPage';
import { worker } from '../scripts';
import { assertNamed, focusByKey, outOfOrder, untilFocused } from '../support/accessibility';
import { chatSuite } from '../support/chatSuite';
import { untilOnDisk } from '../support/disk';
import { tried } from '../support/tries';
import type { Workbench } from '../support/workbench';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const original = ['const a = 1;', ...Array.from({ length: 10 }, () => '//'), 'const b = 2;', ''].join('\n');
const changed = original.replace('1;', '11;').replace('2;', '22;');

/** Covers line 29 of the table in README.md: repeats lines 5, 7, 8 and 11 without a mouse. */
describe('The first hour by the keyboard alone', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const file = (): string => path.join(workbench.folder, 'src/one.js');
  const panel = (): Locator => chat.view().getByRole('region', { name: 'Files changed' });
  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);

  const prepare = (folder: string): Promise<void> => writeFile(path.join(folder, 'src/one.js'), original);
  chatSuite({ models: [worker], prepare }, (suite) => ({ double, workbench, chat } = suite));

  /** Moves the focus to the message with the key that opens the chat. */
  async function toMessage(): Promise<void> {
    await press('Control+Alt+I');
    await untilFocused(chat.composer);
  }

  async function choose(picker: RegExp, typed: string, chosen: string): Promise<void> {
    await focusByKey(workbench.page, chat.button(picker));
    await press('Enter');
    await chat.view().getByRole('listbox').waitFor();
    await workbench.page.keyboard.type(typed);
    await press('Enter');
    await chat.button(chosen).waitFor();
  }

  async function ask(text: string): Promise<void> {
    await eventually(async () => {
      await toMessage();
      // If the chat already has the focus, the key moves the focus away and back. Text that is typed in between is lost.
      await press('Control+A');
      await workbench.page.keyboard.type(text);
      assert.equal(await chat.composer.inputValue(), text);
    });
    await press('Enter');
  }

  /** Asserts that all elements have a name and that the tab order matches the visual order. */
  async function assertReadable(): Promise<void> {
    await assertNamed(chat.view(), 5);
    await eventually(async () => assert.deepEqual(await outOfOrder(chat.view()), []));
  }

  it('first hour 29: asks, follows a link of the answer, and has it answered again', async () => {
    await toMessage();
    await choose(/^Mode: /, 'as', 'Mode: Ask');
    double.script.push('It is in src/one.js:12 alone.');
    await ask('What does this do?');
    await chat.conversation.getByText('It is in').waitFor();
    await chat.settled();
    await assertReadable();
    double.script.push('Once more.');
    await focusByKey(workbench.page, chat.articles('Assistant').getByRole('button', { name: 'Retry', exact: true }), 'Shift+Tab');
    await press('Enter');
    await chat.conversation.getByText('Once more.').waitFor();
    await chat.settled();

    double.script.push('It is in src/one.js:12 alone.');
    await ask('And where?');
    const link = chat.articles('Assistant').last().getByRole('link', { name: 'src/one.js:12' });
    await link.waitFor();
    await chat.settled();
    await focusByKey(workbench.page, link, 'Shift+Tab');
    await press('Enter');
    await workbench.page.getByRole('tab', { name: /^one\.js/ }).waitFor();
    await workbench.page.getByRole('button', { name: /^Ln 12, / }).waitFor();
  });

  it('first hour 29: keeps one change, undoes another and keeps what is left', async () => {
    await toMessage();
    await choose(/^Mode: /, 'ag', 'Mode: Agent');
    double.script.push(
      [call('write_file', { path: 'src/one.js', content: changed }), call('create_file', { path: 'two.txt', content: 'two\n' })],
      'Both are changed. [TASK_COMPLETE]',
    );
    await ask('Change both');
    await chat.conversation.getByText('Both are changed.').waitFor();
    await chat.settled();
    await panel()
      .getByText(/^(3 changes|Change \d of 3)$/)
      .waitFor();
    await assertReadable();

    await toChange('Change 1 of 3');
    await untilKeyCounts('Control+Alt+Enter', 2);
    await toChange('Change 1 of 2');
    await untilKeyCounts('Control+Alt+Backspace', 1);
    await untilOnDisk(file(), original.replace('1;', '11;'));
    await toMessage();
    await focusByKey(workbench.page, panel().getByRole('button', { name: 'Keep all' }), 'Shift+Tab');
    await press('Enter');
    await panel().waitFor({ state: 'detached' });
  });

  it('first hour 29: runs a command that is asked about, and opens its row', async () => {
    double.script.push([call('run_terminal_command', { command: 'echo by-key' })], 'It ran. [TASK_COMPLETE]');
    await ask('Run it');
    const card = chat.group('Approve command');
    await card.waitFor();
    await assertReadable();
    await focusByKey(workbench.page, card.getByRole('button', { name: 'Run', exact: true }), 'Shift+Tab');
    await press('Enter');
    await chat.conversation.getByText('It ran.').waitFor();
    await chat.settled();
    const row = chat.conversation.getByRole('button', { name: /^Ran echo by-key/ });
    await toMessage();
    await focusByKey(workbench.page, row, 'Shift+Tab');
    await press('Enter');
    await chat.conversation.getByLabel('Output').getByText('by-key').waitFor();
  });

  /** Moves to the next change, cyclically, until the panel shows this text. */
  async function toChange(text: string): Promise<void> {
    const position = panel().getByText(text, { exact: true });
    await eventually(async () => {
      if (await position.isVisible()) return;
      await press('Alt+F5');
      await position.waitFor({ timeout: 4_000 });
    });
  }

  /** Presses a key on the change in the editor until `left` changes are pending. */
  async function untilKeyCounts(key: string, left: number): Promise<void> {
    const text = panel()
      .getByText(new RegExp(left === 1 ? '^(1 change|Change 1 of 1)$' : `^(${left} changes|Change \\d of ${left})$`))
      .first();
    // The editor reports a new cursor position with a short delay.
    await tried(async (timeout) => {
      if (await text.isVisible()) return;
      await press(key);
      await text.waitFor({ timeout });
    });
  }
});
