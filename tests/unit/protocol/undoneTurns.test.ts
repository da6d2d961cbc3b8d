import assert from 'node:assert/strict';
import type { EntryData, EntryInput } from '../../../src/protocol/entries';
import { buildHistory } from '../../../src/protocol/history';
import { createTimelineReducer } from '../../../src/protocol/reducer/timelineMemo';
import { reduceTimeline } from '../../../src/protocol/reducer/timelineReducer';
import { selectTodos } from '../../../src/protocol/timeline';
import { entries } from '../../support/entries';

const user = (content: string): EntryInput => ({ type: 'user_input', content, data: { mode: 'agent', attachments: [] } });
const text = (content: string): EntryInput => ({ type: 'assistant_output', content, data: { end: 'complete' } });
const restore = (operationId: string, more: Partial<EntryData<'restore'>> = {}): EntryInput => ({
  type: 'restore',
  data: { targetCheckpointId: 'c', paths: ['a.ts'], operationId, left: [], ...more },
});
/** Data of a restore of two files. `other` is the second of them. */
const both = { paths: ['a.ts', 'b.ts'] };
const other = { paths: ['b.ts'] };
const kept = (restoreSeq: number): EntryInput => ({ type: 'turns_kept', data: { restoreSeq } });
const rewind = (fromSeq: number): EntryInput => ({ type: 'rewind', data: { fromSeq } });
const summary = (throughSeq: number): EntryInput => ({
  type: 'compact_marker',
  data: { compactedCount: throughSeq, throughSeq, summary: 'In short' },
});
/** Two turns with the entries 1 to 4. */
const talk = [user('one'), text('First.'), user('two'), text('Second.')];

describe('turns that a restore has undone', () => {
  const cases: { title: string; log: EntryInput[]; undone: string[]; sent: string[] }[] = [
    {
      title: 'are those from its message on',
      log: [...talk, restore('r', { fromSeq: 3 })],
      undone: ['two'],
      sent: ['one', 'First.'],
    },
    {
      title: 'are those alone: what is said after it is sent',
      log: [...talk, restore('r', { fromSeq: 1 }), user('three'), text('Third.')],
      undone: ['one', 'two'],
      sent: ['three', 'Third.'],
    },
    {
      title: 'are none of a part of the files, or by the API',
      log: [...talk, restore('r')],
      undone: [],
      sent: ['one', 'First.', 'two', 'Second.'],
    },
    {
      title: 'are back when the restore is undone',
      log: [...talk, restore('r', { fromSeq: 1 }), restore('u', { undoes: 'r' })],
      undone: [],
      sent: ['one', 'First.', 'two', 'Second.'],
    },
    {
      title: 'are undone again with the restore, and what was said meanwhile too',
      log: [
        ...talk,
        restore('r', { fromSeq: 3 }),
        restore('u', { undoes: 'r' }),
        user('three'),
        restore('again', { undoes: 'u' }),
      ],
      undone: ['two', 'three'],
      sent: ['one', 'First.'],
    },
    {
      title: 'are not undone again where a file is left',
      log: [
        ...talk,
        ...[restore('r', { fromSeq: 3 }), restore('u', { undoes: 'r' })],
        restore('again', { undoes: 'u', left: [{ path: 'b.ts', reason: 'changed' }] }),
      ],
      undone: [],
      sent: ['one', 'First.', 'two', 'Second.'],
    },
    {
      title: 'stay undone where a file of the restore was not undone',
      log: [...talk, restore('r', { fromSeq: 3, ...both }), restore('u', { undoes: 'r' })],
      undone: ['two'],
      sent: ['one', 'First.'],
    },
    {
      title: 'are back when the other file of the restore is undone too',
      log: [
        ...talk,
        restore('r', { fromSeq: 3, ...both }),
        restore('u', { undoes: 'r' }),
        restore('v', { undoes: 'r', ...other }),
      ],
      undone: [],
      sent: ['one', 'First.', 'two', 'Second.'],
    },
    {
      title: 'are back when the other file of the restore was back before',
      log: [...talk, restore('r', { fromSeq: 3, ...both }), restore('u', { undoes: 'r', isWhole: true })],
      undone: [],
      sent: ['one', 'First.', 'two', 'Second.'],
    },
    {
      title: 'are not undone again where one file of two is restored again',
      log: [
        ...[...talk, restore('r', { fromSeq: 3, ...both }), restore('u', { undoes: 'r', ...both })],
        restore('again', { undoes: 'u' }),
      ],
      undone: [],
      sent: ['one', 'First.', 'two', 'Second.'],
    },
    {
      title: 'stay kept when a file of the restore is undone',
      log: [...talk, restore('r', { fromSeq: 3, ...both }), kept(5), restore('u', { undoes: 'r' })],
      undone: [],
      sent: ['one', 'First.', 'two', 'Second.'],
    },
    {
      title: 'are sent where the person keeps them',
      log: [...talk, restore('r', { fromSeq: 1 }), kept(5)],
      undone: [],
      sent: ['one', 'First.', 'two', 'Second.'],
    },
    {
      title: 'are undone by two restores, and back with the last of these',
      log: [...talk, restore('r', { fromSeq: 3 }), restore('s', { fromSeq: 1 }), restore('u', { undoes: 's' })],
      undone: ['two'],
      sent: ['one', 'First.'],
    },
    {
      title: 'take a summary along that was made in them, and what it stood for is sent',
      log: [...talk, summary(2), restore('r', { fromSeq: 3 })],
      undone: ['two'],
      sent: ['one', 'First.'],
    },
    {
      title: 'are in no summary that was made while they were undone: it stands for nothing when they are back',
      log: [...talk, restore('r', { fromSeq: 3 }), user('three'), summary(6), restore('u', { undoes: 'r' })],
      undone: [],
      sent: ['one', 'First.', 'two', 'Second.', 'three'],
    },
    {
      title: 'stay so when one of them is sent again in other words, which takes the restore out of the conversation',
      log: [...talk, restore('r', { fromSeq: 1 }), rewind(3), user('two, again'), text('Third.')],
      undone: ['one'],
      sent: ['two, again', 'Third.'],
    },
    {
      title: 'are back when the restore is undone after one of them was sent again',
      log: [...talk, restore('r', { fromSeq: 1 }), rewind(3), user('two, again'), restore('u', { undoes: 'r' })],
      undone: [],
      sent: ['one', 'First.', 'two, again'],
    },
    {
      title: 'stay kept when a later message is sent again, which takes that out of the conversation',
      log: [...talk, restore('r', { fromSeq: 1 }), kept(5), rewind(3), user('two, again')],
      undone: [],
      sent: ['one', 'First.', 'two, again'],
    },
    {
      title: 'stay kept when what was said between the restore and that is sent again',
      log: [...talk, restore('r', { fromSeq: 1 }), user('three'), kept(5), rewind(6), user('three, again')],
      undone: [],
      sent: ['one', 'First.', 'two', 'Second.', 'three, again'],
    },
  ];

  for (const { title, log, undone, sent } of cases) {
    it(title, () => {
      const all = entries(...log);
      const { turns } = reduceTimeline(all, { isLive: false });
      assert.deepEqual(
        turns.filter(({ undoneBy }) => undoneBy !== undefined).map(({ user: said }) => said?.text),
        undone,
      );
      assert.deepEqual(createTimelineReducer()(all, { isLive: false }), { turns });
      const words = buildHistory(all).map(({ content }) => content);
      const said = words.flatMap((content) => content.split('\n\n')).filter((part) => !part.startsWith('(I have brought files'));
      assert.deepEqual(said, sent);
    });
  }

  it('have no list of todos any more', () => {
    const call: EntryInput = { type: 'tool_call', data: { callId: 'c', name: 'update_todos', input: {} } };
    const todos = [{ text: 'Look', state: 'pending' as const }];
    const result: EntryInput = { type: 'tool_result', data: { callId: 'c', name: 'update_todos', status: 'success', todos } };
    const log = entries(user('one'), call, result, restore('r', { fromSeq: 1 }));
    assert.deepEqual(selectTodos(reduceTimeline(log.slice(0, 3), { isLive: false })), todos);
    assert.deepEqual(selectTodos(reduceTimeline(log, { isLive: false })), []);
  });

  it('leave the list of todos of a turn before them', () => {
    const call: EntryInput = { type: 'tool_call', data: { callId: 'c', name: 'update_todos', input: {} } };
    const todos = [{ text: 'Look', state: 'pending' as const }];
    const result: EntryInput = { type: 'tool_result', data: { callId: 'c', name: 'update_todos', status: 'success', todos } };
    const end: EntryInput = { type: 'run_end', data: { outcome: 'done' } };
    const log = entries(user('one'), call, result, end, user('two'), text('Second.'), end, restore('r', { fromSeq: 5 }));
    const shown = (count: number) => selectTodos(reduceTimeline(log.slice(0, count), { isLive: count === 6 }));
    // The second run may still change the list. Its end proves that it did not.
    assert.deepEqual([shown(6), shown(7), shown(8)], [todos, [], todos]);
  });

  it('mark their restore as undone only with the last of its files', () => {
    const log = [...talk, restore('r', both), restore('u', { undoes: 'r' }), restore('v', { undoes: 'r', ...other })];
    const marks = (count: number) =>
      reduceTimeline(entries(...log.slice(0, count)), { isLive: false }).turns.flatMap(({ blocks }) =>
        blocks.flatMap((block) => (block.kind === 'restore' ? [[block.undonePaths, block.isUndone]] : [])),
      )[0];
    assert.deepEqual([5, 6, 7].map(marks), [
      [[], false],
      [['a.ts'], false],
      [['a.ts', 'b.ts'], true],
    ]);
  });
});
