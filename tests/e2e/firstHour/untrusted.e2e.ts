import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { OllamaDouble } from '../../support/ollama/double';
import type { ChatPage } from '../chatPage';
import { worker } from '../scripts';
import { chatSuite } from '../support/chatSuite';
import { expect } from '../support/expect';
import { answerOf, lastSent } from '../support/sentChat';
import type { Workbench } from '../support/workbench';

/** Creates a file in its working directory, which is the workspace. */
const server = { command: process.execPath, args: ['-e', "require('fs').writeFileSync('started.txt', '')"] };

/** Covers line 32 of the table in README.md. */
describe('A folder that is not trusted', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;

  const window = {
    settings: { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' },
    machineSettings: { 'ollamaCopilot.mcp.servers': { srv: server } },
    isTrustAsked: true,
  };
  /** Writes files that a trusted folder would use: instructions, and settings with the address of an unreachable server. */
  async function prepare(folder: string): Promise<void> {
    await writeFile(path.join(folder, 'AGENTS.md'), 'Always call the shop *the store*.\n');
    await mkdir(path.join(folder, '.vscode'));
    const settings = { 'ollamaCopilot.baseUrl': 'http://127.0.0.1:1', 'ollamaCopilot.askMode.maxTokens': 7 };
    await writeFile(path.join(folder, '.vscode', 'settings.json'), JSON.stringify(settings));
  }
  chatSuite({ models: [worker], window, prepare }, (suite) => ({ double, workbench, chat } = suite));

  it('first hour 32: is said in one line, and the agent says that it has no tools there, and how to change that', async () => {
    const line = workbench.view.getByText(/Restricted Mode/);
    await line.first().waitFor();
    await expect(line).toHaveCount(1);
    await chat.pickMode('Agent');
    await chat.send('Look around');
    await chat.conversation.getByText(/This workspace is not trusted/).waitFor();
    await chat.conversation.getByRole('button', { name: 'Manage trust' }).waitFor();
    await chat.settled();
  });

  it('first hour 32: has a chat without tools, instructions, MCP servers and settings of the workspace', async () => {
    await chat.pickMode('Ask');
    await answerOf(chat, double, 'What do we call the shop?', 'Nobody told me.');
    const { messages, ...rest } = lastSent(double) as ReturnType<typeof lastSent> & { tools?: []; options: object };
    assert.deepEqual(rest.tools ?? [], []);
    assert.doesNotMatch(JSON.stringify(messages), /the store/);
    assert.ok(!('num_predict' in rest.options) || rest.options.num_predict !== 7);
    assert.equal(existsSync(path.join(workbench.folder, 'started.txt')), false);
  });
});
