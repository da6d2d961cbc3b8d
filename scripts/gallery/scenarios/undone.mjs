import { LogBuilder } from '../entries.mjs';
import { longDiff } from '../texts.mjs';
import { ask, now, running, session } from './base.mjs';
import { nothingLeftOut } from './checkpointSettings.mjs';
import { approval, edited, ran, worked } from './tasks.mjs';

const title = 'Before user message: Add input validation to the signup form';
const paths = ['src/signup.ts', 'src/validate.ts'];

const answered = () => new LogBuilder().user(ask).answer('The form now checks what is typed.').done();
const restored = () => answered().add('restore', '', { targetCheckpointId: 'ckpt_0', paths, operationId: 'o1', title, left: [] });

const planned = (of) => ({
  title: of,
  leftOut: nothingLeftOut,
  // Without the edits of the user, nothing is asked.
  files: paths.map((shown, index) => ({
    ...{ file: `/workspace/${shown}`, shown, exists: true, hash: 'abc' },
    ...(index === 0 ? { action: 'conflict', reason: 'changedSince', isByHand: true } : { action: 'write', reason: null }),
  })),
});

/** What was undone, restored, replaced, or stopped, and what is asked before it. */
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
        ...{ targetCheckpointId: 'ckpt_9', paths: paths.slice(0, 1), operationId: 'o2', undoes: 'o1', left: [] },
      })
      .user('Go on with the login form')
      .answer('It has the same fields.')
      .done(),
  ),
  'undo-restore-plan': { ...session(restored(), {}, { plan: planned(title) }), do: ['click Undo restore'] },
  'undo-command-plan': {
    ...session(
      ran()
        .add('checkpoint', '', {
          ...{ kind: 'command_after', title: 'After command: npm test -- signup' },
          command: {
            ...{ callId: 'c5', before: 'ckpt_1', after: 'ckpt_2', count: 2 },
            files: paths.map((path) => ({ path, status: 'modified', lines: { additions: 4, deletions: 2 } })),
          },
        })
        .answer('One test fails.')
        .done(),
      {},
      { plan: planned('Before command: npm test -- signup') },
    ),
    do: ['click Undo command'],
  },
  'background-stopped': session(
    new LogBuilder()
      .user('Start the development server')
      .call('c1', 'run_terminal_command', { command: 'npm run dev', background: true }, 'npm run dev')
      .result('c1', 'run_terminal_command', 'Running in the background as terminal-1a2b (process 4711).', {
        ...{ summary: 'in the background', display: '> vite', details: { background: 'terminal-1a2b' } },
      })
      .answer('It listens on port 5173.')
      .done(),
    {},
    { background: [{ id: 'terminal-1a2b', command: 'npm run dev', isStopped: true }] },
  ),
  'approval-edit-grave': session(
    worked().add(
      'approval',
      '',
      approval({
        ...{
          kind: 'edit',
          command: undefined,
          cwd: undefined,
          severity: 'high',
          path: '/home/robin/.bashrc',
          operation: 'modify',
        },
        ...{ diff: longDiff, reasons: ['outside the workspace', 'runs commands when a shell starts'] },
      }),
    ),
    running({ kind: 'waitingForApproval', since: now }),
  ),
};
