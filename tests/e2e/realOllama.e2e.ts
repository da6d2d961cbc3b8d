import assert from 'node:assert/strict';
import { RealServer } from '../support/ollama/realServer';
import { until } from '../support/until';
import { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { expect } from './support/expect';
import { Workbench } from './support/workbench';

/** Runs only if `OLLAMA_HOST` names a server that has the tiny models (`npm run test:ollama`). Never part of `npm test`. */
const server = RealServer.named();
const window = 4096;

if (server !== undefined) {
  const settings = {
    'ollamaCopilot.baseUrl': server.baseUrl,
    'ollamaCopilot.askMode.temperature': 0,
    'ollamaCopilot.agent.maxContextWindow': window,
  };

  describe('The main job on a real Ollama', () => {
    let workbench: Workbench;
    let chat: ChatPage;

    before(async () => {
      workbench = await Workbench.start({ settings });
      await workbench.openChat();
      chat = new ChatPage(() => workbench.view, workbench.page);
    });

    after(() => workbench?.close());

    it('streams thinking and answer, frees the server on Stop, and stands there after a reload', async function () {
      this.timeout(400_000);

      await chat.pickMode('Ask');
      await chat.pickModel('oc-think:latest');
      await chat.send('What is two plus two?');
      const first = chat.articles('Assistant').first();
      await first.getByRole('button', { name: /^Thinking|^Thought for / }).waitFor();
      await chat.settled();
      await first.getByRole('button', { name: /^Thought for / }).waitFor();
      await expect(first.locator('p').last()).toHaveText(/\S/, { useInnerText: true });

      await chat.pickModel('oc-chat:latest');
      await chat.send('Write a very long story about a dog.');
      const story = chat.articles('Assistant').nth(1).locator('p, li').first();
      await story.waitFor();
      const early = (await story.innerText()).length;
      await until(async () => (await story.innerText()).length !== early);
      await chat.button('Stop').click();
      await chat.settled();
      const afterStop = await server.timeToAnswer('oc-chat:latest', window);
      const idle = await server.timeToAnswer('oc-chat:latest', window);
      assert.ok(afterStop < idle + 1000, `after Stop ${afterStop} ms, on the idle server ${idle} ms`);

      await assertSameAfterReload(workbench, chat);
    });

    it('tells the overflow of a small window in plain words', async () => {
      await workbench.changeSettings({ ...settings, 'ollamaCopilot.agent.maxContextWindow': 1024 });
      await workbench.reloadWindow();
      await workbench.openChat();
      await newChat(workbench, chat);
      await chat.pickMode('Ask');
      await chat.pickModel('oc-chat:latest');
      await chat.ask('the quick brown fox jumps over the lazy dog '.repeat(200));
      const told = /needs about [\d,]+ tokens, but the context window is 1,?024/;
      await expect(chat.articles('Assistant').last()).toHaveText(told, { useInnerText: true });
    });
  });
}

async function newChat(workbench: Workbench, chat: ChatPage): Promise<void> {
  await workbench.runCommand('Ollama Copilot: New chat');
  await chat.articles('You').first().waitFor({ state: 'detached' });
}
