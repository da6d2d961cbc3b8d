import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { Workbench } from './support/workbench';

/** Runs where `OLLAMA_HOST` names a server that has the tiny models (`npm run test:ollama`); never as part of `npm test`. */
const server = process.env['OLLAMA_HOST'];

if (server !== undefined) {
  const baseUrl = /^https?:/.test(server) ? server : `http://${server}`;
  const settings = {
    'ollamaCopilot.baseUrl': baseUrl,
    'ollamaCopilot.askMode.temperature': 0,
    'ollamaCopilot.agentMode.temperature': 0,
    'ollamaCopilot.agent.maxContextWindow': 4096,
  };

  describe('The main job on a real Ollama', () => {
    let workbench: Workbench;
    let chat: ChatPage;

    before(async function () {
      this.timeout(120_000);
      workbench = await Workbench.start({ settings });
      await workbench.openChat();
      chat = new ChatPage(() => workbench.view, workbench.page);
    });

    after(() => workbench?.close());

    it('streams thinking and answer, frees the server on Stop, works as an agent, and stands there after a reload', async function () {
      this.timeout(400_000);

      await chat.pickMode('Ask');
      await chat.pickModel('oc-think:latest');
      await chat.send('What is two plus two?');
      const first = chat.articles('Assistant').first();
      await first.getByRole('button', { name: /^Thinking|^Thought for / }).waitFor({ timeout: 120_000 });
      await chat.settled(120_000);
      await first.getByRole('button', { name: /^Thought for / }).waitFor();
      assert.notEqual((await first.locator('p').last().innerText()).trim(), '');

      await chat.pickModel('oc-chat:latest');
      await chat.send('Write a very long story about a dog.');
      const story = chat.articles('Assistant').nth(1).locator('p, li').first();
      await story.waitFor({ timeout: 120_000 });
      const early = (await story.innerText()).length;
      while ((await story.innerText()).length === early) await workbench.page.waitForTimeout(20);
      await chat.button('Stop').click();
      await chat.settled();
      const afterStop = await timeToAnswer(baseUrl, 'oc-chat:latest');
      const idle = await timeToAnswer(baseUrl, 'oc-chat:latest');
      assert.ok(afterStop < idle + 1000, `after Stop ${afterStop} ms, on the idle server ${idle} ms`);

      await chat.pickMode('Agent');
      await chat.pickModel('oc-tools:latest');
      await newChat(workbench, chat);
      await chat.send('Read README.md');
      await chat.settled(120_000);
      await assertDone(chat, /^Read README\.md/);
      assert.match(await assertSameAfterReload(workbench, chat), /list "Read README\.md"[^]*A small TypeScript project/);

      await newChat(workbench, chat);
      await chat.send('Create notes/todo.md with Buy milk');
      await chat.settled(120_000);
      await assertDone(chat, /^Created todo\.md/);
      assert.equal((await readFile(path.join(workbench.folder, 'notes/todo.md'), 'utf8')).trim(), 'Buy milk');
      await assertSameAfterReload(workbench, chat);

      await newChat(workbench, chat);
      await chat.send('Run node --test');
      const approval = chat.group('Approve command');
      await approval.waitFor({ timeout: 120_000 });
      await approval.getByRole('button', { name: 'Run', exact: true }).click();
      await chat.settled(180_000);
      assert.match(await assertSameAfterReload(workbench, chat), /exit code 1[^]*ERR_ASSERTION/);
    });

    it('tells the overflow of a small window in plain words', async function () {
      this.timeout(200_000);
      await workbench.changeSettings({ ...settings, 'ollamaCopilot.agent.maxContextWindow': 1024 });
      await workbench.reloadWindow();
      await workbench.openChat();
      await newChat(workbench, chat);
      await chat.pickMode('Ask');
      await chat.pickModel('oc-chat:latest');
      await chat.send('the quick brown fox jumps over the lazy dog '.repeat(200));
      await chat.settled(120_000);
      const text = await chat.articles('Assistant').last().innerText();
      assert.match(text, /needs about [\d,]+ tokens, but the window is 1,?024/);
    });
  });
}

/** The assistant's row of this title is there, and its work is done. */
async function assertDone(chat: ChatPage, title: RegExp): Promise<void> {
  const row = chat
    .articles('Assistant')
    .getByRole('listitem')
    .filter({ has: chat.page.getByRole('button', { name: title }) });
  assert.match(await row.first().innerText(), /\bdone\b/);
}

async function newChat(workbench: Workbench, chat: ChatPage): Promise<void> {
  await workbench.runCommand('Ollama Copilot: New chat');
  await chat.articles('You').first().waitFor({ state: 'detached' });
}

/** Milliseconds that the server takes to answer a tiny request on this model; a request still running on it would come first. */
async function timeToAnswer(baseUrl: string, model: string): Promise<number> {
  const asked = performance.now();
  const response = await fetch(`${baseUrl}/api/chat`, {
    method: 'POST',
    body: JSON.stringify({
      model,
      stream: false,
      messages: [{ role: 'user', content: 'Hi' }],
      options: { num_predict: 1, num_ctx: 4096 },
      truncate: false,
      shift: false,
    }),
  });
  assert.equal(response.status, 200);
  await response.arrayBuffer();
  return performance.now() - asked;
}
