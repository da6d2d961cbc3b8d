import type { PlannedFile, RestorePlan } from '../../../src/protocol/restore';
import { nothingLeftOut, nothingUncovered } from './fakeHost';
import { TestLog } from './log';

export const file = (shown: string, more: Partial<PlannedFile> = {}): PlannedFile => ({
  file: `/w/${shown}`,
  shown,
  action: 'write',
  reason: null,
  exists: true,
  hash: 'abc',
  ...more,
});
/** A restore plan with a file for each action. */
export const plan: RestorePlan = {
  title: 'Before user message: Do it',
  files: [
    file('a.ts'),
    file('b.ts', { action: 'create', exists: false }),
    file('c.ts', { action: 'delete', hash: null }),
    file('d.ts', { action: 'conflict', reason: 'changedSince', isByHand: true }),
    file('e.bin', { action: 'keep', reason: 'notStored' }),
  ],
  leftOut: nothingLeftOut,
  uncovered: nothingUncovered,
};

/** A turn with a checkpoint before it. */
export function log(): TestLog {
  const entries = new TestLog();
  entries.user('Do it').checkpointId = 'ckpt_1';
  entries.add('assistant_output', 'Done.', { end: 'complete' });
  entries.add('run_end', '', { outcome: 'done' });
  return entries;
}
