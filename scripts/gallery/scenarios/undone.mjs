import { LogBuilder } from '../entries.mjs';
import { longDiff } from '../texts.mjs';
import { ask, session } from './base.mjs';
import { nothingLeftOut } from './checkpointSettings.mjs';
import { edited, ranWithChanges, startedServer, titleBefore } from './tasks.mjs';

const paths = ['src/signup.ts', 'src/validate.ts'];

const restored = () =>
  new LogBuilder()
    .user(ask)
    .answer('The form now checks what is typed.')
    .done()
    .add('restore', '', { targetCheckpointId: 'ckpt_0', paths, operationId: 'o1', title: titleBefore, left: [] });

const planned = (title) => ({
  title,
  leftOut: nothingLeftOut,
  // Without edits by the user, no question is asked.
  files: paths.map((shown, index) => ({
    file: `/workspace/${shown}`,
    shown,
    exists: true,
    hash: 'abc',
    ...(index === 0 ? { action: 'conflict', reason: 'changedSince', isByHand: true } : { action: 'write', reason: null }),
  })),
});

/** States after an undo, a restore, a replacement or a stop, and the plans before them. */
export const undoneScenarios = {
  retried: session(
    new LogBuilder()
      .user(ask)
      .call('c1', 'replace_in_file', { path: 'src/signup.ts' }, 'src/signup.ts')
      .add('file_edit', '', edited('c1', 'src/signup.ts', 'modify', longDiff, 9, 5))
      .result('c1', 'replace_in_file', 'Changed.', { summary: '+9 −5' })
      .done()
      .add('rewind', '', { fromSeq: 1 })
      .user(ask)
      .answer('The form now checks what is typed.')
      .done(),
  ),
  'restored-partly': session(
    restored()
      .add('restore', '', {
        targetCheckpointId: 'ckpt_9',
        paths: paths.slice(0, 1),
        operationId: 'o2',
        undoes: 'o1',
        left: [],
      })
      .user('Go on with the login form')
      .answer('It has the same fields.')
      .done(),
  ),
  'undo-restore-plan': { ...session(restored(), {}, { plan: planned(titleBefore) }), do: ['click Undo restore'] },
  'undo-command-plan': {
    ...session(ranWithChanges().answer('One test fails.').done(), {}, { plan: planned('Before command: npm test -- signup') }),
    do: ['click Undo command'],
  },
  'background-stopped': session(
    startedServer().answer('It listens on port 5173.').done(),
    {},
    { background: [{ id: 'terminal-1a2b', command: 'npm run dev', isStopped: true }] },
  ),
};
