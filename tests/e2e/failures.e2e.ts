import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OllamaDouble } from '../support/ollama/double';
import type { Scripted } from '../support/ollama/doubleReply';
import { makeReadOnly } from '../support/readOnlyFolder';
import { eventually } from '../support/until';
import { removeFolder, temporaryFolder } from '../support/vscode/temporaryFolder';
import { ChatPage } from './chatPage';
import { worker } from './scripts';
import { expect } from './support/expect';
import { Workbench } from './support/workbench';

interface Failure {
  title: string;
  answer?: [status: number, body: string];
  script?: Scripted[];
  text: RegExp;
  buttons: string[];
}

const json = (error: unknown) => JSON.stringify({ error });
const newOverflow = JSON.stringify({
  error: {
    code: 400,
    message: 'request (41200 tokens) exceeds the available context size (32768 tokens), try increasing it',
    type: 'exceed_context_size_error',
    n_prompt_tokens: 41200,
    n_ctx: 32768,
  },
});
const failures: Failure[] = [
  {
    title: 'HTML from another port',
    answer: [200, '<html>Router</html>'],
    text: /is not an Ollama server/,
    buttons: ['Open settings', 'Retry'],
  },
  { title: '401', answer: [401, ''], text: /requires a valid access token/, buttons: ['Enter access token', 'Retry'] },
  { title: '403', answer: [403, '<html>Forbidden</html>'], text: /denied access/, buttons: ['Enter access token', 'Retry'] },
  {
    title: 'an unknown model',
    answer: [404, json("model 'worker:1b' not found")],
    text: /is not installed on the Ollama server/,
    // The server still lists the model.
    buttons: ['Retry', 'Pull'],
  },
  {
    title: '500 at load',
    answer: [500, json('model requires more system memory (9.1 GiB) than is available (3.0 GiB)')],
    text: /not enough memory/,
    buttons: ['Select model', 'Retry'],
  },
  {
    title: '503',
    answer: [503, json('server busy, please try again.  maximum pending requests exceeded')],
    text: /busy with other requests/,
    buttons: ['Retry'],
  },
  {
    title: 'an error line in mid-stream',
    script: [['Half', { error: 'an error was encountered while running the model' }]],
    text: /reported an error/,
    buttons: ['Continue', 'Retry'],
  },
  {
    title: 'an end without done',
    script: [['Half', { end: true }]],
    text: /ended early/,
    buttons: ['Continue', 'Retry'],
  },
  {
    title: 'an overflow of a newer server',
    answer: [400, json(newOverflow)],
    text: /needs about 41,200 tokens/,
    buttons: ['New chat', 'Open settings'],
  },
  {
    title: 'an overflow of an older server',
    answer: [400, json('the input length exceeds the context length')],
    text: /too long for the model/,
    buttons: ['New chat', 'Open settings'],
  },
];

describe('Each failure and its way out', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  let folder: string;
  let storage: string;
  const database = () => path.join(storage, 'sessions.sqlite');

  before(async () => {
    folder = await temporaryFolder();
    storage = path.join(folder, 'storage');
    mkdirSync(storage);
    for (const suffix of ['', '-wal', '-shm']) writeFileSync(database() + suffix, `damaged${suffix}`);
    double = await OllamaDouble.start({ models: [worker] });
    const settings = { 'ollamaCopilot.baseUrl': double.url, 'ollamaCopilot.storagePath': storage };
    workbench = await Workbench.start({ settings, machineSettings: { 'ollamaCopilot.storagePath': storage } });
    await workbench.openChat();
    chat = new ChatPage(() => workbench.view, workbench.page);
  });

  after(async () => {
    await workbench?.close();
    await double?.close();
    await removeFolder(folder);
  });

  it('failure: a damaged database is left alone, says so, and is set aside on a person’s choice', async () => {
    const problem = workbench.view.getByRole('alert', { name: 'Chat history' });
    await problem.waitFor();
    await expect(problem).toHaveText(/damaged.*left unchanged/s, { useInnerText: true });
    await chat.button('Model: worker:1b').waitFor();
    await chat.composer.fill('Words that stay');
    await chat.composer.press('Enter');
    await expect(chat.composer).toHaveValue('Words that stay');
    assert.equal(readFileSync(database(), 'utf8'), 'damaged');

    await chat.button('Set aside and start fresh').click();
    const dialog = workbench.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(readFileSync(database(), 'utf8'), 'damaged');
    await chat.button('Set aside and start fresh').click();
    await dialog.getByRole('button', { name: 'Set Aside and Start Fresh' }).click();
    await problem.waitFor({ state: 'detached' });
    await eventually(() =>
      assert.deepEqual(
        readdirSync(storage)
          .filter((name) => name.includes('.damaged-'))
          .map((name) => readFileSync(path.join(storage, name), 'utf8'))
          .sort(),
        ['damaged', 'damaged-shm', 'damaged-wal'],
      ),
    );
    await expect(chat.composer).toHaveValue('Words that stay');
    await chat.pickMode('Ask');
    await chat.button('Send').click();
    await chat.articles('Assistant').getByText('OK').waitFor();
    await chat.settled();
  });

  for (const { title, answer, script = [], text, buttons } of failures) {
    it(`failure: ${title}`, async () => {
      double.script.push(...script);
      const intercepted = (request: IncomingMessage, response: ServerResponse): boolean => {
        if (answer === undefined || request.url !== '/api/chat') return false;
        response
          .writeHead(answer[0], { 'content-type': answer[1].startsWith('{') ? 'application/json' : 'text/html' })
          .end(answer[1]);
        return true;
      };
      double.intercept(intercepted);
      const before = await chat.articles('Assistant').count();
      await chat.send(`Fail with ${title}`);
      const error = chat.articles('Assistant').nth(before).getByRole('group', { name: 'Error' });
      await error.waitFor();
      await chat.settled();
      double.intercept(undefined);
      await expect(error).toHaveText(text, { useInnerText: true });
      await eventually(async () => {
        const names = await error.getByRole('button').allInnerTexts();
        assert.deepEqual(
          names.map((name) => name.trim()).filter((name) => name !== 'Details'),
          buttons,
        );
      });
    });
  }

  it('failure: another program locks the database; the words come back and go when it is gone', async () => {
    const locker = fork(path.join(__dirname, '../unit/database/processes/locker.js'), [database()], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [],
    });
    await once(locker, 'message');
    await chat.send('Words against a lock');
    const problem = workbench.view.getByText(/Another program is blocking/);
    await problem.waitFor();
    await expect(chat.composer).toHaveValue('Words against a lock');
    locker.send('let go');
    await once(locker, 'exit');
    await chat.button('Send').click();
    await chat.articles('You').last().getByText('Words against a lock').waitFor();
    await chat.settled();
  });

  it('failure: a read-only workspace', async () => {
    await chat.pickMode('Agent');
    const release = await makeReadOnly(workbench.folder);
    try {
      double.script.push([{ call: { name: 'create_file', arguments: { path: 'new.txt', content: 'x' } } }], 'Sorry.');
      await chat.send('Write a file');
      await chat.conversation.getByText(/its folder is read-only/).waitFor();
      await chat.settled();
    } finally {
      await release();
    }
  });

  it('failure: no folder open', async () => {
    await workbench.openEmptyWindow();
    await workbench.openChat();
    await chat.pickMode('Agent');
    await chat.send('Look around');
    await chat.conversation.getByText(/No folder is open/).waitFor();
    await chat.conversation.getByRole('button', { name: 'Open folder' }).waitFor();
    await chat.settled();
  });

  it('failure: no server', async () => {
    await double.close();
    await chat.send('Is anybody there?');
    const error = chat.articles('Assistant').last().getByRole('group', { name: 'Error' });
    await error.waitFor();
    await expect(error).toHaveText(/does not respond/, { useInnerText: true });
    for (const name of ['How to start Ollama', 'Retry', 'Open settings']) await error.getByRole('button', { name }).waitFor();
  });
});
