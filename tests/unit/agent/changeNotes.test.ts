import assert from 'node:assert/strict';
import type { EntryInput, EntryOf } from '../../../src/protocol/entries';
import { historyForNextAnswer, buildHistory } from '../../../src/protocol/history';
import type { WireMessage } from '../../../src/types/ollama';
import { entries } from '../../support/entries';

type Review = EntryOf<'review'>['data'];

const user = (content: string): EntryInput => ({ type: 'user_input', content, data: { mode: 'agent', attachments: [] } });
const text = (content: string): EntryInput => ({ type: 'assistant_output', content, data: { end: 'complete' } });
const call = (callId: string): EntryInput => ({
  type: 'tool_call',
  data: { callId, name: 'read_file', input: { path: 'a.txt' } },
});
const result = (callId: string): EntryInput => ({
  type: 'tool_result',
  content: 'alpha',
  data: { callId, name: 'read_file', status: 'success' },
});
const review = (action: Review['action'], paths: string[], more: Partial<Review> = {}): EntryInput => ({
  type: 'review',
  data: { action, scope: 'file', paths, ...more },
});
const marker = (throughSeq: number): EntryInput => ({
  type: 'compact_marker',
  data: { compactedCount: throughSeq, throughSeq, summary: 'Done so far.' },
});

const undone = (...lines: string[]) =>
  [
    '(I have undone changes of yours. Do not make them again unless I ask for them:',
    ...lines,
    'Read these files again before you rely on what you know of them.)',
  ].join('\n');
const last = (messages: readonly WireMessage[]) => messages.at(-1)?.content ?? '';
const told = (...log: EntryInput[]) => last(buildHistory(entries(user('Go'), text('Done.'), ...log, user('Next'))));

describe('What the model is told of its changes', () => {
  it('names those that were undone, with the next message', () => {
    assert.equal(
      told(review('undo', ['src/a.ts', 'b.txt'])),
      `${undone('- src/a.ts: your changes', '- b.txt: your changes')}\n\nNext`,
    );
  });

  it('says where only a part was undone, once a file', () => {
    const hunk = review('undo', ['a.txt'], { scope: 'hunk' });
    assert.equal(told(hunk, hunk), `${undone('- a.txt: a part of your changes')}\n\nNext`);
  });

  it('says which hunks were undone, each in a short line, a bounded number of them', () => {
    const at = (line: number) => ({ path: 'a.txt', id: String(line), line, additions: 2, deletions: 1, text: 'const `x` = 1;' });
    const hunk = review('undo', ['a.txt'], { scope: 'hunk', hunks: [at(3), at(9)] });
    const line = (place: number) => `- a.txt line ${place}: +2 -1 \`const 'x' = 1;\``;
    assert.equal(told(hunk), `${undone(line(3), line(9))}\n\nNext`);
    const many = Array.from({ length: 50 }, (_unused, index) => at(index + 1));
    const lines = told(review('undo', ['a.txt'], { scope: 'hunk', hunks: many })).split('\n');
    assert.deepEqual([lines.length, lines[21]], [25, '- and 30 more']);
  });

  it('is nothing of what was kept, approved, or taken back before it was told', () => {
    assert.equal(told(review('keep', ['a.txt']), review('approve', ['a.txt'])), 'Next');
    assert.equal(told(review('undo', ['a.txt']), review('revert', ['a.txt'], { targetSeq: 3 })), 'Next');
    assert.equal(told(review('keep', ['a.txt']), review('revert', ['a.txt'], { targetSeq: 3 })), 'Next');
  });

  it('keeps the files that could not be taken back', () => {
    const log = [review('undo', ['a.txt', 'b.txt']), review('revert', ['b.txt'], { targetSeq: 3 })];
    assert.equal(told(...log), `${undone('- a.txt: your changes')}\n\nNext`);
  });

  it('is said once, and what comes back afterwards too', () => {
    const log = [user('Go'), text('Done.'), review('undo', ['a.txt']), user('Next'), text('I see.')];
    assert.equal(last(buildHistory(entries(...log, user('On')))), 'On');
    const back = buildHistory(entries(...log, review('revert', ['a.txt'], { targetSeq: 3 }), user('On')));
    assert.equal(
      last(back),
      '(I have brought changes of yours back that I had undone:\n- a.txt\nRead these files again before you rely on what you know of them.)\n\nOn',
    );
    assert.equal(back[2]?.content, `${undone('- a.txt: your changes')}\n\nNext`);
  });

  it('does not name changes as brought back that were undone again before it was told', () => {
    const hunk = { path: 'a.txt', id: '1', line: 3, additions: 2, deletions: 1, text: 'x' };
    for (const more of [{}, { scope: 'hunk' as const, hunks: [hunk] }]) {
      const log = [user('Go'), text('Done.'), review('undo', ['a.txt'], more), user('Next'), text('I see.')];
      const redone = [review('revert', ['a.txt'], { targetSeq: 3 }), review('undo', ['a.txt'], more)];
      const what = 'hunks' in more ? '- a.txt line 3: +2 -1 `x`' : '- a.txt: your changes';
      assert.equal(last(buildHistory(entries(...log, ...redone, user('On')))), `${undone(what)}\n\nOn`);
    }
  });

  it('comes behind the results while it works, and stays there', () => {
    const log = [user('Go'), call('1'), review('undo', ['b.txt']), call('2'), result('1'), result('2')];
    const asked = historyForNextAnswer(entries(...log));
    assert.deepEqual(
      asked.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'tool', 'user'],
    );
    assert.equal(last(asked), undone('- b.txt: your changes'));
    for (const more of [[text('I see.')], [call('3'), result('3')]]) {
      assert.deepEqual(buildHistory(entries(...log, ...more)).slice(0, asked.length), asked);
    }
  });

  it('does not make an answer a settled one that is to be given again', () => {
    const log = entries(user('Go'), text('Half'), review('undo', ['a.txt']));
    assert.deepEqual(historyForNextAnswer(log), [{ role: 'user', content: 'Go' }]);
  });

  it('outlasts a summary that knows nothing of it', () => {
    const log = [user('Go'), text('Done.'), review('undo', ['a.txt']), marker(3), user('Next')];
    assert.equal(
      last(buildHistory(entries(...log))),
      `Summary of the conversation so far:\nDone so far.\n\n${undone('- a.txt: your changes')}\n\nNext`,
    );
    assert.equal(
      last(buildHistory(entries(...log, text('Yes.'), marker(6), user('On')))),
      'Summary of the conversation so far:\nDone so far.\n\nOn',
    );
  });

  it('is short, whatever the files are called and however many there are', () => {
    const many = Array.from({ length: 30 }, (_unused, index) => `${index}.txt`);
    const lines = told(review('undo', many, { scope: 'all' })).split('\n');
    assert.deepEqual([lines.length, lines[21]], [25, '- and 10 more']);
    const long = told(review('undo', [`${'x/'.repeat(2_000)}a\nb.txt`]));
    assert.ok(long.length < 500 && long.includes('/a b.txt: your changes'), long);
  });
});
