import assert from 'node:assert/strict';
import path from 'node:path';
import type { Script } from '../../support/mcp/server';
import type { OllamaDouble } from '../../support/ollama/double';
import type { ChatPage } from '../chatPage';
import { worker } from '../scripts';
import { chatSuite } from '../support/chatSuite';
import { expect } from '../support/expect';
import { lastSent } from '../support/sentChat';
import type { Workbench } from '../support/workbench';

const program = path.join(__dirname, '../../support/mcp/server.js');
const script: Script = { tools: [{ name: 'echo', description: 'Says it again.' }] };

/** Covers line 26 of the table in README.md. */
describe('A server of tools in the first hour', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;

  chatSuite({ models: [worker], mode: 'Agent' }, (suite) => ({ double, workbench, chat } = suite));

  it('first hour 26: is added by a form, tested there, and asks with all that is sent before its tool is called', async () => {
    const view = chat.view();
    await workbench.runCommand('Ollama Copilot: Settings');
    await view.getByRole('tab', { name: 'Tools', exact: true }).click();
    await view.getByRole('button', { name: 'Add server…' }).click();
    const form = view.getByRole('form', { name: 'Add MCP server' });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('srv');
    await form.getByRole('textbox', { name: 'Command' }).fill(process.execPath);
    await form.getByRole('textbox', { name: 'Arguments' }).fill([program, JSON.stringify(script)].join('\n'));
    await form.getByRole('button', { name: 'Test', exact: true }).click();
    await form.getByText(/^Connected\. 1 tool, which adds about \d+ tokens/).waitFor();
    await form.getByRole('list', { name: 'Tools of this server' }).getByText('echo', { exact: true }).waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await view.getByRole('button', { name: 'Back to chat' }).click();

    const word = 'all of this is sent';
    double.script.push([{ call: { name: 'srv__echo', arguments: { word } } }], 'It was called. [TASK_COMPLETE]');
    await chat.send('Say it again');
    const card = chat.group('Approve tool');
    await card.waitFor();
    await expect(card).toHaveText(/Use echo from srv[^]*"word": "all of this is sent"/, { useInnerText: true });
    await card.getByRole('button', { name: 'Run', exact: true }).click();
    await chat.conversation.getByText('It was called.').waitFor();
    await chat.settled();
    assert.match(lastSent(double).messages.at(-1)?.content ?? '', /all of this is sent/);
  });
});
