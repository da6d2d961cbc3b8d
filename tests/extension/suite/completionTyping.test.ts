import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { CompletionEditor, type } from '../support/completionEditor';

const whole = 'function add(a, b) {\n  return a + b;\n}\nconst three = add(1, 2);\nconst four = add(2, 2);\n';
const gap = whole.replace('add(1, 2);', '|');

describe('Suggestions while typing in a real editor', () => {
  let at: CompletionEditor;
  before(async () => {
    at = await CompletionEditor.start(whole);
  });
  after(() => at.stop());
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('comes by itself, goes along with what is typed, and comes back after a backspace, with one question', async () => {
    const editor = await at.open('along.js', gap);
    const before = at.asked;
    await type('a');
    await at.answered(before);
    const asked = at.asked;
    await type('dd(');
    for (let count = 0; count < 2; count += 1) await vscode.commands.executeCommand('deleteLeft');
    await at.accept(editor);
    assert.equal(editor.document.getText(), whole);
    assert.equal(at.asked, asked);
  });

  it('closes brackets once, with those that the editor has closed', async () => {
    const editor = await at.open('bracket.js', gap);
    await type('add(');
    assert.equal(editor.document.lineAt(3).text, 'const three = add()');
    await at.accept(editor);
    assert.equal(editor.document.getText(), whole);
  });

  it('goes with the word that is chosen in the list of suggestions', async () => {
    const listing = vscode.languages.registerCompletionItemProvider('javascript', {
      provideCompletionItems: () => [new vscode.CompletionItem('add', vscode.CompletionItemKind.Function)],
    });
    const editor = await at.open('list.js', gap.replace('|', 'ad|'));
    await vscode.commands.executeCommand('editor.action.triggerSuggest');
    await at.accept(editor);
    await vscode.commands.executeCommand('hideSuggestWidget');
    listing.dispose();
    assert.equal(editor.document.getText(), whole);
  });

  it('completes a cell of a notebook', async () => {
    const file = path.join(at.folder, 'cells.ipynb');
    const cell = {
      cell_type: 'code',
      execution_count: null,
      metadata: {},
      outputs: [],
      source: gap.replace('|', '').split(/(?<=\n)/),
    };
    const metadata = { language_info: { name: 'javascript' } };
    writeFileSync(file, JSON.stringify({ cells: [cell], metadata, nbformat: 4, nbformat_minor: 5 }));
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(file));
    await vscode.window.showNotebookDocument(notebook);
    await vscode.commands.executeCommand('notebook.cell.edit');
    const { document } = notebook.cellAt(0);
    const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
    assert.ok(editor, 'the cell has no editor');
    const end = document.positionAt(gap.indexOf('|'));
    editor.selection = new vscode.Selection(end, end);
    await at.accept(editor);
    assert.equal(document.getText(), whole);
  });
});
