import '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { PendingEditReviewService } from '../../../src/services/review/pendingEditReviewService';
import { silentLogger } from '../../../src/utils/logger';
import { changeCommands } from '../../../src/vscode/commands/changeCommands';
import type { ChangeReview } from '../../../src/vscode/review/changeReview';
import { ShownReviews } from '../../../src/vscode/review/shownReviews';
import { AgentBench } from '../agent/support/agentBench';
import { ManualClock } from '../database/support/manualClock';
import { FakeEditor } from '../review/support/fakeEditor';

describe('The reviews of the chat and of the inline chat, shown together', () => {
  let bench: AgentBench;
  const original = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n';
  let chat: PendingEditReviewService;
  let inline: PendingEditReviewService;
  let shown: ShownReviews;
  let file: string;
  let chatId: string;
  let inlineId: string;

  const edit = async (oldText: string, newText: string): Promise<string> => {
    bench.double.script.push([{ call: { name: 'replace_in_file', arguments: { path: 'a.txt', oldText, newText } } }], 'Done.');
    return bench.ask('Do it');
  };
  const lines = () => shown.getState(file)?.hunks.map(({ newLines }) => newLines.join(' '));

  beforeEach(async () => {
    const editor = new FakeEditor();
    bench = await AgentBench.start({ hasCheckpoints: true, editors: editor.files });
    file = bench.file('a.txt');
    writeFileSync(file, original);
    const sources = { changes: bench.changes, sessionOf: () => Promise.resolve(undefined) };
    const open = () => new PendingEditReviewService(sources, editor, new ManualClock(), silentLogger);
    chat = open();
    inline = open();
    shown = new ShownReviews(chat, inline, editor);
    chatId = await edit('two\n', '2\n');
  });
  afterEach(async () => {
    await chat.dispose();
    await inline.dispose();
    await bench.stop();
  });
  const start = async () => {
    await chat.startReview(chatId);
    await inline.startReview(inlineId);
  };

  it('keep the changes of the chat visible', async () => {
    inlineId = await edit('five\n', '5\n');
    await start();
    assert.deepEqual([lines(), shown.getChangePosition({ path: file, line: 1 })?.total], [['2', '5'], 2]);
    const sessions = shown.getState(file)?.hunks.map((hunk) => shown.findSession(hunk));
    assert.deepEqual(sessions, [chatId, inlineId]);
  });

  it('answer each change in its own session', async () => {
    inlineId = await edit('five\n', '5\n');
    await start();
    const [first, second] = shown.getState(file)?.hunks ?? [];
    await shown.keepHunk(file, second?.id ?? '');
    assert.deepEqual([lines(), (await bench.changes.list(inlineId)).length], [['2'], 0]);
    await shown.undoHunk(file, first?.id ?? '');
    assert.deepEqual([lines(), (await bench.changes.list(chatId)).length], [undefined, 0]);
  });

  it('show the change of the inline chat where both changed the same line', async () => {
    inlineId = await edit('2\n', 'zwei\n');
    await start();
    assert.deepEqual(lines(), ['zwei']);
    assert.deepEqual(shown.findSession(shown.getState(file)?.hunks[0] ?? assert.fail()), inlineId);
  });

  it('are kept and undone together for a file, and only where the file has changes', async () => {
    inlineId = await edit('five\n', '5\n');
    await start();
    const sessions = { sessionIds: [inlineId, chatId], changes: bench.changes, hunks: shown, review: {} as ChangeReview };
    const { undoFile, keepAll } = changeCommands(() => Promise.resolve(sessions));
    await undoFile(vscode.Uri.file(file));
    assert.equal(readFileSync(file, 'utf8'), original);
    await assert.rejects(undoFile(vscode.Uri.file(file)) as Promise<void>, { code: 'reviewGone' });
    sessions.sessionIds = [inlineId, await edit('six\n', '6\n')];
    await keepAll();
    assert.deepEqual(await bench.changes.list(sessions.sessionIds[1] ?? ''), []);
  });

  it('report changes of either', async () => {
    inlineId = await edit('five\n', '5\n');
    const heard: string[] = [];
    const subscription = shown.onDidChangeHunks(({ path }) => heard.push(path));
    await start();
    assert.deepEqual(heard, [file, file]);
    await subscription.dispose();
    inline.closeReview();
    assert.deepEqual([heard.length, lines()], [2, ['2']]);
  });
});
