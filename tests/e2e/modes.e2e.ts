import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { png } from '../support/images';
import type { OllamaDouble } from '../support/ollama/double';
import { hold } from '../support/ollama/doubleReply';
import { eventually } from '../support/until';
import type { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { takePictures } from './support/pictures';
import { worker } from './scripts';
import { chatSuite } from './support/chatSuite';
import { expect } from './support/expect';
import type { Workbench } from './support/workbench';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const create = (file: string) => call('create_file', { path: file, content: `${file}\n` });

interface SentChat {
  messages: { role: string; content: string; images?: string[] }[];
}

describe('A working day', function () {
  this.timeout(600_000);
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const file = (name: string): string => path.join(workbench.folder, name);
  const sent = (): SentChat[] =>
    double
      .requestsTo('/api/chat')
      .map(({ body }) => body as SentChat)
      .filter(({ messages }) => messages.length > 0);
  const text = (words: string): Locator => chat.conversation.getByText(words).first();
  /** Takes pictures of the window if they are requested: `PICTURES=1 npm run test:e2e -- --grep "A working day"`. */
  const pictures = (name: string): Promise<void> =>
    process.env['PICTURES'] === undefined ? Promise.resolve() : takePictures(workbench, `day-${name}`);
  const newChat = async (): Promise<void> => {
    await workbench.runCommand('Ollama Copilot: New Chat');
    await chat.conversation.getByRole('article').first().waitFor({ state: 'detached' });
  };

  /** Pastes an image into the message, as a user pastes a screenshot. */
  const paste = (name: string, bytes: Buffer): Promise<void> =>
    chat.composer.evaluate(
      (field, [title, data]) => {
        const clipboardData = new DataTransfer();
        const content = Uint8Array.from(atob(data ?? ''), (one) => one.charCodeAt(0));
        clipboardData.items.add(new File([content], title ?? '', { type: 'image/png' }));
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      },
      [name, bytes.toString('base64')],
    );

  chatSuite({ models: [worker] }, (suite) => ({ double, workbench, chat } = suite));

  it('plans, starts the implementation, and ticks its steps, after a reload too', async () => {
    await chat.pickMode('Plan');
    double.script.push(
      [call('read_file', { path: 'README.md' })],
      'I have looked.\n\n## Plan\n1. Write one.txt\n2. Write two.txt',
    );
    await chat.send('Add two files');
    await chat.button('Start implementation').waitFor();
    await chat.settled();
    await pictures('plan');
    await assertSameAfterReload(workbench, chat);
    double.script.push(
      [create('one.txt')],
      [call('complete_step', { step: 1 })],
      [create('two.txt')],
      [call('complete_step', { step: 2 })],
      'Both are there. [TASK_COMPLETE]',
    );
    await chat.button('Start implementation').click();
    await text('Both are there.').waitFor();
    await chat.settled();
    await chat.button('Mode: Agent').waitFor();
    assert.equal(await readFile(file('two.txt'), 'utf8'), 'two.txt\n');
    await chat.view().getByText('2 of 2 done').first().waitFor();
    await pictures('plan-done');
    await assertSameAfterReload(workbench, chat);
  });

  it('shows what another agent looked into as one row with its steps', async () => {
    await newChat();
    double.script.push(
      [call('call_tool', { name: 'run_subagent', arguments: { task: 'What does discount.js do?' } })],
      [call('read_file', { path: 'src/discount.js' })],
      'It takes a share off a price.',
      'The explorer says it takes a share off. [TASK_COMPLETE]',
    );
    await chat.send('Find out what discount.js does');
    await text('The explorer says').waitFor();
    await chat.settled();
    const row = chat.conversation.getByRole('button', { name: /What does discount\.js do\?/ });
    await row.first().waitFor();
    await row.first().click();
    await chat.conversation.getByRole('list', { name: 'Steps' }).getByText('Read discount.js').waitFor();
    await pictures('subagent');
    const last = sent().at(-1)?.messages ?? [];
    assert.equal(last.filter(({ content }) => content.includes('It takes a share off a price.')).length, 1);
    assert.equal(
      last.some(({ content }) => content.includes('export function')),
      false,
    );
  });

  it('first hour 14: takes a message in the middle of a run, without stopping it', async () => {
    await newChat();
    const pause = hold();
    double.script.push([pause.step, call('read_file', { path: 'README.md' })], 'Auf Deutsch also. [TASK_COMPLETE]');
    const before = sent().length;
    await chat.send('What is this project?');
    await chat.composer.fill('Answer in German');
    await chat.button('Queue message').click();
    await pictures('steering');
    pause.release();
    await text('Auf Deutsch also.').waitFor();
    await chat.settled();
    assert.equal(sent().length, before + 2);
    assert.match(sent().at(-1)?.messages.at(-1)?.content ?? '', /Answer in German/);
    await expect(chat.articles('You')).toHaveCount(2);
  });

  it('uses the instructions of the workspace and shows that it does', async () => {
    await writeFile(file('AGENTS.md'), 'Always call the shop *the store*.\n');
    // The texts of instruction files are cached for two seconds. A chat that starts earlier uses the previous texts.
    await eventually(async () => {
      await newChat();
      double.script.push('The store it is. [TASK_COMPLETE]');
      await chat.send('What do we call the shop?');
      await text('The store it is.').waitFor();
      await chat.settled();
      assert.match(sent().at(-1)?.messages[0]?.content ?? '', /Always call the shop \*the store\*/);
    });
    await chat.button(/^Context: /).click();
    await chat.group('What fills the context window').getByText('Instructions: AGENTS.md').waitFor();
    await pictures('instructions');
    await chat.button(/^Context: /).press('Escape');
    await rm(file('AGENTS.md'));
  });

  it('first hour 21: refuses an image where the model cannot look at any, and takes it where it can, after a reload too', async () => {
    await newChat();
    double.registry.add({ name: 'eyes:1b', capabilities: ['completion', 'tools', 'vision'] });
    await chat.button(/^Model: /).click();
    await chat.view().getByRole('option', { name: 'eyes:1b' }).waitFor();
    await chat.view().getByRole('option', { name: worker.name, exact: true }).click();
    const before = sent().length;
    await paste('shot.png', png(3000, 300, 180));
    await chat.button('Remove shot.png').waitFor();
    await chat.view().getByText(`${worker.name} cannot read images. Choose eyes:1b, or remove the image.`).waitFor();
    await chat.send('What is there?');
    await chat.view().getByRole('listbox', { name: 'Model' }).waitFor();
    assert.equal(sent().length, before);
    await pictures('image-refused');
    await chat.page.keyboard.press('Escape');
    await chat.pickModel('eyes:1b');
    double.script.push('A grey field. [TASK_COMPLETE]');
    await chat.button('Send').click();
    await text('A grey field.').waitFor();
    await chat.settled();
    const message = sent()
      .at(-1)
      ?.messages.find(({ images }) => images !== undefined);
    // The image is reduced to the largest size that models process.
    assert.match(message?.content ?? '', /^Attached image: shot\.png \(2048 × 205\)/);
    assert.deepEqual([...Buffer.from(message?.images?.[0] ?? '', 'base64').subarray(1, 4)], [...Buffer.from('PNG')]);
    await chat.button('Enlarge shot.png').locator('img').waitFor();
    await pictures('image');
    await assertSameAfterReload(workbench, chat);
    await chat.pickModel(worker.name);
  });

  it('edits the selected lines, and leaves them to be kept or undone in the editor', async () => {
    await newChat();
    await chat.pickMode('Edit');
    const before = await readFile(file('src/discount.js'), 'utf8');
    await workbench.openFile('discount.js');
    await workbench.clickLine('return');
    await workbench.page.keyboard.press('Control+A');
    await chat.button(/^Pin discount\.js:1/).waitFor();
    await chat.composer.click();
    double.script.push(
      [call('replace_in_file', { path: 'src/discount.js', oldText: '1 - percent', newText: '1 - percent / 100' })],
      'It is a share of a hundred now. [TASK_COMPLETE]',
    );
    await chat.send('A discount of 10 is ten percent');
    await text('It is a share of a hundred now.').waitFor();
    await chat.settled();
    assert.match(sent().at(-2)?.messages.at(-1)?.content ?? '', /export function/);
    await chat
      .view()
      .getByRole('region', { name: 'Files changed' })
      .getByRole('button', { name: 'Keep src/discount.js' })
      .waitFor();
    const lens = workbench.page.locator('.codelens-decoration').getByText('Undo', { exact: true });
    await lens.first().waitFor();
    await pictures('edit');
    await workbench.clickInEditor(lens.first());
    await chat.view().getByRole('button', { name: 'Keep src/discount.js' }).waitFor({ state: 'detached' });
    assert.equal(await readFile(file('src/discount.js'), 'utf8'), before);
    assert.equal(existsSync(file('one.txt')), true);
  });
});
