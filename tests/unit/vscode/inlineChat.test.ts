import { editor, editorCalls, threads } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { AttachmentRef } from '../../../src/protocol/entries';
import { InlineChat } from '../../../src/vscode/inlineChat/inlineChat';
import type { InlineChatServices } from '../../../src/vscode/inlineChat/inlineTalk';
import { PendingEditReviewService } from '../../../src/services/review/pendingEditReviewService';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { hold } from '../../support/ollama/doubleReply';
import { AgentBench } from '../agent/support/agentBench';
import { FakeEditor } from '../review/support/fakeEditor';
import { until } from '../../support/until';

interface FakeTextEditor {
  document: unknown;
  selections: { isEmpty: boolean; start: { line: number; character: number } }[];
}

describe('Inline chat', () => {
  let bench: AgentBench;
  let chat: InlineChat;
  let services: InlineChatServices;
  let review: PendingEditReviewService;
  const files = new FakeEditor();
  let sessions: (string | null)[];
  let given: AttachmentRef[];
  let isAllowed: boolean;
  const inEditor = vscode.window as unknown as { activeTextEditor: unknown; visibleTextEditors: FakeTextEditor[] };
  const edit = (oldText: string, newText: string) => ({
    call: { name: 'replace_in_file', arguments: { path: 'a.txt', oldText, newText } },
  });
  const text = () => readFile(bench.file('a.txt'), 'utf8');
  const place = (startLine: number, endLine: number, isEmpty = startLine === endLine) => {
    const document = {
      uri: vscode.Uri.file(bench.file('a.txt')),
      languageId: 'plaintext',
      lineCount: 3,
      lineAt: () => ({ text: 'a line' }),
    };
    const start = { line: startLine, character: 0 };
    const end = { line: endLine, character: 5 };
    const selection = { isEmpty, start, end, active: end };
    inEditor.activeTextEditor = { document, selection, selections: [selection] };
    inEditor.visibleTextEditors = [inEditor.activeTextEditor as FakeTextEditor];
  };
  /** Returns the content of the threads, one line per comment. */
  const shown = () =>
    threads.map(({ contextValue = '', comments }) => [
      contextValue,
      ...comments.map(({ author, body, label = '', mode }) =>
        mode === 0 ? `[${author.name}]` : `${author.name}: ${typeof body === 'string' ? body : body.value} | ${label}`,
      ),
    ]);
  const stage = () => editorCalls.findLast(({ args }) => args[0] === 'setContext')?.args[2];

  before(async () => void (bench = await AgentBench.start({ settings: { 'editMode.model': 'worker' }, editors: files.files })));
  after(() => bench.stop());
  beforeEach(async () => {
    await writeFile(bench.file('a.txt'), 'first\nalpha\nlast\n');
    editor.folder = bench.folders.workspace;
    sessions = [];
    given = [];
    isAllowed = true;
    place(1, 1, false);
    const sources = { changes: bench.changes, sessionOf: () => Promise.resolve(undefined) };
    review = new PendingEditReviewService(sources, files, systemClock, silentLogger);
    services = {
      attachments: {
        check: (item) => Promise.resolve(isAllowed ? { ...item, path: 'a.txt' } : null),
        read: (item) => (
          given.push(item),
          Promise.resolve({ ...item, content: item.kind === 'selection' ? 'alpha' : 'first\nalpha\nlast\n' })
        ),
      },
      controller: bench.controller,
      changes: bench.changes,
      log: bench.database.log,
      logger: silentLogger,
      review,
      openChat: () => Promise.resolve(),
    };
    chat = new InlineChat(services);
    chat.onDidChangeSession((session) => sessions.push(session));
  });
  afterEach(async () => {
    await chat.dispose();
    await review.dispose();
    files.files.close(bench.file('a.txt'));
    inEditor.activeTextEditor = undefined;
    inEditor.visibleTextEditors = [];
    editor.folder = null;
    assert.deepEqual(threads, []);
  });

  const send = async (words: string) => {
    await chat.open(undefined);
    await chat.send({ body: words });
  };

  it('opens a text box, sends the selected lines in Edit mode, and Accept keeps the change', async () => {
    await chat.open(undefined);
    assert.deepEqual(shown(), [['ask', '[Describe a change or ask a question]']]);
    assert.deepEqual([threads[0]?.label, threads[0]?.canReply, stage()], ['Inline chat', false, 'ask']);
    bench.double.script.push([edit('alpha', 'omega')], 'Renamed it. [TASK_COMPLETE]');
    await chat.send({ body: 'Call it omega' });
    assert.equal(await text(), 'first\nomega\nlast\n');
    assert.deepEqual(shown(), [['changed', 'You: Call it omega | ', 'Ollama Copilot: Renamed it. | 1 line added, 1 removed']]);
    const sessionId = chat.sessionId ?? '';
    assert.deepEqual([stage(), sessions], ['changed', [sessionId]]);
    const session = await bench.database.sessions.get(sessionId);
    assert.deepEqual([session?.mode, session?.title, session?.is_inline], ['edit', 'Call it omega', 1]);
    assert.match(JSON.stringify(bench.chats().at(-1)), /Attached selection: a\.txt, lines 2 to 2/);
    await chat.accept();
    assert.deepEqual(
      [await bench.changes.list(sessionId), await text(), stage(), sessions],
      [[], 'first\nomega\nlast\n', '', [sessionId]],
    );
  });

  describe('collapses the selection when it sends a request, so that no typed key replaces it,', () => {
    const selected = () => inEditor.visibleTextEditors.map(({ selections }) => selections.map(({ isEmpty }) => !isEmpty));
    const start = () => inEditor.visibleTextEditors[0]?.selections[0]?.start;
    const selectAgain = () => {
      const selection = { isEmpty: false, start: { line: 0, character: 0 } };
      for (const shownEditor of inEditor.visibleTextEditors) shownEditor.selections = [selection];
    };
    const answers: [string, () => void][] = [
      ['edits', () => bench.double.script.push([edit('alpha', 'omega')], 'Renamed it. [TASK_COMPLETE]')],
      ['only text', () => bench.double.script.push('A Greek letter.')],
      ['an error of the server', () => bench.double.script.push([{ error: 'it is broken', status: 400 }])],
      ['no run', () => (services.controller = { ...services.controller, send: () => Promise.reject(new Error('not sent')) })],
    ];
    for (const [name, prepare] of answers)
      it(`whose answer is ${name}`, async () => {
        place(0, 1, false);
        await chat.open(undefined);
        assert.deepEqual(selected(), [[true]]);
        const { controller } = services;
        services.controller = {
          send: controller.send.bind(controller),
          resend: controller.resend.bind(controller),
          stop: controller.stop.bind(controller),
          runState: controller.runState.bind(controller),
          onDidChangeRunState: controller.onDidChangeRunState,
        };
        prepare();
        await chat.send({ body: 'Call it omega' }).catch(() => undefined);
        assert.deepEqual([selected(), start()], [[[false]], { line: 0, character: 0 }]);
        await chat.discard();
      });

    it('and a follow-up and Regenerate are still about the same lines', async () => {
      place(0, 1, false);
      bench.double.script.push('A Greek letter.');
      await send('What is alpha?');
      const { sessionId } = chat;
      selectAgain();
      bench.double.script.push('It is beta.');
      await send('And the next?');
      assert.deepEqual([chat.sessionId, selected()], [sessionId, [[false]]]);
      selectAgain();
      bench.double.script.push('Beta.');
      await chat.regenerate();
      assert.deepEqual(selected(), [[false]]);
      assert.deepEqual(
        given.map((item) => item.kind === 'selection' && [item.startLine, item.endLine]),
        [
          [1, 2],
          [1, 2],
        ],
      );
    });

    it('but not before, and not in other files', async () => {
      await chat.open(undefined);
      await chat.cancel();
      assert.deepEqual(selected(), [[true]]);
      const other = { document: {}, selections: [{ isEmpty: false, start: { line: 0, character: 0 } }] };
      inEditor.visibleTextEditors.push(other);
      bench.double.script.push('A Greek letter.');
      await send('What is alpha?');
      assert.deepEqual(selected(), [[false], [true]]);
    });
  });

  it('Discard brings the lines back', async () => {
    bench.double.script.push([edit('alpha', 'omega')], 'Renamed it. [TASK_COMPLETE]');
    await send('Call it omega');
    await chat.discard();
    assert.deepEqual([await text(), threads.length], ['first\nalpha\nlast\n', 0]);
  });

  it('has the change pending again whose Discard was undone in the editor, and continues its session', async () => {
    const path = bench.file('a.txt');
    const hunks = () => review.getState(path)?.hunks.map(({ newLines }) => newLines.join()) ?? [];
    chat.onDidChangeSession((session) => void review.startReview(session));
    bench.double.script.push([edit('alpha', 'omega')], 'Renamed it. [TASK_COMPLETE]');
    await send('Call it omega');
    const sessionId = chat.sessionId ?? '';
    await until(() => hunks().length === 1);
    files.files.show(path);
    await chat.discard();
    files.reload(path);
    await until(() => hunks().length === 0);
    files.undo(path);
    await until(() => hunks().length === 1);
    assert.deepEqual([hunks(), threads.length], [['omega'], 0]);
    files.save(path);
    files.redo(path);
    files.save(path);
    await until(async () => (await bench.changes.list(sessionId)).length === 0);
    files.undo(path);
    files.save(path);
    await until(() => hunks().length === 1);
    bench.double.script.push('It is a Greek letter.');
    await send('What is it?');
    assert.deepEqual([chat.sessionId, (await bench.changes.list(sessionId)).length], [sessionId, 1]);
  });

  it('Regenerate undoes the change and asks again', async () => {
    bench.double.script.push([edit('alpha', 'omega')], 'Renamed it. [TASK_COMPLETE]');
    await send('Call it omega');
    const { sessionId } = chat;
    bench.double.script.push([edit('alpha', 'OMEGA')], 'In capitals. [TASK_COMPLETE]');
    await chat.regenerate();
    assert.deepEqual([await text(), chat.sessionId], ['first\nOMEGA\nlast\n', sessionId]);
    assert.deepEqual(shown()[0]?.slice(0, 2), ['changed', 'You: Call it omega | ']);
    await chat.discard();
  });

  /** Leaves the change from a first message pending in the second line, and moves the cursor to `line`, counted from 0. */
  const changeFirst = async (line: number | null = 2) => {
    bench.double.script.push([edit('alpha', 'omega')], 'Renamed it. [TASK_COMPLETE]');
    await send('Call it omega');
    if (line !== null) place(line, line, false);
    return chat.sessionId ?? '';
  };

  it('goes on with another message in the same session at the changed lines, and Discard undoes both', async () => {
    const sessionId = await changeFirst(null);
    await chat.open(undefined);
    assert.equal(shown()[0]?.at(-1), '[Describe the next change]');
    await chat.cancel();
    assert.equal(shown()[0]?.length, 3);
    bench.double.script.push([edit('omega', 'OMEGA')], 'Done. [TASK_COMPLETE]');
    await send('In capitals');
    assert.deepEqual([chat.sessionId, await text()], [sessionId, 'first\nOMEGA\nlast\n']);
    await chat.discard();
    assert.equal(await text(), 'first\nalpha\nlast\n');
  });

  it('shows no change for an answer without one, and leaves an earlier change elsewhere pending', async () => {
    const sessionId = await changeFirst();
    await chat.open(undefined);
    assert.deepEqual([shown(), stage()], [[['ask', '[Describe a change or ask a question]']], 'ask']);
    bench.double.script.push('It is the last line.');
    await chat.send({ body: 'What does this line do?' });
    assert.deepEqual(shown(), [['answered', 'You: What does this line do? | ', 'Ollama Copilot: It is the last line. | ']]);
    assert.equal(stage(), 'answered');
    await chat.discard();
    assert.deepEqual([await text(), (await bench.changes.list(sessionId)).length], ['first\nomega\nlast\n', 1]);
    assert.deepEqual([threads.length, chat.sessionId], [0, sessionId]);
    await bench.changes.keep(sessionId, null);
    bench.double.script.push('It is the last line.');
    await send('What does this line do?');
    assert.notEqual(chat.sessionId, sessionId);
  });

  for (const [answer, after] of [
    ['discard', 'first\nomega\nmiddle\nlast\n'],
    ['accept', 'first\nomega\nmiddle\nend\n'],
  ] as const)
    it(`${answer}s only what the last message changed`, async () => {
      await writeFile(bench.file('a.txt'), 'first\nalpha\nmiddle\nlast\n');
      const sessionId = await changeFirst(3);
      bench.double.script.push([edit('last', 'end')], 'Done. [TASK_COMPLETE]');
      await send('And the last');
      assert.equal(shown()[0]?.at(-1), 'Ollama Copilot: Done. | 1 line added, 1 removed');
      await chat[answer]();
      await review.startReview(sessionId);
      const pending = review.getState(bench.file('a.txt'))?.hunks.map(({ newLines }) => newLines.join());
      assert.deepEqual([await text(), pending], [after, ['omega']]);
      assert.deepEqual([threads.length, chat.sessionId], [0, sessionId]);
      await bench.changes.keep(sessionId, null);
    });

  it('opens one text box if the shortcut is pressed twice', async () => {
    await changeFirst();
    await chat.close();
    await Promise.all([chat.open(undefined), chat.open(undefined)]);
    assert.deepEqual(shown(), [['ask', '[Describe a change or ask a question]']]);
    await bench.changes.keep(chat.sessionId ?? '', null);
  });

  it('undoes no earlier change while the text box is open elsewhere or the message cannot be sent', async () => {
    const sessionId = await changeFirst();
    const { controller } = services;
    services.controller = Object.assign(Object.create(controller) as typeof controller, {
      send: () => Promise.reject(new Error('not sent')),
    });
    for (const fail of [false, true]) {
      await chat.open(undefined);
      if (fail) await assert.rejects(chat.send({ body: 'What is it?' }), /not sent/);
      await chat.regenerate();
      await chat.discard();
      assert.deepEqual([await text(), (await bench.changes.list(sessionId)).length], ['first\nomega\nlast\n', 1]);
    }
    await bench.changes.keep(sessionId, null);
  });

  it('answers a question in the thread, without commands or images of the model', async () => {
    bench.double.script.push('It names [a thing](command:evil). ![x](https://example.com/x.png)');
    await send('What is alpha?');
    assert.deepEqual(shown(), [
      [
        'answered',
        'You: What is alpha? | ',
        'Ollama Copilot: It names [a thing](command:evil). !\u200b[x](https://example.com/x.png) | ',
      ],
    ]);
    const body = threads[0]?.comments[1]?.body as { isTrusted?: unknown; supportHtml?: unknown };
    assert.deepEqual([body.isTrusted, body.supportHtml], [false, false]);
    await chat.cancel();
    assert.equal(threads.length, 0);
  });

  it('asks a follow-up question in the same session, wherever the cursor is', async () => {
    bench.double.script.push('A Greek letter.');
    await send('What is alpha?');
    const { sessionId } = chat;
    place(2, 2, false);
    await chat.followUp();
    assert.deepEqual([threads.length, shown()[0]?.at(-1)], [1, '[Ask a follow-up question or describe a change]']);
    await chat.cancel();
    assert.deepEqual([shown()[0]?.length, chat.sessionId], [3, sessionId]);
    await chat.followUp();
    bench.double.script.push('It is beta.');
    await chat.send({ body: 'And the next?' });
    assert.deepEqual(shown(), [['answered', 'You: And the next? | ', 'Ollama Copilot: It is beta. | ']]);
    assert.equal(chat.sessionId, sessionId);
    assert.match(JSON.stringify(bench.chats().at(-1)), /What is alpha\?.*A Greek letter\..*And the next\?/);
    await chat.followUp();
    await chat.cancel(threads[0]);
    assert.equal(threads.length, 0);
    await chat.followUp();
    assert.equal(threads.length, 0);
  });

  it('applies a code block, and does not show it again', async () => {
    bench.double.script.push('Here:\n\n```txt\nomega\n```\n');
    await send('Call it omega');
    assert.equal(await text(), 'first\nomega\nlast\n');
    assert.equal(shown()[0]?.at(-1), 'Ollama Copilot: Here: | 1 line added, 1 removed');
    await chat.discard();
  });

  it('sends the file and the line of the cursor where nothing is selected', async () => {
    place(1, 1);
    bench.double.script.push('```txt\nbeta\n```');
    await send('Add beta');
    assert.deepEqual(
      given.map(({ kind }) => kind),
      ['file'],
    );
    assert.match(JSON.stringify(bench.chats().at(-1)), /Open in the editor: a\.txt \(plaintext, the cursor is in line 2\)/);
    assert.equal(await text(), 'first\nalpha\nbeta\nlast\n');
    await chat.discard();
  });

  it('shows a run, which Stop ends, and a failure, after which Regenerate tries again', async () => {
    const pause = hold();
    bench.double.script.push([pause.step, edit('alpha', 'omega')]);
    await chat.open(undefined);
    const asked = bench.chats().length;
    const sent = chat.send({ body: 'Call it omega' });
    await until(() => bench.chats().length > asked);
    assert.deepEqual(shown(), [['running', 'You: Call it omega | ', 'Ollama Copilot:  | Working…']]);
    await chat.stop();
    await sent;
    pause.release();
    assert.deepEqual([await text(), stage()], ['first\nalpha\nlast\n', 'answered']);
    bench.double.script.push([{ error: 'it is broken', status: 400 }]);
    await chat.regenerate();
    assert.equal(stage(), 'failed');
    assert.match(shown()[0]?.at(-1) ?? '', /it is broken.* \| Failed$/);
    bench.double.script.push([edit('alpha', 'omega')], 'Renamed it. [TASK_COMPLETE]');
    await chat.regenerate();
    assert.equal(stage(), 'changed');
    await chat.discard();
  });

  it('sends nothing and shows nothing if it is closed while the user is asked about the file', async () => {
    const asked = bench.chats().length;
    for (const isSent of [true, false]) {
      let answer = (): void => undefined;
      services.attachments.check = (item) =>
        new Promise((resolve) => (answer = () => resolve(isSent ? { ...item, path: 'a.txt' } : null)));
      await chat.open(undefined);
      const sent = chat.send({ body: 'Call it omega' });
      await chat.close();
      answer();
      await sent;
      assert.deepEqual([threads.length, chat.sessionId, bench.chats().length], [0, null, asked]);
    }
  });

  it('stops a run that begins after Discard', async () => {
    const pause = hold();
    bench.double.script.push([pause.step, edit('alpha', 'omega')]);
    await chat.open(undefined);
    const { controller } = services;
    let begun = '';
    let report = (): void => undefined;
    const reported = new Promise<void>((resolve) => (report = resolve));
    services.controller = {
      resend: controller.resend.bind(controller),
      stop: controller.stop.bind(controller),
      runState: controller.runState.bind(controller),
      onDidChangeRunState: controller.onDidChangeRunState,
      send: async (input) => {
        const run = await controller.send(input);
        begun = run.sessionId;
        await reported;
        return run;
      },
    };
    const sent = chat.send({ body: 'Call it omega' });
    await until(() => begun !== '');
    await chat.discard();
    report();
    await until(async () => (await bench.controller.runState(begun)).state === 'idle');
    pause.release();
    await sent;
    assert.deepEqual([await text(), await bench.changes.list(begun)], ['first\nalpha\nlast\n', []]);
  });

  it('closes when the changes are answered in the file', async () => {
    bench.double.script.push([edit('alpha', 'omega')], 'Renamed it. [TASK_COMPLETE]');
    await send('Call it omega');
    await bench.changes.keep(chat.sessionId ?? '', null);
    await until(() => threads.length === 0);
    assert.equal(stage(), '');
  });

  it('sends nothing without words or without a file, and asks again where the file is kept back', async () => {
    const before = bench.chats().length;
    await send('  ');
    assert.equal(threads.length, 0);
    isAllowed = false;
    await send('Call it omega');
    assert.deepEqual(shown(), [['ask', '[Describe a change or ask a question]']]);
    await chat.cancel();
    inEditor.activeTextEditor = undefined;
    await assert.rejects(chat.open(undefined), /No file/);
    assert.equal(bench.chats().length, before);
  });
});
