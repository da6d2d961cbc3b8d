import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { createVSIX } from '@vscode/vsce';
import type { ConnectionRecord } from '../../src/protocol/requests/connectionRequests';
import { OllamaDouble } from '../support/ollama/double';
import { perfectMiddle } from '../support/ollama/fimReply';
import { eventually, until } from '../support/until';
import { repository } from '../support/vscode/location';
import { removeFolder, temporaryFolder } from '../support/vscode/temporaryFolder';
import { SignInServers } from '../unit/mcp/support/signInServers';
import { ChatPage } from './chatPage';
import { jobReplies, worker } from './scripts';
import { connectionsIn } from './support/connectTrace';
import { Workbench } from './support/workbench';

const coder = { name: 'qwen2.5-coder:1.5b-base', architecture: 'qwen2' };
const program = path.join(__dirname, '../support/mcp/server.js');
const call = (name: string) => [{ call: { name, arguments: {} } }];

describe('The list of connections', () => {
  let folder: string;
  let double: OllamaDouble;
  let remote: SignInServers;
  let workbench: Workbench | undefined;

  before(async () => {
    folder = await temporaryFolder();
    double = await OllamaDouble.start({ models: [worker, coder] });
    double.onGenerate((request) => perfectMiddle(request, ['const total = 40 + 2;\n']));
    remote = new SignInServers();
    await remote.start();
  });

  after(async () => {
    await workbench?.close();
    await double?.close();
    remote?.close();
    await removeFolder(folder);
  });

  /** Returns the addresses that an extension host without this extension connects to. */
  async function withoutExtension(): Promise<Set<string>> {
    const other = path.join(folder, 'other.vsix');
    const traceFile = path.join(folder, 'without.trace');
    await createVSIX({
      cwd: path.join(repository, 'tests/e2e/fixtures/network-recorder'),
      packagePath: other,
      dependencies: false,
      allowMissingRepository: true,
      skipLicense: true,
    });
    const env = { OLLAMA_COPILOT_NETWORK_LOG: path.join(folder, 'without.jsonl') };
    const window = await Workbench.start({ vsix: other, traceFile, env });
    const pid = await window.extensionHostPid();
    await window.openFile('money.js');
    await window.close();
    return new Set(await connectionsIn(traceFile, pid));
  }

  async function recorded(): Promise<ConnectionRecord[]> {
    const names = await readdir(path.join(folder, 'storage', 'connections')).catch((): string[] => []);
    const texts = await Promise.all(names.map((name) => readFile(path.join(folder, 'storage', 'connections', name), 'utf8')));
    return texts.flatMap((text) => text.split('\n').slice(0, -1)).map((line) => JSON.parse(line) as ConnectionRecord);
  }

  it('has exactly the connections that the system sees: chat, suggestions, MCP with sign-in, and the API in use', async () => {
    const ofEditor = await withoutExtension();
    const traceFile = path.join(folder, 'with.trace');
    workbench = await Workbench.start({
      traceFile,
      settings: { 'ollamaCopilot.baseUrl': double.url, 'ollamaCopilot.completionMode.model': coder.name },
      machineSettings: {
        'ollamaCopilot.api.enabled': true,
        'ollamaCopilot.storagePath': path.join(folder, 'storage'),
        'ollamaCopilot.privacy.keepConnections': true,
        'ollamaCopilot.mcp.servers': {
          program: { command: process.execPath, args: [program], env: { MCP_SCRIPT: '{"tools":[{"name":"echo"}]}' } },
          remote: { url: remote.url },
        },
      },
    });
    const { page } = workbench;
    const pid = await workbench.extensionHostPid();
    await workbench.openChat();
    const chat = new ChatPage(() => (workbench as Workbench).view, page);
    await chat.pickMode('Agent');
    await chat.pickModel('worker:1b');

    // The first message starts the servers; one of them requires a sign-in.
    double.script.push(...jobReplies);
    await chat.send('Do the job');
    await page.getByRole('button', { name: 'Sign in…' }).first().click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await chat.group('Approve command').getByRole('button', { name: 'Run', exact: true }).click();
    await chat.settled();
    await eventually(() => assert.ok(remote.valid.size > 0, `nobody signed in: ${remote.asked.join(', ')}`));

    double.script.push(call('program__echo'), 'It was called. [TASK_COMPLETE]');
    await chat.send('Call it');
    await chat.group('Approve tool').getByRole('button', { name: 'Run', exact: true }).click();
    await chat.conversation.getByText('It was called.').waitFor();
    await chat.settled();

    await workbench.openFile('money.js');
    await workbench.clickLine();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('const total = ', { delay: 60 });
    await page.locator('.ghost-text-decoration').first().waitFor();

    const accessFile = path.join(folder, 'storage', 'api.json');
    const access = await eventually(async () => JSON.parse(await readFile(accessFile, 'utf8')) as { url: string; token: string });
    // Without an HTTP agent, the connection closes after the response.
    const headers = { authorization: `Bearer ${access.token}`, 'x-client': 'a script' };
    const status = new Promise((resolve, reject) => {
      const asked = get(`${access.url}/api/dialogs`, { headers, agent: false }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      });
      asked.on('error', reject);
    });
    assert.equal(await status, 200);

    const opened = async () => (await connectionsIn(traceFile, pid)).filter((address) => !ofEditor.has(address)).sort();
    const listed = async () => {
      const out = (await recorded()).filter(({ direction }) => direction === 'out');
      return out.flatMap(({ address }) => address ?? []).sort();
    };
    // A record is written shortly after its connection ends.
    await until(async () => (await recorded()).some(({ purpose }) => purpose === 'api'), 'no record of the API');
    await eventually(async () => assert.deepEqual(await listed(), await opened()));

    const all = await recorded();
    const kinds = new Set(all.map(({ purpose, direction }) => `${purpose} ${direction}`));
    for (const kind of ['ollama out', 'mcp out', 'signIn out', 'signIn in', 'api in', 'command process'])
      assert.ok(kinds.has(kind), `${kind} is not among ${[...kinds].join(', ')}`);
    for (const path of ['POST /api/chat', 'POST /api/generate'])
      assert.ok(
        all.some(({ detail }) => detail === path),
        path,
      );
    assert.ok(all.some(({ purpose, sessionId }) => purpose === 'ollama' && sessionId !== null));
    assert.ok((await opened()).length > 10);
  });

  it('first hour 27: Analytics has numbers, and Privacy names every address with count and reason', async () => {
    const window = workbench as Workbench;
    await window.runCommand('Ollama Copilot: Analytics');
    await window.view.getByRole('heading', { name: 'Analytics' }).waitFor();
    await window.runCommand('Ollama Copilot: Privacy Settings');
    const addresses = window.view.getByRole('list', { name: 'Addresses' });
    await addresses.getByRole('button').first().waitFor();
    await eventually(async () => {
      const shown = await addresses.getByRole('button').allInnerTexts();
      for (const [host, purpose] of [
        [new URL(double.url).host, 'Model server'],
        [new URL(remote.url).host, 'MCP server'],
        [new URL(remote.url).host, 'Sign-in'],
      ] as const)
        assert.ok(
          shown.some((text) => text.includes(host) && text.includes(purpose) && /\d+ connections?/.test(text)),
          `${host} by ${purpose} is not in ${shown.join(' | ')}`,
        );
      // All addresses are on this computer, so nothing else was contacted.
      assert.deepEqual(
        shown.filter((text) => !/^(localhost|127\.0\.0\.1|\[::1\]):\d+/.test(text)),
        [],
      );
    });
  });

  it('with local connections only: nothing is contacted, the user reads why, and a shield shows it', async () => {
    const traceFile = path.join(folder, 'local.trace');
    await workbench?.close();
    workbench = await Workbench.start({
      traceFile,
      settings: { 'ollamaCopilot.baseUrl': 'http://192.0.2.1:11434' },
      machineSettings: {
        'ollamaCopilot.privacy.localOnly': true,
        'ollamaCopilot.mcp.servers': { remote: { url: remote.url } },
      },
    });
    const pid = await workbench.extensionHostPid();
    const asked = remote.asked.length;
    await workbench.openChat();
    await workbench.view
      .getByText('192.0.2.1:11434 was not contacted, because only local connections are allowed.')
      .first()
      .waitFor();
    await workbench.page.getByRole('button', { name: 'Local connections only' }).click();
    await workbench.view.getByRole('tab', { name: 'Privacy', selected: true }).waitFor();
    await workbench.view.getByRole('list', { name: 'Connections' }).getByText('refused').first().waitFor();
    assert.deepEqual(await connectionsIn(traceFile, pid), []);
    assert.equal(remote.asked.length, asked);
  });
});
