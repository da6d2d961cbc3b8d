import assert from 'node:assert/strict';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import type { OllamaDouble } from '../support/ollama/double';
import type { Step } from '../support/ollama/doubleReply';
import type { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { worker } from './scripts';
import { chatSuite } from './support/chatSuite';
import { expect } from './support/expect';
import { copyOf } from './support/folderCopy';
import type { Workbench } from './support/workbench';

const call = (name: string, args: Record<string, unknown>): Step => ({ call: { name, arguments: args } });
const run = (command: string): Step => call('run_terminal_command', { command });
const edit = (name: string, content: string): Step => call('write_file', { path: name, content });

/** True at the level of `npm test`. `npm run test:all` runs all cases. */
const isQuick = process.env.OLLAMA_COPILOT_E2E === 'quick';

describe('Going back', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const disk = () => copyOf(workbench.folder);
  const region = (name: string): Locator => chat.view().getByRole('region', { name, exact: true });
  const copies: Record<string, string>[] = [];

  chatSuite({ models: [worker], mode: 'Agent' }, (suite) => ({ double, workbench, chat } = suite));

  /** Opens the work session, which is collapsed by default. */
  async function openWorkSession(): Promise<Locator> {
    const section = region('Work session');
    const toggle = section.getByRole('button', { name: /(since the last approved state|in this work session)$/ });
    await toggle.waitFor();
    if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
    await expect(toggle).toHaveAttribute('aria-expanded', 'true');
    return section;
  }

  async function pressAnswer(name: string): Promise<void> {
    await (await openWorkSession()).getByRole('button', { name, exact: true }).click();
  }

  /** Sends a message that makes the agent run these steps. Approves each command. */
  async function ask(text: string, steps: readonly Step[], answer: string): Promise<void> {
    copies.push(await disk());
    double.script.push(...steps.map((step) => [step]), answer);
    await chat.send(text);
    const commands = steps.filter((step) => JSON.stringify(step).includes('run_terminal_command'));
    for (let count = 0; count < commands.length; count += 1) {
      const approval = chat.group('Approve command').filter({ has: chat.button('Run') });
      await approval.getByRole('button', { name: 'Run', exact: true }).click();
      await approval.waitFor({ state: 'detached' });
    }
    await chat.conversation.getByText(answer).waitFor();
    await chat.settled();
  }

  /**
   * Asserts that the conversation and the disk are the same in the next window. A reload takes half the time of a case, so the quick level
   * reloads once per case.
   */
  async function reload(expected: Record<string, string>, isLast = false): Promise<void> {
    assert.deepEqual(await disk(), expected);
    if (isQuick && !isLast) return;
    await assertSameAfterReload(workbench, chat);
    assert.deepEqual(await disk(), expected);
  }

  /** Presses a button of the message with this text. */
  async function press(message: string, button: string): Promise<void> {
    const article = chat.articles('You').filter({ hasText: message });
    await article.hover();
    await article.getByRole('button', { name: button, exact: true }).click();
  }

  it('lets three messages edit by tools and by commands, and shows what has changed since one of them', async () => {
    await ask('First message', [edit('notes.md', 'first\n'), edit('src/made.ts', 'export {};\n')], 'The first is done.');
    await reload(await disk());
    await ask('Second message', [edit('notes.md', 'second\n'), run('echo made > made.txt')], 'The second is done.');
    await reload(await disk());
    await ask(
      'Third message',
      [run('rm src/made.ts && echo more >> notes.md'), edit('last.md', 'third\n')],
      'The third is done.',
    );
    copies.push(await disk());
    const [, second = {}, , now = {}] = copies;
    const changed = [...new Set([...Object.keys(second), ...Object.keys(now)])].filter((name) => second[name] !== now[name]);
    assert.deepEqual(changed.sort(), ['last.md', 'made.txt', 'notes.md', 'src/made.ts']);
    assert.deepEqual(
      changed.filter((name) => name in now),
      ['last.md', 'made.txt', 'notes.md'],
    );
    await reload(now);

    await press('Second message', 'Compare with checkpoint');
    await workbench.page.getByRole('tab', { name: /Second message ↔ now/ }).waitFor();
    const comparison = workbench.page.getByRole('main');
    for (const name of changed) await comparison.getByText(path.basename(name), { exact: true }).first().waitFor();
    await reload(now, true);
  });

  it('restores the second message but for one file, undoes that, and finds all of it after a reload', async () => {
    await press('Second message', 'Restore checkpoint');
    const plan = region('Restore plan');
    await plan.waitFor();
    await plan.getByRole('checkbox', { name: 'made.txt will be deleted' }).uncheck();
    await plan.getByRole('button', { name: 'Restore 3 files' }).click();
    await plan.waitFor({ state: 'detached' });
    await chat.conversation.getByText('Restored 3 files to the state before “Second message”').waitFor();
    await reload({ ...copies[1], 'made.txt': copies[3]?.['made.txt'] ?? '' });

    await chat.button('Undo restore').click();
    await chat.conversation.getByText('Undid the restore of 3 files').waitFor();
    await reload(copies[3] ?? {}, true);
  });

  it('approves what there is, and goes back to it as a whole', async () => {
    const files = region('Files changed');
    const work = region('Work session');
    await pressAnswer('Approve session');
    await files.waitFor({ state: 'detached' });
    await work.waitFor({ state: 'detached' });
    await reload(copies[3] ?? {});
    await expect(files).toHaveCount(0);

    await ask('Fourth message', [edit('notes.md', 'worse\n'), run('rm made.txt && echo junk > junk.txt')], 'The fourth is done.');
    await reload(await disk());
    await (await openWorkSession()).getByRole('button', { name: 'Review junk.txt' }).waitFor();
    await pressAnswer('Reset to approved');
    const plan = region('Restore plan');
    await plan.getByRole('button', { name: 'Restore 3 files' }).click();
    await chat.conversation.getByText('Reset 3 files to the approved state').waitFor();
    await files.waitFor({ state: 'detached' });
    await work.waitFor({ state: 'detached' });
    await reload(copies[3] ?? {}, true);
  });
});
