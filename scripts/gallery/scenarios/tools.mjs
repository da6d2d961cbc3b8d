import { LogBuilder } from '../entries.mjs';
import { ask, context, german, inAsk, ready, scenario, session } from './base.mjs';
import { diff } from '../texts.mjs';
import { edited, ran, ranWithChanges, startedServer } from './tasks.mjs';

/** Failed calls, in a group and alone. */
const failures = () => {
  const reason =
    'docs/fest.md ist schreibgeschützt und wurde nicht geändert. Heben Sie den Schreibschutz auf, und wiederholen Sie.';
  const error = { status: 'error', summary: reason, display: reason };
  return new LogBuilder()
    .user(ask)
    .call('f1', 'replace_in_file', { path: 'src/signup.ts' }, 'src/signup.ts')
    .add('file_edit', '', edited('f1', 'src/signup.ts', 'modify', diff, 7, 2))
    .result('f1', 'replace_in_file', 'Edited.')
    .call('f2', 'replace_in_file', { path: 'docs/fest.md' }, 'docs/fest.md')
    .result('f2', 'replace_in_file', 'failed', error)
    .answer('Noch einmal.')
    .call('f3', 'replace_in_file', { path: 'docs/fest.md' }, 'docs/fest.md')
    .result('f3', 'replace_in_file', 'failed', error)
    .call('f4', 'run_terminal_command', { command: 'read -p "Ihr Name? " n && echo "Hallo $n"' })
    .result('f4', 'run_terminal_command', '', { status: 'cancelled', summary: 'angehalten' })
    .call('f5', 'list_files', { path: '.' })
    .result('f5', 'list_files', 'a\n', { summary: '4 Einträge' });
};

export const toolsScenarios = {
  tools: {
    ...session(ran().answer('One test fails: the password rule is not called yet.').done(), {}),
    do: ['click Ran npm test -- signup', 'click Details of src/validate.ts'],
  },
  'german-failures': {
    ...session(failures().answer('Zwei Dateien sind unverändert.').done(), {}, { ready: { l10n: german } }),
  },
  'message-tools': {
    ...session(
      new LogBuilder().user(ask).answer('I would begin with the form.').done().user('And the tests?').answer('Yes.').done(),
    ),
    do: ['focus Edit and resend'],
  },
  'command-changes': {
    ...session(ranWithChanges().answer('The new pictures are in. One test fails: the password rule is not called yet.').done()),
    do: ['click Changed 4 files'],
  },
  'command-undone': session(
    ranWithChanges()
      .answer('One test fails.')
      .done()
      .add('restore', '', {
        targetCheckpointId: 'ckpt_1',
        paths: ['coverage/lcov.info'],
        operationId: 'o1',
        title: 'Before command: npm test',
        left: [],
        undoneCall: 'c5',
      }),
  ),
  'saved-histories': {
    ...session(
      ran()
        .add('checkpoint', '', {
          kind: 'command_after',
          title: 'After command: rm -rf vendor',
          command: {
            callId: 'c5',
            before: 'ckpt_1',
            after: 'ckpt_2',
            count: 0,
            files: [],
            kept: [
              { id: 1, folder: 'vendor/parser' },
              { id: 2, folder: 'vendor/assets', part: 'lfs' },
            ],
            unkept: ['vendor/huge'],
          },
        })
        .answer('The vendored copies are gone.')
        .done(),
    ),
    do: ['focus Restore Git history in “vendor/assets”'],
  },
  editing: {
    ...session(
      new LogBuilder().user(ask).answer('I would begin with the form.').done(),
      {},
      { state: { drafts: { 's1#1': `=${ask}, and to the login form as well` } } },
    ),
  },
  grants: {
    ...session(
      ran('success').answer('Both tests pass.').done(),
      {},
      {
        grants: {
          commands: true,
          sandbox: false,
          hosts: [],
          sensitiveEdits: true,
          allowedCommands: [{ command: 'npm test -- signup', cwd: '.' }],
          files: [{ pattern: '*.sql', isFree: true }],
        },
      },
    ),
  },
  'tools-list': {
    ...scenario({}),
    tools: [
      { name: 'read_file', title: 'read_file', tokens: 142, isOn: true },
      { name: 'run_terminal_command', title: 'run_terminal_command', tokens: 213, isOn: true },
      { name: 'search_codebase', title: 'search_codebase', tokens: 131, isOn: false },
      { name: 'rename_file', title: 'rename_file', tokens: 109, isOn: true },
      { name: 'issue-tracker__create_a_new_issue', title: 'create', tokens: 480, isOn: true },
    ],
    context: {
      ...context,
      tools: {
        sent: ['read_file', 'run_terminal_command'],
        loadable: ['rename_file'],
        leftOut: ['issue-tracker__create_a_new_issue'],
      },
    },
    do: ['click Tools', 'click 2 of 5 tools sent, about 1,000 tokens'],
  },
  'grants-open': {
    ...session(
      ran('success').answer('Both tests pass.').done(),
      {},
      {
        grants: {
          commands: true,
          sandbox: false,
          hosts: [],
          sensitiveEdits: false,
          allowedCommands: [
            { command: 'a', cwd: '.' },
            { command: 'b', cwd: '.' },
          ],
          files: [
            { pattern: '*.sql', isFree: true },
            { pattern: 'packages/website/src/data/**', isFree: false },
          ],
        },
      },
    ),
    do: ['click Tools'],
  },
  'grants-ask': {
    ...scenario({ ready: { ...ready, mode: 'ask', models: inAsk } }),
    do: ['click Tools'],
  },
  'grants-ask-set': {
    ...session(
      new LogBuilder().user('What is in the dumps?', 'ask').answer('Two tables of orders.').done(),
      { mode: 'ask' },
      {
        grants: {
          commands: true,
          sandbox: false,
          hosts: [],
          sensitiveEdits: false,
          allowedCommands: [],
          files: [
            { pattern: 'packages/website/src/data/a-rather-long-folder/**/*.{json,yaml}', isFree: true },
            { pattern: '*.sql', isFree: false },
          ],
        },
        ready: { mode: 'ask', models: inAsk },
      },
    ),
    do: ['click Tools'],
  },
  background: {
    ...session(
      startedServer()
        .call('c2', 'get_terminal_output', { id: 'terminal-1a2b' }, 'npm run dev')
        .result('c2', 'get_terminal_output', 'terminal-1a2b is running, for 4 s so far.', {
          summary: 'still running',
          display: 'Local: http://localhost:5173/',
          details: { background: 'terminal-1a2b' },
        })
        .answer('It listens on port 5173.')
        .done(),
      {},
      {
        background: [
          { id: 'terminal-1a2b', command: 'npm run dev' },
          {
            id: 'terminal-3c4d',
            command: 'node_modules/.bin/tsc --watch --preserveWatchOutput --project packages/signup/tsconfig.json',
          },
        ],
      },
    ),
  },
  workspaceFound: {
    ...session(
      new LogBuilder()
        .user('@workspace where are names checked?', 'ask', [
          {
            kind: 'workspace',
            path: '@workspace',
            content: '',
            places: [
              { path: 'src/signup.ts', startLine: 1, endLine: 24 },
              {
                path: 'src/components/forms/validation/aFileWithAVeryLongNameThatHasNoEndInSight.test.ts',
                startLine: 110,
                endLine: 164,
              },
              { path: 'README.md', startLine: 3, endLine: 12 },
            ],
          },
        ])
        .answer('Names are checked in `src/signup.ts`.')
        .done(),
    ),
    do: ['click Found 3 places in 3 files'],
  },
};
