import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { OllamaDouble } from '../../support/ollama/double';
import { eventually } from '../../support/until';
import type { ChatPage } from '../chatPage';
import { askReply, endlessReply, jobReplies, thinker, worker } from '../scripts';
import { assertSameAfterReload } from '../sameAfterReload';
import { chatSuite } from './chatSuite';
import { expect } from './expect';
import type { Workbench } from './workbench';

/** Covers the most common task, with server responses in chunks of `chunkBytes` bytes. */
export function describeMainJob(chunkBytes: number): void {
  describe(`The main job, with answers in pieces of ${chunkBytes} bytes`, () => {
    let double: OllamaDouble;
    let workbench: Workbench;
    let chat: ChatPage;

    chatSuite({ models: [thinker, worker], chunkBytes }, (suite) => ({ double, workbench, chat } = suite));

    it('first hour 14: asks, stops, asks again, lets the agent read, create and run, and finds it all after a reload', async () => {
      await chat.pickMode('Ask');
      await chat.pickModel('thinker:1b');
      double.script.push(askReply);
      await chat.ask('Explain it to me');
      await expect(chat.articles('You')).toHaveCount(1);
      const first = chat.articles('Assistant').first();
      await first.getByRole('button', { name: /^Thought for / }).waitFor();
      await expect(first).toHaveText(/A short answer — naïve, 日本語, עברית, 🙂[^]*and an end\./, { useInnerText: true });

      const endless = endlessReply();
      double.script.push(endless.reply);
      await chat.send('Go on for ever');
      await chat.conversation.getByText('These words are here and more would come').waitFor();
      await chat.button('Stop').click();
      await chat.settled();
      await double.until(() => double.openStreams === 0);
      endless.release();
      await eventually(() => assert.equal(double.requestsTo('/api/chat').at(-1)?.aborted, true));

      double.script.push('Here again.');
      await chat.send('Are you there?');
      await chat.conversation.getByText('Here again.').waitFor();
      await chat.settled();

      await chat.pickMode('Agent');
      await chat.pickModel('worker:1b');
      double.script.push(...jobReplies);
      await chat.send('Read the readme, note the milk, add two numbers');
      const approval = chat.group('Approve command');
      await approval.waitFor();
      await expect(approval).toHaveText(/echo "sum: \$\(\(40 \+ 2\)\)"/, { useInnerText: true });
      await approval.getByRole('button', { name: 'Run', exact: true }).click();
      await chat.settled();
      assert.equal(await readFile(path.join(workbench.folder, 'notes/todo.md'), 'utf8'), '# To do\n\n- Buy milk 🥛\n');
      const said = await assertSameAfterReload(workbench, chat);
      assert.match(said, /the command printed/);
      assert.match(said, /sum: 42/);
    });

    it('sent every chat request with an explicit window and with nothing that cuts in silence', () => {
      const bodies = double.requestsTo('/api/chat').map((request) => request.body as Record<string, unknown>);
      assert.ok(bodies.filter(({ messages }) => (messages as unknown[]).length > 0).length >= 7);
      for (const body of bodies) {
        const { num_ctx: window } = body['options'] as { num_ctx?: number };
        assert.deepEqual([body['truncate'], body['shift'], window, body['keep_alive']], [false, false, 32_768, '30m']);
      }
      assert.equal(double.loads.length, 2);
    });
  });
}
