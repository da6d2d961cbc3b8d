import assert from 'node:assert/strict';
import { OllamaDouble } from '../support/ollama/double';
import type { ModelSpec } from '../support/ollama/doubleModel';
import { hold } from '../support/ollama/doubleReply';
import { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { endlessReply } from './scripts';
import { SessionsPage } from './sessionsPage';
import { assertNamed, focusByKey, untilFocused } from './support/accessibility';
import { expect } from './support/expect';
import { Workbench } from './support/workbench';

/** Covers the experience of a user who installs the extension before a server exists. */
describe('The first day', () => {
  const pullable: ModelSpec[] = [];
  let port: number;
  let double: OllamaDouble | undefined;
  let workbench: Workbench;
  let chat: ChatPage;
  let sessions: SessionsPage;

  before(async () => {
    const gone = await OllamaDouble.start();
    port = gone.port;
    await gone.close();
    workbench = await Workbench.start({
      settings: { 'ollamaCopilot.baseUrl': `http://127.0.0.1:${port}`, 'ollamaCopilot.agent.maxActiveSessions': 2 },
    });
    // Opens the chat with its key alone, as soon as the window shows the extension. Nothing has started the extension yet.
    await workbench.page.getByRole('tab', { name: 'Ollama Copilot' }).waitFor();
    await workbench.page.keyboard.press('Control+Alt+I');
    await workbench.view.getByRole('textbox', { name: 'Message' }).and(workbench.view.locator(':focus')).waitFor();
    chat = new ChatPage(() => workbench.view, workbench.page);
    sessions = new SessionsPage(() => workbench.view, workbench);
  });

  after(async () => {
    await workbench?.close();
    await double?.close();
  });

  it('leads from no server over no model to a first answer', async () => {
    await chat.button('Check again').waitFor();
    double = await OllamaDouble.start({ port, models: [], pullable, pullDelayMs: 50, parallel: 2 });
    const pull = chat.button(/^Pull /).first();
    await pull.waitFor();
    const name = /^Pull (\S+)/.exec((await pull.getAttribute('aria-label')) ?? (await pull.innerText()))?.[1];
    assert.ok(name !== undefined);
    pullable.push({ name, capabilities: ['completion', 'tools'], contextLength: 32_768 });
    await pull.click();
    await chat.button(`Model: ${name}`).waitFor();

    await chat.pickMode('Ask');
    double.script.push('The zebra crosses at dawn.');
    await chat.ask('Tell me of an animal');
    await expect(chat.articles('Assistant')).toHaveText(/The zebra crosses at dawn\./, { useInnerText: true });
  });

  it('stops half-way, edits, sends again, and is word for word the same after a reload', async () => {
    const endless = endlessReply();
    double?.script.push(endless.reply);
    await chat.send('Go on for ever');
    await chat.conversation.getByText('These words are here and more would come').waitFor();
    await chat.button('Stop').click();
    await chat.settled();
    endless.release();

    double?.script.push('Only once, then.');
    await chat.edit('Go on for ever', 'Go on once');
    await chat.conversation.getByText('Only once, then.').waitFor();
    await chat.settled();
    await expect(chat.conversation.getByText('These words are here')).toHaveCount(0);
    await expect(chat.articles('You')).toHaveCount(2);
    await assertSameAfterReload(workbench, chat);
  });

  it('has two sessions stream at once, and shows the one in front', async () => {
    const first = hold();
    const second = hold();
    double?.script.push(['one begins ', first.step, 'one ends'], ['two begins ', second.step, 'two ends']);
    await sessions.newChat();
    await chat.send('Be the first of two');
    await chat.conversation.getByText('one begins').waitFor();
    await sessions.newChat();
    await chat.send('Be the second of two');
    await chat.conversation.getByText('two begins').waitFor();
    assert.equal(double?.openStreams, 2);

    first.release();
    await double?.until(() => double?.openStreams === 1);
    await expect(chat.conversation.getByText('one')).toHaveCount(0);
    await sessions.show();
    await sessions.open('Be the first of two');
    await chat.conversation.getByText('one begins one ends').waitFor();
    await chat.settled();
    second.release();
    await sessions.show();
    await sessions.open('Be the second of two');
    await chat.conversation.getByText('two begins two ends').waitFor();
    await chat.settled();
    await assertSameAfterReload(workbench, chat);
  });

  it('renames a session, finds one by a word of its answer, deletes one', async () => {
    await sessions.show();
    await sessions.rename('Be the first of two', 'The numbered one');
    await sessions.search('zebra');
    await sessions.row('Tell me of an animal').waitFor();
    await expect(sessions.rows).toHaveCount(1);
    await expect(sessions.rows).toHaveText(/The zebra crosses at dawn/, { useInnerText: true });
    await sessions.search('');
    await sessions.row('The numbered one').waitFor();
    await sessions.delete('Be the second of two');
    await sessions.row('Be the second of two').waitFor({ state: 'detached' });
    await expect(sessions.rows).toHaveCount(2);

    // A view state that is older than the message would restore it as a draft. No open chat shows any more that it was sent.
    await workbench.untilStored('Be the second of two', false);
    await workbench.reloadWindow();
    await workbench.openChat();
    await sessions.show();
    await sessions.row('The numbered one').waitFor();
    await expect(sessions.rows).toHaveCount(2);
    await sessions.open('The numbered one');
    await chat.conversation.getByText('one begins one ends').waitFor();
  });

  it('goes by the keyboard alone, and recalls the last message with ↑', async () => {
    const { keyboard } = workbench.page;
    await workbench.runCommandByKeys('Ollama Copilot: New chat');
    await chat.view().getByRole('article').first().waitFor({ state: 'detached' });
    await untilFocused(chat.composer);
    double?.script.push('By hand, without a mouse.', 'And once more.');
    await keyboard.type('Hello from the keys');
    await keyboard.press('Enter');
    await chat.conversation.getByText('By hand, without a mouse.').waitFor();
    await chat.settled();

    await keyboard.press('ArrowUp');
    await expect(chat.composer).toHaveValue('Hello from the keys');
    await keyboard.type(' again');
    await keyboard.press('Enter');
    await chat.conversation.getByText('And once more.').waitFor();
    await chat.settled();
    await expect(chat.articles('You').last().getByText('Hello from the keys again')).toHaveCount(1);

    await focusByKey(workbench.page, chat.button(/^Mode: /));
    await keyboard.press('Enter');
    await keyboard.type('ag');
    await keyboard.press('Enter');
    await chat.button('Mode: Agent').waitFor();
  });

  it('stops, finds, renames and deletes by the keyboard alone', async () => {
    const { keyboard } = workbench.page;
    await workbench.runCommandByKeys('Ollama Copilot: New chat');
    await chat.view().getByRole('article').first().waitFor({ state: 'detached' });
    const endless = endlessReply();
    double?.script.push(endless.reply);
    await untilFocused(chat.composer);
    await keyboard.type('Stop me by a key');
    await keyboard.press('Enter');
    await chat.conversation.getByText('These words are here and more would come').waitFor();
    await keyboard.press('Escape');
    await chat.settled();
    endless.release();

    await workbench.runCommandByKeys('Ollama Copilot: Search History');
    await untilFocused(chat.view().getByRole('searchbox', { name: 'Search sessions' }));
    await keyboard.type('stop me');
    await chat.view().getByText('1 session found').waitFor();
    await keyboard.press('ArrowDown');
    await untilFocused(chat.button(/^Open$/));
    await keyboard.press('F2');
    const title = chat.view().getByRole('textbox', { name: 'Title' });
    await untilFocused(title);
    await keyboard.press('Control+A');
    await keyboard.type('Stopped');
    await keyboard.press('Enter');
    await sessions.row('Stopped').waitFor();
    await keyboard.press('Delete');
    await workbench.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).waitFor();
    await keyboard.press('Enter');
    await sessions.row('Stopped').waitFor({ state: 'detached' });
    await focusByKey(workbench.page, chat.button(/^Back to chat$/));
    await keyboard.press('Enter');
    await chat.composer.waitFor();
  });

  it('does by its commands what the view does, and has a walkthrough', async () => {
    const { page } = workbench;
    const told = (text: RegExp) => page.getByRole('dialog', { name: text }).waitFor();
    await workbench.runCommand('Ollama Copilot: Test Connection');
    await told(/Ollama [\d.]+ is running at http/);

    pullable.push({ name: 'second:1b', capabilities: ['completion', 'tools'], contextLength: 8192 });
    await workbench.runCommand('Ollama Copilot: Pull Model');
    await page.getByText('Pull a model', { exact: true }).waitFor();
    await page.keyboard.type('second:1b');
    await page.keyboard.press('Enter');
    await told(/second:1b was pulled/);

    await workbench.runCommand('Ollama Copilot: Select Model');
    await page.getByRole('option', { name: 'second:1b' }).click();
    await chat.button('Model: second:1b').waitFor();

    await workbench.runCommand('Ollama Copilot: Open Walkthrough');
    const steps = page.getByRole('document').getByRole('button');
    for (const step of ['Connect to Ollama', 'Get a model', 'Ask a question', 'Let the agent work', 'Privacy'])
      await steps.filter({ hasText: step }).first().waitFor();
    await page.keyboard.press('Control+F4');
  });

  it('takes up from the editor what its commands are run on, whether it is shown or not', async () => {
    const { page } = workbench;
    const view = chat.view();
    await workbench.openFile('money.js');
    await page.keyboard.press('Control+Shift+E');
    await view.locator('body').waitFor({ state: 'hidden' });
    await workbench.runCommand('Ollama Copilot: Add File to Chat');
    // The name of a chip that is only suggested begins with “Attach”.
    await chat.button('Open money.js').waitFor();
    await chat.button('Remove money.js').waitFor();

    await page.getByRole('tab', { name: 'money.js' }).click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await workbench.runCommand('Ollama Copilot: Add Selection to Chat');
    await chat.button('Open money.js:1-2').waitFor();
    await chat.button('Remove money.js:1-2').waitFor();
    for (const name of ['money.js', 'money.js:1-2']) await chat.button(`Remove ${name}`).click();

    for (const [command, answer] of [
      ['Explain', 'It writes an amount as people do.'],
      ['Fix', 'There is nothing to mend.'],
    ] as const) {
      double?.script.push(answer);
      await workbench.runCommand(`Ollama Copilot: ${command}`);
      await chat.articles('Assistant').getByText(answer).waitFor();
      await expect(chat.articles('You')).toHaveCount(1);
      await chat.articles('You').getByRole('button', { name: 'Open money.js:1-2' }).waitFor();
      await chat.settled();
    }
    await page.getByRole('tab', { name: 'money.js' }).click();
    await page.keyboard.press('Control+F4');
  });

  it('gives every part the name that a screen reader says', async () => {
    const view = chat.view();
    await sessions.show();
    await sessions.search('');
    await sessions.open('Hello from the keys');
    await expect(chat.conversation).toHaveAttribute('aria-live', 'polite');
    await assertNamed(view, 10);
    for (const name of ['You', 'Assistant'] as const) await expect(chat.articles(name)).not.toHaveCount(0);
    await view.getByRole('textbox', { name: 'Message' }).waitFor();
    await view.getByRole('meter', { name: /^Context used/ }).waitFor();
    for (const name of [/^Send$/, /^Add context/, /^Mode: /, /^Model: /, /^Edit and resend$/])
      await chat.button(name).first().waitFor();

    await chat.button(/^Model: /).click();
    await view.getByRole('listbox', { name: 'Model' }).waitFor();
    await expect(view.getByRole('option')).not.toHaveCount(0);
    await assertNamed(view, 10);
    await workbench.page.keyboard.press('Escape');

    await sessions.show();
    await sessions.rows.first().waitFor();
    await assertNamed(view, 5);

    await workbench.runCommand('Ollama Copilot: Settings');
    for (const tab of ['Connection', 'Models', 'Chat', 'Agent', 'Checkpoints', 'Privacy']) {
      await view.getByRole('tab', { name: tab, exact: true }).click();
      await view.getByRole('tabpanel', { name: tab, exact: true }).waitFor();
      await assertNamed(view, 7);
    }
  });
});
