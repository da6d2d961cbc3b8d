import { LogBuilder } from '../entries.mjs';
import { longDiff } from '../texts.mjs';
import { ask, now, session } from './base.mjs';
import { leftOut, nothingLeftOut } from './checkpointSettings.mjs';
import { edited, titleBefore } from './tasks.mjs';

const hunks = [
  {
    id: 'h1',
    line: 4,
    text: "import { validateAddress, validatePassword, type Problem } from './validate';",
    additions: 1,
    deletions: 1,
  },
  {
    id: 'h2',
    line: 31,
    text: 'const problems = [...validateAddress(form), ...validatePassword(form)];',
    additions: 3,
    deletions: 1,
  },
  { id: 'h3', line: 90, text: 'return problems.map(({ text }) => text);', additions: 20, deletions: 1 },
];

const changed = [
  ['src/signup.ts', 'modified', 24, 3, [4, 31, 90]],
  ['src/validate.ts', 'created', 15, 0, [1]],
  ['src/components/forms/accounts/registration/fields/EmailAddressField.vue', 'modified', 2, 40, [12]],
  ['docs/old.md', 'deleted', 0, 61, [1]],
  ['src/forms/rules.ts', 'renamed', 2, 0, [1], 'src/forms/helpers/rulesOfTheForms.ts'],
].map(([shown, status, additions, deletions, places, from]) => ({
  path: `/workspace/${shown}`,
  shown,
  status,
  lines: { additions, deletions },
  places,
  ...(from && { from }),
  ...(shown === 'src/signup.ts' && { hunks }),
}));

const toRestore = [
  ['src/signup.ts', 'write', null],
  ['src/validate.ts', 'delete', null],
  ['src/components/forms/accounts/registration/fields/EmailAddressField.vue', 'conflict', 'changedSince'],
  ['docs/old.md', 'create', null],
  ['notes.md', 'conflict', 'unsaved'],
  ['assets/intro.mp4', 'keep', 'notStored'],
].map(([shown, action, reason]) => ({
  file: `/workspace/${shown}`,
  shown,
  action,
  reason,
  exists: action !== 'create',
  hash: action === 'delete' ? null : 'abc',
  ...(action === 'conflict' && { isByHand: true }),
}));

const workSession = {
  name: 'session_1',
  approvedCheckpointId: 'ckpt_0',
  lastApprovedAt: null,
  count: 4,
  earlier: [],
  files: [
    ['src/signup.ts', 'modified', 24, 3, { source: 'agent' }],
    ['src/validate.ts', 'created', 15, 0, { source: 'agent' }],
    ['package-lock.json', 'modified', 310, 12, { source: 'command' }],
    ['dist/bundle.js', 'created', 2204, 0, {}],
  ].map(([shown, status, additions, deletions, more]) => ({
    path: `/workspace/${shown}`,
    shown,
    status,
    lines: { additions, deletions },
    hash: 'abc',
    ...more,
  })),
};

export const reviewScenarios = {
  edits: {
    ...session(
      new LogBuilder()
        .user(ask)
        .call('c1', 'replace_in_file', { path: 'src/signup.ts', oldText: 'a', newText: 'b' }, 'src/signup.ts')
        .add('file_edit', '', edited('c1', 'src/signup.ts', 'modify', longDiff, 9, 5))
        .result('c1', 'replace_in_file', 'Changed.', { summary: '+9 −5' })
        .answer('It has a better name elsewhere.')
        .call(
          'c2',
          'rename_file',
          { path: 'src/validate.ts', newPath: 'src/forms/validateEverything.ts' },
          'src/validate.ts → src/forms/validateEverything.ts',
        )
        .add('file_edit', '', {
          ...edited('c2', 'src/validate.ts', 'rename', '', 0, 0),
          newPath: 'src/forms/validateEverything.ts',
        })
        .result('c2', 'rename_file', 'Renamed.', { summary: 'to src/forms/validateEverything.ts' })
        .answer('And what nobody needs goes.')
        .call('c3', 'delete_file', { path: 'src/old.ts' }, 'src/old.ts')
        .add(
          'file_edit',
          '',
          edited('c3', 'src/old.ts', 'delete', '--- a/src/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n', 0, 1),
        )
        .result('c3', 'delete_file', 'Deleted.', { summary: '−1' })
        .done(),
      {},
    ),
    do: ['click Edited signup.ts', 'click Deleted old.ts', 'top'],
  },
  changes: {
    ...session(
      new LogBuilder()
        .user(ask)
        .answer('The form now checks what is typed.')
        .add('review', '', {
          action: 'keep',
          scope: 'file',
          paths: ['packages/website/src/components/forms/tests/signup.test.ts'],
        })
        .add('review', '', { action: 'undo', scope: 'all', paths: ['a.md', 'b.md'] })
        .add('review', '', { action: 'revert', scope: 'all', paths: ['a.md', 'b.md'], targetSeq: 4 })
        .done(),
      {},
      { changed, revertible: [3] },
    ),
    do: ['position 2 7', 'click Changes in src/signup.ts'],
  },
  'work-session': {
    ...session(
      new LogBuilder().user(ask).answer('The form now checks what is typed.').done(),
      {},
      { changed: changed.slice(0, 2), workSession },
    ),
    do: ['click 4 files changed in this work session'],
  },
  'work-session-only': {
    ...session(
      new LogBuilder()
        .user(ask)
        .answer('The form now checks what is typed.')
        .done()
        .add('review', '', { action: 'approve', scope: 'all', paths: ['src/signup.ts'], workSession: 'session_1' }),
      {},
      { workSession },
    ),
  },
  'work-session-history': {
    ...session(
      new LogBuilder().user(ask).answer('The form now checks what is typed.').done(),
      {},
      {
        changed: changed.slice(0, 1),
        workSession: {
          ...workSession,
          name: 'session_3',
          earlier: [
            { name: 'session_2', outcome: 'reset', closedAt: now - 4e6, message: null, checkpointId: null },
            { name: 'session_1', outcome: 'approved', closedAt: now - 9e7, message: 'The form', checkpointId: 'ckpt_1' },
          ],
        },
      },
    ),
    do: ['click 4 files changed in this work session', 'click Work session 3 active'],
  },
  'restore-plan': {
    ...session(
      new LogBuilder().user(ask).answer('The form now checks what is typed.').done(),
      {},
      { changed, plan: { title: titleBefore, files: toRestore, leftOut: { ...leftOut, count: 5, unstableCount: 1 } } },
    ),
    do: ['focus Restore checkpoint', 'click Restore checkpoint'],
  },
  'restore-plan-left-out': {
    ...session(
      new LogBuilder().user(ask).answer('The form now checks what is typed.').done(),
      {},
      { changed, plan: { title: titleBefore, files: toRestore.slice(0, 2), leftOut } },
    ),
    do: [
      'click Restore checkpoint',
      'click 19 files are not in this checkpoint · 4 files changed while the checkpoint was created',
    ],
  },
  'restore-plan-empty': {
    ...session(
      new LogBuilder().user(ask).answer('The form is fine as it is.').done(),
      {},
      { plan: { title: titleBefore, files: [], leftOut: nothingLeftOut } },
    ),
    do: ['focus Restore checkpoint', 'click Restore checkpoint'],
  },
  'restore-plan-closed-folder': {
    ...session(
      new LogBuilder().user(ask).answer('The form is fine as it is.').done(),
      {},
      { plan: { title: titleBefore, files: [], leftOut: nothingLeftOut, closedFolders: ['/home/robin/code/signup-form'] } },
    ),
    do: ['focus Restore checkpoint', 'click Restore checkpoint'],
  },
  restored: {
    ...session(
      new LogBuilder()
        .user(ask)
        .answer('The form now checks what is typed.')
        .done()
        .add('restore', '', {
          targetCheckpointId: 'ckpt_0',
          paths: ['src/signup.ts', 'src/validate.ts'],
          operationId: 'o1',
          title: titleBefore,
          left: [
            { path: 'notes.md', reason: 'unsaved' },
            { path: 'assets/intro.mp4', reason: 'notStored' },
          ],
        })
        .add('restore', '', {
          targetCheckpointId: 'ckpt_9',
          paths: ['src/signup.ts', 'src/validate.ts'],
          operationId: 'o2',
          undoes: 'o1',
          left: [],
        })
        .add('restore', '', {
          targetCheckpointId: 'ckpt_0',
          paths: ['src/signup.ts'],
          operationId: 'o3',
          title: titleBefore,
          left: [],
          fromSeq: 1,
        }),
    ),
  },
};
