import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { eventually } from '../support/until';
import { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { expect } from './support/expect';
import { StartedWindow } from './support/startedWindow';

/** Runs the scripts behind `npm start` until their processes exit. */
describe('npm start without an Ollama server', () => {
  let window: StartedWindow;
  let chat: ChatPage;
  const changes = (): Locator => chat.view().getByRole('region', { name: 'Files changed' });
  const file = (name: string): string => path.join(window.folder, name);

  before(async () => {
    window = await StartedWindow.open();
    chat = new ChatPage(() => window.view, window.page);
  });

  after(() => window?.close());

  it('opens with the chat, ready to be written to, and the file that fails its test', async () => {
    await window.page.getByRole('tab', { name: /^discount\.js/ }).waitFor();
    await chat.composer.waitFor();
    await chat.composer.and(chat.view().locator(':focus')).waitFor();
  });

  it('says that a demonstration answers, in the terminal and in the chat', async () => {
    const told = /No Ollama server answers[^]*demonstration model takes its place/;
    await eventually(() => assert.match(window.output, told));
    await chat.composer.waitFor();
    await chat.view().getByText('Demo: the answers are scripted, no model is running').waitFor();
    await chat.button('Model: demo:latest').waitFor();
  });

  it('plays the whole task: reads, edits, creates, and runs the tests once that is approved', async () => {
    await chat.pickMode('Agent');
    await chat.send('One test fails. Find the reason and fix it.');
    const approval = chat.group('Approve command');
    await approval.waitFor();
    // The shell grammar is loaded in the editor, too. A command that cannot be parsed would have high risk.
    await expect(approval).toHaveText(/node --test[^]*medium risk/, { useInnerText: true });
    await changes().getByRole('button', { name: 'Review src/discount.js' }).waitFor();
    await approval.getByRole('button', { name: 'Run', exact: true }).click();
    await chat.settled();
    await eventually(async () => assert.match(await chat.everything(), /The tests pass\./));
    assert.match(await readFile(file('src/discount.js'), 'utf8'), /\(1 - percent \/ 100\)/);
  });

  it('keeps one file, undoes the other, and is the same after a reload', async () => {
    const [note = ''] = await readdir(file('notes'));
    await changes().getByRole('button', { name: 'Keep src/discount.js' }).click();
    await changes()
      .getByRole('button', { name: `Undo notes/${note}` })
      .click();
    for (const line of ['Kept src/discount.js', `Undid changes to notes/${note}`])
      await chat.conversation.getByText(line).waitFor();
    assert.equal(existsSync(file(`notes/${note}`)), false);
    assert.match(await readFile(file('src/discount.js'), 'utf8'), /percent \/ 100/);
    await assertSameAfterReload(window, chat);
  });

  it('leaves nothing running and nothing behind when it is ended', async () => {
    const { code, left } = await window.end();
    assert.deepEqual({ code, left }, { code: 0, left: [] });
    await assert.rejects(fetch(window.url));
  });
});
