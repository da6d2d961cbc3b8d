import assert from 'node:assert/strict';
import type { EntryData, EntryInput } from '../../../src/protocol/entries';
import { buildHistory } from '../../../src/protocol/history';
import { reduceTimeline } from '../../../src/protocol/reducer/timelineReducer';
import { entries } from '../../support/entries';

const user = (content: string, checkpointId: string): EntryInput => ({
  type: 'user_input',
  content,
  checkpointId,
  data: { mode: 'agent', attachments: [] },
});
const edit = (path: string, newPath?: string): EntryInput => ({
  type: 'file_edit',
  data: {
    callId: path,
    path,
    operation: 'modify',
    diff: '',
    beforeHash: null,
    afterHash: null,
    additions: 1,
    deletions: 0,
    ...(newPath !== undefined && { newPath }),
  },
});
const rewind = (fromSeq: number): EntryInput => ({ type: 'rewind', data: { fromSeq } });
const undo = (...paths: string[]): EntryInput => ({ type: 'review', data: { action: 'undo', scope: 'file', paths } });
const redo = (targetSeq: number, path: string): EntryInput => ({
  type: 'review',
  data: { action: 'revert', scope: 'file', paths: [path], targetSeq },
});
const restore = (targetCheckpointId: string, more: Partial<EntryData<'restore'>> = {}): EntryInput => ({
  type: 'restore',
  data: { targetCheckpointId, paths: ['a.ts'], operationId: 'r', ...more },
});

/** A message at `seq` 1 with two file edits. `again` then replaces the message. */
const first = [user('Do it', 'ckpt_1'), edit('a.ts'), edit('old.ts', 'new.ts')];
const again = [rewind(1), user('Do it', 'ckpt_2')];

describe('a message that was sent again', () => {
  const cases: { title: string; log: EntryInput[]; checkpointId: string; left: string[] | undefined; told: string[] }[] = [
    {
      title: 'has no earlier answer the first time',
      log: first,
      checkpointId: 'ckpt_1',
      left: undefined,
      told: [],
    },
    {
      title: 'keeps its first checkpoint and names what is left',
      log: [...first, ...again],
      checkpointId: 'ckpt_1',
      left: ['a.ts', 'new.ts'],
      told: ['a.ts', 'new.ts'],
    },
    {
      title: 'keeps them over several attempts',
      log: [...first, ...again, edit('b.ts'), rewind(5), user('Do that', 'ckpt_3'), edit('c.ts')],
      checkpointId: 'ckpt_1',
      left: ['a.ts', 'new.ts', 'b.ts'],
      told: ['a.ts', 'new.ts', 'b.ts'],
    },
    {
      title: 'names nothing if no file was changed',
      log: [user('Do it', 'ckpt_1'), ...again],
      checkpointId: 'ckpt_1',
      left: undefined,
      told: [],
    },
    {
      title: 'leaves out what was undone before',
      log: [...first, undo('a.ts'), ...again],
      checkpointId: 'ckpt_1',
      left: ['new.ts'],
      told: ['new.ts'],
    },
    {
      title: 'names what was undone and brought back',
      log: [...first, undo('a.ts', 'new.ts'), redo(4, 'a.ts'), ...again],
      checkpointId: 'ckpt_1',
      left: ['a.ts'],
      told: ['a.ts'],
    },
    {
      title: 'leaves out what was restored before',
      log: [...first, restore('ckpt_1'), ...again],
      checkpointId: 'ckpt_1',
      left: ['new.ts'],
      told: ['new.ts'],
    },
    {
      title: 'names what was restored to a later state, or whose restore was undone',
      log: [...first, restore('ckpt_1'), restore('x', { undoes: 'r', operationId: 'u' }), restore('ckpt_9'), ...again],
      checkpointId: 'ckpt_1',
      left: ['new.ts', 'a.ts'],
      told: ['new.ts', 'a.ts'],
    },
    {
      title: 'no longer shows what is undone later; what the model was told stays',
      log: [...first, ...again, undo('a.ts')],
      checkpointId: 'ckpt_1',
      left: ['new.ts'],
      told: ['a.ts', 'new.ts'],
    },
  ];
  for (const { title, log, checkpointId, left, told } of cases) {
    it(title, () => {
      const list = entries(...log);
      const shown = reduceTimeline(list, { isLive: false }).turns.at(-1)?.user;
      assert.deepEqual([shown?.checkpointId, shown?.leftPaths], [checkpointId, left]);
      const said = buildHistory(list).at(-1)?.content ?? '';
      assert.deepEqual(
        [...said.matchAll(/^- (.*)$/gm)].map(([, path]) => path),
        told,
      );
      assert.equal(said.includes('still in these files'), told.length > 0);
    });
  }
});
