import type { OllamaDouble } from '../support/ollama/double';
import { hold } from '../support/ollama/doubleReply';
import type { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { thinker } from './scripts';
import { chatSuite } from './support/chatSuite';
import { expect } from './support/expect';
import type { Workbench } from './support/workbench';

describe('A view that is hidden in mid-run', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;

  chatSuite({ models: [thinker] }, (suite) => ({ double, workbench, chat } = suite));

  it('shows the run as it is when it comes back, keeps the draft, and is the same after a reload', async () => {
    const first = hold();
    const second = hold();
    double.script.push([{ thinking: 'Hm.' }, 'alpha ', first.step, 'beta ', second.step, 'gamma']);
    await chat.pickMode('Ask');
    await chat.send('Say three words');
    await chat.conversation.getByText('alpha').waitFor();
    await chat.composer.fill('What I wanted to ask next');

    await hide();
    first.release();
    // eslint-disable-next-line waits/long -- The words must arrive while the view is hidden, and nothing signals their arrival.
    await workbench.page.waitForTimeout(500);
    await workbench.openChat();
    await chat.conversation.getByText('alpha beta').waitFor();
    await expect(chat.composer).toHaveValue('What I wanted to ask next');
    await chat.button('Stop').waitFor();

    await hide();
    second.release();
    await double.until(() => double.openStreams === 0);
    await workbench.openChat();
    await chat.conversation.getByText('alpha beta gamma').waitFor();
    await chat.settled();
    await assertSameAfterReload(workbench, chat);
  });

  it('shows an empty chat when New chat was chosen while it was hidden, and keeps the old one', async () => {
    await chat.articles('You').first().waitFor();
    await hide();
    await workbench.runCommand('Ollama Copilot: New chat');
    await chat.composer.waitFor();
    await chat.articles('You').first().waitFor({ state: 'detached' });
    double.script.push('delta');
    await chat.send('Something else');
    await chat.conversation.getByText('delta').waitFor();
    await chat.settled();
    await expect(chat.articles('You')).toHaveCount(1);
    await assertSameAfterReload(workbench, chat);
  });

  it('keeps the last words of a draft that is written just before a reload', async () => {
    for (const draft of ['One draft', 'Another draft', 'A third draft']) {
      await chat.composer.fill('');
      await chat.composer.pressSequentially(draft);
      await workbench.reloadWindow();
      await workbench.openChat();
      await expect(chat.composer).toHaveValue(draft);
    }
  });

  async function hide(): Promise<void> {
    await workbench.page
      .locator('.activitybar')
      .getByRole('tab', { name: /^Explorer/ })
      .click();
    await workbench.view.locator('body').waitFor({ state: 'hidden' });
  }
});
