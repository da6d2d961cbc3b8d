import { LogBuilder } from '../entries.mjs';
import { german, now, ready, running, session } from './base.mjs';
import { approval, ran, worked } from './tasks.mjs';

const grants = {
  commands: false,
  sandbox: true,
  hosts: ['registry.example.org'],
  sensitiveEdits: false,
  allowedCommands: [],
  files: [],
};

const command = 'npm install --workspace packages/website left-pad';
const denials = [
  { kind: 'network', target: 'registry.example.org' },
  { kind: 'write', target: '/home/robin/.config/left-pad/settings.json' },
];

const denied = session(
  worked().add(
    'approval',
    '',
    approval({
      command,
      severity: 'medium',
      parts: [],
      reasons: ['the sandbox denied: network access to registry.example.org'],
      sandbox: { denials, host: 'registry.example.org' },
    }),
  ),
  running({ kind: 'waitingForApproval', since: now }),
);

const row = session(
  new LogBuilder()
    .user('Add left-pad to the website')
    .call('c1', 'run_terminal_command', { command }, command)
    .result('c1', 'run_terminal_command', 'Exit code: 1', {
      display: 'npm error code EROFS',
      sandbox: { denials, reverted: ['.git/config'] },
    })
    .add('checkpoint', '', {
      kind: 'command_after',
      title: `After command: ${command}`,
      command: {
        callId: 'c1',
        before: 'ckpt_1',
        after: 'ckpt_2',
        count: 1,
        files: [{ path: 'packages/website/package.json', status: 'modified', lines: { additions: 1, deletions: 0 } }],
      },
    })
    .answer('The package could not be written.')
    .done(),
  {},
  { grants },
);

const printed = ['> website@1.0.0 build', '> vite build', '', 'transforming…', '✓ 412 modules transformed.', 'rendering chunks…'];
const prints = session(
  new LogBuilder().user('Build the website').call('c1', 'run_terminal_command', { command: 'npm run build' }, 'npm run build'),
  running({ kind: 'tool', name: 'run_terminal_command', since: now - 4000 }),
  { grants, outputs: [{ callId: 'c1', output: printed.join('\n'), startedAt: now - 4000 }] },
);

const copies = session(
  new LogBuilder().user('Build the website').call('c1', 'run_terminal_command', { command: 'npm run build' }, 'npm run build'),
  running({ kind: 'tool', name: 'run_terminal_command', since: now - 4000 }),
  { grants, outputs: [{ callId: 'c1', output: '', note: 'Copying package caches for the sandbox (320 MB)…' }] },
);

const levels = { ...session(ran('success').answer('Both tests pass.').done(), {}, { grants }), do: ['click Tools'] };
const missing = {
  isAvailable: false,
  reason: 'Bubblewrap is not installed.',
  fix: 'sudo apt-get install bubblewrap',
};

export const sandboxScenarios = {
  'sandbox-levels': levels,
  'sandbox-levels-german': { ...levels, ready: { ...levels.ready, l10n: german } },
  'sandbox-missing': {
    ...session(ran('success').answer('Both tests pass.').done(), {}, { sandbox: missing }),
    do: ['click Tools'],
  },
  'sandbox-denial': denied,
  'sandbox-denial-german': { ...denied, ready: { ...denied.ready, l10n: german } },
  'sandbox-output': prints,
  'sandbox-output-german': { ...prints, ready: { ...prints.ready, l10n: german } },
  'sandbox-caches': copies,
  'sandbox-row': { ...row, do: [`click Ran ${command}`] },
  'sandbox-row-german': { ...row, ready: { ...row.ready, l10n: german } },
};
