import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import type { OllamaDouble } from '../../support/ollama/double';
import { eventually } from '../../support/until';
import type { ChatPage } from '../chatPage';
import { worker } from '../scripts';
import { chatSuite } from '../support/chatSuite';
import { expect } from '../support/expect';
import { faultsOfTexts, inGerman } from '../support/shownTexts';
import type { Workbench } from '../support/workbench';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const secrets = (port: number): string =>
  `${Array.from({ length: 20 }, (_, index) => `KEY_${index}=${index}`).join(' ')} PORT=${port}\n`;

/** Covers lines 3 and 6 of the table in README.md, in a view 300 pixels wide. */
describe('The afternoon in German', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const button = (text: string, ...args: string[]): Locator => chat.button(inGerman(text, ...args));
  const message = (): Locator => chat.view().getByRole('textbox', { name: inGerman('Message') });

  const prepare = async (folder: string): Promise<void> => {
    await writeFile(path.join(folder, 'eins.txt'), 'eins\n');
    await writeFile(path.join(folder, 'zwei.txt'), 'zwei\n');
    await writeFile(path.join(folder, '.env'), secrets(8080));
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
  };
  chatSuite({ models: [worker], prepare, window: { language: 'de' } }, (suite) => ({ double, workbench, chat } = suite));
  before(() => workbench.setViewWidth(300));

  async function ask(text: string): Promise<void> {
    await message().fill(text);
    await button('Send').click();
  }

  async function said(text: string): Promise<void> {
    await chat.view().getByText(text).last().waitFor();
    await button('Stop').waitFor({ state: 'detached' });
    await button('Send').waitFor();
  }

  function assertReadable(): Promise<void> {
    return eventually(async () => assert.deepEqual(await faultsOfTexts(chat.view()), []));
  }

  it('afternoon 3: counts the edits that succeeded, and gives the reasons of the others in German', async () => {
    double.script.push(
      [
        call('write_file', { path: 'eins.txt', content: 'eins, geändert\n' }),
        call('replace_in_file', { path: 'zwei.txt', oldText: 'drei', newText: 'vier' }),
        call('replace_in_file', { path: 'drei.txt', oldText: 'drei', newText: 'vier' }),
      ],
      'Eine von dreien. [TASK_COMPLETE]',
    );
    await ask('Ändere drei Dateien');
    await said('Eine von dreien.');
    const group = chat.view().getByRole('list', { name: inGerman('Changed {0} files', inGerman('{0} of {1}', '1', '3')) });
    await expect(group.getByRole('listitem')).toHaveCount(3);
    await assertReadable();
    await expect(group.getByText('zwei.txt nicht gefunden')).toHaveCount(1);
    await expect(group.getByText('keine Datei drei.txt')).toHaveCount(1);
    await button('Keep all').click();
  });

  it('afternoon 6: says first what a command touches, marks the changed words, and restores without a word on Git', async () => {
    double.script.push(
      [call('run_terminal_command', { command: 'rm -rf ~/build' })],
      [call('replace_in_file', { path: '.env', oldText: 'PORT=8080', newText: 'PORT=9090' })],
      'Beides ist erledigt. [TASK_COMPLETE]',
    );
    await ask('Räume auf');
    const command = chat.group(inGerman('Approve command'));
    await command.getByText(new RegExp(`${inGerman('deletes {0}, outside the workspace', '~/build')} · `, 'i')).waitFor();
    await expect(command.getByText('~/build')).toHaveCount(2);
    await assertReadable();
    await command.getByRole('button', { name: inGerman('Skip') }).click();

    const edit = chat.group(inGerman('Approve edit'));
    await expect(edit.locator('mark')).toHaveText(['8080', '9090']);
    await expect(edit.locator('mark').last()).toBeInViewport();
    await assertReadable();
    await edit.getByRole('button', { name: inGerman('Apply') }).click();
    await said('Beides ist erledigt.');

    const first = chat
      .view()
      .getByRole('article', { name: inGerman('You'), exact: true })
      .first();
    await first.hover();
    await first.getByRole('button', { name: inGerman('Restore checkpoint') }).click();
    const plan = chat.view().getByRole('region', { name: inGerman('Restore plan') });
    await plan.getByRole('checkbox', { name: /eins\.txt/ }).waitFor();
    await expect(plan.getByText('Git')).toHaveCount(0);
    await assertReadable();
  });
});
