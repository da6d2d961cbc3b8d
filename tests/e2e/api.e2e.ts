import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OllamaDouble } from '../support/ollama/double';
import { eventually, stateLimitMs } from '../support/until';
import { launchBrowser } from '../support/vscode/browser';
import { ChatPage } from './chatPage';
import { assertSameAfterReload } from './sameAfterReload';
import { worker } from './scripts';
import { expect } from './support/expect';
import { Workbench } from './support/workbench';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });

interface Dialogs {
  current_dialog_id: string | null;
}

describe('A script beside the view', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;
  let storage: string;
  let access = { url: '', token: '' };

  before(async () => {
    double = await OllamaDouble.start({ models: [worker] });
    storage = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-api-'));
    workbench = await Workbench.start({
      settings: { 'ollamaCopilot.baseUrl': double.url },
      machineSettings: { 'ollamaCopilot.api.enabled': true, 'ollamaCopilot.storagePath': storage },
    });
    await workbench.openChat();
    chat = new ChatPage(() => workbench.view, workbench.page);
  });

  after(async () => {
    await workbench?.close();
    await double?.close();
    await rm(storage, { recursive: true, force: true });
  });

  /** Reads the address and the token of the API. Both change with each start. */
  async function find(): Promise<void> {
    access = await eventually(async () => {
      const found = JSON.parse(await readFile(path.join(storage, 'api.json'), 'utf8')) as typeof access;
      assert.notEqual(found.token, access.token);
      return found;
    });
  }

  /** Sends a request as `curl` would, with the token from the file that only the user can read. */
  async function ask<T>(method: string, route: string, body?: unknown): Promise<T> {
    const response = await fetch(access.url + route, {
      method,
      headers: {
        authorization: `Bearer ${access.token}`,
        'x-client': 'a script',
        'x-client-key': 'k'.repeat(43),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${route}: ${response.status} ${text}`);
    return (text.startsWith('{') ? JSON.parse(text) : text) as T;
  }

  it('sends a message, which the view shows; a person approves there; it restores, and the view agrees', async () => {
    await chat.pickMode('Agent');
    double.script.push('Hello. [TASK_COMPLETE]');
    await chat.send('Good morning');
    await chat.conversation.getByText('Hello.').waitFor();
    await chat.settled();
    await find();
    const { current_dialog_id: dialog } = await ask<Dialogs>('GET', '/api/dialogs');
    assert.ok(dialog !== null);

    double.script.push(
      [call('create_file', { path: 'made.txt', content: 'by a script\n' })],
      [call('run_terminal_command', { command: 'node --version' })],
      'All is done. [TASK_COMPLETE]',
    );
    const sent = ask('POST', `/api/dialogs/${dialog}/messages`, { content: 'Make a file and look at node', mode: 'agent' });
    await workbench.page.getByRole('button', { name: 'Allow for 1 Hour' }).click();
    await sent;
    await chat.articles('You').getByText('Make a file and look at node').waitFor();
    const approval = chat.group('Approve command').filter({ has: chat.button('Run') });
    await approval.getByRole('button', { name: 'Run', exact: true }).click();
    await chat.conversation.getByText('All is done.').waitFor();
    await chat.settled();
    const made = path.join(workbench.folder, 'made.txt');
    assert.equal(await readFile(made, 'utf8'), 'by a script\n');

    const { checkpoints } = await ask<{ checkpoints: { commit_id: string; message: string }[] }>(
      'GET',
      `/api/dialogs/${dialog}/checkpoints`,
    );
    const before = checkpoints.findLast(({ message }) => message.includes('Make a file'));
    await ask('POST', `/api/dialogs/${dialog}/restore`, { checkpoint_id: before?.commit_id });
    assert.equal(existsSync(made), false);
    await chat.view().getByRole('region', { name: 'Work session' }).waitFor({ state: 'detached' });
    await assertSameAfterReload(workbench, chat);
  });

  it('exports the chat as a page that opens without a request and without a script', async () => {
    await find();
    const { current_dialog_id: dialog } = await ask<Dialogs>('GET', '/api/dialogs');
    const html = await ask<string>('GET', `/api/dialogs/${dialog ?? ''}/export?format=html`);
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(stateLimitMs);
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: html }));
      await page.goto('https://export.example/');
      assert.deepEqual(requests, ['https://export.example/']);
      await expect(page.locator('script')).toHaveCount(0);
      await page.getByText('Make a file and look at node').first().waitFor();
    } finally {
      await browser.close();
    }
  });
});
