import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { AttachmentReader } from '../../../src/agent/prompt/attachmentReader';
import { WorkspacePaths } from '../../../src/services/files/workspacePaths';
import { attachmentEditor } from '../../../src/vscode/attachmentEditor';
import { filesToAttach, selectionToAttach } from '../../../src/vscode/commands/contextCommands';
import { aboutOpenFile, watchEditorItems } from '../../../src/vscode/editorItems';
import { mentionItems } from '../../../src/vscode/mentionItems';
import { EditorWorkspace } from '../../../src/vscode/workspace/editorWorkspace';
import { CodeProposals } from '../../../src/vscode/codeProposals';
import { ChangeReview } from '../../../src/vscode/review/changeReview';
import { SnapshotDocuments } from '../../../src/vscode/review/snapshotDocuments';
import { applyToFile } from '../../../src/vscode/applyToFile';
import { insertAtCursor } from '../../../src/vscode/insertAtCursor';
import { eventually } from '../../support/until';

const path = 'src/money.js';

describe('The editor and the message being written', () => {
  const reader = new AttachmentReader(new WorkspacePaths(new EditorWorkspace()), attachmentEditor);
  /** Returns the inputs of all tabs that compare texts. */
  const comparisons = () =>
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs.map(({ input }) => input))
      .filter((input) => input instanceof vscode.TabInputTextDiff);
  const shownBeside = async (): Promise<string> => {
    const compared = comparisons().at(-1);
    assert.ok(compared);
    return documents.readText(compared.modified);
  };
  const documents = new SnapshotDocuments(() => undefined);
  const proposals = new CodeProposals(new ChangeReview(documents));
  let uri: vscode.Uri;
  let editor: vscode.TextEditor;

  beforeEach(async () => {
    const folder = vscode.workspace.workspaceFolders?.[0];
    assert.ok(folder);
    uri = vscode.Uri.joinPath(folder.uri, path);
    editor = await vscode.window.showTextDocument(uri);
    // The editor restores the selection from the last time it was open.
    editor.selection = new vscode.Selection(0, 0, 0, 0);
  });
  afterEach(() => vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor'));

  it('a file is attached from the menu that it is clicked in, else from the editor', async () => {
    const item = { kind: 'file', path };
    const other = vscode.Uri.joinPath(uri, '../discount.js');
    assert.deepEqual(await filesToAttach(reader, [uri, [uri, other]]), [item, { kind: 'file', path: 'src/discount.js' }]);
    assert.deepEqual(await filesToAttach(reader, [uri]), [item]);
    assert.deepEqual(await filesToAttach(reader, []), [item]);
  });

  it('the files to choose from are the person’s own, not those of packages', async () => {
    const packaged = vscode.Uri.joinPath(uri, '../../node_modules/left-pad');
    await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(packaged, 'index.js'), Buffer.from('x'));
    const search = vscode.workspace.getConfiguration('search');
    await search.update('exclude', { '**/*.{map,min.js}': true }, vscode.ConfigurationTarget.Global);
    try {
      const found = async (name: string) => (await mentionItems('file', name)).map(({ item }) => item.path);
      assert.deepEqual(await found('discount'), ['src/discount.js']);
      assert.deepEqual(await found('left-pad'), []);
    } finally {
      await search.update('exclude', undefined, vscode.ConfigurationTarget.Global);
      await vscode.workspace.fs.delete(packaged, { recursive: true });
    }
  });

  it('a selection is attached by its lines, with the words that are not saved', async () => {
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'unsaved\nwords\n'));
    editor.selection = new vscode.Selection(0, 2, 2, 0);
    const [item] = await selectionToAttach(reader);
    assert.deepEqual(item, { kind: 'selection', path, startLine: 1, endLine: 2 });
    assert.equal((await reader.read(item)).content, 'unsaved\nwords');
  });

  it('what is in the editor is told at once and when it changes', async () => {
    const told: unknown[] = [];
    const changed = new Promise<void>((resolve) => {
      const watch = watchEditorItems((items) => {
        told.push(items);
        if (told.length < 2) return;
        void watch.dispose();
        resolve();
      });
    });
    editor.selection = new vscode.Selection(0, 0, 0, 3);
    await changed;
    assert.deepEqual(told, [
      [{ kind: 'editor', path }],
      [
        { kind: 'editor', path },
        { kind: 'selection', path, startLine: 1, endLine: 1 },
      ],
    ]);
    assert.equal(aboutOpenFile(path), 'javascript, the cursor is in line 1');
  });

  it('code goes to the cursor in place of what is selected, as one step to undo', async () => {
    const before = editor.document.getText();
    editor.selection = new vscode.Selection(0, 0, 0, 6);
    await insertAtCursor('one\ntwo');
    assert.equal(editor.document.getText(), `one\ntwo${before.slice(6)}`);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), before);
  });

  it('code of an answer is shown as a change of its place, made or left there, as one step to undo', async () => {
    const before = editor.document.getText();
    const first = editor.document.lineAt(0).text;
    const changed = `${first} // said`;
    for (const answer of ['Discard', 'Apply']) {
      const active = await vscode.window.showTextDocument(editor.document);
      active.selection = new vscode.Selection(0, 0, 0, first.length);
      await applyToFile(changed, proposals);
      const after = changed + before.slice(first.length);
      await eventually(async () => assert.equal(await shownBeside(), after));
      await (answer === 'Apply' ? proposals.apply() : proposals.discard());
      await eventually(() => assert.deepEqual(comparisons(), []));
      assert.equal(editor.document.getText(), answer === 'Apply' ? after : before);
    }
    assert.equal(editor.document.isDirty, true);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), before);
  });

  it('code whose place is not certain is not applied, and that is told', async () => {
    await assert.rejects(applyToFile('nothing of this is in the file', proposals), { code: 'cannotApply' });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await assert.rejects(applyToFile('x', proposals), { code: 'cannotApply' });
  });

  it('code is not put where nothing can be changed, nor where there is no editor, and that is told', async () => {
    const files = vscode.workspace.getConfiguration('files');
    await files.update('readonlyInclude', { [`**/${path}`]: true }, vscode.ConfigurationTarget.Global);
    try {
      await assert.rejects(insertAtCursor('x'), { code: 'cannotInsert' });
    } finally {
      await files.update('readonlyInclude', undefined, vscode.ConfigurationTarget.Global);
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await assert.rejects(insertAtCursor('x'), { code: 'cannotInsert' });
  });
});
