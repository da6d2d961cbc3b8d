import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileItem, itemsInEditor } from '../../../src/vscode/editorItems';

describe('What is in the editor', () => {
  const shown = vscode.window as unknown as Record<string, unknown>;
  const before = { ...shown };
  afterEach(() => void Object.assign(shown, before));

  const editorOf = (uri: vscode.Uri) => ({ document: { uri }, selection: { isEmpty: true } });
  const paths = () => itemsInEditor().map(({ kind, path }) => [kind, path]);

  it('stays the file of the tab in front while the cursor is in the Output panel', () => {
    const file = vscode.Uri.file('/project/src/app.ts');
    const output = editorOf({ scheme: 'output', path: '/tasks' } as vscode.Uri);
    Object.assign(shown, { activeTextEditor: editorOf(file), visibleTextEditors: [editorOf(file)] });
    assert.deepEqual(paths(), [['editor', fileItem(file).path]]);
    shown['activeTextEditor'] = output;
    shown['visibleTextEditors'] = [editorOf(vscode.Uri.file('/project/src/beside.ts')), editorOf(file), output];
    shown['tabGroups'] = { all: [], activeTabGroup: { activeTab: { input: new vscode.TabInputText(file) } } };
    assert.deepEqual(paths(), [['editor', fileItem(file).path]]);
    shown['tabGroups'] = { all: [], activeTabGroup: { activeTab: undefined } };
    assert.deepEqual(paths(), []);
  });
});
