import { LogBuilder } from '../entries.mjs';
import { created, diff, longDiff, output, thought } from '../texts.mjs';
import { ask } from './base.mjs';

export const field = (name, title, type) => ({ name, title, type, description: '', options: [], isRequired: true });
export const askingForm = (log, more) =>
  log
    .user('Deploy it', 'agent')
    .call('c1', 'cloud__deploy', {})
    .add('question', 'The MCP server cloud asks: Where to, and how much of it?', {
      questionId: 'q1',
      callId: 'c1',
      phase: 'asked',
      options: [],
      ...more,
    });

/** Title of the checkpoint before the task. */
export const titleBefore = `Before user message: ${ask}`;

export const worked = () =>
  new LogBuilder()
    .user(ask)
    .thought(thought, 6)
    .answer("I'll look at the form and its tests first.")
    .call('c1', 'read_file', { path: 'src/signup.ts', startLine: 1, endLine: 80 }, 'src/signup.ts 1–80')
    .result('c1', 'read_file', 'export async function submit() {}\n'.repeat(80), {
      summary: 'lines 1–80 of 214',
      details: { path: 'src/signup.ts', startLine: 1, endLine: 80 },
    })
    .call('c2', 'read_file', { path: 'packages/website/src/components/forms/tests/signup.test.ts' }, 'tests/signup.test.ts')
    .result('c2', 'read_file', 'test()', { summary: '41 lines' })
    .call('c3', 'replace_in_file', { path: 'src/signup.ts' }, 'src/signup.ts')
    .add('file_edit', '', {
      callId: 'c3',
      path: 'src/signup.ts',
      operation: 'modify',
      diff,
      beforeHash: null,
      afterHash: null,
      additions: 7,
      deletions: 2,
    })
    .result('c3', 'replace_in_file', 'Edited.')
    .call('c4', 'create_file', { path: 'src/validate.ts' }, 'src/validate.ts')
    .add('file_edit', '', {
      callId: 'c4',
      path: 'src/validate.ts',
      operation: 'create',
      diff: created,
      beforeHash: null,
      afterHash: null,
      additions: 3,
      deletions: 0,
    })
    .result('c4', 'create_file', 'Created.', { summary: '+3' })
    .answer('Now the tests.')
    .call('c5', 'run_terminal_command', { command: 'npm test -- signup' }, 'npm test -- signup');

export const edited = (callId, path, operation, text, additions, deletions) => ({
  callId,
  path,
  operation,
  diff: text,
  beforeHash: null,
  afterHash: null,
  additions,
  deletions,
});

export const approval = (more = {}) => ({
  approvalId: 'a1',
  callId: 'c5',
  phase: 'requested',
  kind: 'command',
  command: 'npm test -- signup',
  cwd: '.',
  severity: 'medium',
  reasons: ['runs tests'],
  canAllowAlways: more.severity !== 'critical',
  ...more,
});

export const editApproval = (more) =>
  approval({ kind: 'edit', command: undefined, cwd: undefined, severity: undefined, diff: longDiff, ...more });

export const ran = (status = 'error') =>
  worked()
    .add('approval', '', approval())
    .add('approval', '', {
      approvalId: 'a1',
      callId: 'c5',
      phase: 'decided',
      kind: 'command',
      decision: 'approved',
      decidedBy: 'person',
    })
    .result('c5', 'run_terminal_command', output, { status, summary: 'exit code 1', display: output, details: { exitCode: 1 } });

export const ranWithChanges = () =>
  ran().add('checkpoint', '', {
    kind: 'command_after',
    title: 'After command: npm test -- signup',
    command: {
      callId: 'c5',
      before: 'ckpt_1',
      after: 'ckpt_2',
      count: 4,
      files: [
        { path: 'coverage/lcov.info', status: 'created', lines: { additions: 212, deletions: 0 } },
        { path: 'tests/__snapshots__/signup.test.ts.snap', status: 'modified', lines: { additions: 4, deletions: 2 } },
        { path: 'tests/fixtures/old-form.html', status: 'deleted', lines: { additions: 0, deletions: 31 } },
        { path: 'tests/pictures/form.png', status: 'modified', lines: null },
      ],
    },
  });

/** A development server that runs in the background as `terminal-1a2b`. */
export const startedServer = () =>
  new LogBuilder()
    .user('Start the development server and tell me where it listens')
    .call('c1', 'run_terminal_command', { command: 'npm run dev', background: true }, 'npm run dev')
    .result('c1', 'run_terminal_command', 'Running in the background as terminal-1a2b (process 4711).', {
      summary: 'in the background',
      display: '> vite',
      details: { background: 'terminal-1a2b' },
    });

export const asking = () =>
  new LogBuilder()
    .user(ask)
    .answer('Both fields need a place for their errors.')
    .call('c1', 'ask_user', { question: 'Where should errors be shown?' })
    .add('question', 'Where should errors be shown? The form has no place for them yet.', {
      questionId: 'q1',
      callId: 'c1',
      phase: 'asked',
      options: ['Beside each field', 'In one list above the form, with a link to each field that is wrong'],
    });

export const planned = () =>
  new LogBuilder()
    .user(ask)
    .call('c1', 'update_todos', { todos: [] }, '2 of 5 done')
    .result('c1', 'update_todos', 'The todo list is now:\n[x] Read the form\n[x] Look for rules', {
      summary: '2 of 5 done',
      todos: [
        { text: 'Read the form and its tests', state: 'completed' },
        { text: 'Look for rules that are there already', state: 'completed' },
        { text: 'Write a test for every rule of the signup form, and one for what they have in common', state: 'in_progress' },
        { text: 'Validate both fields', state: 'pending' },
        { text: 'Run the tests', state: 'pending' },
      ],
    });
