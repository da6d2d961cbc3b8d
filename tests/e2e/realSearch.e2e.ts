import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { openSqlite } from '../../src/services/database/sqlite/sqlite';
import { RealServer } from '../support/ollama/realServer';
import { until } from '../support/until';
import { removeFolder, temporaryFolder } from '../support/vscode/temporaryFolder';
import { platformVsixFile, repository } from '../support/vscode/location';
import { ChatPage } from './chatPage';
import { SessionsPage } from './sessionsPage';
import { expect } from './support/expect';
import { Workbench } from './support/workbench';

/** Runs only if `OLLAMA_HOST` names a server that has the tiny models (`npm run test:ollama`). Never part of `npm test`. */
const server = RealServer.named();

if (server !== undefined) {
  describe('Finding by meaning on a real Ollama, in the editor', function () {
    // On a busy machine, a tiny model embeds two chunks per second.
    this.timeout(900_000);
    let workbench: Workbench;
    let chat: ChatPage;
    let folder: string;
    let storage: string;

    before(async () => {
      folder = await temporaryFolder();
      storage = path.join(folder, 'storage');
      const workspace = path.join(folder, 'workspace');
      mkdirSync(storage);
      cpSync(path.join(repository, 'resources/sample-workspace'), workspace, { recursive: true });
      cpSync(path.join(repository, 'src/services/codebase'), path.join(workspace, 'larger'), { recursive: true });
      const settings = {
        'ollamaCopilot.baseUrl': server.baseUrl,
        'ollamaCopilot.embedding.model': 'oc-embed:latest',
        'ollamaCopilot.agentMode.temperature': 0,
        'ollamaCopilot.agent.maxContextWindow': 4096,
      };
      const machineSettings = { 'ollamaCopilot.storagePath': storage };
      workbench = await Workbench.start({ workspace, settings: { ...settings, ...machineSettings }, machineSettings });
      await workbench.openChat();
      chat = new ChatPage(() => workbench.view, workbench.page);
    });

    after(async () => {
      await workbench?.close();
      await removeFolder(folder);
    });

    /** Waits until the settings page shows that indexing is complete. */
    async function indexed(): Promise<void> {
      await workbench.runCommand('Ollama Copilot: Settings');
      await chat.view().getByRole('tab', { name: 'Advanced' }).click();
      const part = chat.view().getByRole('region', { name: 'Workspace search index' });
      await part.getByText('oc-embed:latest').waitFor();
      await part.getByText('Indexing is complete.').waitFor({ timeout: 800_000 });
      await chat.button('Back to chat').click();
    }

    /** Returns the stored messages that contain these words, the newest last. */
    function stored(words: string): Record<string, unknown>[] {
      const database = openSqlite(path.join(storage, 'sessions.sqlite'), { readOnly: true });
      const sql = "SELECT data FROM messages WHERE type = 'user_input' AND instr(content, ?) > 0 ORDER BY timestamp, seq";
      const rows = database.prepare(sql).all(words);
      database.close();
      return rows;
    }

    /** Asks about the workspace. Returns the files whose excerpts were sent to the model, best match first. */
    async function ask(question: string): Promise<string[]> {
      await workbench.runCommand('Ollama Copilot: New chat');
      await chat.articles('You').first().waitFor({ state: 'detached' });
      await chat.pickMode('Ask');
      await chat.pickModel('oc-chat:latest');
      await chat.composer.fill('');
      await chat.composer.pressSequentially('@work');
      await chat
        .view()
        .getByRole('option', { name: /@workspace/ })
        .waitFor();
      await chat.composer.press('Enter');
      await chat.button('Remove @workspace').waitFor();
      await chat.composer.pressSequentially(question);
      const known = stored(question);
      await chat.button('Send').click();
      // The message is shown before it is stored. Even a question that exceeds the tiny context window is stored.
      let rows = known;
      await until(() => (rows = stored(question)).length > known.length);
      const { attachments } = JSON.parse(String(rows.at(-1)?.['data'])) as { attachments: { content: string }[] };
      await chat
        .button('Stop')
        .click({ timeout: 2_000 })
        .catch(() => undefined);
      await chat.settled(300_000);
      const content = attachments.map((attachment) => attachment.content).join('\n');
      return [...content.matchAll(/^(\S+):\d+-\d+/gm)].map(([, file = '']) => file);
    }

    it('indexes the sample and a larger folder, and finds what no word of the question is in', async () => {
      await indexed();
      const found = await ask('the customer has to pay less');
      assert.ok(
        found.slice(0, 5).some((file) => file.startsWith('src/')),
        found.join(),
      );
    });

    it('finds what the agent wrote, and not any more when that is restored', async () => {
      await workbench.runCommand('Ollama Copilot: New chat');
      await chat.articles('You').first().waitFor({ state: 'detached' });
      await chat.pickMode('Agent');
      await chat.pickModel('oc-tools:latest');
      await chat.send('Create notes/birds.md with Penguins swim');
      await chat.articles('Assistant').first().waitFor();
      await chat.settled(300_000);
      await expect(chat.conversation).toHaveText(/birds\.md/, { useInnerText: true });
      await indexed();
      assert.ok((await ask('animal of the antarctic sea')).includes('notes/birds.md'));
      const sessions = new SessionsPage(() => workbench.view, workbench);
      await sessions.show();
      await sessions.open('Create notes/birds.md with Penguins swim');
      const message = chat.articles('You').filter({ hasText: 'Create notes/birds.md' });
      await message.hover();
      await message.getByRole('button', { name: 'Restore checkpoint' }).click();
      const plan = chat.view().getByRole('region', { name: 'Restore plan', exact: true });
      await plan.getByRole('button', { name: /^Restore \d+ file/ }).click();
      await plan.waitFor({ state: 'detached' });
      assert.ok(!(await ask('animal of the antarctic sea')).includes('notes/birds.md'));
    });
  });

  const platformVsix = platformVsixFile();
  if (platformVsix !== null)
    describe('The package for this platform on a real Ollama, in the editor', function () {
      this.timeout(900_000);
      let workbench: Workbench;
      let folder: string;

      before(async () => {
        folder = await temporaryFolder();
        const machineSettings = { 'ollamaCopilot.storagePath': folder, 'ollamaCopilot.search.useLanceDB': true };
        const settings = { 'ollamaCopilot.baseUrl': server.baseUrl, 'ollamaCopilot.embedding.model': 'oc-embed:latest' };
        workbench = await Workbench.start({
          vsix: platformVsix,
          settings: { ...settings, ...machineSettings },
          machineSettings,
        });
        await workbench.openChat();
      });

      after(async () => {
        await workbench?.close();
        await removeFolder(folder);
      });

      it('keeps vectors in LanceDB, and finds by them', async () => {
        const chat = new ChatPage(() => workbench.view, workbench.page);
        await workbench.runCommand('Ollama Copilot: Settings');
        await chat.view().getByRole('tab', { name: 'Advanced' }).click();
        const part = chat.view().getByRole('region', { name: 'Workspace search index' });
        await part.getByText('Indexing is complete.').waitFor({ timeout: 800_000 });
        await part.getByText('LanceDB', { exact: true }).waitFor();
        await expect(part).not.toHaveText(/Could not use|Built-in store/, { useInnerText: true });
        await chat.button('Back to chat').click();
        await chat.pickMode('Ask');
        await chat.pickModel('oc-chat:latest');
        await chat.composer.pressSequentially('@work');
        await chat
          .view()
          .getByRole('option', { name: /@workspace/ })
          .waitFor();
        await chat.composer.press('Enter');
        await chat.composer.pressSequentially('the customer has to pay less');
        await chat.button('Send').click();
        await chat
          .view()
          .getByRole('button', { name: /^Found \d+ places in/ })
          .waitFor();
        const tables = readdirSync(path.join(folder, 'ollama-copilot.lance'));
        assert.ok(
          tables.some((name) => /^code-.*\.lance$/.test(name)),
          tables.join(),
        );
      });
    });
}
