import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import type { OllamaDouble } from '../../support/ollama/double';
import { hold } from '../../support/ollama/doubleReply';
import { eventually, until } from '../../support/until';
import { quietSettings } from '../../support/vscode/userData';
import type { ChatPage } from '../chatPage';
import { worker } from '../scripts';
import { chatSuite } from '../support/chatSuite';
import { untilOnDisk } from '../support/disk';
import { expect } from '../support/expect';
import { lastSent } from '../support/sentChat';
import type { Workbench } from '../support/workbench';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const run = (command: string) => [call('run_terminal_command', { command })];
const lines = (...changed: [number, string][]): string => {
  const all = Array.from({ length: 30 }, (_, index) => `export const value${index + 1} = ${index + 1};`);
  for (const [line, text] of changed) all[line - 1] = text;
  return `${all.join('\n')}\n`;
};
const [third, twelfth, last] = [
  [3, 'export const value3 = 33;'],
  [12, 'export const value12 = 1212;'],
  [25, 'export const value25 = 25 + 25;'],
] as const satisfies [number, string][];

/** Environment variable of the user's terminals. */
const ownVariable = Object.fromEntries(
  ['linux', 'osx', 'windows'].map((system) => {
    const key = `terminal.integrated.env.${system}`;
    return [key, { ...(quietSettings[key] as object), FIRST_HOUR: 'mine' }];
  }),
);

/** Covers lines 7 to 13 of the table in README.md: changes, and commands that need approval. */
describe('An agent in the first hour', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const file = (name: string): string => path.join(workbench.folder, name);
  const onDisk = (name: string) => readFile(file(name), 'utf8');
  const panel = (): Locator => chat.view().getByRole('region', { name: 'Files changed' });
  const lens = (title: string): Locator =>
    workbench.page.locator('.codelens-decoration a').filter({ hasText: new RegExp(`^${title}$`) });
  const card = (): Locator => chat.group('Approve command').filter({ has: chat.button('Skip') });
  const said = async (text: string): Promise<void> => {
    await chat.conversation.getByText(text).last().waitFor();
    await chat.settled();
  };

  const prepare = async (folder: string): Promise<void> => {
    for (const name of ['src/one.ts', 'src/two.ts']) await writeFile(path.join(folder, name), lines());
  };
  const window = { settings: ownVariable };
  chatSuite({ models: [worker], mode: 'Agent', prepare, window }, (suite) => ({ double, workbench, chat } = suite));

  /** Waits until the editor shows `inEditor` pending changes and the panel shows `inPanel`. */
  async function untilPending(inEditor: number, inPanel: number): Promise<void> {
    await expect(lens('Keep')).toHaveCount(inEditor);
    if (inEditor > 0)
      await lens('Keep')
        .nth(inEditor - 1)
        .waitFor();
    const text = inPanel === 1 ? '1 change' : `${inPanel} changes`;
    if (inPanel === 0) await panel().waitFor({ state: 'detached' });
    else
      await panel()
        .getByText(new RegExp(`^(${text}|Change \\d+ of ${inPanel})$`))
        .first()
        .waitFor();
  }

  /** Waits until the tab of a file shows, or no longer shows, the badge of pending changes. The badge exists only in CSS. */
  async function untilBadge(name: string, isThere: boolean): Promise<void> {
    const hasBadge = (): Promise<boolean> =>
      workbench.page.evaluate((label) => {
        const tab = [...document.querySelectorAll('.tab')].find((one) => one.getAttribute('data-resource-name') === label);
        const parts = [...(tab?.querySelectorAll('*') ?? [])];
        return parts.some((part) => getComputedStyle(part, '::after').content.includes('◆'));
      }, name);
    await until(async () => (await hasBadge()) === isThere, `badge of ${name}: ${isThere}`);
  }

  it('first hour 7: counts files in the rows, opens each diff, and shows lenses while the agent goes on writing', async () => {
    await workbench.openFile('one.ts');
    const pause = hold();
    double.script.push(
      [call('write_file', { path: 'src/one.ts', content: lines(third, twelfth, last) })],
      [pause.step, call('write_file', { path: 'src/two.ts', content: lines(third) })],
      [call('write_file', { path: 'src/two.ts', content: lines(third, last) })],
      'Both are changed. [TASK_COMPLETE]',
    );
    await chat.send('Change some values in two files');
    await lens('Keep').nth(2).waitFor();
    await chat.button('Stop').waitFor();
    pause.release();
    await said('Both are changed.');

    const rows = chat.conversation.getByRole('list', { name: 'Changed 2 files' });
    await expect(rows.getByRole('listitem')).toHaveCount(2);
    for (const [name, text] of [
      ['src/one.ts', third[1]],
      ['src/two.ts', last[1]],
    ] as const) {
      await rows.getByRole('button', { name: `Details of ${name}` }).click();
      await rows.getByLabel(`Changes to ${name}`).last().getByText(text).waitFor();
    }
  });

  it('first hour 8: drops each change from editor, panel and badge as it is kept or undone', async () => {
    await untilBadge('one.ts', true);
    await untilPending(3, 5);
    await workbench.clickInEditor(lens('Keep').first());
    await untilPending(2, 4);
    await workbench.clickInEditor(lens('Undo').first());
    await untilOnDisk(file('src/one.ts'), lines(third, last));
    await untilPending(1, 3);
    await panel().getByRole('button', { name: 'Keep all' }).click();
    await untilPending(0, 0);
    await untilBadge('one.ts', false);
    assert.equal(await onDisk('src/one.ts'), lines(third, last));
  });

  it('first hour 9: has the change pending again after Undo and Ctrl+Z', async () => {
    const changed = lines(third, twelfth, last);
    double.script.push([call('write_file', { path: 'src/one.ts', content: changed })], 'Once more. [TASK_COMPLETE]');
    await chat.send('Change the twelfth after all');
    await said('Once more.');
    await untilPending(1, 1);
    await workbench.clickInEditor(lens('Undo').first());
    await untilOnDisk(file('src/one.ts'), lines(third, last));
    await untilPending(0, 0);
    await workbench.clickLine();
    await workbench.page.keyboard.press('Control+Z');
    await untilPending(1, 1);
    await untilOnDisk(file('src/one.ts'), changed);
    await panel().getByRole('button', { name: 'Undo all' }).click();
    await untilPending(0, 0);
    await untilOnDisk(file('src/one.ts'), lines(third, last));
  });

  it('first hour 10: leaves what was typed inside a pending change when that is undone', async () => {
    const now = await onDisk('src/one.ts');
    const text = now.replace('value20 = 20', 'value20 = 2020');
    double.script.push([call('write_file', { path: 'src/one.ts', content: text })], 'The twentieth. [TASK_COMPLETE]');
    await chat.send('Change the twentieth');
    await said('The twentieth.');
    await panel().getByRole('button', { name: 'Review src/one.ts' }).click();
    await untilPending(1, 1);
    await panel().getByText('Change 1 of 1', { exact: true }).first().waitFor();
    await workbench.page.locator('.editor-instance .monaco-editor.focused').waitFor();
    await workbench.page.keyboard.press('End');
    await workbench.page.keyboard.insertText('\n// mine');
    await workbench.page.keyboard.press('Control+S');
    await untilOnDisk(file('src/one.ts'), text.replace('2020;\n', '2020;\n// mine\n'));
    await workbench.clickInEditor(lens('Undo').first());
    await untilOnDisk(file('src/one.ts'), now.replace('20 = 20;\n', '20 = 20;\n// mine\n'));
    await untilPending(0, 0);
  });

  it('first hour 11: asks about a harmless command, and Ctrl+Enter runs it in the shell and environment of the user', async () => {
    const command = 'echo "this is $FIRST_HOUR, in $0"';
    double.script.push(run(command), 'It was said. [TASK_COMPLETE]');
    await chat.send('Say something');
    await card().waitFor();
    await eventually(async () => {
      const text = await card().innerText();
      assert.ok(text.includes(command), text);
      assert.match(text, /starts in the workspace folder/i);
      assert.equal(text.match(/\b(low|medium|high|critical) risk/g)?.length, 1, text);
    });
    await chat.composer.click();
    // The card ignores keys that are pressed before the user can have read it.
    await until(async () => {
      if (!(await card().isVisible())) return true;
      await workbench.page.keyboard.press('Control+Enter');
      await workbench.page.waitForTimeout(50);
      return false;
    }, 'the card is still there');
    await said('It was said.');
    await chat.conversation
      .getByRole('button', { name: /^Ran echo/ })
      .last()
      .click();
    await chat.conversation
      .getByText(/this is mine, in \S*sh/)
      .last()
      .waitFor();
    assert.match(lastSent(double).messages.at(-1)?.content ?? '', /this is mine, in \S*sh/);
  });

  it('first hour 12: offers Skip first for a critical command, which Ctrl+Enter does not run', async () => {
    double.script.push(run('git push --force'), 'Then not. [TASK_COMPLETE]');
    await chat.send('Publish it');
    await card().waitFor();
    await eventually(async () => {
      const text = await card().innerText();
      assert.equal(text.match(/critical risk/g)?.length, 1, text);
    });
    const buttons = card().getByRole('button');
    await expect(buttons.first()).toHaveText('Skip', { useInnerText: true });
    await chat.composer.click();
    // Lasts longer than the time in which the card ignores keys.
    for (let turn = 0; turn < 20; turn += 1) {
      await workbench.page.keyboard.press('Control+Enter');
      await workbench.page.waitForTimeout(50);
    }
    await expect(card()).toHaveCount(1);
    await buttons.first().click();
    await said('Then not.');
  });

  it('first hour 13: skips only the call whose card Esc is pressed on, and says that it was not run', async () => {
    double.script.push([...run('echo first > first.txt'), ...run('echo second > second.txt')], 'One of two. [TASK_COMPLETE]');
    await chat.send('Make two files');
    await card().filter({ hasText: 'first.txt' }).getByRole('button', { name: 'Skip' }).focus();
    await workbench.page.keyboard.press('Escape');
    await card().filter({ hasText: 'second.txt' }).getByRole('button', { name: 'Run', exact: true }).click();
    await said('One of two.');
    await chat
      .articles('Assistant')
      .last()
      .getByText(/Not run/)
      .first()
      .waitFor();
    await untilOnDisk(file('second.txt'), 'second\n');
    await assert.rejects(onDisk('first.txt'));
  });

  it('first hour 15: lists the files before it restores the first message, then dims what was said later', async () => {
    await workbench.runCommand('Ollama Copilot: New chat');
    await chat.articles('You').first().waitFor({ state: 'detached' });
    for (const word of ['first', 'second']) {
      double.script.push(
        [call('write_file', { path: 'notes.md', content: `${word}\n` })],
        `The ${word} is written. [TASK_COMPLETE]`,
      );
      await chat.send(`Write the ${word} note`);
      await said(`The ${word} is written.`);
    }
    const first = chat.articles('You').first();
    await first.hover();
    await first.getByRole('button', { name: 'Restore checkpoint' }).click();
    const plan = chat.view().getByRole('region', { name: 'Restore plan' });
    await plan.getByRole('checkbox', { name: /notes\.md/ }).waitFor();
    assert.equal(await onDisk('notes.md'), 'second\n');
    await plan.getByRole('button', { name: 'Restore 1 file' }).click();
    await restoredBar(/^Restored notes\.md/)
      .getByRole('button', { name: 'Undo restore' })
      .waitFor();
    await eventually(() => assert.rejects(onDisk('notes.md')));
    await undone().first().waitFor();
    await eventually(async () => {
      for (const article of await chat.articles('You').all())
        assert.ok(Number(await article.evaluate((element) => getComputedStyle(element).opacity)) < 1);
    });
  });

  it('first hour 16: has files and messages as before once the restore is undone', async () => {
    await restoredBar(/^Restored notes\.md/)
      .getByRole('button', { name: 'Undo restore' })
      .click();
    await restoredBar(/^Undid the restore/).waitFor();
    await undone().first().waitFor({ state: 'detached' });
    await untilOnDisk(file('notes.md'), 'second\n');
    double.script.push('I see both. [TASK_COMPLETE]');
    await chat.send('What did you write?');
    await said('I see both.');
    assert.match(JSON.stringify(lastSent(double).messages), /Write the first note.*Write the second note/);
  });

  /** Returns the bar above the composer that appears after a restore. */
  function restoredBar(text: RegExp): Locator {
    return chat.view().getByRole('status').filter({ hasText: text });
  }

  function undone(): Locator {
    return chat.conversation.getByText('Undone by a restore. No longer sent to the model.');
  }
});
