import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { FilesOnDisk } from '../../../src/services/files/fileOnDisk';
import { PendingChanges } from '../../../src/services/review/pendingChanges';
import { SnapshotKeeper } from '../../../src/services/review/snapshotKeeper';
import { EngineClient } from '../../../src/services/checkpoint/host/engineClient';
import { WorkerSnapshotObjects } from '../../../src/services/checkpoint/host/snapshotObjects';
import { DatabaseService } from '../../../src/services/database/databaseService';
import { FileChanges } from '../../../src/services/files/fileChanges';
import { PendingEditReviewService } from '../../../src/services/review/pendingEditReviewService';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger as logger } from '../../../src/utils/logger';
import { reviewCommands } from '../../../src/vscode/commands/reviewCommands';
import { baseScheme } from '../../../src/vscode/review/baseScheme';
import { ChangedFileBadges } from '../../../src/vscode/review/changedFileBadges';
import { EditorReview } from '../../../src/vscode/review/editorReview';
import { HunkDecorations } from '../../../src/vscode/review/hunkDecorations';
import { ShownReviews } from '../../../src/vscode/review/shownReviews';
import { VscodeReviewEditor } from '../../../src/vscode/review/reviewEditor';
import { EditorFiles } from '../../../src/vscode/workspace/openFiles';
import { eventually } from '../../support/until';

const services = path.join(__dirname, '../../../src/services');
const original = Array.from({ length: 20 }, (_, line) => `line ${line + 1};\n`).join('');
const edited = original
  .replace('line 3;', 'line three;')
  .replace('line 8;\n', '')
  .replace('line 15;\n', 'line 15;\nadded one;\nadded two;\n');

describe('The review of single changes, in real editors', () => {
  let folder: string;
  let storage: string;
  let database: DatabaseService;
  let engine: EngineClient;
  let agent: FileChanges;
  let changes: PendingChanges;
  let editor: VscodeReviewEditor;
  let review: PendingEditReviewService;
  let inline: PendingEditReviewService;
  let drawn: EditorReview;
  let sessionId: string;
  let elsewhere: { sessionId: string; path: string }[];

  beforeEach(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? process.cwd();
    folder = realpathSync.native(mkdtempSync(path.join(workspace, 'hunks-')));
    storage = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-hunks-'));
    elsewhere = [];
    const around = { directory: storage, owner: 'this window', logger };
    const workerPath = path.join(services, 'database/databaseWorker.js');
    database = new DatabaseService({ ...around, clock: systemClock, workerPath });
    await database.initialize();
    const engineWorker = path.join(services, 'checkpoint/engine/checkpointWorker.js');
    engine = new EngineClient({ ...around, workerPath: engineWorker, onDamage: () => undefined });
    const objects = new WorkerSnapshotObjects(engine);
    const editors = new EditorFiles();
    agent = new FileChanges(editors, new SnapshotKeeper(database, objects, logger));
    const no = () => Promise.resolve(false);
    changes = new PendingChanges(database, objects, new FilesOnDisk(editors), { replace: no, remove: no, merge: no }, logger);
    ({ id: sessionId } = await database.sessions.create({ mode: 'agent', model: null, title: '', projectPath: null }));
    editor = new VscodeReviewEditor(logger);
    const sources = { changes, sessionOf: () => Promise.resolve(undefined) };
    review = new PendingEditReviewService(sources, editor, systemClock, logger);
    inline = new PendingEditReviewService(sources, editor, systemClock, logger);
    drawn = new EditorReview({
      service: shown(),
      editor,
      logger,
      originOf: () => Promise.resolve({ message: 'Spell the **third** out', model: 'tiny:1b' }),
      others: {
        waitingElsewhere: () => Promise.resolve(elsewhere),
        compared: (session, paths) => changes.compared(session, paths),
      },
      extensionUri: vscode.Uri.file(path.join(__dirname, '../../../..')),
    });
  });
  afterEach(async () => {
    await drawn.dispose();
    await review.dispose();
    await inline.dispose();
    editor.dispose();
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await engine.dispose();
    await database.dispose();
    for (const one of [folder, storage]) rmSync(one, { recursive: true, force: true });
  });

  const at = (name: string): string => path.join(folder, name);
  const uri = (name: string): vscode.Uri => vscode.Uri.file(at(name));
  const onDisk = (name: string): string => readFileSync(at(name), 'utf8');
  const open = (name: string) => vscode.window.showTextDocument(uri(name));
  const shown = () => new ShownReviews(review, inline, editor);
  const commands = () => reviewCommands(() => Promise.resolve(shown()));

  async function agentWrites(name: string, before = original, after = edited): Promise<void> {
    writeFileSync(at(name), before);
    const file = await agent.readText({ real: at(name), shown: name });
    const origin = { sessionId, callId: 'call', signal: new AbortController().signal, beginWriting: () => undefined };
    await agent.write(file, after, origin);
    await review.startReview(sessionId);
  }

  const hunksIn = (name: string) => review.getState(at(name))?.hunks ?? [];

  /** Returns the text of the hovers over a line in a file. */
  async function hoverAt(name: string, line: number): Promise<string> {
    const place = new vscode.Position(line, 2);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', uri(name), place);
    return hovers
      .flatMap(({ contents }) => contents)
      .map((content) => (content as vscode.MarkdownString).value)
      .join('\n');
  }

  async function lensesOf(name: string): Promise<string[]> {
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri(name));
    return lenses
      .filter(({ command }) => command?.command.startsWith('ollamaCopilot.'))
      .sort((one, other) => one.range.start.line - other.range.start.line)
      .map(({ range, command }) => `${range.start.line + 1} ${command?.title}`);
  }

  it('offers Keep, Undo and the arrows above each change, and both for the file', async () => {
    await agentWrites('a.txt');
    await open('a.txt');
    const each = (line: number) => ['Keep', 'Undo', '↑', '↓'].map((title) => `${line} ${title}`);
    assert.deepEqual(await lensesOf('a.txt'), ['1 Keep file', '1 Undo file', ...each(3), ...each(8), ...each(15)]);
  });

  it('moves with what a person types, and takes none of it for a change', async () => {
    await agentWrites('a.txt');
    const { document } = await open('a.txt');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'mine\nmine too\n');
    await vscode.workspace.applyEdit(edit);
    assert.deepEqual(
      hunksIn('a.txt').map(({ range }) => range.start + 1),
      [5, 10, 17],
    );
    await vscode.commands.executeCommand('workbench.action.files.save');
    await review.refresh();
    assert.deepEqual(
      hunksIn('a.txt').map(({ range }) => range.start + 1),
      [5, 10, 17],
    );
  });

  it('keeps one change and undoes another, on the disk too, and Ctrl+Z brings both text and question back', async () => {
    await agentWrites('a.txt');
    const { document } = await open('a.txt');
    const [first, second] = hunksIn('a.txt');
    await commands().keepHunk(uri('a.txt'), first?.id);
    await commands().undoHunk(uri('a.txt'), second?.id);
    const half = edited.replace('line 7;\n', 'line 7;\nline 8;\n');
    assert.deepEqual([document.getText(), onDisk('a.txt'), document.isDirty], [half, half, false]);
    assert.deepEqual(
      hunksIn('a.txt').map(({ newLines }) => newLines),
      [['added one;', 'added two;']],
    );
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), edited);
    await eventually(() => assert.equal(hunksIn('a.txt').length, 2));
  });

  it('has a file pending again after its undo and Ctrl+Z, and undone again after a redo', async () => {
    await agentWrites('a.txt');
    const { document } = await open('a.txt');
    await changes.undo(sessionId, [at('a.txt')]);
    await eventually(() => assert.deepEqual([document.getText(), hunksIn('a.txt').length], [original, 0]));
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), edited);
    await eventually(() => assert.equal(hunksIn('a.txt').length, 3));
    await vscode.commands.executeCommand('redo');
    assert.equal(document.getText(), original);
    await eventually(async () => assert.equal((await database.fileSnapshots.pending(sessionId)).length, 0));
    assert.equal(hunksIn('a.txt').length, 0);
  });

  it('answers for the selected lines alone', async () => {
    await agentWrites('a.txt');
    const shown = await open('a.txt');
    shown.selection = new vscode.Selection(15, 0, 15, 3);
    await commands().undoSelectedLines();
    assert.equal(shown.document.getText(), edited.replace('added two;\n', ''));
    assert.equal(hunksIn('a.txt').length, 3);
  });

  it('tells what was there before, for which message and by which model, without markup of theirs', async () => {
    const many = Array.from({ length: 30 }, (_, line) => `new line ${line};\n`).join('');
    await agentWrites('a.txt', original, original.replace('line 3;\n', many));
    await open('a.txt');
    // A hover closer to the first line would cover the buttons above it.
    assert.equal(await hoverAt('a.txt', 2), '');
    const text = await hoverAt('a.txt', 30);
    assert.match(text, /line 3;/);
    assert.match(text, /tiny\\:1b, in response to: Spell the \\\*\\\*third\\\*\\\* out/);
    assert.match(text, /command:ollamaCopilot\.undoHunk/);
    assert.doesNotMatch(text, /Another chat/);
  });

  it('tints what a chat in the background has changed, and leads there from the first line', async () => {
    await agentWrites('a.txt');
    await open('a.txt');
    elsewhere = [{ sessionId, path: at('a.txt') }];
    await review.startReview(null);
    await drawn.lookElsewhere();
    assert.deepEqual(await lensesOf('a.txt'), ['1 Open the chat that changed this file']);
    assert.deepEqual(hunksIn('a.txt'), []);
    const link = `command:ollamaCopilot.openChat?${encodeURIComponent(JSON.stringify([sessionId]))}`;
    assert.ok((await hoverAt('a.txt', 0)).includes(link));
    assert.equal(await hoverAt('a.txt', 4), '');
  });

  it('leads to no chat whose changes are no longer in the file', async () => {
    writeFileSync(at('a.txt'), original);
    elsewhere = [{ sessionId: 'other', path: at('a.txt') }];
    await open('a.txt');
    await drawn.lookElsewhere();
    assert.deepEqual([await lensesOf('a.txt'), await hoverAt('a.txt', 0)], [[], '']);
  });

  it('answers a binary file, a large one and a change of line ends alone as a whole', async () => {
    const large = 'a line of a large file\n'.repeat(400_000);
    await agentWrites('large.txt', large, `${large}more\n`);
    await agentWrites('line-ends.txt', 'one\ntwo\n', 'one\r\ntwo\r\n');
    await agentWrites('zeros.bin', 'text\n', 'a\0b\n');
    const levels = ['large.txt', 'line-ends.txt', 'zeros.bin'].map((name) => review.getState(at(name))?.level);
    assert.deepEqual(levels, ['file', 'file', 'file']);
    await open('line-ends.txt');
    assert.deepEqual(await lensesOf('line-ends.txt'), []);
    await changes.undo(sessionId, [at('line-ends.txt')]);
    await changes.undo(sessionId, [at('large.txt')]);
    assert.deepEqual([onDisk('line-ends.txt'), onDisk('large.txt') === large], ['one\ntwo\n', true]);
  });

  it('heeds what was answered elsewhere meanwhile', async () => {
    await agentWrites('a.txt');
    await open('a.txt');
    const [first, second] = hunksIn('a.txt');
    const other = new PendingEditReviewService(
      { changes, sessionOf: () => Promise.resolve(undefined) },
      editor,
      systemClock,
      logger,
    );
    await other.startReview(sessionId);
    await other.undoHunk(at('a.txt'), first?.id ?? '');
    await commands().keepHunk(uri('a.txt'), second?.id);
    assert.deepEqual(
      [hunksIn('a.txt'), other.getState(at('a.txt'))?.hunks].map((hunks) => hunks?.map(({ newLines }) => newLines.join())),
      [['added one;,added two;'], ['added one;,added two;']],
    );
    await assert.rejects(async () => commands().keepHunk(uri('a.txt'), first?.id), { code: 'hunkGone' });
    await other.dispose();
  });

  it('is under Quick Fix where a change is, and nowhere else', async () => {
    await agentWrites('a.txt');
    await open('a.txt');
    const fixes = async (line: number) => {
      const range = new vscode.Range(line, 0, line, 0);
      const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        uri('a.txt'),
        range,
      );
      return found.map(({ title }) => title).filter((title) => title.includes('agent'));
    };
    assert.deepEqual(await fixes(2), ['Keep this agent change', 'Undo this agent change']);
    assert.deepEqual(await fixes(11), []);
  });

  it('gives the editor the file without the changes, for its own bars and its peek', async () => {
    await agentWrites('a.txt');
    const { document } = await open('a.txt');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(20, 0), 'mine;\n');
    await vscode.workspace.applyEdit(edit);
    const address = uri('a.txt').with({ scheme: baseScheme, query: uri('a.txt').toString() });
    const base = await vscode.workspace.openTextDocument(address);
    assert.equal(base.getText(), original.replace('line 19;\n', 'line 19;\nmine;\n'));
  });

  it('goes to the next change, into the next file and round, and moves no cursor by itself', async () => {
    const other = await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ content: 'what a person is at' }),
    );
    await agentWrites('a.txt');
    await agentWrites('b.txt', 'one\ntwo\n', 'one\n2\n');
    assert.equal(vscode.window.activeTextEditor, other);
    const places: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      await commands().nextChange();
      const active = vscode.window.activeTextEditor;
      places.push(`${path.basename(active?.document.fileName ?? '')} ${(active?.selection.active.line ?? -1) + 1}`);
    }
    assert.deepEqual(places, ['a.txt 3', 'a.txt 8', 'a.txt 15', 'b.txt 2', 'a.txt 3']);
    assert.deepEqual(review.getChangePosition()?.current, 1);
  });

  it('tints what was written, marks its words, and the place where lines went', async () => {
    await agentWrites('a.txt');
    const { document } = await open('a.txt');
    const sets: string[][] = [];
    const shown = {
      document,
      setDecorations: (_: vscode.TextEditorDecorationType, ranges: vscode.Range[]) =>
        sets.push(ranges.map(({ start, end }) => `${start.line + 1}:${start.character}-${end.line + 1}:${end.character}`)),
    } as unknown as vscode.TextEditor;
    const icon = vscode.Uri.file('/icon.svg');
    const decorations = new HunkDecorations({ light: icon, dark: icon });
    const hunks = hunksIn('a.txt');
    decorations.draw(shown, hunks, hunks[1]?.id ?? null);
    assert.deepEqual(sets, [['3:0-3:0', '15:0-16:0'], ['8:0-8:0'], ['3:5-3:10'], ['8:0-8:0']]);
    decorations.dispose();
  });

  it('marks files that wait, here and in other chats', () => {
    const badges = new ChangedFileBadges();
    const fired: string[] = [];
    badges.onDidChangeFileDecorations((uris) => fired.push(...uris.map(({ fsPath }) => path.basename(fsPath))));
    const waiting = (isInFront: boolean) => ({ changes: 1, isInFront });
    badges.update(
      new Map([
        [uri('a.txt').toString(), waiting(true)],
        [uri('b.txt').toString(), waiting(false)],
      ]),
    );
    assert.match(badges.provideFileDecoration(uri('a.txt'))?.tooltip ?? '', /Keep or undo/);
    assert.match(badges.provideFileDecoration(uri('b.txt'))?.tooltip ?? '', /another chat/);
    assert.equal(badges.provideFileDecoration(uri('c.txt')), undefined);
    badges.update(new Map([[uri('a.txt').toString(), waiting(true)]]));
    assert.deepEqual(fired, ['a.txt', 'b.txt', 'b.txt']);
    badges.dispose();
  });

  it('refuses what is not there any more, and changes nothing', async () => {
    await agentWrites('a.txt');
    await open('a.txt');
    const [first] = hunksIn('a.txt');
    await commands().undoHunk(uri('a.txt'), first?.id);
    const text = onDisk('a.txt');
    await assert.rejects(async () => commands().undoHunk(uri('a.txt'), first?.id), { code: 'hunkGone' });
    assert.equal(onDisk('a.txt'), text);
  });
});
