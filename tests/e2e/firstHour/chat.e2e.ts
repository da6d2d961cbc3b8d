import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { OllamaDouble } from '../../support/ollama/double';
import { hold } from '../../support/ollama/doubleReply';
import { eventually, stateLimitMs, until } from '../../support/until';
import type { ChatPage } from '../chatPage';
import { worker } from '../scripts';
import { SessionsPage } from '../sessionsPage';
import { chatSuite } from '../support/chatSuite';
import { expect } from '../support/expect';
import { answerOf, lastSent } from '../support/sentChat';
import type { Workbench } from '../support/workbench';

const second = { ...worker, name: 'second:1b' };
/** Looks like an access token, but is not real. */
const token = `ghp_${'aB3dE5gH7jK9'.repeat(3)}`;

/** Covers a chat in Ask mode, the other pages of the view, and the export of the chat. */
describe('A chat in the first hour', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;

  chatSuite({ models: [worker, second], mode: 'Ask' }, (suite) => ({ double, workbench, chat } = suite));

  it('first hour 5: streams an answer whose paths and symbols are links, with Copy and Retry below it', async () => {
    await chat.pickModel(worker.name);
    const pause = hold();
    double.script.push(['It takes a share off in `applyDiscount`, see `src/discount.js:2`', pause.step, ' and src/money.js.']);
    await chat.send('What does this do?');
    await chat.conversation.getByText('It takes a share off').waitFor();
    await chat.button('Stop').waitFor();
    pause.release();
    await chat.settled();
    const answer = chat.articles('Assistant').last();
    await answer.getByRole('link', { name: 'src/money.js' }).waitFor();
    await answer.getByRole('link', { name: 'applyDiscount' }).waitFor();
    await answer.getByRole('link', { name: 'src/discount.js:2' }).click();
    await workbench.page.getByRole('tab', { name: /^discount\.js/ }).waitFor();
    await workbench.page.getByRole('button', { name: /^Ln 2, Col 1$/ }).waitFor();

    await answer.getByRole('button', { name: 'Copy', exact: true }).click();
    await chat.composer.click();
    await workbench.page.keyboard.press('Control+V');
    await expect(chat.composer).toHaveValue('It takes a share off in `applyDiscount`, see `src/discount.js:2` and src/money.js.');
    await chat.composer.fill('');

    double.script.push('In other words: it discounts.');
    await answer.getByRole('button', { name: 'Retry', exact: true }).click();
    await chat.conversation.getByText('In other words').waitFor();
    await chat.settled();
    for (const name of ['You', 'Assistant'] as const) await expect(chat.articles(name)).toHaveCount(1);
  });

  it('first hour 6: recalls the last message with ↑ in the empty composer, ready to edit', async () => {
    await answerOf(chat, double, 'Say it once', 'Once.');
    await chat.composer.click();
    await workbench.page.keyboard.press('ArrowUp');
    await expect(chat.composer).toHaveValue('Say it once');
    await workbench.page.keyboard.type(' more');
    await expect(chat.composer).toHaveValue('Say it once more');
    await chat.composer.fill('');
  });

  it('first hour 20: lists what #, @ and / may mean, a line each, and goes by the keyboard', async () => {
    const view = chat.view();
    for (const [typed, name] of [
      ['#', 'Mentions'],
      ['@', 'Mentions'],
      ['/', 'Commands'],
    ] as const) {
      await chat.composer.click();
      await workbench.page.keyboard.type(typed);
      const list = view.getByRole('listbox', { name });
      const options = list.getByRole('option');
      await options.first().waitFor();
      await eventually(async () => {
        const sizes = await options.evaluateAll((all) =>
          all.map((element) => ({
            text: element.textContent,
            height: element.getBoundingClientRect().height,
            line: parseFloat(getComputedStyle(element).lineHeight) || 20,
          })),
        );
        for (const { text, height, line } of sizes) assert.ok(height < 2 * line, `${typed}: ${text} is ${height} px high`);
      });
      if ((await options.count()) > 1) {
        await workbench.page.keyboard.press('ArrowDown');
        await list.locator('[aria-selected="true"]').and(options.nth(1)).waitFor();
      }
      await workbench.page.keyboard.press('Escape');
      await list.waitFor({ state: 'detached' });
      await chat.composer.fill('');
    }
    await chat.composer.click();
    await workbench.page.keyboard.type('#money');
    await view.getByRole('option', { name: /money\.js/ }).waitFor();
    await workbench.page.keyboard.press('Enter');
    await chat.button('Remove money.js').click();
    await chat.composer.fill('');
  });

  it('first hour 22: uses another model from the next message on', async () => {
    await chat.pickModel(second.name);
    await answerOf(chat, double, 'And who are you?', 'The second one.');
    assert.equal(lastSent(double).model, second.name);
    await chat.pickModel(worker.name);
    await answerOf(chat, double, 'And now?', 'The first again.');
    assert.equal(lastSent(double).model, worker.name);
  });

  it('first hour 22: offers Pull first for a model that is not on the server any more', async () => {
    await chat.pickModel(second.name);
    const gone = double.registry.find(second.name) ?? assert.fail('the server has no such model');
    double.registry.remove(gone);
    await chat.send('Are you there?');
    const error = chat.articles('Assistant').last().getByRole('group', { name: 'Error' });
    await error.getByText(/is not installed on the Ollama server/).waitFor();
    await chat.settled();
    await eventually(async () => {
      const names = (await error.getByRole('button').allInnerTexts()).map((name) => name.trim());
      assert.equal(
        names.find((name) => name !== 'Details'),
        'Pull',
      );
    });
    await chat.pickModel(worker.name);
  });

  it('first hour 24: finds a word of a tool result in History, with the line and the match marked', async () => {
    const sessions = new SessionsPage(() => workbench.view, workbench);
    await letRead('What is in that file?', 'It is a list.');
    await sessions.show();
    await sessions.search('discountPercent');
    const row = sessions.rows.first();
    await row
      .locator('mark')
      .filter({ hasText: /discountPercent/i })
      .first()
      .waitFor();
    const line = /total\(discountPercent = 0\)|applyDiscount\(sum, discountPercent\)/;
    await expect(row).toHaveText(line, { useInnerText: true });
    await row.getByRole('button', { name: 'Open', exact: true }).click();
    await chat.conversation.getByText('It is a list.').waitFor();
  });

  it('first hour 25: finds all settings of a word in one list, and saves on change', async () => {
    await workbench.runCommand('Ollama Copilot: Settings');
    const view = chat.view();
    await view.getByRole('searchbox', { name: 'Search settings' }).fill('temperature');
    await view.getByText(/^\d+ settings found$/).waitFor();
    await expect(view.getByRole('tablist')).toHaveCount(0);
    const fields = view.getByRole('textbox', { name: /temperature/i });
    await eventually(async () => assert.ok((await fields.count()) >= 4));
    await eventually(async () => {
      for (const text of await view.getByRole('region').allInnerTexts()) assert.doesNotMatch(text, /[*_`]{2}|\{\d\}|[{}]/);
    });
    const field = fields.first();
    await expect(field).toHaveAttribute('id', /./);
    await expect(field).toHaveAttribute('aria-describedby', /./);
    // In a webview, the editor repeats `Ctrl+A` a moment later, when the first characters are already typed.
    await field.selectText();
    await workbench.page.keyboard.type('0.35');
    await workbench.page.keyboard.press('Tab');
    await view.getByRole('button', { name: 'Reset Temperature in Agent mode' }).waitFor();
    const saved = /"ollamaCopilot\.agentMode\.temperature": 0\.35/;
    await eventually(async () => assert.match(await workbench.userSettings(), saved));
    await view.getByRole('button', { name: 'Back to chat' }).click();
  });

  for (const [format, extension] of [
    ['Markdown', 'md'],
    ['Web page', 'html'],
  ] as const) {
    it(`first hour 28: exports the chat as ${extension}, complete and without secrets`, async () => {
      await letRead(`My token is ${token}`, `It is in no ${extension} file.`);
      await workbench.runCommand('Ollama Copilot: Export Chat…');
      const { page } = workbench;
      await page.getByText('Export as', { exact: true }).waitFor();
      await page.getByRole('option', { name: new RegExp(`^${format}`) }).click();
      await page.getByText('Select what to export in addition to messages', { exact: true }).waitFor();
      await workbench.page.keyboard.press('Enter');
      const target = page.locator('.quick-input-widget input[type="text"]');
      await page.getByText('Export chat', { exact: true }).waitFor();
      await expect(target).toHaveValue(new RegExp(`\\.${extension}$`));
      const file = await target.inputValue();
      await workbench.page.keyboard.press('Enter');
      await page.getByText('The chat was exported.').last().waitFor();
      // The notification of another export may still be visible.
      await until(() => existsSync(file));
      const written = await eventually(async () => {
        const all = await readFile(file, 'utf8');
        for (const text of ['My token is', 'shoppingList.js', 'discountPercent', `It is in no ${extension} file.`])
          assert.ok(all.includes(text), `${text} is not in it`);
        return all;
      });
      assert.ok(!written.includes(token));
      if (extension === 'html') await opensAlone(written);
    });
  }

  /** Sends a message for which the model reads a file before it answers. */
  async function letRead(message: string, answer: string): Promise<void> {
    double.script.push([{ call: { name: 'read_file', arguments: { path: 'src/shoppingList.js' } } }], answer);
    await chat.send(message);
    await chat.conversation.getByText(answer).waitFor();
    await chat.settled();
  }

  /** Opens the page in a browser and checks that it loads nothing. */
  async function opensAlone(html: string): Promise<void> {
    const page = (await workbench.page.context().browser()?.newPage()) ?? assert.fail('no browser');
    const requests: string[] = [];
    page.setDefaultTimeout(stateLimitMs);
    page.on('request', (request) => requests.push(request.url()));
    await page.setContent(html);
    await page.getByText('It is in no html file.').first().waitFor();
    assert.deepEqual(requests, []);
    await page.close();
  }
});
