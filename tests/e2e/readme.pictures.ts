import path from 'node:path';
import { repository } from '../support/vscode/location';
import { ChatPage } from './chatPage';
import { StartedWindow } from './support/startedWindow';

/** Takes the picture for the README: `npm start` without an Ollama server, when the agent asks to run the tests. */
describe('The picture of the README', () => {
  let window: StartedWindow;

  before(async () => {
    window = await StartedWindow.open();
  });

  after(() => window?.close());

  it('is taken', async () => {
    const { page } = window;
    await page.setViewportSize({ width: 1280, height: 960 });
    const chat = new ChatPage(() => window.view, page);
    await window.setViewWidth(420);
    await chat.pickMode('Agent');
    await chat.send('One test fails. Find the reason and fix it.');
    await chat.group('Approve command').waitFor();
    await chat.view().getByRole('button', { name: 'Review src/discount.js' }).click();
    await page
      .locator('.codelens-decoration a')
      .filter({ hasText: /^Keep$/ })
      .first()
      .waitFor();
    // eslint-disable-next-line waits/long -- Editors that open take the focus, which closes the list of themes.
    await page.waitForTimeout(2000);
    await window.setTheme('Default Dark Modern');
    // eslint-disable-next-line waits/long -- The picture is taken when nothing moves any more.
    await page.waitForTimeout(1500);
    await page.screenshot({ path: path.join(repository, 'docs', 'chat.png') });
  });
});
