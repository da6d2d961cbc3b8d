import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { openSqlite } from '../../src/services/database/sqlite/sqlite';
import type { OllamaDouble } from '../support/ollama/double';
import { hold } from '../support/ollama/doubleReply';
import { eventually, until } from '../support/until';
import { removeFolder, temporaryFolder } from '../support/vscode/temporaryFolder';
import type { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { thinker, worker } from './scripts';
import { chatSuite } from './support/chatSuite';
import { expect } from './support/expect';
import type { Workbench } from './support/workbench';

function wordsTo(last: number, first = 0): string[] {
  return countUpTo(last)
    .slice(first)
    .map((number) => `w${number} `);
}

describe('A killed extension host', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  let storage: string;

  before(async () => (storage = await temporaryFolder()));
  const window = {
    get machineSettings() {
      return { 'ollamaCopilot.storagePath': storage };
    },
  };
  chatSuite({ models: [thinker, worker], window }, (suite) => ({ double, workbench, chat } = suite));
  after(() => removeFolder(storage));

  /** Returns true if these words of an answer are stored on disk. */
  function isStored(words: string): boolean {
    const database = openSqlite(path.join(storage, 'sessions.sqlite'), { readOnly: true });
    const sql = "SELECT id FROM messages WHERE type = 'assistant_output' AND instr(content, ?) > 0";
    const rows = database.prepare(sql).all(words);
    database.close();
    return rows.length > 0;
  }

  // A unit test of `openEntry` checks that words are stored within half a second.
  it('first hour 17: loses none of the streamed words that were stored, says that it was interrupted, and Continue goes on', async () => {
    const first = hold();
    const second = hold();
    double.script.push([...wordsTo(60), first.step, ...wordsTo(80, 61), second.step, 'never said']);
    await chat.pickMode('Ask');
    await chat.send('Count for me');
    // The space after it is stored with the next word.
    await until(() => isStored('w60'), 'w60 is not stored');
    first.release();
    await chat.conversation.getByText('w80').waitFor();
    await workbench.killExtensionHost();
    second.release();
    await workbench.reloadWindow();
    await workbench.openChat();
    await chat.articles('Assistant').first().waitFor();

    const kept = await eventually(async () => {
      const text = await chat.articles('Assistant').first().innerText();
      const last = lastWord(text);
      assert.ok(last >= 60 && last <= 80, `kept up to w${last}`);
      assert.deepEqual(wordsOf(text), countUpTo(last));
      assert.match(text, /interrupted/i);
      return last;
    });
    await chat.button('Send').waitFor();
    await assertSameAfterReload(workbench, chat);

    double.script.push([`w${kept + 1} `, `w${kept + 2} `, 'and that is all.']);
    await chat.button('Continue').click();
    await chat.conversation.getByText('and that is all.').waitFor();
    await chat.settled();
    for (const name of ['You', 'Assistant'] as const) await expect(chat.articles(name)).toHaveCount(1);
    await eventually(async () => assert.deepEqual(wordsOf(await chat.articles('Assistant').innerText()), countUpTo(kept + 2)));
    await assertSameAfterReload(workbench, chat);
  });

  it('while a command waits for a person leaves what was done, and Continue asks again', async () => {
    const call = (name: string, args: Record<string, unknown>) => [{ call: { name, arguments: args } }];
    double.script.push(
      call('create_file', { path: 'kept.txt', content: 'kept\n' }),
      call('run_terminal_command', { command: 'echo asked' }),
    );
    await workbench.runCommand('Ollama Copilot: New chat');
    await chat.articles('You').first().waitFor({ state: 'detached' });
    await chat.pickMode('Agent');
    await chat.pickModel(worker.name);
    await chat.send('Make it and say it');
    const approval = chat.group('Approve command');
    await approval.waitFor();

    await workbench.killExtensionHost();
    await workbench.reloadWindow();
    await workbench.openChat();
    await chat.button('Continue').waitFor();
    await expect(chat.articles('Assistant')).toHaveText(/interrupted/i, { useInnerText: true });
    assert.equal(await readFile(path.join(workbench.folder, 'kept.txt'), 'utf8'), 'kept\n');
    await assertSameAfterReload(workbench, chat);

    double.script.push(call('run_terminal_command', { command: 'echo asked' }), 'Made and said.');
    await chat.button('Continue').click();
    await approval.getByRole('button', { name: 'Run', exact: true }).click();
    await chat.conversation.getByText('Made and said.').waitFor();
    await chat.settled();
    await assertSameAfterReload(workbench, chat);
  });
});

function wordsOf(text: string): number[] {
  return [...text.matchAll(/\bw(\d+)\b/g)].map((match) => Number(match[1]));
}

function lastWord(text: string): number {
  return Math.max(-1, ...wordsOf(text));
}

function countUpTo(last: number): number[] {
  return Array.from({ length: last + 1 }, (_unused, index) => index);
}
