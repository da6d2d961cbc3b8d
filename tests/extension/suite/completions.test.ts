import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { CompletionDocument } from '../../../src/completion/completionTypes';
import { CompletionGate } from '../../../src/completion/gate/completionGate';
import { systemClock } from '../../../src/utils/clock';
import { completionDocument } from '../../../src/vscode/completion/completionDocument';
import { InlineCompletionProvider } from '../../../src/vscode/completion/inlineCompletionProvider';
import { silentLogger } from '../../../src/utils/logger';
import { NextEditWatch } from '../../../src/vscode/completion/nextEditWatch';
import { EditorWorkspace } from '../../../src/vscode/workspace/editorWorkspace';
import { OllamaDouble } from '../../support/ollama/double';
import { perfectMiddle } from '../../support/ollama/fimReply';
import { eventually, until } from '../../support/until';

const model = { name: 'qwen2.5-coder:1.5b-base', architecture: 'qwen2' };
const whole = 'function add(a, b) {\n  return a + b;\n}\nconst three = add(1, 2);\nconst four = add(2, 2);\n';
const inlineSuggest = 'editor.action.inlineSuggest';

describe('Suggestions in a real editor', () => {
  let folder: string;
  let double: OllamaDouble;
  const configuration = () => vscode.workspace.getConfiguration('ollamaCopilot');
  const set = (key: string, value: unknown) => configuration().update(key, value, vscode.ConfigurationTarget.Global);

  before(async () => {
    double = await OllamaDouble.start({ models: [model] });
    double.onGenerate((request) => perfectMiddle(request, [whole]));
    await set('baseUrl', double.url);
    await set('completionMode.model', model.name);
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? process.cwd();
    folder = realpathSync.native(mkdtempSync(path.join(workspace, 'completions-')));
  });
  after(async () => {
    for (const key of ['baseUrl', 'completionMode.model', 'enableAutoComplete']) await set(key, undefined);
    await double.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  /** Opens a file with this text. `|` is the cursor. */
  async function open(name: string, text: string): Promise<vscode.TextEditor> {
    const file = path.join(folder, name);
    const at = text.indexOf('|');
    writeFileSync(file, text.replace('|', ''));
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file));
    const position = editor.document.positionAt(at);
    editor.selection = new vscode.Selection(position, position);
    return editor;
  }

  /** Requests for a completion, without those of the self-test. */
  const questions = () => double.requestsTo('/api/generate').filter(({ rawBody }) => rawBody.includes(whole.slice(0, 19)));

  /** Waits until the server has received more than `before` requests and has answered them all. */
  function untilAsked(before: number): Promise<void> {
    return until(() => questions().length > before && questions().every(({ finished, aborted }) => finished || aborted));
  }

  /** Retries until the editor accepts a suggestion, because an extension cannot detect when a suggestion is shown. */
  async function accept(editor: vscode.TextEditor, how: string): Promise<void> {
    const { document } = editor;
    const before = document.version;
    await until(async () => {
      await vscode.commands.executeCommand(`${inlineSuggest}.trigger`);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await vscode.commands.executeCommand(how);
      return document.version !== before;
    }, 'no suggestion came');
  }

  it('takes a suggestion whole, and undo takes it back', async () => {
    const editor = await open('whole.ts', whole.replace('a + b;', '|'));
    await accept(editor, `${inlineSuggest}.commit`);
    assert.equal(editor.document.getText(), whole);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), whole.replace('a + b;', ''));
  });

  it('takes the next word, the next line', async () => {
    const editor = await open('word.ts', whole.replace('a + b;', '|'));
    await accept(editor, 'ollamaCopilot.acceptCompletionWord');
    assert.match(editor.document.lineAt(1).text, /^ {2}return a( \+)?$/);
    await accept(editor, 'ollamaCopilot.acceptCompletionLine');
    assert.equal(editor.document.lineAt(1).text, '  return a + b;');
  });

  it('keeps the line ends of a file with CRLF', async () => {
    const editor = await open('crlf.ts', whole.replace('  return a + b;', '|').replaceAll('\n', '\r\n'));
    await accept(editor, `${inlineSuggest}.commit`);
    assert.ok(!/[^\r]\n/.test(editor.document.getText()), JSON.stringify(editor.document.getText()));
    assert.match(editor.document.getText(), /return a \+ b;\r\n\}/);
  });

  it('typing along and going back asks for nothing more', async () => {
    const editor = await open('back.ts', whole.replace('const four = add(2, 2);', 'const fo|'));
    const type = (text: string) => vscode.commands.executeCommand('type', { text });
    const before = questions().length;
    await type('u');
    await untilAsked(before);
    const asked = questions().length;
    for (const character of 'r = ') await type(character);
    for (let count = 0; count < 3; count += 1) await vscode.commands.executeCommand('deleteLeft');
    await accept(editor, `${inlineSuggest}.commit`);
    assert.equal(editor.document.getText(), whole);
    assert.equal(questions().length, asked);
  });

  it('with two cursors it completes at the first, and spoils nothing at the other', async () => {
    const editor = await open('two.ts', `${whole.replace('a + b;', '|')}// end\n`);
    const end = editor.document.lineAt(editor.document.lineCount - 2).range.end;
    editor.selections = [editor.selection, new vscode.Selection(end, end)];
    await accept(editor, `${inlineSuggest}.commit`);
    const lines = editor.document.getText().split('\n');
    assert.equal(lines[1], '  return a + b;');
    assert.match(lines.at(-2) ?? '', /^\/\/ end(a \+ b;)?$/);
  });

  it('goes on from what is chosen in the list of words', async () => {
    const { document } = await open('chosen.ts', 'const a = con|;\n');
    const position = new vscode.Position(0, 13);
    const range = new vscode.Range(0, 10, 0, 13);
    const around = completionDocument(document, position, { range, text: 'console' });
    assert.deepEqual([around.before, around.after], ['const a = console', ';\n']);
  });

  it('completes in the cell of a notebook, by what the cell holds', async () => {
    const file = path.join(folder, 'note.ipynb');
    const cell = { cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: ['total = '] };
    writeFileSync(file, JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(file));
    const { document } = notebook.cellAt(0);
    const asked: CompletionDocument[] = [];
    const provider = new InlineCompletionProvider({
      engine: {
        complete: async (around) => {
          asked.push(around);
          return Promise.resolve({ id: 1, text: '1 + 2', replaces: 0, isPartial: false, model: 'm' });
        },
        shown: () => undefined,
        setNoSuggestionReason: (because) => assert.fail(JSON.stringify(because)),
      },
      gate: new CompletionGate(
        new EditorWorkspace(),
        { getAgentConfig: () => ({ sensitiveFilePatterns: {} }) as never },
        systemClock,
      ),
      refusal: () => null,
      onShown: () => undefined,
    });
    const { token } = new vscode.CancellationTokenSource();
    const context = { triggerKind: vscode.InlineCompletionTriggerKind.Automatic, selectedCompletionInfo: undefined };
    const items = await provider.provideInlineCompletionItems(document, document.lineAt(0).range.end, context, token);
    assert.deepEqual([items?.length, items?.[0]?.insertText, asked[0]?.before], [1, '1 + 2', 'total = ']);
  });

  it('offers a line with a problem rewritten, as a Quick Fix and by its command', async () => {
    const problems = vscode.languages.createDiagnosticCollection('next-edit-test');
    const asked: string[] = [];
    const watch = new NextEditWatch({
      isOn: () => true,
      isOpen: () => Promise.resolve(true),
      rewrite: (around, { line, message }) => {
        asked.push(`${around.before.slice(-12)}|${around.after.slice(0, 3)} ${line}: ${message}`);
        return Promise.resolve('  return a + b;');
      },
      logger: silentLogger,
    });
    try {
      const editor = await open('broken.txt', whole.replace('a + b;', 'a + c|;'));
      await vscode.commands.executeCommand('type', { text: 'c' });
      const { document } = editor;
      const range = new vscode.Range(1, 13, 1, 15);
      problems.set(document.uri, [new vscode.Diagnostic(range, 'No cc here', vscode.DiagnosticSeverity.Error)]);
      await eventually(() =>
        assert.deepEqual(
          watch.provideCodeActions(document, range).map(({ title }) => title),
          ['Change to: return a + b;'],
        ),
      );
      // A second request would follow the first one immediately.
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.deepEqual(asked, ['add(a, b) {\n|\n}\n   return a + cc;: No cc here']);
      await watch.accept();
      assert.equal(document.getText(), whole);
      assert.deepEqual(watch.provideCodeActions(document, range), []);
    } finally {
      problems.dispose();
      await watch.dispose();
    }
  });

  it('asks nothing about a file that git ignores, one with secrets, and one outside the workspace', async () => {
    writeFileSync(path.join(folder, '.gitignore'), 'ignored.ts\n');
    const outside = path.join(path.dirname(path.dirname(folder)), 'outside.ts');
    writeFileSync(outside, 'const o = ');
    for (const name of ['ignored.ts', '.env', '../../outside.ts']) {
      const before = double.requestsTo('/api/generate').length;
      const editor = await open(name, 'const a = |');
      await vscode.commands.executeCommand(`${inlineSuggest}.trigger`);
      // eslint-disable-next-line waits/long -- A request would come after the pause of 350 ms.
      await new Promise((resolve) => setTimeout(resolve, 700));
      assert.equal(double.requestsTo('/api/generate').length, before, name);
      assert.equal(editor.document.getText(), 'const a = ');
    }
    rmSync(outside);
  });
});
