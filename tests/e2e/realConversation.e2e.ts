import assert from 'node:assert/strict';
import { RealServer } from '../support/ollama/realServer';
import { eventually, until } from '../support/until';
import { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { expect } from './support/expect';
import { Workbench } from './support/workbench';

/** Runs only if `OLLAMA_HOST` names a server that has the tiny models (`npm run test:ollama`). Never part of `npm test`. */
const server = RealServer.named();

if (server !== undefined) {
  const contextWindow = 4096;
  const settings = {
    'ollamaCopilot.baseUrl': server.baseUrl,
    'ollamaCopilot.askMode.temperature': 0,
    'ollamaCopilot.agent.maxContextWindow': contextWindow,
  };
  /** Thinks in tags, although its server does not report the capability. */
  const tagged = 'oc-tags:latest';

  describe('A conversation on a real Ollama', () => {
    let workbench: Workbench;
    let chat: ChatPage;

    before(async () => {
      const { template } = (await server.post('/api/show', { model: 'oc-think' })) as { template: string };
      await server.post('/api/create', {
        model: tagged,
        from: 'oc-think',
        template: template.replace(/\{\{ if \.Thinking \}\}[^]*?\{\{ end \}\}/, ''),
        stream: false,
      });
      workbench = await Workbench.start({ settings });
      await workbench.openChat();
      chat = new ChatPage(() => workbench.view, workbench.page);
      await chat.pickMode('Ask');
    });

    after(async () => {
      await workbench?.close();
      await server.delete(tagged);
    });

    it('says that it loads a model which is not in memory, and the meter has the measured number', async () => {
      await server.post('/api/generate', { model: 'oc-chat', keep_alive: 0, stream: false });
      await chat.pickModel('oc-chat:latest');
      const loading = chat.conversation.getByText('Loading oc-chat:latest into memory').waitFor();
      await chat.send('Say hello');
      await loading;
      await chat.articles('Assistant').locator('p, li').first().waitFor();
      await chat.stop();

      await newChat();
      await chat.pickModel('oc-think:latest');
      await chat.ask('What is two plus two?');
      const meter = chat.view().getByRole('meter', { name: 'Context used' });
      await expect(meter).toHaveAttribute('aria-valuemax', String(contextWindow));
      await eventually(async () => {
        const told = Number(await meter.getAttribute('aria-valuenow'));
        assert.ok(told > 20 && told < 1000, `${told} tokens`);
      });
      await expect(meter).not.toHaveAttribute('aria-valuetext', /about|~|≈/);
      await assertSameAfterReload(workbench, chat);
    });

    it('goes on where it was stopped', async () => {
      await newChat();
      await chat.pickModel('oc-chat:latest');
      await chat.send('Write a very long story about a dog.');
      const answer = chat.articles('Assistant').first();
      await answer.locator('p, li').first().waitFor();
      const words = async () =>
        (
          await answer
            .locator('p, li')
            .filter({ hasNotText: /^Stopped$/ })
            .allInnerTexts()
        )
          .join('')
          .trimEnd();
      const early = (await words()).length;
      await until(async () => (await words()).length >= early + 40);
      await chat.button('Stop').click();
      await chat.settled();
      const stopped = await words();

      await chat.button('Continue').click();
      await chat.button('Stop').waitFor();
      await until(async () => (await words()).length >= stopped.length + 20);
      await chat.stop();
      await expect(chat.articles('Assistant')).toHaveCount(1);
      await eventually(async () => assert.equal((await words()).slice(0, stopped.length), stopped));
      await assertSameAfterReload(workbench, chat);
    });

    it('shows thinking that comes in tags as thinking', async () => {
      await newChat();
      await chat.pickModel(tagged);
      await chat.ask('What is the capital of France?');
      const answer = chat.articles('Assistant').first();
      await answer.getByRole('button', { name: /^Thought for / }).waitFor();
      await expect(answer).not.toHaveText(/<\/?think>/, { useInnerText: true });
      await expect(answer.locator('p').last()).toHaveText(/Paris/, { useInnerText: true });
      await assertSameAfterReload(workbench, chat);
    });

    it('refuses a model that only makes embeddings before anything is sent', async () => {
      await workbench.changeSettings({ ...settings, 'ollamaCopilot.askMode.model': 'oc-embed:latest' });
      await workbench.reloadWindow();
      await workbench.openChat();
      await newChat();
      // Unloads the model if an earlier test used it. If it is loaded afterwards, the chat has requested it.
      await server.post('/api/embed', { model: 'oc-embed', input: 'x', keep_alive: 0 });
      await until(async () => !(await server.isLoaded('oc-embed:latest')));
      await chat.ask('Say hello');
      const told = /oc-embed:latest is an embedding model and does not support chat/;
      await expect(chat.articles('Assistant').last()).toHaveText(told, { useInnerText: true });
      assert.equal(await server.isLoaded('oc-embed:latest'), false);
    });

    async function newChat(): Promise<void> {
      await workbench.runCommand('Ollama Copilot: New chat');
      await chat.articles('You').first().waitFor({ state: 'detached' });
    }
  });
}
