import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { RealServer, repeatingModel } from '../support/ollama/realServer';
import { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { Workbench } from './support/workbench';

/** Runs only if `OLLAMA_HOST` names a server that has the tiny models (`npm run test:ollama`). Never part of `npm test`. */
const server = RealServer.named();
const tools = 'oc-tools:latest';
/** Small, so that it overflows soon. The same for all tests, because another size would reload the model. */
const window = 2048;

if (server !== undefined) {
  describe('The agent on a real Ollama, in the editor', function () {
    // On a busy machine, a tiny model takes a minute to read its first prompt.
    this.timeout(300_000);
    let workbench: Workbench;
    let chat: ChatPage;
    const answer = () => chat.articles('Assistant').last();

    before(async () => {
      await server.createRepeatingModel();
      workbench = await Workbench.start({
        settings: {
          'ollamaCopilot.baseUrl': server.baseUrl,
          'ollamaCopilot.agentMode.temperature': 0,
          'ollamaCopilot.agent.maxContextWindow': window,
        },
      });
      await workbench.openChat();
      chat = new ChatPage(() => workbench.view, workbench.page);
      await chat.pickMode('Agent');
      await chat.pickModel(tools);
    });

    after(async () => {
      await workbench?.close();
      await server.delete(repeatingModel);
    });

    beforeEach(async () => {
      await workbench.runCommand('Ollama Copilot: New chat');
      await chat.articles('You').first().waitFor({ state: 'detached' });
    });

    /** Returns the conversation after the run, which must be the same after a reload. */
    async function said(): Promise<string> {
      // Before the answer exists, nothing is running either.
      await answer().waitFor();
      await chat.settled(240_000);
      return assertSameAfterReload(workbench, chat);
    }

    it('reads a file, to a final answer', async () => {
      await chat.send('Read README.md');
      assert.match(await said(), /list "Read README\.md"[^]*A small JavaScript project[^]*paragraph: /);
    });

    it('creates a file, to a final answer', async () => {
      await chat.send('Create notes/todo.md with Buy milk');
      assert.match(await said(), /Created todo\.md[^]*done[^]*paragraph: /);
      assert.equal((await readFile(path.join(workbench.folder, 'notes/todo.md'), 'utf8')).trim(), 'Buy milk');
    });

    it('runs an approved command, to a final answer', async () => {
      await chat.send('Run echo hello');
      const approval = chat.group('Approve command');
      await approval.waitFor({ timeout: 240_000 });
      await approval.getByRole('button', { name: 'Run', exact: true }).click();
      assert.match(await said(), /Ran echo hello[^]*paragraph: /);
    });

    it('asks once more where a call was dropped, and explains it', async () => {
      await chat.send('Rename a.txt to b.txt');
      assert.match(await said(), /returned an empty answer twice\. Small models sometimes call a tool that does not exist/);
      await answer().getByRole('button', { name: 'Retry' }).waitFor();
    });

    for (const model of [repeatingModel, 'oc-repeats-native:latest']) {
      it(`stops ${model}, which repeats its call for ever`, async () => {
        await chat.pickModel(model);
        await chat.send('Read README.md');
        assert.match(await said(), /Stopped: the model called read_file 5 times in a row with the same arguments/);
        await chat.pickModel(tools);
      });
    }

    it('shortens what fills the window, says so, and goes on', async () => {
      await writeFile(path.join(workbench.folder, 'long.txt'), 'Many words in one line. '.repeat(600));
      await chat.send('Read long.txt');
      assert.match(await said(), /The context window of 2,048 tokens is nearly full\. To make room[^]*paragraph: /);
    });

    it('leaves the server free when it is stopped in the middle of a call', async () => {
      const idle = await server.timeToAnswer(tools, window);
      await chat.send('Create notes/long.md with one two three four five six seven eight nine ten eleven twelve');
      await chat.conversation
        .getByText(/^(Reading|Processing|Preparing|Writing) /)
        .first()
        .waitFor();
      await chat.button('Stop').click();
      await chat.settled();
      const afterStop = await server.timeToAnswer(tools, window);
      assert.ok(afterStop < 2 * idle + 1000, `after Stop ${afterStop} ms, on the idle server ${idle} ms`);
      assert.match(await said(), /Stopped/);
    });
  });
}
