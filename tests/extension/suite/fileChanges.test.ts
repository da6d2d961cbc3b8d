import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, realpathSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { allAids } from '../../../src/agent/kernel/modelAids';
import type { EditServices } from '../../../src/agent/tools/edit/editing';
import { FileAccess } from '../../../src/agent/approvals/fileAccess';
import { FileChanges } from '../../../src/services/files/fileChanges';
import { noTouchListener, type FileTouch, type FinishedTouch } from '../../../src/services/files/fileTouch';
import { failure } from '../../../src/agent/tools/kernel/toolFailure';
import type { ToolContext, ToolResult } from '../../../src/agent/tools/kernel/tool';
import { createFileTool } from '../../../src/agent/tools/edit/createFile';
import { deleteFileTool } from '../../../src/agent/tools/edit/deleteFile';
import { renameFileTool } from '../../../src/agent/tools/edit/renameFile';
import { replaceInFileTool } from '../../../src/agent/tools/edit/replaceInFile';
import { writeFileTool } from '../../../src/agent/tools/edit/writeFile';
import { WorkspacePaths } from '../../../src/services/files/workspacePaths';
import { Settings } from '../../../src/config/settings';
import type { EntryData } from '../../../src/protocol/entries';
import { systemClock } from '../../../src/utils/clock';
import { AppError } from '../../../src/utils/errors';
import { EditorDiagnostics } from '../../../src/vscode/workspace/editorDiagnostics';
import { EditorFiles } from '../../../src/vscode/workspace/openFiles';
import { until } from '../../support/until';

const makers = {
  write_file: writeFileTool,
  replace_in_file: replaceInFileTool,
  create_file: createFileTool,
  delete_file: deleteFileTool,
  rename_file: renameFileTool,
};

describe('Edits in a real editor', () => {
  let folder: string;
  let services: EditServices;
  let touches: FileTouch[];
  let finished: FinishedTouch[];
  let edits: Omit<EntryData<'file_edit'>, 'callId'>[];

  beforeEach(async () => {
    const root = realpathSync(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '');
    folder = mkdtempSync(path.join(root, 'edits-'));
    touches = [];
    finished = [];
    edits = [];
    const paths = new WorkspacePaths({ folders: () => [{ name: 'edits', path: folder }] });
    const settings = new Settings({ get: () => undefined }, () => undefined);
    const listener = {
      ...noTouchListener,
      beforeTouch: async (touch: FileTouch) => void touches.push(touch),
      afterTouch: async (touch: FinishedTouch) => void finished.push(touch),
    };
    services = {
      access: new FileAccess(paths, settings, { get: async () => undefined }),
      changes: new FileChanges(new EditorFiles(), listener),
      diagnostics: new EditorDiagnostics(systemClock),
      aids: allAids,
    };
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(folder, { recursive: true, force: true });
  });

  const at = (name: string): string => path.join(folder, name);
  const uriOf = (name: string): vscode.Uri => vscode.Uri.file(at(name));
  const text = (name: string): Promise<string> => readFile(at(name), 'utf8');

  async function use(name: keyof typeof makers, input: Record<string, unknown>): Promise<ToolResult> {
    const prepared = makers[name](services).prepare(input);
    assert.ok(prepared.isValid, 'the arguments fit');
    const context: ToolContext = {
      sessionId: 's',
      callId: 'c',
      signal: new AbortController().signal,
      beginCommand: () => Promise.resolve({ goesOn: () => undefined }),
      beginWriting: () => undefined,
      plan: () => null,
      callReasons: [],
      model: null,
      recordStep: async () => undefined,
      keepImage: () => Promise.reject(new Error('no tool here has images')),
      offers: () => true,
      askAboutDenial: async () => 'denied' as const,
      approve: async () => true,
      ask: async () => '',
      checkGrant: async () => ({ state: 'none', files: {} }),
      grants: async () => ({ commands: false, sandbox: false, hosts: [], sensitiveEdits: false, allowedCommands: [], files: [] }),
      logAutoApproval: async () => undefined,
      recordEdit: async (edit) => void edits.push(edit),
    };
    try {
      return await prepared.run(context);
    } catch (error) {
      if (error instanceof AppError) return failure({ local: error.userMessage, english: error.modelMessage });
      throw error;
    }
  }

  async function show(name: string): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(uriOf(name));
    await vscode.window.showTextDocument(document);
    return document;
  }

  async function type(document: vscode.TextDocument, words: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(document.lineCount, 0), words);
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(document.isDirty);
  }

  /** Types and deletes a character. The text is unchanged, but the editor treats the document as unsaved. */
  async function typeAndTakeBack(document: vscode.TextDocument): Promise<void> {
    await type(document, 'x');
    const edit = new vscode.WorkspaceEdit();
    const end = document.positionAt(document.getText().length);
    edit.delete(document.uri, new vscode.Range(end.translate(0, -1), end));
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(document.isDirty);
  }

  it('changes a file that nothing has open on the disk', async () => {
    await writeFile(at('a.txt'), 'one\ntwo\n');
    assert.equal((await use('replace_in_file', { path: 'a.txt', oldText: 'two', newText: '2' })).status, 'success');
    assert.equal(await text('a.txt'), 'one\n2\n');
  });

  it('changes a file that is open in its editor, and saves it', async () => {
    await writeFile(at('a.txt'), 'one\ntwo\n');
    const document = await show('a.txt');
    await use('replace_in_file', { path: 'a.txt', oldText: 'two', newText: '2' });
    assert.deepEqual([document.getText(), document.isDirty, await text('a.txt')], ['one\n2\n', false, 'one\n2\n']);
    assert.equal(edits[0]?.afterHash, createHash('sha256').update('one\n2\n').digest('hex'));
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), 'one\ntwo\n', 'it can be undone there');
  });

  it('keeps what is not saved, and tells it as what was there before', async () => {
    await writeFile(at('a.txt'), 'one\n');
    const document = await show('a.txt');
    await type(document, 'unsaved\n');
    await use('replace_in_file', { path: 'a.txt', oldText: 'one', newText: '1' });
    assert.deepEqual([document.getText(), document.isDirty, await text('a.txt')], ['1\nunsaved\n', false, '1\nunsaved\n']);
    assert.deepEqual(touches[0]?.before, Buffer.from('one\nunsaved\n'));
  });

  it('keeps the place of the cursor', async () => {
    await writeFile(at('a.txt'), 'one\ntwo\nthree\nfour\n');
    await show('a.txt');
    const editor = vscode.window.activeTextEditor;
    if (editor) editor.selection = new vscode.Selection(3, 2, 3, 2);
    await use('write_file', { path: 'a.txt', content: 'zero\none\ntwo\n3\nfour\n' });
    assert.deepEqual([editor?.selection.active.line, editor?.selection.active.character], [4, 2]);
  });

  it('applies edits while the person types elsewhere, and tells what they typed from the edits', async () => {
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
    await writeFile(at('a.txt'), `${lines.join('\n')}\n`);
    const document = await show('a.txt');
    const editor = vscode.window.activeTextEditor;
    if (editor) editor.selection = new vscode.Selection(12, 0, 12, 0);
    let isTyping = true;
    let typed = 0;
    const person = (async () => {
      for (; isTyping; typed += 1) {
        await vscode.commands.executeCommand('type', { text: 'x' });
        await systemClock.sleep(35);
      }
    })();
    await until(() => typed > 3);
    const results = [];
    for (let index = 0; index < 10; index += 2)
      results.push(await use('replace_in_file', { path: 'a.txt', oldText: `line ${index}\n`, newText: `agent ${index}\n` }));
    isTyping = false;
    await person;
    assert.deepEqual(
      results.map(({ status, content }) => [status, content]),
      results.map(() => ['success', 'Changed a.txt: 1 line added, 1 line removed.']),
    );
    const wanted = lines.map((line, index) => (index < 10 && index % 2 === 0 ? `agent ${index}` : line));
    await until(() => document.getText() === `${wanted.join('\n')}\n${'x'.repeat(typed)}`);
    // A finished touch has its own `before` text only if the user has typed since the touch began.
    const changedLines = finished.map(({ before, after }, index) => {
      const [old, now] = [before ?? touches[index]?.before, after].map((bytes) => String(bytes).split('\n'));
      return now?.filter((line, index) => line !== old?.[index]);
    });
    assert.deepEqual(changedLines, [['agent 0'], ['agent 2'], ['agent 4'], ['agent 6'], ['agent 8']]);
  });

  const marked = '\ufeff';
  const kept: [string, Buffer, Buffer][] = [
    ['CRLF', Buffer.from('a\r\nb\r\n'), Buffer.from('a\r\nx\r\ny\r\n')],
    ['a byte order mark', Buffer.from(`${marked}a\nb\n`), Buffer.from(`${marked}a\nx\ny\n`)],
    ['UTF-16 LE', Buffer.from(`${marked}a\nb\n`, 'utf16le'), Buffer.from(`${marked}a\nx\ny\n`, 'utf16le')],
    ['UTF-16 BE', Buffer.from(`${marked}a\nb\n`, 'utf16le').swap16(), Buffer.from(`${marked}a\nx\ny\n`, 'utf16le').swap16()],
    ['a missing final line end', Buffer.from('a\nb'), Buffer.from('a\nx\ny')],
  ];
  for (const [name, before, after] of kept) {
    for (const how of ['closed', 'open', 'dirty']) {
      it(`keeps ${name} (${how})`, async () => {
        await writeFile(at('a.txt'), before);
        if (how !== 'closed') {
          const document = await show('a.txt');
          if (how === 'dirty') await typeAndTakeBack(document);
        }
        const result = await use('replace_in_file', { path: 'a.txt', oldText: 'b', newText: 'x\ny' });
        assert.equal(result.status, 'success', result.content);
        assert.deepEqual(await readFile(at('a.txt')), after);
      });
    }
  }

  it('goes by the disk where the editor has not heard of its last change', async () => {
    await writeFile(at('a.txt'), 'old\n');
    const document = await show('a.txt');
    await writeFile(at('a.txt'), 'new\n');
    assert.equal((await use('replace_in_file', { path: 'a.txt', oldText: 'new', newText: 'newest' })).status, 'success');
    assert.equal(await text('a.txt'), 'newest\n');
    await until(() => document.getText() === 'newest\n' && !document.isDirty);
  });

  it('changes nothing where both the editor and the disk have changed', async () => {
    await writeFile(at('a.txt'), 'one\n');
    const document = await show('a.txt');
    await type(document, 'unsaved\n');
    await writeFile(at('a.txt'), 'theirs, and longer\n');
    const result = await use('replace_in_file', { path: 'a.txt', oldText: 'one', newText: '1' });
    assert.equal(result.status, 'error', result.content);
    assert.deepEqual([document.getText(), await text('a.txt')], ['one\nunsaved\n', 'theirs, and longer\n']);
  });

  it('refuses what is read-only, missing, binary or a folder', async () => {
    await writeFile(at('locked.txt'), 'a\n');
    await chmod(at('locked.txt'), 0o444);
    await writeFile(at('a.png'), Buffer.from([0x89, 0x50, 0, 1]));
    await mkdir(at('sub'));
    const answers = [];
    for (const name of ['locked.txt', 'none.txt', 'a.png', 'sub']) {
      answers.push((await use('replace_in_file', { path: name, oldText: 'a', newText: 'b' })).content);
    }
    assert.deepEqual(answers, [
      'locked.txt is read-only, so it was not changed. Tell the user what you would have changed.',
      'There is no file none.txt. Use create_file for a new file.',
      'a.png is a binary file, so its text cannot be changed.',
      'sub is a folder, not a file.',
    ]);
  });

  it('takes editors with a file that is renamed, its unsaved text saved', async () => {
    await writeFile(at('a.txt'), 'one\n');
    await type(await show('a.txt'), 'unsaved\n');
    const result = await use('rename_file', { path: 'a.txt', newPath: 'deep/b.txt' });
    assert.equal(result.status, 'success', result.content);
    assert.equal(await text('deep/b.txt'), 'one\nunsaved\n');
    assert.deepEqual(await readdir(folder), ['deep']);
    await until(() => vscode.window.activeTextEditor?.document.uri.fsPath === at('deep/b.txt'));
  });

  it('deletes a file that is open with unsaved text, which was told first', async () => {
    await writeFile(at('a.txt'), 'one\n');
    await type(await show('a.txt'), 'unsaved\n');
    assert.equal((await use('delete_file', { path: 'a.txt' })).status, 'success');
    assert.deepEqual([await readdir(folder), touches[0]?.before], [[], Buffer.from('one\nunsaved\n')]);
  });

  it('tells the problems that an edit makes, and none that were there before as new', async () => {
    const collection = vscode.languages.createDiagnosticCollection('edits-test');
    const watcher = vscode.workspace.onDidChangeTextDocument(({ document }) => check(document));
    const opened = vscode.workspace.onDidOpenTextDocument((document) => check(document));
    const check = (document: vscode.TextDocument): void => {
      const problems = document
        .getText()
        .split('\n')
        .flatMap((line, index) =>
          line.includes('bad') ? [new vscode.Diagnostic(new vscode.Range(index, 0, index, 3), `${line} is bad`)] : [],
        );
      collection.set(document.uri, problems);
    };
    try {
      await writeFile(at('a.txt'), 'bad one\nfine\n');
      await show('a.txt');
      await until(() => vscode.languages.getDiagnostics(uriOf('a.txt')).length === 1);
      const { content } = await use('replace_in_file', { path: 'a.txt', oldText: 'fine', newText: 'bad two' });
      assert.deepEqual(content.split('\n').slice(1), [
        'The editor now reports a new problem in it:',
        'a.txt:2:1: error: bad two is bad',
        '[1 more were there before.]',
      ]);
      const created = await use('create_file', { path: 'b.txt', content: 'bad three\n' });
      assert.match(created.content, /b\.txt:1:1: error: bad three is bad/, 'of a file that nobody had open');
      const renamed = await use('rename_file', { path: 'b.txt', newPath: 'deep/c.txt' });
      assert.doesNotMatch(renamed.content, /a new problem/, 'it had them under its old name');
      collection.delete(uriOf('b.txt'));
      await writeFile(at('d.txt'), 'bad four\n');
      const unseen = await use('rename_file', { path: 'd.txt', newPath: 'e.txt' });
      assert.match(unseen.content, /e\.txt:1:1: error: bad four is bad/, 'of one that nobody has looked at');
    } finally {
      for (const one of [collection, watcher, opened]) one.dispose();
    }
  });

  it('looks at a file that nobody had open before it tells what is wrong in it', async () => {
    const collection = vscode.languages.createDiagnosticCollection('look-test');
    const opened = vscode.workspace.onDidOpenTextDocument(({ uri }) => {
      if (uri.fsPath === at('unseen.txt')) {
        const problem = new vscode.Diagnostic(new vscode.Range(1, 2, 1, 3), 'is wrong', vscode.DiagnosticSeverity.Warning);
        setTimeout(() => collection.set(uri, [problem]), 50);
      }
    });
    try {
      await writeFile(at('unseen.txt'), 'one\ntwo\n');
      // With this clock, only the report can end the wait.
      const clock = { now: () => 0, sleep: () => new Promise<void>(() => undefined) };
      const found = await new EditorDiagnostics(clock).diagnostics(at('unseen.txt'), new AbortController().signal);
      const own = found.filter(({ message }) => message === 'is wrong');
      assert.deepEqual(
        own.map(({ file, line, column, severity }) => ({ file, line, column, severity })),
        [{ file: at('unseen.txt'), line: 2, column: 3, severity: 'warning' }],
      );
    } finally {
      for (const one of [collection, opened]) one.dispose();
    }
  });
});
