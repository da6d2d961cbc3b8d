import assert from 'node:assert/strict';
import * as vscode from 'vscode';

const id = 'ollama-copilot.ollama-copilot';

interface Manifest {
  contributes: { commands: { command: string }[] };
}

describe('the extension in a real editor', () => {
  it('activates', async () => {
    const extension = vscode.extensions.getExtension(id);
    assert.ok(extension, `${id} is not installed`);
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('registers every command that it contributes', async () => {
    const manifest = vscode.extensions.getExtension(id)?.packageJSON as Manifest;
    const registered = new Set(await vscode.commands.getCommands(true));
    const missing = manifest.contributes.commands.map(({ command }) => command).filter((command) => !registered.has(command));
    assert.deepEqual(missing, []);
  });

  it('shows its view when asked to', async () => {
    await vscode.commands.executeCommand('ollamaCopilot.openChat');
    assert.ok((await vscode.commands.getCommands(true)).includes('ollamaCopilot.chatView.focus'));
  });
});
