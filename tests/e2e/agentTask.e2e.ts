import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { OllamaDouble } from '../support/ollama/double';
import type { Scripted } from '../support/ollama/doubleReply';
import { eventually } from '../support/until';
import type { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { endlessReply, worker } from './scripts';
import { chatSuite } from './support/chatSuite';
import { expect } from './support/expect';
import type { Workbench } from './support/workbench';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const fixTo = (oldText: string, newText: string): Scripted => [
  call('replace_in_file', { path: 'src/discount.js', oldText, newText }),
];
const runTests: Scripted = [call('run_terminal_command', { command: 'node --test' })];
const notes = '# Changes\n\n- A discount of 10 is ten percent.\n';

/** Covers a complete agent task on the sample project, which has one failing test. */
describe('A task for the agent', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const changes = (): Locator => chat.view().getByRole('region', { name: 'Files changed' });
  const file = (name: string): string => path.join(workbench.folder, name);
  let original: string;

  chatSuite({ models: [worker], mode: 'Agent' }, (suite) => ({ double, workbench, chat } = suite));
  before(async () => (original = await readFile(file('src/discount.js'), 'utf8')));
  // A test replaces the server that the suite started.
  after(() => double?.close());

  it('reads, edits, creates, and runs the failing test until it passes', async () => {
    double.script.push(
      [
        'I look first.',
        call('read_file', { path: 'src/discount.js' }),
        call('read_file', { path: 'tests/shoppingList.test.js' }),
      ],
      fixTo('1 - percent', '1 - percent / 10'),
      [call('create_file', { path: 'CHANGES.md', content: notes })],
      runTests,
      fixTo('percent / 10', 'percent / 100'),
      runTests,
      'The discount is right now, and the tests pass. [TASK_COMPLETE]',
    );
    await chat.send('Make the failing test pass and note it in CHANGES.md');
    for (let count = 0; count < 2; count += 1) {
      const approval = chat.group('Approve command').filter({ has: chat.button('Run') });
      await approval.waitFor();
      await expect(approval).toHaveText(/node --test/, { useInnerText: true });
      // The review is available while the agent is still running.
      await changes().getByRole('button', { name: 'Review src/discount.js' }).waitFor();
      await approval.getByRole('button', { name: 'Run', exact: true }).click();
      await approval.waitFor({ state: 'detached' });
    }
    await chat.conversation.getByText('The discount is right now').waitFor();
    await chat.settled();
    assert.match(await readFile(file('src/discount.js'), 'utf8'), /\(1 - percent \/ 100\)/);
    assert.equal(await readFile(file('CHANGES.md'), 'utf8'), notes);
    await eventually(async () => assert.match(await chat.everything(), /exit code 1/));
    const { messages } = double.requestsTo('/api/chat').at(-1)?.body as { messages: { role: string; content: string }[] };
    const codes = messages.flatMap(({ role, content }) =>
      role === 'tool' ? (/^Exit code: (\d+)/.exec(content)?.[1] ?? []) : [],
    );
    assert.deepEqual(codes, ['1', '0']);
  });

  it('lists what has changed, shows it, and lists the same after a reload', async () => {
    await changes().getByRole('button', { name: 'Keep CHANGES.md' }).waitFor();
    await changes().getByRole('button', { name: 'Review src/discount.js' }).click();
    await workbench.page.getByRole('tab', { name: /discount\.js/ }).waitFor();
    await changes().getByText('Change 1 of 2', { exact: true }).waitFor();
    await changes().getByRole('button', { name: 'Changes in src/discount.js' }).click();
    await changes().getByRole('button', { name: 'Compare with original' }).click();
    await workbench.page.getByRole('tab', { name: /discount\.js \(before the agent/ }).waitFor();
    await changes().getByRole('button', { name: 'Changes in src/discount.js' }).click();
    const diff = workbench.page.locator('.monaco-diff-editor');
    await diff.locator('.original .view-line').filter({ hasText: '(1 - percent)' }).first().waitFor();
    await diff.locator('.modified .view-line').filter({ hasText: '(1 - percent / 100)' }).first().waitFor();
    await expect(changes()).toHaveText(/2 files changed[^]*\+4/, { useInnerText: true });
    const list = changes().getByRole('list');
    const listed = await eventually(async () => {
      const text = await list.innerText();
      assert.match(text, /src\/discount\.js[^]*\+1[^]*−1[^]*CHANGES\.md[^]*\+3/);
      return text;
    });
    await assertSameAfterReload(workbench, chat);
    await changes().getByRole('button', { name: 'Undo CHANGES.md' }).waitFor();
    await eventually(async () => assert.equal(await list.innerText(), listed));
  });

  it('undoes one file and keeps the other, and both stay so', async () => {
    await changes().getByRole('button', { name: 'Undo CHANGES.md' }).click();
    await changes().getByRole('button', { name: 'Undo CHANGES.md' }).waitFor({ state: 'detached' });
    assert.equal(existsSync(file('CHANGES.md')), false);
    await changes().getByRole('button', { name: 'Keep src/discount.js' }).click();
    await changes().getByRole('button', { name: 'Keep src/discount.js' }).waitFor({ state: 'detached' });
    // The file list may update before the conversation does.
    for (const line of ['Undid changes to CHANGES.md', 'Kept src/discount.js']) await chat.conversation.getByText(line).waitFor();
    await assertSameAfterReload(workbench, chat);
    // Kept changes are not approved yet.
    await chat.view().getByRole('button', { name: '1 file changed in this work session' }).waitFor();
    await expect(changes()).toHaveCount(0);
    assert.match(await readFile(file('src/discount.js'), 'utf8'), /percent \/ 100/);

    await chat.button('Reapply').first().click();
    await changes().getByRole('button', { name: 'Undo CHANGES.md' }).waitFor();
    assert.equal(await readFile(file('CHANGES.md'), 'utf8'), notes);
    await chat.button('Undo Keep').last().click();
    await changes().getByRole('button', { name: 'Undo src/discount.js' }).waitFor();
    await changes().getByRole('button', { name: 'Undo all' }).click();
    await changes().waitFor({ state: 'detached' });
    assert.equal(await readFile(file('src/discount.js'), 'utf8'), original);
    assert.equal(existsSync(file('CHANGES.md')), false);
  });

  it('first hour 23: is retried after the server was killed in mid-answer, in vain until it is started again', async () => {
    const endless = endlessReply();
    double.script.push(endless.reply);
    await chat.send('Tell me what you did');
    await chat.conversation.getByText('These words are here and more would come').waitFor();
    const { port } = double;
    await double.close();
    endless.release();
    const errors = chat.articles('Assistant').last().getByRole('group', { name: 'Error' });
    await errors.getByText(/The connection to Ollama was lost during the answer/).waitFor();
    await chat.settled();
    await errors.getByRole('button', { name: 'Retry' }).click();
    await errors.getByText(`Ollama does not respond at http://127.0.0.1:${port}`).waitFor();
    await chat.settled();

    double = await OllamaDouble.start({ port, models: [worker] });
    double.script.push('I corrected the discount. [TASK_COMPLETE]');
    await errors.getByRole('button', { name: 'Retry' }).click();
    await chat.conversation.getByText('I corrected the discount.').waitFor();
    await chat.settled();
    await errors.first().waitFor({ state: 'detached' });
    await assertSameAfterReload(workbench, chat);
  });

  it('goes on sensibly when its command is refused', async () => {
    double.script.push([call('run_terminal_command', { command: 'rm -rf build' })], 'Then it stays as it is. [TASK_COMPLETE]');
    await chat.send('Clean up');
    const approval = chat.group('Approve command').filter({ has: chat.button('Skip') });
    await approval.waitFor();
    await expect(approval).toHaveText(/critical|high/i, { useInnerText: true });
    await approval.getByRole('button', { name: 'Skip' }).click();
    await chat.conversation.getByText('Then it stays as it is.').waitFor();
    await chat.settled();
    const { messages } = double.requestsTo('/api/chat').at(-1)?.body as { messages: { role: string; content: string }[] };
    assert.match(messages.findLast(({ role }) => role === 'tool')?.content ?? '', /declined|skipped|not run|refused/i);
    await assertSameAfterReload(workbench, chat);
  });
});
