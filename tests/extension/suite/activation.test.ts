import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../../support/until';

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

  it('listens to nobody before a person starts the local API', async () => {
    const listening = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
    const becomes = (isSo: () => boolean) => eventually(() => assert.ok(isSo(), `${listening()} servers`));
    await vscode.commands.executeCommand('ollamaCopilot.openChat');
    const before = listening();
    await vscode.commands.executeCommand('ollamaCopilot.stopLocalApi');
    assert.equal(listening(), before);
    void vscode.commands.executeCommand('ollamaCopilot.startLocalApi');
    await becomes(() => listening() > before);
    void vscode.commands.executeCommand('ollamaCopilot.stopLocalApi');
    await becomes(() => listening() === before);
  });

  it('shows its view when asked to', async () => {
    await vscode.commands.executeCommand('ollamaCopilot.openChat');
    assert.ok((await vscode.commands.getCommands(true)).includes('ollamaCopilot.chatView.focus'));
  });
});
