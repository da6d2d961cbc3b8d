import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { AttachmentRef } from '../../../src/protocol/entries';
import { isEmptyNow } from '../../../src/vscode/emptyItems';
import { editor, problems } from '../../support/fakeEditor';

describe('Items without content', () => {
  afterEach(() => {
    problems.clear();
    editor.extensions.clear();
  });

  const isEmpty = (kind: AttachmentRef['kind'], lastTerminal: unknown = null) =>
    isEmptyNow({ kind, path: `#${kind}` }, () => lastTerminal);

  function useGit(changes: readonly unknown[], repositories = 1): void {
    const state = { indexChanges: [], mergeChanges: [], workingTreeChanges: changes };
    const git = { enabled: true, getAPI: () => ({ repositories: Array.from({ length: repositories }, () => ({ state })) }) };
    editor.extensions.set('vscode.git', { isActive: true, exports: git });
  }

  it('are problems without an error or a warning', async () => {
    assert.equal(await isEmpty('problems'), true);
    problems.set('/project/app.ts', [{ line: 1, message: 'wrong' }]);
    assert.equal(await isEmpty('problems'), false);
  });

  it('are the changes of a repository without any', async () => {
    useGit([]);
    assert.equal(await isEmpty('changes'), true);
    useGit([{ uri: vscode.Uri.file('/project/app.ts'), status: 5 }]);
    assert.equal(await isEmpty('changes'), false);
  });

  it('are not the changes where Git cannot be activated', async () => {
    for (const activate of [async () => undefined, () => Promise.reject(new Error('Cannot activate'))]) {
      editor.extensions.set('vscode.git', { isActive: false, activate });
      assert.equal(await isEmpty('changes'), false);
    }
  });

  it('are not the changes without a repository, which the chat knows', async () => {
    assert.equal(await isEmpty('changes'), false);
    useGit([], 0);
    assert.equal(await isEmpty('changes'), false);
  });

  it('are the terminal before a command', async () => {
    assert.equal(await isEmpty('terminal'), true);
    assert.equal(await isEmpty('terminal', { command: 'ls', output: '' }), false);
  });

  it('are never files, folders or the workspace', async () => {
    for (const kind of ['file', 'folder', 'workspace', 'selection'] as const) assert.equal(await isEmpty(kind), false);
  });
});
