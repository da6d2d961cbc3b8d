import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import type { AddressInfo } from 'node:net';
import { createVSIX } from '@vscode/vsce';
import { OllamaDouble } from '../support/ollama/double';
import { repository } from '../support/vscode/location';
import { perfectMiddle } from '../support/ollama/fimReply';
import { eventually } from '../support/until';
import { removeFolder, temporaryFolder } from '../support/vscode/temporaryFolder';
import { ChatPage } from './chatPage';
import { jobReplies, thinker, worker } from './scripts';
import { Workbench } from './support/workbench';

interface Contact {
  kind: 'started' | 'lookup' | 'connect' | 'datagram' | 'fetch';
  target: string;
  pid: number;
}

const coder = { name: 'qwen2.5-coder:1.5b-base', architecture: 'qwen2' };

describe('Privacy', () => {
  let folder: string;
  let double: OllamaDouble;
  let elsewhere: http.Server;
  let visitsElsewhere = 0;
  let workbench: Workbench;
  let chat: ChatPage;
  const browserRequests: string[] = [];

  before(async () => {
    folder = await temporaryFolder();
    elsewhere = http.createServer((_request, response) => {
      visitsElsewhere += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    double = await OllamaDouble.start({ models: [thinker, worker, coder] });
    double.onGenerate((request) => perfectMiddle(request, ['const total = 40 + 2;\n']));
    const recorder = path.join(folder, 'network-recorder.vsix');
    await createVSIX({
      cwd: path.join(repository, 'tests/e2e/fixtures/network-recorder'),
      packagePath: recorder,
      dependencies: false,
      allowMissingRepository: true,
      skipLicense: true,
    });
    workbench = await Workbench.start({
      settings: { 'ollamaCopilot.baseUrl': double.url, 'ollamaCopilot.completionMode.model': coder.name },
      moreExtensions: [recorder],
      env: { OLLAMA_COPILOT_NETWORK_LOG: path.join(folder, 'contacts.jsonl') },
    });
    workbench.page.on('request', (request) => browserRequests.push(request.url()));
    await workbench.openChat();
    chat = new ChatPage(() => workbench.view, workbench.page);
  });

  after(async () => {
    await workbench?.close();
    await double?.close();
    elsewhere?.close();
    await removeFolder(folder);
  });

  it('contacts the configured server and nothing else in a whole run: both modes, suggestions while typing, a reload, content that tempts, a redirect', async () => {
    const trap = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;

    await chat.pickMode('Ask');
    await chat.pickModel('thinker:1b');
    double.script.push([
      `![picture](${trap}/image.png) <img src="${trap}/raw.png"> [link](${trap}/link) <script src="${trap}/x.js"></script>`,
      `\n\n<iframe src="${trap}/frame"></iframe> <link rel="stylesheet" href="${trap}/style.css"> done asking`,
    ]);
    await chat.send('Tempt me');
    await chat.conversation.getByText('done asking').waitFor();
    await chat.settled();

    await chat.pickMode('Agent');
    await chat.pickModel('worker:1b');
    double.script.push(...jobReplies);
    await chat.send('Do the job');
    await chat.group('Approve command').getByRole('button', { name: 'Run', exact: true }).click();
    await chat.settled();

    double.intercept((request, response) => {
      if (request.url !== '/api/chat') return false;
      response.writeHead(307, { location: `${trap}/api/chat` });
      response.end();
      return true;
    });
    await chat.ask('Follow me elsewhere');
    double.intercept(undefined);

    await workbench.openFile('money.js');
    await workbench.clickLine();
    await workbench.page.keyboard.press('Control+Home');
    await workbench.page.keyboard.type('const total = ', { delay: 60 });
    await workbench.page.locator('.ghost-text-decoration').first().waitFor();
    await workbench.page.keyboard.press('Tab');

    const live = await chat.everything();
    // If the chat is not visible during the reload, it starts only after the recorder.
    await workbench.page
      .locator('.activitybar')
      .getByRole('tab', { name: /^Explorer/ })
      .click();
    await workbench.reloadWindow();
    await workbench.openChat();
    await chat.articles('Assistant').nth(2).waitFor();
    await eventually(async () => assert.equal(await chat.everything(), live));

    const contacts = await eventually(async () => {
      const lines = (await readFile(path.join(folder, 'contacts.jsonl'), 'utf8')).trim().split('\n');
      const all = lines.map((line) => JSON.parse(line) as Contact);
      assert.equal(new Set(all.map(({ pid }) => pid)).size, 2);
      return all;
    });
    // A path is the editor's own pipe. All other connections count, regardless of the extension that opened them.
    const contacted = new Set(
      contacts.filter(({ kind, target }) => kind !== 'started' && !target.startsWith('/')).map(({ target }) => target),
    );
    const { host, hostname } = new URL(double.url);
    contacted.delete(hostname);
    assert.deepEqual([...contacted], [host]);
    assert.equal(visitsElsewhere, 0);
    assert.deepEqual(
      browserRequests.filter((url) => url.startsWith(trap)),
      [],
    );
  });
});
