import { editor } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { AttachmentRef } from '../../../src/protocol/entries';
import { editSelection } from '../../../src/vscode/commands/editSelection';
import { hold } from '../../support/ollama/doubleReply';
import { AgentBench } from '../agent/support/agentBench';

describe('Edit Selection', () => {
  let bench: AgentBench;
  let shown: string[];
  const inEditor = vscode.window as unknown as { activeTextEditor: unknown };
  const call = { call: { name: 'replace_in_file', arguments: { path: 'a.txt', oldText: 'alpha', newText: 'omega' } } };
  const attachments = {
    check: (item: AttachmentRef): Promise<AttachmentRef | null> => Promise.resolve({ ...item, path: 'a.txt' }),
    read: (item: AttachmentRef) => Promise.resolve({ ...item, content: 'alpha' }),
  };
  const run = (given?: unknown, reader = attachments) =>
    editSelection(given, {
      ...{ attachments: reader, controller: bench.controller },
      show: (sessionId) => Promise.resolve(void shown.push(sessionId)),
    });
  const text = () => readFile(bench.file('a.txt'), 'utf8');

  beforeEach(async () => {
    bench = await AgentBench.start({ settings: { 'editMode.model': 'worker' } });
    await writeFile(bench.file('a.txt'), 'first\nalpha\n');
    shown = [];
    const selection = { isEmpty: false, start: { line: 1, character: 0 }, end: { line: 1, character: 5 } };
    inEditor.activeTextEditor = { document: { uri: vscode.Uri.file(bench.file('a.txt')) }, selection };
  });
  afterEach(async () => {
    Object.assign(editor, { answer: undefined, endsProgress: false });
    inEditor.activeTextEditor = undefined;
    await bench.stop();
  });

  it('asks what to change, sends the selected lines in Edit mode, and the change waits in the chat that is shown', async () => {
    editor.answer = 'Call it omega';
    bench.double.script.push([call], 'Renamed it. [TASK_COMPLETE]');
    await run();
    assert.equal(await text(), 'first\nomega\n');
    const [sessionId = ''] = shown;
    assert.equal((await bench.database.sessions.get(sessionId))?.mode, 'edit');
    const waiting = await bench.changes.list(sessionId);
    assert.deepEqual(
      waiting.map((file) => path.basename(file.path)),
      ['a.txt'],
    );
    assert.match(JSON.stringify(bench.chats()[0]), /Call it omega/);
    assert.match(JSON.stringify(bench.chats()[0]), /a\.txt.*alpha/);
  });

  it('stops the run with Cancel, with the file as it was', async () => {
    editor.endsProgress = true;
    bench.double.script.push([hold().step, call]);
    await run('Call it omega');
    assert.equal((await bench.controller.runState(shown[0] ?? '')).state, 'idle');
    assert.equal(await text(), 'first\nalpha\n');
  });

  it('sends nothing without words, without a selection, or where the file is kept back', async () => {
    await run();
    await run('Call it omega', { ...attachments, check: () => Promise.resolve(null) });
    inEditor.activeTextEditor = undefined;
    await assert.rejects(run('Call it omega'), /No selection/);
    assert.deepEqual([bench.chats().length, shown], [0, []]);
  });
});
