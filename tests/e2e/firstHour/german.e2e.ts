import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { OllamaDouble } from '../../support/ollama/double';
import { eventually } from '../../support/until';
import { ChatPage } from '../chatPage';
import { worker } from '../scripts';
import { faultsOfTexts, inGerman } from '../support/shownTexts';
import { Workbench } from '../support/workbench';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const lines = (...changed: number[]): string =>
  Array.from({ length: 30 }, (_, index) => `// Zeile ${index + 1}${changed.includes(index + 1) ? ', geändert' : ''}`).join('\n');

/** Covers line 30 of the table in README.md: the first steps in German, with high contrast, in a secondary side bar 300 pixels wide. */
describe('The first hour in German, with high contrast and in a narrow secondary side bar', () => {
  let port: number;
  let double: OllamaDouble | undefined;
  let workbench: Workbench;
  let chat: ChatPage;
  const server = (): OllamaDouble => double ?? assert.fail('no server yet');
  const file = (name: string): string => path.join(workbench.folder, name);
  const button = (text: string, ...args: string[]): Locator => chat.button(inGerman(text, ...args));
  const panel = (): Locator => chat.view().getByRole('region', { name: inGerman('Files changed') });
  const lens = (text: string): Locator =>
    workbench.page.locator('.codelens-decoration a').filter({ hasText: new RegExp(`^${inGerman(text)}$`) });

  before(async () => {
    const gone = await OllamaDouble.start();
    port = gone.port;
    await gone.close();
    workbench = await Workbench.start({
      settings: { 'ollamaCopilot.baseUrl': `http://127.0.0.1:${port}` },
      theme: 'Default High Contrast',
      language: 'de',
    });
    for (const name of ['eins.js', 'zwei.js']) await writeFile(file(name), lines());
    await workbench.openChat();
    chat = new ChatPage(() => workbench.view, workbench.page);
    await workbench.moveChatToSecondarySideBar();
    await workbench.setViewWidth(300);
  });

  after(async () => {
    await workbench?.close();
    await double?.close();
  });

  function assertReadable(): Promise<void> {
    const body = chat.view().locator('body');
    return eventually(async () => {
      assert.deepEqual(await faultsOfTexts(chat.view()), []);
      assert.equal(await body.evaluate((element) => element.scrollWidth - window.innerWidth), 0);
    });
  }

  async function settled(): Promise<void> {
    await button('Stop').waitFor({ state: 'detached' });
    await button('Send').waitFor();
  }

  async function ask(text: string, answer: string): Promise<void> {
    await chat
      .view()
      .getByRole('textbox', { name: inGerman('Message') })
      .fill(text);
    await button('Send').click();
    await chat.view().getByText(answer).last().waitFor();
    await settled();
  }

  it('first hour 30: without a server, and without a model', async () => {
    const heading = (text: string) => chat.view().getByRole('heading', { name: inGerman(text) });
    await heading('Ollama was not found').waitFor();
    await assertReadable();
    double = await OllamaDouble.start({ port, models: [] });
    await heading('No models yet').waitFor();
    await assertReadable();
    server().addModel(worker);
    await button('Check again').click();
    await button('Model: {0}', worker.name).waitFor();
    await assertReadable();
  });

  it('first hour 30: the open file, and an answer with links', async () => {
    await workbench.openFile('eins.js');
    await button('Pin {0}', 'eins.js').waitFor();
    await assertReadable();
    server().script.push('Das steht in eins.js:3.');
    await ask('Was macht das?', 'Das steht in');
    await chat.view().getByRole('link', { name: 'eins.js:3' }).waitFor();
    await button('Retry').waitFor();
    await assertReadable();
  });

  it('first hour 30: a change in two files, and a command that is asked about', async () => {
    server().script.push(
      [
        call('write_file', { path: 'eins.js', content: lines(3, 12, 25) }),
        call('write_file', { path: 'zwei.js', content: lines(3) }),
      ],
      [call('run_terminal_command', { command: 'echo fertig' })],
      'Beide sind geändert. [TASK_COMPLETE]',
    );
    await chat
      .view()
      .getByRole('textbox', { name: inGerman('Message') })
      .fill('Ändere zwei Dateien');
    await button('Send').click();
    const card = chat.group(inGerman('Approve command'));
    await card.waitFor();
    await assertReadable();
    await card.getByRole('button', { name: inGerman('Run'), exact: true }).click();
    await chat.view().getByText('Beide sind geändert.').waitFor();
    await settled();
    await chat
      .view()
      .getByRole('list', { name: inGerman('Changed {0} files', '2') })
      .waitFor();
    await button('Keep all').waitFor();
    await assertReadable();
  });

  it('first hour 30: one change kept, another undone, all others kept', async () => {
    // The terminal of the command may cover the last code lens.
    await lens('Keep').nth(2).waitFor({ state: 'attached' });
    await workbench.clickInEditor(lens('Keep').first());
    await lens('Keep').nth(2).waitFor({ state: 'detached' });
    await workbench.clickInEditor(lens('Undo').first());
    await lens('Keep').nth(1).waitFor({ state: 'detached' });
    await button('Next change').click();
    await assertReadable();
    await button('Keep all').click();
    await panel().waitFor({ state: 'detached' });
    assert.equal(await readFile(file('eins.js'), 'utf8'), lines(3, 25));
    await assertReadable();
  });
});
