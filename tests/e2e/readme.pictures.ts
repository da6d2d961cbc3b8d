import path from 'node:path';
import { repository } from '../support/vscode/location';
import { OllamaDouble } from '../support/ollama/double';
import { ChatPage } from './chatPage';
import { Workbench } from './support/workbench';

const model = { name: 'qwen3:14b', capabilities: ['completion', 'tools', 'thinking'], contextLength: 32_768 } as const;
const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });

/** The picture in the README: the sample project's bug, found, mended and waiting to be looked at. */
describe('The picture of the README', function () {
  this.timeout(180_000);
  let double: OllamaDouble;
  let workbench: Workbench;

  before(async () => {
    double = await OllamaDouble.start({ models: [{ ...model, capabilities: [...model.capabilities] }] });
    workbench = await Workbench.start({ settings: { 'ollamaCopilot.baseUrl': double.url } });
  });

  after(async () => {
    await workbench?.close();
    await double?.close();
  });

  it('is taken', async () => {
    const { page } = workbench;
    await page.setViewportSize({ width: 1280, height: 860 });
    await workbench.openChat();
    const chat = new ChatPage(() => workbench.view, page);
    await chat.pickMode('Agent');
    double.script.push(
      [
        { thinking: 'The tests say what the discount should be.' },
        'I look at the discount and its tests first.',
        call('read_file', { path: 'src/discount.ts' }),
        call('read_file', { path: 'tests/shoppingList.test.ts' }),
      ],
      [
        'A discount of 10 takes off ten times the price: the percentage is not divided by 100.',
        call('replace_in_file', { path: 'src/discount.ts', oldText: '1 - percent', newText: '1 - percent / 100' }),
      ],
      [call('run_terminal_command', { command: 'node --test' })],
    );
    await chat.send('One test fails. Find out why and mend it.');
    await chat.group('Approve command').waitFor();
    await workbench.setViewWidth(420);
    const changes = chat.view().getByRole('region', { name: 'Files changed' });
    await changes.getByRole('button', { name: 'Review src/discount.ts' }).click();
    await page.getByRole('tab', { name: /discount\.ts/ }).waitFor();
    await workbench.setTheme('Default Dark Modern');
    await page.waitForTimeout(1500);
    await page.screenshot({ path: path.join(repository, 'docs', 'chat.png') });
  });
});
