import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../support/vscode/location';
import { ChatPage } from './chatPage';
import { themes } from './support/themes';
import { StartedWindow } from './support/startedWindow';

describe('Pictures of the review in the editor', () => {
  let window: StartedWindow;

  before(async () => {
    window = await StartedWindow.open();
  });

  after(() => window?.close());

  it('hunks with their lenses, in each theme', async () => {
    const { page } = window;
    await page.setViewportSize({ width: 1280, height: 800 });
    const chat = new ChatPage(() => window.view, page);
    await chat.pickMode('Agent');
    await chat.send('One test fails. Find the reason and fix it.');
    await chat.group('Approve command').waitFor();
    await chat.view().getByRole('button', { name: 'Review src/discount.js' }).click();
    const lens = page.locator('.codelens-decoration a').filter({ hasText: /^Keep$/ });
    await lens.first().waitFor();
    const folder = path.join(repository, 'screenshots', 'editor');
    mkdirSync(folder, { recursive: true });
    for (const theme of themes) {
      await window.setTheme(theme);
      await lens.first().waitFor();
      // eslint-disable-next-line waits/long -- The picture is taken when nothing moves any more.
      await page.waitForTimeout(1000);
      await page.screenshot({
        path: path.join(
          folder,
          `review-${theme
            .replace(/^Default /, '')
            .replaceAll(' ', '-')
            .toLowerCase()}.png`,
        ),
      });
    }
  });
});
