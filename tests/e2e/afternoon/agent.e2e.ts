import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import type { OllamaDouble } from '../../support/ollama/double';
import { hold } from '../../support/ollama/doubleReply';
import type { ChatPage } from '../chatPage';
import { worker } from '../scripts';
import { chatSuite } from '../support/chatSuite';
import { untilOnDisk } from '../support/disk';
import { expect } from '../support/expect';
import { lastSent } from '../support/sentChat';
import type { Workbench } from '../support/workbench';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const edited = [3, 8, 13, 18, 23];
const lines = (changed: readonly number[], typed = ''): string => {
  const all = Array.from({ length: 30 }, (_, index) => {
    const line = index + 1;
    return `value${line} is ${changed.includes(line) ? `${line}${line}` : line}.`;
  });
  return `${all.join('\n')}\n${typed}`;
};

/** Covers lines 1 and 7 of the table in README.md. */
describe('An agent in the afternoon', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const panel = (): Locator => chat.view().getByRole('region', { name: 'Files changed' });
  const file = (): string => path.join(workbench.folder, 'values.txt');

  chatSuite(
    { models: [worker], mode: 'Agent', prepare: (folder) => writeFile(path.join(folder, 'values.txt'), lines([])) },
    (suite) => ({ double, workbench, chat } = suite),
  );

  it('afternoon 1: applies every edit while somebody types in the file, and undoes none of what they typed', async () => {
    const { page } = workbench;
    await workbench.openFile('values.txt');
    const pause = hold();
    const edits = edited.map((line) =>
      call('replace_in_file', {
        path: 'values.txt',
        oldText: `value${line} is ${line}.`,
        newText: `value${line} is ${line}${line}.`,
      }),
    );
    double.script.push([pause.step, edits[0] ?? ''], ...edits.slice(1).map((edit) => [edit]), 'All are doubled. [TASK_COMPLETE]');
    await chat.send('Double five values');
    await workbench.clickLine('value1 ');
    await page.keyboard.press('Control+End');
    pause.release();
    const isDone = chat.conversation.getByText('All are doubled.');
    let typed = '';
    while (!(await isDone.isVisible()) || typed.length < 20) {
      // Types no letters, because Enter would accept a word suggestion of the editor.
      const key = typed.length % 12 === 11 ? '\n' : '-';
      await page.keyboard.type(key, { delay: 40 });
      typed += key;
    }
    await chat.settled();
    await page.keyboard.press('Control+S');
    await untilOnDisk(file(), lines(edited, typed));
    await chat.conversation.getByRole('list', { name: 'Edited values.txt' }).waitFor();
    assert.doesNotMatch(JSON.stringify(lastSent(double).messages), /changed by somebody else/);

    await panel().getByText('5 changes').first().waitFor();
    await panel().getByRole('button', { name: 'Undo all' }).click();
    await panel().waitFor({ state: 'detached' });
    await untilOnDisk(file(), lines([], typed));
  });

  it('afternoon 7: shows how long a command runs and that it waits for input, and stops it alone', async () => {
    double.script.push(
      [call('run_terminal_command', { command: 'read -p "Your name? " name; echo "Hello $name"' })],
      'It asked for a name. [TASK_COMPLETE]',
    );
    await chat.send('Ask for a name');
    await chat.group('Approve command').getByRole('button', { name: 'Run', exact: true }).click();
    await chat.conversation.getByText(/^\d+ s$/).waitFor();
    await chat.conversation.getByText('The command seems to wait for input. Type in its terminal, or stop it.').waitFor();
    await chat.button(/^Stop command: read -p/).click();
    await chat.conversation.getByText('It asked for a name.').waitFor();
    await chat.settled();
    await expect(chat.conversation.getByText(/^\d+ s$/)).toHaveCount(0);
  });
});
