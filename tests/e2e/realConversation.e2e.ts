import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { RealServer } from '../support/ollama/realServer';
import { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { Workbench } from './support/workbench';

/** Runs where `OLLAMA_HOST` names a server that has the tiny models (`npm run test:ollama`); never as part of `npm test`. */
const server = RealServer.named();

if (server !== undefined) {
  const contextWindow = 4096;
  const settings = {
    'ollamaCopilot.baseUrl': server.baseUrl,
    'ollamaCopilot.askMode.temperature': 0,
    'ollamaCopilot.agent.maxContextWindow': contextWindow,
  };
  /** Thinks in tags, and its server does not know. */
  const tagged = 'oc-tags:latest';

  describe('A conversation on a real Ollama', () => {
    let workbench: Workbench;
    let chat: ChatPage;

    before(async function () {
      this.timeout(120_000);
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

    it('says that it loads a model which is not in memory, and the meter has the measured number', async function () {
      this.timeout(200_000);
      await server.post('/api/generate', { model: 'oc-chat', keep_alive: 0, stream: false });
      await chat.pickModel('oc-chat:latest');
      const loading = chat.conversation.getByText('Loading oc-chat:latest into memory').waitFor({ timeout: 60_000 });
      await chat.send('Say hello');
      await loading;
      await chat.articles('Assistant').locator('p, li').first().waitFor({ timeout: 120_000 });
      if (await chat.button('Stop').isVisible()) await chat.button('Stop').click();
      await chat.settled(120_000);

      await newChat();
      await chat.pickModel('oc-think:latest');
      await chat.ask('What is two plus two?', 120_000);
      const meter = chat.view().getByRole('meter', { name: 'Context used' });
      assert.equal(await meter.getAttribute('aria-valuemax'), String(contextWindow));
      const told = Number(await meter.getAttribute('aria-valuenow'));
      assert.ok(told > 20 && told < 1000, `${told} tokens`);
      assert.doesNotMatch((await meter.getAttribute('aria-valuetext')) ?? '', /about|~|≈/);
      await assertSameAfterReload(workbench, chat);
    });

    it('goes on where it was stopped', async function () {
      this.timeout(200_000);
      await newChat();
      await chat.pickModel('oc-chat:latest');
      await chat.send('Write a very long story about a dog.');
      const answer = chat.articles('Assistant').first();
      await answer.locator('p, li').first().waitFor({ timeout: 120_000 });
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
      while ((await words()).length < early + 40) await workbench.page.waitForTimeout(20);
      await chat.button('Stop').click();
      await chat.settled();
      const stopped = await words();

      await chat.button('Continue').click();
      await chat.button('Stop').waitFor();
      while ((await words()).length < stopped.length + 20) await workbench.page.waitForTimeout(20);
      if (await chat.button('Stop').isVisible()) await chat.button('Stop').click();
      await chat.settled();
      assert.equal(await chat.articles('Assistant').count(), 1);
      assert.equal((await words()).slice(0, stopped.length), stopped);
      await assertSameAfterReload(workbench, chat);
    });

    it('shows thinking that comes in tags as thinking', async function () {
      this.timeout(200_000);
      await newChat();
      await chat.pickModel(tagged);
      await chat.ask('What is the capital of France?', 120_000);
      const answer = chat.articles('Assistant').first();
      await answer.getByRole('button', { name: /^Thought for / }).waitFor();
      assert.doesNotMatch(await answer.innerText(), /<\/?think>/);
      assert.match(await answer.locator('p').last().innerText(), /Paris/);
      await assertSameAfterReload(workbench, chat);
    });

    it('refuses a model that only makes embeddings before anything is sent', async function () {
      this.timeout(200_000);
      await workbench.changeSettings({ ...settings, 'ollamaCopilot.askMode.model': 'oc-embed:latest' });
      await workbench.reloadWindow();
      await workbench.openChat();
      await newChat();
      // Whatever used it before: what is in memory afterwards has been asked for by the chat.
      await server.post('/api/embed', { model: 'oc-embed', input: 'x', keep_alive: 0 });
      while (await server.isLoaded('oc-embed:latest')) await pause(200);
      await chat.ask('Say hello');
      assert.match(
        await chat.articles('Assistant').last().innerText(),
        /oc-embed:latest is an embedding model and does not support chat/,
      );
      assert.equal(await server.isLoaded('oc-embed:latest'), false);
    });

    async function newChat(): Promise<void> {
      await workbench.runCommand('Ollama Copilot: New chat');
      await chat.articles('You').first().waitFor({ state: 'detached' });
    }
  });
}
