import assert from 'node:assert/strict';
import type { OllamaDouble } from '../../support/ollama/double';
import type { ChatPage } from '../chatPage';
import { worker } from '../scripts';
import { chatSuite } from '../support/chatSuite';
import { lastPrompt, lastSent, sentChats } from '../support/sentChat';
import type { Workbench } from '../support/workbench';

const small = { ...worker, name: 'small:1b', contextLength: 4096 };
const planner = { ...worker, name: 'planner:1b', contextLength: 16_384 };

/** Covers lines 4 and 5 of the table in README.md. */
describe('The composer in the afternoon', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  const type = async (text: string): Promise<void> => {
    await chat.composer.focus();
    await workbench.page.keyboard.press('Control+End');
    await workbench.page.keyboard.type(text, { delay: 20 });
  };

  chatSuite(
    { models: [worker, small, planner], window: { settings: { 'ollamaCopilot.planMode.model': planner.name } } },
    (suite) => ({ double, workbench, chat } = suite),
  );

  it('afternoon 4: attaches references that are typed in full, and says before it sends that one names nothing', async () => {
    await chat.pickMode('Ask');
    await type('Compare #file:src/money.js #folder:tests #problems with');
    for (const name of ['money.js', 'tests', '#problems']) await chat.button(`Remove ${name}`).waitFor();
    await type(' #file:src/mo');
    await chat.view().getByRole('option', { name: 'money.js' }).waitFor();
    await type('on.js');
    await chat.view().getByRole('option').first().waitFor({ state: 'detached' });
    await chat.composer.press('Enter');
    const notice = chat.view().getByText('#file:src/moon.js is not attached: nothing has this name.');
    await notice.filter({ hasText: 'Press Enter again to send anyway.' }).waitFor();
    assert.equal(sentChats(double).length, 0);

    double.script.push('They differ.');
    const text = await chat.composer.inputValue();
    await chat.composer.fill(text.replace(' #file:src/moon.js', ''));
    await chat.composer.press('Enter');
    await chat.conversation.getByText('They differ.').waitFor();
    await chat.settled();
    assert.match(lastPrompt(double), /src\/money\.js/);
    assert.match(lastPrompt(double), /shoppingList\.test\.js/);
  });

  it('afternoon 5: shows the window of a picked model at once, and keeps the model in another mode, unless that has its own', async () => {
    await workbench.runCommand('Ollama Copilot: New Chat');
    await chat.articles('You').first().waitFor({ state: 'detached' });
    await chat.composer.fill('');
    await chat.pickMode('Ask');
    await chat.pickModel(small.name);
    await chat.button(/^Context: .* of 4k tokens$/).waitFor();
    await chat.pickModel(worker.name);
    await chat.button(/^Context: .* of 32k tokens$/).waitFor();
    await chat.pickModel(small.name);
    await chat.pickMode('Agent');
    await chat.button(`Model: ${small.name}`).waitFor();
    await chat.pickMode('Plan');
    await chat.button(`Model: ${planner.name}`).waitFor();
    await chat.view().getByText('planner:1b: set for Plan mode in the settings').waitFor();
    await chat.button(/^Context: .* of 16k tokens$/).waitFor();
    await chat.pickMode('Ask');
    await chat.button(`Model: ${small.name}`).waitFor();
    double.script.push('It is small.');
    await chat.ask('Which one are you?');
    assert.equal(lastSent(double).model, small.name);
  });
});
