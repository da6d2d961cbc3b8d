import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { OllamaDouble } from '../../support/ollama/double';
import { eventually } from '../../support/until';
import { repository } from '../../support/vscode/location';
import { ChatPage } from '../chatPage';
import { expect } from '../support/expect';
import { copyOf } from '../support/folderCopy';
import { answerOf, lastPrompt } from '../support/sentChat';
import { Workbench } from '../support/workbench';

/** Covers lines 1 to 4 of the table in README.md: from the installation without a server to a chat that survives a reload. */
describe('From the installation to the first answer', () => {
  let port: number;
  let double: OllamaDouble | undefined;
  let workbench: Workbench;
  let chat: ChatPage;
  const server = (): OllamaDouble => double ?? assert.fail('no server yet');
  const log = (): Locator => chat.conversation;

  before(async () => {
    const gone = await OllamaDouble.start();
    port = gone.port;
    await gone.close();
    workbench = await Workbench.start({ settings: { 'ollamaCopilot.baseUrl': `http://127.0.0.1:${port}` } });
    await workbench.openChat();
    chat = new ChatPage(() => workbench.view, workbench.page);
  });

  after(async () => {
    await workbench?.close();
    await double?.close();
  });

  it('first hour 1: says that no server was found, where it looked and how to start one, and notices it by itself', async () => {
    const start = chat.view().getByRole('region', { name: 'Getting started' });
    await start.getByRole('heading', { name: 'Ollama was not found' }).waitFor();
    await start.getByText(`No response from http://127.0.0.1:${port}.`).waitFor();
    await start.getByText('ollama serve', { exact: true }).waitFor();
    await start.getByRole('button', { name: 'Get Ollama' }).waitFor();

    double = await OllamaDouble.start({ port, models: [] });
    await start.getByRole('heading', { name: 'No models yet' }).waitFor();
  });

  it('first hour 2: offers three models, pulls one with its progress, and keeps the prompt typed meanwhile', async () => {
    const pulls = chat.button(/^Pull \S+:/);
    await pulls.nth(2).waitFor();
    await expect(pulls).toHaveCount(3);
    const name = (await pulls.last().getAttribute('aria-label'))?.replace('Pull ', '') ?? assert.fail('a button without a name');
    const pull = new Promise<ServerResponse>((resolve) =>
      server().intercept((request, response) => {
        if (request.url !== '/api/pull') return false;
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        response.write('{"status":"pulling 0123456789ab","digest":"sha256:0123456789ab","total":1000,"completed":420}\n');
        resolve(response);
        return true;
      }),
    );
    await pulls.last().click();
    const progress = chat.view().getByRole('progressbar', { name: `Pulling ${name}` });
    await progress.and(chat.view().locator('[aria-valuenow="42"]')).waitFor();
    await chat.composer.fill('Tell me about an animal');
    server().addModel({ name, capabilities: ['completion', 'tools'], contextLength: 32_768 });
    (await pull).end('{"status":"success"}\n');
    await chat.button(`Model: ${name}`).waitFor();
    server().intercept(undefined);
    await expect(chat.composer).toHaveValue('Tell me about an animal');

    await chat.pickMode('Ask');
    server().script.push('The zebra crosses at dawn.');
    await chat.button('Send').click();
    await log().getByText('The zebra crosses at dawn.').waitFor();
    await chat.settled();
  });

  it('first hour 3: shows the open file as a dashed chip, and sends its path and the selected text', async () => {
    await hideChat();
    await workbench.openFile('discount.js');
    await workbench.openChat();
    const chip = chat.button('Pin discount.js');
    await chip.waitFor();
    const border = () => chip.evaluate((button) => getComputedStyle(button.parentElement ?? button).borderTopStyle);
    await eventually(async () => assert.equal(await border(), 'dashed'));
    await answerOf(chat, server(), 'What is open?', 'A small file.');
    assert.match(lastPrompt(server()), /src\/discount\.js/);

    await selectLines(2);
    await chat.button('Pin discount.js:1-2').waitFor();
    await answerOf(chat, server(), 'What does this do?', 'It takes a share off.');
    assert.match(lastPrompt(server()), /export function applyDiscount\(cents, percent\)/);
  });

  it('first hour 4: keeps chip, draft, mode, model and scroll position while hidden and after a reload', async () => {
    const paragraphs = Array.from({ length: 60 }, (_unused, index) => `Paragraph ${index + 1} of a long answer.`);
    await answerOf(chat, server(), 'Tell me all', paragraphs.join('\n\n'));
    await chat.composer.fill('What I wanted to ask next');
    await log().getByText('Paragraph 20 of').scrollIntoViewIfNeeded();
    await chat.button('Scroll to bottom').waitFor();
    const before = await state();

    await hideChat();
    await workbench.openChat();
    await untilState(before);
    await workbench.untilStored('What I wanted to ask next');
    await workbench.reloadWindow();
    await workbench.openChat();
    await untilState(before);
    await answerOf(chat, server(), 'And now?', 'The same.');
    assert.match(lastPrompt(server()), /src\/discount\.js/);
  });

  it('first hour 33: leaves the files of the workspace as they were when it is switched off', async () => {
    await workbench.runCommand('Extensions: Disable All Installed Extensions for this Workspace');
    await workbench.reloadWindow();
    await workbench.page.getByRole('tab', { name: 'Ollama Copilot' }).waitFor({ state: 'detached' });
    assert.deepEqual(await copyOf(workbench.folder), await copyOf(path.join(repository, 'resources/sample-workspace')));
  });

  /** Selects the first `count` lines in the active editor. */
  async function selectLines(count: number): Promise<void> {
    const { page } = workbench;
    await workbench.clickLine();
    await page.keyboard.press('Control+Home');
    for (let line = 0; line < count; line += 1) await page.keyboard.press('Shift+ArrowDown');
  }

  async function hideChat(): Promise<void> {
    await workbench.page.keyboard.press('Control+Shift+E');
    await workbench.view.locator('body').waitFor({ state: 'hidden' });
  }

  /** Returns the state that a reload must preserve: chip names, draft, mode, model, and the topmost visible paragraph. */
  async function state(): Promise<object> {
    const names = (name: RegExp) => chat.button(name).evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    return {
      chips: await names(/^Pin /),
      draft: await chat.composer.inputValue(),
      pickers: [await names(/^Mode: /), await names(/^Model: /)],
      top: await log().evaluate((scroller) => {
        const edge = scroller.getBoundingClientRect().top;
        const seen = [...scroller.querySelectorAll('p')].find((one) => one.getBoundingClientRect().bottom > edge + 4);
        return seen?.textContent;
      }),
    };
  }

  async function untilState(expected: object): Promise<void> {
    await chat.conversation.getByText('Paragraph 60 of').waitFor({ state: 'attached' });
    await chat.button(/^Pin /).first().waitFor();
    await eventually(async () => assert.deepEqual(await state(), expected));
  }
});
