import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { PendingEditReviewService } from '../../../src/services/review/pendingEditReviewService';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { AgentBench } from '../agent/support/agentBench';
import { FakeEditor } from './support/fakeEditor';
import { undoFiles } from './support/undoFiles';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const replace = (oldText: string, newText: string, path = 'a.txt') => call('replace_in_file', { path, oldText, newText });
const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

const kinds: [string, Buffer][] = [
  ['LF', Buffer.from(`${words.join('\n')}\n`)],
  ['CRLF', Buffer.from(`${words.join('\r\n')}\r\n`)],
  ['no line end at the end', Buffer.from(words.join('\n'))],
  ['CRLF, but none at the end', Buffer.from(words.join('\r\n'))],
  ['mixed line ends', Buffer.from('one\r\ntwo\nthree\r\nfour\r\nfive\r\nsix\nseven\r\neight\r\nnine\r\n')],
  ['a byte order mark', Buffer.from(`\ufeff${words.join('\n')}\n`)],
  ['UTF-16', Buffer.from(`\ufeff${words.join('\n')}\n`, 'utf16le')],
];

describe('A review of files of every kind', () => {
  let bench: AgentBench;
  let review: PendingEditReviewService;
  let file: string;

  afterEach(async () => {
    await bench.checkReferences();
    await review.dispose();
    await bench.stop();
  });

  async function start(content: Buffer | null, calls: ReturnType<typeof call>[], name = 'a.txt'): Promise<string> {
    const editor = new FakeEditor();
    const models = [{ name: 'worker', capabilities: ['completion' as const, 'tools' as const], contextLength: 32_768 }];
    bench = await AgentBench.start({ models, editors: editor.files, settings: { 'agent.loadTools': false } });
    file = bench.file(name);
    if (content !== null) writeFileSync(file, content);
    bench.double.script.push(...calls.map((one) => [one]), 'Done.');
    const sessionId = await bench.ask('Do it');
    review = new PendingEditReviewService(
      { changes: bench.changes, sessionOf: async () => undefined },
      editor,
      systemClock,
      silentLogger,
    );
    await review.startReview(sessionId);
    return sessionId;
  }

  const hunks = (): string[] =>
    (review.getState(file)?.hunks ?? []).map(({ oldLines, newLines }) => `${oldLines.join()}>${newLines.join()}`);
  const idAt = (index: number): string => review.getState(file)?.hunks[index]?.id ?? '';

  for (const [title, content] of kinds) {
    it(`brings bytes back, whether by hunks or after one was kept: ${title}`, async () => {
      await start(content, [replace('two', 'zwei'), replace('five', 'fünf\nmore'), replace('nine', 'neun')]);
      assert.deepEqual(hunks(), ['two>zwei', 'five>fünf,more', 'nine>neun']);
      const changed = readFileSync(file);
      await review.undoHunk(file, idAt(1));
      await review.undoHunk(file, idAt(1));
      await review.undoHunk(file, idAt(0));
      assert.deepEqual(readFileSync(file), content);
      const sessionId = review.session?.sessionId ?? '';
      const undos = (await bench.database.log.read(sessionId, 0)).entries.filter((entry) => entry.type === 'review');
      for (const { seq } of undos.toReversed()) await bench.changes.revertAnswer(sessionId, seq);
      await review.refresh();
      assert.deepEqual([readFileSync(file), hunks().length], [changed, 3]);

      await review.keepHunk(file, idAt(0));
      await review.undoHunk(file, idAt(1));
      await undoFiles(bench.changes, review, null);
      const encoding = title === 'UTF-16' ? 'utf16le' : 'utf8';
      assert.deepEqual(readFileSync(file), Buffer.from(content.toString(encoding).replace('two', 'zwei'), encoding));
    });
  }

  it('takes a created file away with its only hunk, and keeps parts of it', async () => {
    await start(null, [call('create_file', { path: 'new.txt', content: 'a\nb\nc\n' })], 'new.txt');
    assert.deepEqual([hunks(), review.getState(file)?.status, review.getState(file)?.additions], [['>a,b,c'], 'created', 3]);
    await review.undoHunk(file, idAt(0));
    assert.deepEqual([existsSync(file), review.getState(file)], [false, undefined]);
    const sessionId = review.session?.sessionId ?? '';
    const undo = (await bench.database.log.read(sessionId, 0)).entries.findLast((entry) => entry.type === 'review');
    await bench.changes.revertAnswer(sessionId, undo?.seq ?? 0);
    await review.refresh();
    await review.keepHunk(file, idAt(0), { start: 1, end: 2 });
    await undoFiles(bench.changes, review, null);
    assert.equal(readFileSync(file, 'utf8').trim(), 'b');
  });

  it('answers a deleted file, a notebook and what is no text as a whole', async () => {
    await start(Buffer.from('x\n'), [call('delete_file', { path: 'a.txt' })]);
    const { level, status, deletions } = review.getState(file) ?? {};
    assert.deepEqual([level, status, deletions], ['file', 'deleted', 1]);
    await undoFiles(bench.changes, review, [file]);
    assert.equal(readFileSync(file, 'utf8'), 'x\n');
    writeFileSync(bench.file('n.ipynb'), '{"cells": [1]}\n');
    bench.double.script.push([replace('[1]', '[2]', 'n.ipynb')], 'Done.');
    await bench.ask('Go on', { sessionId: review.session?.sessionId ?? '' });
    await review.refresh();
    assert.deepEqual(
      [review.getState(bench.file('n.ipynb'))?.level, review.getState(bench.file('n.ipynb'))?.hunks],
      ['file', []],
    );
  });

  it('has the hunks of a renamed file, and goes on waiting as renamed', async () => {
    const content = `${words.join('\n')}\n`;
    await start(
      Buffer.from(content),
      [
        call('rename_file', { path: 'a.txt', newPath: 'b.txt' }),
        replace('two', 'zwei', 'b.txt'),
        replace('six', 'sechs', 'b.txt'),
      ],
      'a.txt',
    );
    file = bench.file('b.txt');
    assert.deepEqual([hunks(), review.getState(file)?.from], [['two>zwei', 'six>sechs'], 'a.txt']);
    await review.keepHunk(file, idAt(0));
    await review.undoHunk(file, idAt(0));
    assert.deepEqual([hunks(), review.getState(file)?.status], [[], 'renamed']);
    await undoFiles(bench.changes, review, null);
    assert.deepEqual([readFileSync(bench.file('a.txt'), 'utf8'), existsSync(file)], [content.replace('two', 'zwei'), false]);
  });
});
