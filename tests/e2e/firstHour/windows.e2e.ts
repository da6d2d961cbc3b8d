import assert from 'node:assert/strict';
import type { OllamaDouble } from '../../support/ollama/double';
import { hold } from '../../support/ollama/doubleReply';
import { ChatPage } from '../chatPage';
import { worker } from '../scripts';
import { SessionsPage } from '../sessionsPage';
import { chatSuite } from '../support/chatSuite';
import { expect } from '../support/expect';
import { sentChats } from '../support/sentChat';
import type { Workbench } from '../support/workbench';

/** Covers line 31 of the table in README.md. */
describe('Two windows on one folder', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  let second: Workbench;
  let beside: ChatPage;

  after(() => second?.close());
  chatSuite({ models: [worker], mode: 'Ask' }, (suite) => ({ double, workbench, chat } = suite));
  before(async () => {
    second = await workbench.openSecondWindow();
    await second.openChat();
    beside = new ChatPage(() => second.view, second.page);
  });

  it('first hour 31: shows a run of the other window as it is written, and sends nothing into it', async () => {
    const pause = hold();
    double.script.push(['one begins', pause.step, ' and one ends']);
    await chat.send('Be the first of two');
    await chat.conversation.getByText('one begins').waitFor();

    const sessions = new SessionsPage(() => second.view, second);
    await sessions.show();
    await sessions.open('Be the first of two');
    await beside.conversation.getByText('one begins').waitFor();
    await beside.composer.fill('Into the run of another');
    await beside.composer.press('Enter');
    await beside
      .view()
      .getByText('This chat is running in another window. Wait until it finishes, then send your message.')
      .waitFor();
    await expect(beside.composer).toHaveValue('Into the run of another');
    await expect(beside.button('Stop')).toBeDisabled();

    pause.release();
    await beside.conversation.getByText('one begins and one ends').waitFor();
    await chat.settled();
    await beside.settled();
    assert.equal(sentChats(double).length, 1);
  });

  it('first hour 31: has each message once in both, whichever window it was sent in', async () => {
    double.script.push('From the second.');
    await beside.send('Into the idle chat');
    await beside.conversation.getByText('From the second.').waitFor();
    await beside.settled();
    await workbench.reloadWindow();
    await workbench.openChat();
    await chat.conversation.getByText('From the second.').waitFor();
    const sessions = new SessionsPage(() => workbench.view, workbench);
    await sessions.show();
    await sessions.row('Be the first of two').waitFor();
    await expect(sessions.rows).toHaveCount(1);
    await sessions.open('Be the first of two');
    for (const page of [chat, beside]) {
      await page.articles('Assistant').nth(1).waitFor();
      for (const name of ['You', 'Assistant'] as const) await expect(page.articles(name)).toHaveCount(2);
    }
  });
});
