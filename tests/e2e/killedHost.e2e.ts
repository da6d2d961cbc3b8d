import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { OllamaDouble } from '../support/ollama/double';
import type { Step } from '../support/ollama/doubleReply';
import type { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { thinker, worker } from './scripts';
import { chatSuite } from './support/chatSuite';
import type { Workbench } from './support/workbench';

/** Milliseconds between two words. */
const everyMs = 50;

function countedWords(count: number): Step[] {
  return Array.from({ length: count }, (_unused, index): Step[] => [`w${index} `, { wait: everyMs }]).flat();
}

describe('A killed extension host', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;

  chatSuite({ models: [thinker, worker] }, (suite) => ({ double, workbench, chat } = suite));

  it('first hour 17: loses at most the last second of streamed words, says that it was interrupted, and Continue goes on', async () => {
    double.script.push(countedWords(400));
    await chat.pickMode('Ask');
    await chat.send('Count for me');
    await chat.conversation.getByText('w60 ').waitFor();

    const shown = lastWord(await chat.articles('Assistant').first().innerText());
    await workbench.killExtensionHost();
    await workbench.reloadWindow();
    await workbench.openChat();
    await chat.articles('Assistant').first().waitFor();

    const text = await chat.articles('Assistant').first().innerText();
    const kept = lastWord(text);
    assert.ok((shown - kept) * everyMs <= 1000, `shown up to w${shown}, kept up to w${kept}`);
    assert.deepEqual(wordsOf(text), countUpTo(kept));
    assert.match(text, /interrupted/i);
    await chat.button('Send').waitFor();
    await assertSameAfterReload(workbench, chat);

    double.script.push([`w${kept + 1} `, `w${kept + 2} `, 'and that is all.']);
    await chat.button('Continue').click();
    await chat.conversation.getByText('and that is all.').waitFor();
    await chat.settled();
    assert.equal(await chat.articles('Assistant').count(), 1);
    assert.equal(await chat.articles('You').count(), 1);
    assert.deepEqual(wordsOf(await chat.articles('Assistant').innerText()), countUpTo(kept + 2));
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
    assert.match(await chat.articles('Assistant').innerText(), /interrupted/i);
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
