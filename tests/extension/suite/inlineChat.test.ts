import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { OllamaDouble } from '../../support/ollama/double';
import { until } from '../../support/until';

describe('Inline chat', () => {
  let double: OllamaDouble;
  let folder: string;
  const settings = () => vscode.workspace.getConfiguration('ollamaCopilot');

  before(async () => {
    double = await OllamaDouble.start({ models: [{ name: 'editing:1b', capabilities: ['completion', 'tools'] }] });
    await settings().update('baseUrl', double.url, vscode.ConfigurationTarget.Global);
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(workspace);
    folder = realpathSync.native(mkdtempSync(path.join(workspace, 'edit-')));
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await settings().update('baseUrl', undefined, vscode.ConfigurationTarget.Global);
    await double.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const original = 'const first = 1;\nconst alpha = 2;\nconst last = 3;\n';
  const changed = original.replace('alpha', 'omega');
  const open = async (name: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, original);
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file));
    editor.selection = new vscode.Selection(1, 0, 1, 16);
    const relative = vscode.workspace.asRelativePath(file, false);
    const edit = { name: 'replace_in_file', arguments: { path: relative, oldText: 'alpha', newText: 'omega' } };
    double.script.length = 0;
    double.script.push([{ call: edit }], 'Renamed it. [TASK_COMPLETE]');
    return { text: () => readFileSync(file, 'utf8') };
  };

  it('opens a text box, sends the selected lines in Edit mode, and Discard undoes the change', async () => {
    const offered = async () => (await vscode.lm.selectChatModels({ vendor: 'ollama-copilot' })).map(({ id }) => id);
    await until(async () => (await offered())[0]?.startsWith('editing') === true);
    const { text } = await open('discarded.ts');
    const boxes = () => vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === 'comment').length;
    await vscode.commands.executeCommand('ollamaCopilot.inlineChat');
    await until(() => boxes() > 0, 'no text box opened');
    await vscode.commands.executeCommand('ollamaCopilot.sendInlineChat', { body: 'Call it omega' });
    assert.equal(text(), changed);
    const sent = JSON.stringify(
      double.requestsTo('/api/chat').find(({ body }) => JSON.stringify(body).includes('Call it omega'))?.body,
    );
    assert.match(sent, /const alpha = 2/);
    assert.doesNotMatch(sent, /const last = 3/);
    await vscode.commands.executeCommand('ollamaCopilot.discardInlineChat');
    assert.equal(text(), original);
  });

  it('sends the words of a keybinding at once, and Accept keeps the change', async () => {
    const { text } = await open('accepted.ts');
    await vscode.commands.executeCommand('ollamaCopilot.inlineChat', 'Call it omega');
    await vscode.commands.executeCommand('ollamaCopilot.acceptInlineChat');
    await vscode.commands.executeCommand('ollamaCopilot.undoAll');
    assert.equal(text(), changed);
  });
});
