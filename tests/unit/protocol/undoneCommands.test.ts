import assert from 'node:assert/strict';
import type { EntryData, EntryInput } from '../../../src/protocol/entries';
import { reduceTimeline } from '../../../src/protocol/reducer/timelineReducer';
import { entries } from '../../support/entries';

const user = (content: string): EntryInput => ({ type: 'user_input', content, data: { mode: 'agent', attachments: [] } });
const call = (callId: string): EntryInput => ({ type: 'tool_call', data: { callId, name: 'run_terminal_command', input: {} } });
const changed = (callId: string): EntryInput => ({
  type: 'checkpoint',
  data: {
    kind: 'command_after',
    title: 'After command',
    command: {
      callId,
      before: `before ${callId}`,
      after: `after ${callId}`,
      count: 1,
      files: [{ path: 'a.ts', status: 'modified', lines: null }],
    },
  },
});
const restore = (operationId: string, more: Partial<EntryData<'restore'>> = {}): EntryInput => ({
  type: 'restore',
  data: { targetCheckpointId: 'c', paths: ['a.ts'], operationId, left: [], ...more },
});
const both = { paths: ['a.ts', 'b.ts'] };
const ran = (callId: string) => [call(callId), changed(callId)];
/** Two turns with one command each. Their messages have the `seq` 1 and 4. */
const work = [user('one'), ...ran('c1'), user('two'), ...ran('c2')];

describe('the changes of a command', () => {
  const cases: { title: string; log: EntryInput[]; undone: string[] }[] = [
    { title: 'are not undone by a restore of other files', log: [...work, restore('r')], undone: [] },
    {
      title: 'are undone by their restore, also in a later turn',
      log: [...work, restore('r', { undoneCall: 'c1' })],
      undone: ['c1'],
    },
    {
      title: 'are back when the restore is undone',
      log: [...work, restore('r', { undoneCall: 'c1' }), restore('u', { undoes: 'r' })],
      undone: [],
    },
    {
      title: 'are undone again with the restore',
      log: [...work, restore('r', { undoneCall: 'c1' }), restore('u', { undoes: 'r' }), restore('again', { undoes: 'u' })],
      undone: ['c1'],
    },
    {
      title: 'are not undone again where a file is left',
      log: [
        ...[...work, restore('r', { undoneCall: 'c1' }), restore('u', { undoes: 'r' })],
        restore('again', { undoes: 'u', left: [{ path: 'b.ts', reason: 'changed' }] }),
      ],
      undone: [],
    },
    {
      title: 'are in part back when one file of the restore is undone',
      log: [...work, restore('r', { undoneCall: 'c1', ...both }), restore('u', { undoes: 'r' })],
      undone: [],
    },
    {
      title: 'are not undone again where one file of two is restored again',
      log: [
        ...[...work, restore('r', { undoneCall: 'c1', ...both }), restore('u', { undoes: 'r', ...both })],
        restore('again', { undoes: 'u' }),
      ],
      undone: [],
    },
    {
      title: 'are undone again with the last file',
      log: [
        ...work,
        restore('r', { undoneCall: 'c1', ...both }),
        restore('u', { undoes: 'r' }),
        restore('again', { undoes: 'u' }),
      ],
      undone: ['c1'],
    },
    {
      title: 'are undone with the messages from theirs on, and stay so where the messages are kept',
      log: [...work, restore('r', { fromSeq: 4 }), { type: 'turns_kept', data: { restoreSeq: 7 } }],
      undone: ['c2'],
    },
    {
      title: 'are new where a background command has changed more since',
      log: [...work, restore('r', { undoneCall: 'c1' }), changed('c1')],
      undone: [],
    },
    {
      title: 'stay undone where the message of the restore was edited',
      log: [...work, restore('r', { undoneCall: 'c1' }), { type: 'rewind', data: { fromSeq: 4 } }],
      undone: ['c1'],
    },
  ];
  for (const { title, log, undone } of cases)
    it(title, () => {
      const { turns } = reduceTimeline(entries(...log), { isLive: false });
      const actions = turns.flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === 'toolGroup' ? block.actions : [])));
      assert.deepEqual(
        actions.filter(({ changes }) => changes?.isUndone === true).map(({ callId }) => callId),
        undone,
      );
    });
});
