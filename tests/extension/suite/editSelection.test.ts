import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { OllamaDouble } from '../../support/ollama/double';

describe('Edit Selection', () => {
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

  it('sends the selected lines in Edit mode, and what changed can be undone', async () => {
    const file = path.join(folder, 'names.ts');
    writeFileSync(file, 'const first = 1;\nconst alpha = 2;\nconst last = 3;\n');
    const document = await vscode.workspace.openTextDocument(file);
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(1, 0, 1, 16);
    const relative = vscode.workspace.asRelativePath(file, false);
    const edit = { name: 'replace_in_file', arguments: { path: relative, oldText: 'alpha', newText: 'omega' } };
    const offered = async () => (await vscode.lm.selectChatModels({ vendor: 'ollama-copilot' })).map(({ id }) => id);
    for (let turn = 0; turn < 100 && (await offered())[0]?.startsWith('editing') !== true; turn += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    double.script.push([{ call: edit }], 'Renamed it.');
    await vscode.commands.executeCommand('ollamaCopilot.editSelection', 'Call it omega');
    assert.equal(readFileSync(file, 'utf8'), 'const first = 1;\nconst omega = 2;\nconst last = 3;\n');
    const sent = JSON.stringify(
      double.requestsTo('/api/chat').find(({ body }) => JSON.stringify(body).includes('Call it omega'))?.body,
    );
    assert.match(sent, /const alpha = 2/);
    assert.doesNotMatch(sent, /const last = 3/);
    await vscode.commands.executeCommand('ollamaCopilot.undoAll');
    assert.equal(readFileSync(file, 'utf8'), 'const first = 1;\nconst alpha = 2;\nconst last = 3;\n');
  });
});
