import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { OllamaDouble } from '../../support/ollama/double';
import { hold } from '../../support/ollama/doubleReply';
import { worker } from '../scripts';
import { chatSuite } from '../support/chatSuite';
import { untilOnDisk } from '../support/disk';
import { lastPrompt } from '../support/sentChat';
import type { Workbench } from '../support/workbench';

const guard = '  if (percent > 100) throw new RangeError();\n';

/** Covers line 19 of the table in README.md. */
describe('Inline chat in the first hour', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let original: string;
  const file = (): string => path.join(workbench.folder, 'src/discount.js');

  chatSuite({ models: [worker] }, (suite) => ({ double, workbench } = suite));
  before(async () => {
    original = await readFile(file(), 'utf8');
    await workbench.openFile('discount.js');
  });

  for (const answer of ['Discard', 'Accept'] as const) {
    it(`first hour 19: opens an input at the selection, writes hunks into the file, and ${answer} is there`, async () => {
      const { page } = workbench;
      const changed = original.replace('  return', `${guard}  return`);
      await workbench.clickLine('return Math');
      await page.keyboard.press('Home');
      await page.keyboard.press('Shift+End');
      await page.keyboard.press('Control+I');
      const chat = page.locator('.review-widget').filter({ hasText: 'Inline chat' });
      await chat.locator('.monaco-editor.focused').waitFor();
      const pause = hold();
      double.script.push(
        [
          {
            call: {
              name: 'replace_in_file',
              arguments: { path: 'src/discount.js', oldText: '  return', newText: `${guard}  return` },
            },
          },
        ],
        [pause.step, 'It throws now. [TASK_COMPLETE]'],
      );
      await page.keyboard.type('add error handling');
      await page.keyboard.press('Enter');
      await page
        .locator('.codelens-decoration a')
        .filter({ hasText: /^Keep$/ })
        .first()
        .waitFor();
      pause.release();
      await chat.getByRole('button', { name: answer }).first().click();
      await page
        .locator('.codelens-decoration a')
        .filter({ hasText: /^Keep$/ })
        .first()
        .waitFor({ state: 'detached' });
      const expected = answer === 'Accept' ? changed : original;
      await untilOnDisk(file(), expected);
      await chat.waitFor({ state: 'detached' });
      assert.match(lastPrompt(double), /add error handling/);
      assert.match(lastPrompt(double), /return Math\.round/);
    });
  }
});
