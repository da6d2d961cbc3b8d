import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../../support/until';

/** Our tools, as other extensions see them. */
describe('The tools that other extensions may call', () => {
  const settings = () => vscode.workspace.getConfiguration('ollamaCopilot');
  const names = () => vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith('ollamaCopilot_'));

  before(async () => void (await vscode.extensions.getExtension('ollama-copilot.ollama-copilot')?.activate()));
  after(() => settings().update('languageModels.offerTools', undefined, vscode.ConfigurationTarget.Global));

  it('are not there until a person wants it, and only read', async () => {
    await assert.rejects(call('ollamaCopilot_searchHistory', 'anything'));
    await settings().update('languageModels.offerTools', true, vscode.ConfigurationTarget.Global);
    const expected = ['ollamaCopilot_searchCodebase', 'ollamaCopilot_searchHistory'];
    await eventually(() => assert.deepEqual(names().sort(), expected));
    const said = await call('ollamaCopilot_searchHistory', 'a word that nobody ever said');
    assert.match(said, /Nothing was said about/);
  });

  async function call(name: string, query: string): Promise<string> {
    const token = new vscode.CancellationTokenSource().token;
    const { content } = await vscode.lm.invokeTool(name, { input: { query }, toolInvocationToken: undefined }, token);
    return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
  }
});
