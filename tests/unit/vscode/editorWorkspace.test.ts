import { editor } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WorkspacePaths } from '../../../src/services/files/workspacePaths';
import { fileItem } from '../../../src/vscode/editorItems';
import { EditorWorkspace, workspaceUri } from '../../../src/vscode/workspace/editorWorkspace';

describe('The folders of the editor', () => {
  let root: string;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-folders-')));
    editor.folders = ['a/app', 'b/app', 'c/app (2)'].map((name) => path.join(root, name));
    for (const folder of editor.folders) {
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, 'x.txt'), folder);
    }
  });
  afterEach(async () => {
    editor.folders = null;
    await rm(root, { recursive: true, force: true });
  });

  it('have a name of their own each, by which the agent, a click and an attachment find the same file', async () => {
    const workspace = new EditorWorkspace();
    assert.deepEqual(
      workspace.folders().map(({ name }) => name),
      ['app', 'app (3)', 'app (2)'],
    );
    const paths = new WorkspacePaths(workspace);
    for (const [index, folder] of (editor.folders ?? []).entries()) {
      const uri = vscode.Uri.file(path.join(folder, 'x.txt'));
      const shown = `${workspace.folders()[index]?.name}/x.txt`;
      const resolved = await paths.resolve(shown);
      assert.deepEqual(
        [fileItem(uri).path, workspaceUri(shown)?.fsPath, resolved.shown, await readFile(resolved.real, 'utf8')],
        [shown, uri.fsPath, shown, folder],
      );
    }
  });
});
