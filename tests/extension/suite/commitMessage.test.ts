import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { OllamaDouble } from '../../support/ollama/double';
import { until } from '../../support/until';

interface Git {
  getAPI(version: 1): { openRepository(uri: vscode.Uri): Promise<{ inputBox: { value: string }; rootUri: vscode.Uri } | null> };
}

describe('Generate Commit Message', () => {
  let double: OllamaDouble;
  let folder: string;
  const settings = () => vscode.workspace.getConfiguration('ollamaCopilot');

  before(async () => {
    double = await OllamaDouble.start({ models: [{ name: 'writer:1b', capabilities: ['completion', 'tools'] }] });
    await settings().update('baseUrl', double.url, vscode.ConfigurationTarget.Global);
    folder = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'commit-')));
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
    git('init', '-q');
    writeFileSync(path.join(folder, 'staged.ts'), 'const staged = 1;\n');
    writeFileSync(path.join(folder, '.env'), 'TOKEN=secret\n');
    git('add', '.');
  });
  after(async () => {
    await settings().update('baseUrl', undefined, vscode.ConfigurationTarget.Global);
    await double.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('writes what the model says about the staged changes into the field', async () => {
    const extension = vscode.extensions.getExtension<Git>('vscode.git');
    assert.ok(extension);
    const git = extension.isActive ? extension.exports : await extension.activate();
    const repository = await git.getAPI(1).openRepository(vscode.Uri.file(folder));
    assert.ok(repository);
    const offered = async () => (await vscode.lm.selectChatModels({ vendor: 'ollama-copilot' })).map(({ id }) => id);
    await until(async () => (await offered())[0]?.startsWith('writer') === true);
    double.script.push(['```\nAdd the staged ', 'constant\n```']);
    await vscode.commands.executeCommand('ollamaCopilot.generateCommitMessage', { rootUri: repository.rootUri });
    assert.equal(repository.inputBox.value, 'Add the staged constant');
    const sent = JSON.stringify(double.requestsTo('/api/chat').at(-1)?.body);
    assert.match(sent, /const staged = 1/);
    assert.doesNotMatch(sent, /TOKEN=secret/);
  });
});
