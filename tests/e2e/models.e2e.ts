import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { OllamaDouble } from '../support/ollama/double';
import type { ModelSpec } from '../support/ollama/doubleModel';
import { ChatPage } from './chatPage';
import { worker } from './scripts';
import { chatSuite } from './support/chatSuite';
import { expect } from './support/expect';
import { answerOf, sentChats } from './support/sentChat';
import { Workbench } from './support/workbench';

/** Looks like an access token, but is not real. */
const token = `ghp_${'aB3dE5gH7jK9'.repeat(3)}`;

/** Covers the requests sent to models and the memory that models use on the server. */
describe('Models on the server', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;

  chatSuite({ models: [worker], mode: 'Ask' }, (suite) => ({ double, workbench, chat } = suite));

  const requestTab = () => workbench.page.getByRole('tab', { name: /^Request worker-1b \d\d-\d\d-\d\d\.sh/ });

  /** Returns the text of the active editor. */
  async function editorText(): Promise<string> {
    const { page } = workbench;
    await page.locator('.editor-instance .monaco-editor.focused').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+C');
    await chat.composer.click();
    await page.keyboard.press('Control+V');
    await expect(chat.composer).not.toHaveValue('');
    const text = await chat.composer.inputValue();
    await chat.composer.fill('');
    return text;
  }

  it('shows the exact request of an answer as a command, without keys, with the figures of the server', async () => {
    await answerOf(chat, double, `Why is ${token} in it?`, 'It should not be.');
    await chat.articles('Assistant').last().getByRole('button', { name: 'Show request' }).click();
    await requestTab().waitFor();
    const text = await editorText();
    const body = /<<'OLLAMA_REQUEST'\n([^]+?)\nOLLAMA_REQUEST\n/.exec(text)?.[1] ?? assert.fail(text);
    const sent = JSON.stringify(sentChats(double).at(-1));
    assert.ok(sent.includes(token));
    assert.deepEqual(JSON.parse(body), JSON.parse(sent.replace(token, '[key left out]')));
    assert.ok(text.includes(`curl '${double.url}/api/chat' \\\n`), text);
    assert.match(text, /# Prompt: [\d,]+ tokens/);
  });

  it('offers each request of an answer with tool calls, the newest first', async () => {
    const { page } = workbench;
    await workbench.runCommand('View: Close All Editors');
    await requestTab().waitFor({ state: 'detached' });
    double.script.push([{ call: { name: 'read_file', arguments: { path: 'README.md' } } }], 'That is all.');
    await chat.send('Read it');
    await chat.conversation.getByText('That is all.').waitFor();
    await chat.settled();
    await chat.articles('Assistant').last().getByRole('button', { name: 'Show request' }).click();
    await page.getByRole('option', { name: /^Request 2 of 2/ }).waitFor();
    await page.keyboard.press('Enter');
    await requestTab().waitFor();
    const text = await editorText();
    assert.ok(text.includes('"role": "tool"'), text);
  });

  it('unloads a model', async () => {
    assert.deepEqual(
      double.registry.running().map(({ model }) => model.name),
      [worker.name],
    );
    await workbench.runCommand('Ollama Copilot: Settings');
    const view = chat.view();
    await view.getByRole('tab', { name: 'Models' }).click();
    const unload = view.getByRole('button', { name: `Unload ${worker.name}`, exact: true });
    const planned = view.getByRole('button', { name: `Unload ${worker.name} from memory` });
    await planned.waitFor();
    await unload.click();
    await unload.waitFor({ state: 'detached' });
    await planned.waitFor({ state: 'detached' });
    assert.deepEqual(double.registry.running(), []);
  });

  it('measures a model, and finds no window without a GPU', async () => {
    const view = chat.view();
    double.onChat(() => 'word '.repeat(40));
    await view.getByRole('button', { name: `Measure ${worker.name}` }).click();
    await view.getByText('Measured.', { exact: true }).waitFor();
    await view.getByText(/on the CPU · [\d.,]+ tok\/s · context window 32k/).waitFor();
    await view.getByText(/^Short prompt: reads \d+ tokens at [\d.,]+ tok\/s, writes [\d.,]+ tok\/s$/).waitFor();
    await view.getByRole('button', { name: `Find largest context: ${worker.name}` }).click();
    await view.getByText('The server used only the CPU for this model, so no context window fits on the GPU.').waitFor();
    await view.getByRole('button', { name: 'Back to chat' }).click();
  });
});

/** Counts the clicks and decisions of a user from a server without models to the first finished task. */
describe('The first task on an empty server', () => {
  const pullable: ModelSpec[] = [];
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;

  before(async () => {
    double = await OllamaDouble.start({ models: [], pullable, pullDelayMs: 10 });
    workbench = await Workbench.start({ settings: { 'ollamaCopilot.baseUrl': double.url } });
  });

  after(async () => {
    await workbench?.close();
    await double?.close();
  });

  it('takes at most four presses and two decisions', async () => {
    const done = { presses: 0, decisions: 0 };
    const press = async (button: Locator) => {
      await button.click();
      done.presses += 1;
    };
    // The chat opens on the first start. A user who has closed it clicks its icon once.
    await workbench.openChat();
    done.presses += 1;
    chat = new ChatPage(() => workbench.view, workbench.page);
    const pulls = chat.button(/^Pull \S+:/);
    await pulls.nth(2).waitFor();
    const name = (await pulls.first().getAttribute('aria-label'))?.replace('Pull ', '') ?? assert.fail('a button without a name');
    pullable.push({ name, capabilities: ['completion', 'tools'], contextLength: 32_768 });
    // Decides on a model. The first button is highlighted and has the most capable model that fits.
    done.decisions += 1;
    await press(pulls.first());
    await chat.button(`Model: ${name}`).waitFor();
    // Decides on a task.
    done.decisions += 1;
    double.script.push(
      [{ call: { name: 'create_file', arguments: { path: 'notes.md', content: '# Notes\n' } } }],
      'notes.md is there.',
    );
    await chat.composer.fill('Create notes.md');
    await press(chat.button('Send'));
    await chat.conversation.getByText('notes.md is there.').waitFor();
    await chat.settled();
    assert.equal(await readFile(path.join(workbench.folder, 'notes.md'), 'utf8'), '# Notes\n');
    assert.ok(done.presses <= 4 && done.decisions <= 2, JSON.stringify(done));
  });
});
