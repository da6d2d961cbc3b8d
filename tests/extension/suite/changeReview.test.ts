import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { FilesOnDisk } from '../../../src/services/files/fileOnDisk';
import { PendingChanges } from '../../../src/services/review/pendingChanges';
import { SnapshotKeeper } from '../../../src/services/review/snapshotKeeper';
import { FileChanges } from '../../../src/services/files/fileChanges';
import { EngineClient } from '../../../src/services/checkpoint/host/engineClient';
import { WorkerSnapshotObjects } from '../../../src/services/checkpoint/host/snapshotObjects';
import { DatabaseService } from '../../../src/services/database/databaseService';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger as logger } from '../../../src/utils/logger';
import { ChangeReview } from '../../../src/vscode/review/changeReview';
import { EditorFiles } from '../../../src/vscode/workspace/openFiles';
import { SnapshotDocuments } from '../../../src/vscode/review/snapshotDocuments';
import { eventually } from '../../support/until';

const services = path.join(__dirname, '../../../src/services');
const original = 'one\ntwo\nthree\nfour\nfive\n';

describe('What the agent has changed, in real editors', () => {
  const asked: string[] = [];
  let folder: string;
  let storage: string;
  let database: DatabaseService;
  let engine: EngineClient;
  let agent: FileChanges;
  let changes: PendingChanges;
  let objects: WorkerSnapshotObjects;
  let sessionId: string;

  beforeEach(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? process.cwd();
    folder = realpathSync.native(mkdtempSync(path.join(workspace, 'review-')));
    storage = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-review-'));
    const around = { directory: storage, owner: 'this window', logger };
    database = new DatabaseService({
      ...around,
      clock: systemClock,
      workerPath: path.join(services, 'database/databaseWorker.js'),
    });
    await database.initialize();
    const workerPath = path.join(services, 'checkpoint/engine/checkpointWorker.js');
    engine = new EngineClient({ ...around, workerPath, onDamage: () => undefined });
    objects = new WorkerSnapshotObjects(engine);
    const editors = new EditorFiles();
    agent = new FileChanges(editors, new SnapshotKeeper(database, objects, logger));
    const answer = (question: string) => async (): Promise<boolean> => asked.push(question) === 0;
    const questions = { replace: answer('replace'), remove: answer('remove'), merge: answer('merge') };
    changes = new PendingChanges(database, objects, new FilesOnDisk(editors), questions, logger);
    ({ id: sessionId } = await database.sessions.create({ mode: 'agent', model: null, title: '', projectPath: null }));
    asked.length = 0;
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await engine.dispose();
    await database.dispose();
    for (const one of [folder, storage]) rmSync(one, { recursive: true, force: true });
  });

  const at = (name: string): string => path.join(folder, name);
  const target = (name: string) => ({ real: at(name), shown: name });
  const origin = () => ({ sessionId, callId: 'call', signal: new AbortController().signal, beginWriting: () => undefined });
  const open = async (name: string) => (await vscode.window.showTextDocument(vscode.Uri.file(at(name)))).document;
  const onDisk = (name: string): Buffer => readFileSync(at(name));

  async function agentWrites(name: string, content: string | Buffer, oldText: string, newText: string): Promise<void> {
    writeFileSync(at(name), content);
    const file = await agent.readText(target(name));
    await agent.write(file, file.text.replace(oldText, newText), origin());
  }

  async function type(document: vscode.TextDocument, line: number, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, document.lineAt(line).range, text);
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.ok(document.isDirty);
  }

  /** Waits until the active tab compares two texts. */
  function comparison(): Promise<vscode.TabInputTextDiff> {
    return eventually(() => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      assert.ok(input instanceof vscode.TabInputTextDiff);
      return input;
    });
  }

  it('undoes in an editor with unsaved text, and keeps that text', async () => {
    await agentWrites('a.txt', original, 'two', '2');
    const document = await open('a.txt');
    await type(document, 3, 'mine');
    assert.deepEqual((await changes.undo(sessionId, null)).left, []);
    assert.equal(document.getText(), original.replace('four', 'mine'));
    assert.equal(onDisk('a.txt').toString(), original.replace('four', 'mine'));
    assert.deepEqual(asked, []);
  });

  it('asks where unsaved text is in the same line, and leaves both as they are on no', async () => {
    await agentWrites('a.txt', original, 'two', '2');
    const document = await open('a.txt');
    await type(document, 1, 'mine');
    assert.deepEqual((await changes.undo(sessionId, null)).undone, []);
    assert.deepEqual([asked, document.isDirty], [['merge', 'replace'], true]);
    assert.equal(document.getText(), original.replace('two', 'mine'));
    assert.equal(onDisk('a.txt').toString(), original.replace('two', '2'));
  });

  it('asks before it deletes a created file that holds unsaved text', async () => {
    await agent.create(target('made.txt'), 'new\n', origin());
    const document = await open('made.txt');
    await type(document, 0, 'mine');
    assert.deepEqual((await changes.undo(sessionId, null)).undone, []);
    assert.deepEqual([asked, existsSync(at('made.txt')), document.isDirty], [['remove'], true, true]);
  });

  it('opens the merge editor with all sides of a conflict, and what is decided there is what stays', async () => {
    const documents = new SnapshotDocuments(() => objects);
    // The extension's own documents do not contain the texts of this test's objects.
    const own = vscode.workspace.registerTextDocumentContentProvider('merge-sides', {
      provideTextDocumentContent: (uri) => documents.readText(uri),
    });
    const ofText = documents.ofText.bind(documents);
    documents.ofText = (shown, text) => ofText(shown, text).with({ scheme: 'merge-sides' });
    const review = new ChangeReview(documents);
    const merging = new PendingChanges(
      database,
      objects,
      new FilesOnDisk(new EditorFiles()),
      { replace: async () => false, remove: async () => false, merge: (conflict) => review.merge(conflict) },
      logger,
    );
    await agentWrites('a.txt', original, 'two', '2');
    writeFileSync(at('a.txt'), original.replace('two', 'mine'));
    const { undone, left } = await merging.undo(sessionId, null);
    assert.deepEqual([undone, left.length], [[], 1]);
    await eventually(() => {
      const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
      assert.match(tab?.label ?? '', /a\.txt/);
      assert.ok(
        !(tab?.input instanceof vscode.TabInputText) && !(tab?.input instanceof vscode.TabInputTextDiff),
        'no plain editor',
      );
    });
    assert.equal(onDisk('a.txt').toString(), original.replace('two', 'mine'));
    assert.deepEqual((await merging.list(sessionId)).length, 1);
    const document = await vscode.workspace.openTextDocument(at('a.txt'));
    await eventually(async () => {
      await vscode.commands.executeCommand('merge.acceptAllInput2');
      assert.equal(document.getText(), original);
    });
    own.dispose();
  });

  it('undoes a rename while the file is open with unsaved text, which goes back with it', async () => {
    writeFileSync(at('a.txt'), original);
    await agent.rename(await agent.readFile(target('a.txt')), target('b.txt'), origin());
    const document = await open('b.txt');
    await type(document, 3, 'mine');
    assert.deepEqual((await changes.undo(sessionId, null)).left, []);
    assert.deepEqual([onDisk('a.txt').toString(), existsSync(at('b.txt'))], [original.replace('four', 'mine'), false]);
    assert.deepEqual(asked, []);
  });

  for (const [name, bytes] of [
    ['UTF-16 with CRLF', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('one\r\ntwo', 'utf16le')])],
    ['UTF-8 with a mark', Buffer.from('\ufeffone\ntwo\n')],
  ] as const) {
    it(`brings ${name} back byte for byte while it is open`, async () => {
      await agentWrites('b.txt', bytes, 'two', '2');
      await open('b.txt');
      assert.deepEqual((await changes.undo(sessionId, null)).left, []);
      assert.deepEqual(onDisk('b.txt'), bytes);
    });
  }

  it('shows what would be lost before it asks whether to replace', async () => {
    writeFileSync(at('a.txt'), original);
    const documents = new SnapshotDocuments(() => objects);
    await new ChangeReview(documents).showLoss(at('a.txt'), 'a.txt', 'before\n');
    const input = await comparison();
    assert.equal(input.original.fsPath, at('a.txt'));
    assert.equal(await documents.readText(input.modified), 'before\n');
  });

  it('shows what the file was beside what it is', async () => {
    await agentWrites('a.txt', original, 'two', '2');
    const sides = await changes.sides(sessionId, at('a.txt'));
    assert.ok(sides);
    await new ChangeReview(new SnapshotDocuments(() => objects)).show(sides, 2);
    const input = await comparison();
    assert.equal(input.modified.fsPath, at('a.txt'));
    const hash = input.original.query.replace('hash=', '');
    assert.equal(Buffer.from(await objects.get(hash)).toString(), original);
  });
});
