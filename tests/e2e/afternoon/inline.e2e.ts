import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import type { OllamaDouble } from '../../support/ollama/double';
import type { ChatPage } from '../chatPage';
import { worker } from '../scripts';
import { chatSuite } from '../support/chatSuite';
import { untilOnDisk } from '../support/disk';
import { expect } from '../support/expect';
import type { Workbench } from '../support/workbench';

const note = '// Prices are in cents.\n';

/** Covers line 2 of the table in README.md. */
describe('Inline chat in the afternoon', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const file = (): string => path.join(workbench.folder, 'src/discount.js');
  const keep = (): Locator => workbench.page.locator('.codelens-decoration a').filter({ hasText: /^Keep$/ });

  chatSuite({ models: [worker], mode: 'Agent' }, (suite) => ({ double, workbench, chat } = suite));

  it('afternoon 2: replaces the function at the cursor, and leaves the changes of the chat in sight', async () => {
    const { page } = workbench;
    const original = await readFile(file(), 'utf8');
    await workbench.openFile('discount.js');
    double.script.push(
      [{ call: { name: 'write_file', arguments: { path: 'src/discount.js', content: `${note}\n${original}` } } }],
      'The note is there. [TASK_COMPLETE]',
    );
    await chat.ask('Write a note at the top');
    await expect(keep()).toHaveCount(1);

    await workbench.clickLine('export function');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+I');
    const inline = page.locator('.review-widget').filter({ hasText: 'Inline chat' });
    await inline.locator('.monaco-editor.focused').waitFor();
    const safe = original
      .slice(original.indexOf('export'))
      .replace('{\n', '{\n  if (percent > 1) throw new RangeError();\n')
      .trimEnd();
    double.script.push(`Here it is:\n\n\`\`\`js\n${safe}\n\`\`\`\n`);
    await page.keyboard.type('refuse more than all');
    await page.keyboard.press('Enter');
    await expect(keep()).toHaveCount(2);
    await chat.view().getByRole('region', { name: 'Files changed' }).waitFor();
    await inline.getByRole('button', { name: 'Accept' }).first().click();
    await inline.waitFor({ state: 'detached' });
    await expect(keep()).toHaveCount(1);
    const expected = original.replace(/export[^]*/, () => `${safe}\n`);
    await untilOnDisk(file(), `${note}\n${expected}`);
  });
});
