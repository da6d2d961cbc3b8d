import assert from 'node:assert/strict';
import type { OllamaDouble } from '../support/ollama/double';
import type { ChatPage } from './chatPage';
import { worker } from './scripts';
import { chatSuite } from './support/chatSuite';
import { expect } from './support/expect';
import type { Workbench } from './support/workbench';

const filler = 'The weather was fine and everybody walked along the river for a while before they went home again. ';

describe('A conversation longer than its window', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;

  chatSuite(
    { models: [{ name: 'small:1b', capabilities: ['completion'], contextLength: 4096 }] },
    (suite) => ({ double, workbench, chat } = suite),
  );

  it('is summarised by itself and on demand, keeps what was forbidden, and the summary is taken back', async () => {
    await chat.pickMode('Ask');
    for (let turn = 1; turn <= 10; turn += 1) {
      double.script.push(`Answer ${turn}. ${filler.repeat(16)}`);
      await chat.ask(turn === 1 ? 'Never use tabs. Tell me of part 1.' : `Tell me of part ${turn}.`);
    }
    const summaries = chat.view().getByRole('button', { name: 'Earlier messages were summarized' });
    await expect(summaries).not.toHaveCount(0);
    const last = double.requests.filter(({ path }) => path === '/api/chat').at(-1);
    assert.match(JSON.stringify(last?.body), /Never use tabs\./);
    assert.doesNotMatch(JSON.stringify(last?.body), /"content":"Answer 1\./);

    await summaries.last().click();
    await chat.view().getByRole('button', { name: 'Undo compaction' }).click();
    const undone = chat.view().getByRole('button', { name: 'The summary of earlier messages was undone' });
    await undone.last().waitFor();
    await workbench.reloadWindow();
    await undone.last().waitFor();

    await chat.composer.fill('/compact');
    await chat.composer.press('Enter');
    await summaries.last().waitFor();
  });
});

describe('Reading ahead', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;

  chatSuite(
    { models: [worker], mode: 'Agent', window: { settings: { 'ollamaCopilot.chat.readAhead': true } } },
    (suite) => ({ double, workbench, chat } = suite),
  );

  it('prepares a new chat while the model is in memory, and says so', async () => {
    double.script.push('Hello. [TASK_COMPLETE]', '.');
    await chat.ask('Say hello');
    await workbench.runCommand('Ollama Copilot: New Chat');
    await chat.pickMode('Ask');
    const ahead = () =>
      double
        .requestsTo('/api/chat')
        .map(({ body }) => body as { options: { num_predict?: number }; messages: { role: string; content: string }[] })
        .filter(({ options, messages }) => options.num_predict === 1 && messages.length > 0);
    await double.until(() => ahead().length > 0);
    assert.deepEqual(
      ahead()[0]?.messages.map(({ role }) => role),
      ['system', 'user'],
    );
    await chat
      .view()
      .getByRole('button', { name: /^Context: / })
      .click();
    await chat.view().getByText('Prepared: the start of the next request is in the cache.').waitFor();
    double.script.push('Here is the answer.');
    await chat.ask('What is here?');
    await expect(chat.conversation.getByText('Here is the answer.')).toHaveCount(1);
  });
});
