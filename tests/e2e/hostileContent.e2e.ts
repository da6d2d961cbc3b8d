import assert from 'node:assert/strict';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { stateLimitMs } from '../support/until';
import { launchBrowser } from '../support/vscode/browser';
import { repository } from '../support/vscode/location';
import { expect } from './support/expect';

interface Gallery {
  contentScenarios: (ready: object) => Record<string, object>;
  scenarios: { ready: { ready: object } };
  serve: (scenarios: object, built: string) => Promise<{ base: string; close(): void }>;
}
interface Watched {
  refused: string[];
}

async function gallery(): Promise<Gallery> {
  const folder = '../../../scripts/gallery/';
  const load = async (name: string) => (await import(`${folder}${name}.mjs`)) as object;
  return Object.assign({}, await load('content'), await load('page'), await load('scenarios')) as Gallery;
}

/** Runs in the page before all other scripts. Records what the content security policy blocks. */
function watch(): void {
  const watched: Watched = { refused: [] };
  Object.assign(window, { watched });
  document.addEventListener('securitypolicyviolation', ({ blockedURI }) => watched.refused.push(blockedURI));
}

/** Matches elements that must not appear in a conversation unless the view itself creates them. */
const foreign =
  'script, iframe, object, embed, link, style, img, svg, form, [href^="javascript:" i], [href^="data:" i], [onerror], [onload]';

/** Tests the bundled view in a separate browser, without an editor. */
describe('Content in the view', () => {
  let browser: Browser;
  let server: { base: string; close(): void };
  let made: Record<string, object>;

  before(async () => {
    const { contentScenarios, scenarios, serve } = await gallery();
    made = contentScenarios(scenarios.ready.ready);
    server = await serve(made, path.join(repository, 'media'));
    browser = await launchBrowser();
  });

  after(async () => {
    await browser?.close();
    server?.close();
  });

  for (const [name, what] of Object.entries({
    answer: 'an answer of 2 MB',
    code: 'a code block of 10,000 lines',
    line: 'lines of 200,000 characters',
    message: 'a message of 40,000 lines',
    output: 'the output of a command, of 2 MB',
    thinking: 'thoughts of 2 MB',
    world: 'text of all scripts, from the right and without spaces',
    invisible: 'characters that are not seen, and controls',
    hostile: 'HTML, scripts, javascript: links and remote pictures in messages',
    'hostile-tools': 'the same in thoughts, calls and their results',
  })) {
    it(`${what}: runs nothing, asks for nothing, and leaves the page to the person`, async () => {
      assert.ok(`content-${name}` in made);
      const page = await browser.newPage({ viewport: { width: 420, height: 720 } });
      page.setDefaultTimeout(stateLimitMs);
      const asked: string[] = [];
      const failures: string[] = [];
      await page.route('**/*', async (route) => {
        const url = route.request().url();
        if (url.startsWith(server.base)) return route.continue();
        asked.push(url);
        return route.abort();
      });
      page.on('pageerror', (error) => failures.push(error.message));
      page.on('dialog', (dialog) => {
        failures.push(`a dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      await page.addInitScript(watch);
      try {
        await page.goto(`${server.base}/dark/content-${name}/`);
        await page.locator('[data-ready="true"]').waitFor();
        await page.getByRole('article', { name: 'Assistant' }).waitFor();
        await openAll(page);
        await page.getByRole('log', { name: 'Conversation' }).evaluate((log) => (log.scrollTop = 0));
        const composer = page.getByRole('textbox', { name: 'Message' });
        await composer.pressSequentially('Still here');
        await expect(composer).toHaveValue('Still here');
        // Reads the page once without retries, because content that appears only briefly is a failure too.
        const { refused } = await page.evaluate(() => (window as unknown as { watched: Watched }).watched);
        const found = await page.getByRole('log').evaluate((log, selector) => {
          return [...log.querySelectorAll(selector)].map((element) => element.outerHTML.slice(0, 100));
        }, foreign);
        const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.deepEqual(
          { asked, refused, found, failures, width },
          { asked: [], refused: [], found: [], failures: [], width: 0 },
        );
      } finally {
        await page.close();
      }
    });
  }
});

/** Opens the first rows that hide content: thoughts, groups of calls and the calls in them. */
async function openAll(page: Page): Promise<void> {
  const closed = page.getByRole('log').getByRole('button', { expanded: false });
  for (let count = 0; count < 8 && (await closed.count()) > 0; count += 1) await closed.first().click();
}
