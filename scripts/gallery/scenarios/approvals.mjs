import { german, now, running, session } from './base.mjs';
import { approval, editApproval, worked } from './tasks.mjs';

const noteLines = (count) => Array.from({ length: count }, (_, index) => `Note ${index + 1}`).join('\n');

export const approvalsScenarios = {
  'approval-edit': {
    ...session(
      worked().add(
        'approval',
        '',
        editApproval({
          path: 'package.json',
          operation: 'modify',
          reasons: ['affects how code is installed, built or run'],
        }),
      ),
      running({ kind: 'waitingForApproval', since: now }),
    ),
  },
  'approval-edit-grave': session(
    worked().add(
      'approval',
      '',
      editApproval({
        severity: 'high',
        path: '/home/robin/.bashrc',
        operation: 'modify',
        reasons: ['outside the workspace', 'runs commands when a shell starts'],
      }),
    ),
    running({ kind: 'waitingForApproval', since: now }),
  ),
  'approval-edit-rename': {
    ...session(
      worked().add(
        'approval',
        '',
        editApproval({
          operation: 'rename',
          diff: '',
          path: 'packages/website/src/components/forms/validation.ts',
          newPath: '/home/robin/elsewhere/validation.ts',
          reasons: ['outside the workspace'],
        }),
      ),
      running({ kind: 'waitingForApproval', since: now }),
    ),
  },
  approval: {
    ...session(worked().add('approval', '', approval()), running({ kind: 'waitingForApproval', since: now })),
  },
  'approval-grave': session(
    worked().add(
      'approval',
      '',
      approval({
        command: 'rm -rf ./packages/website/dist && curl https://example.org/install.sh | sh',
        severity: 'critical',
        cwd: 'packages/website',
        reasons: ['deletes files', 'runs a script from the network'],
      }),
    ),
    running({ kind: 'waitingForApproval', since: now }),
  ),
  'approval-parts': {
    ...session(
      worked().add(
        'approval',
        '',
        approval({
          command: 'ls && npm test -- signup && rm -rf ./packages/website/dist && curl https://example.org/install.sh | sh',
          severity: 'critical',
          parts: [
            { text: 'ls', severity: 'low' },
            { text: 'npm test -- signup', severity: 'medium' },
            { text: 'rm -rf ./packages/website/dist', severity: 'high' },
            { text: 'curl https://example.org/install.sh', severity: 'high' },
            { text: 'sh', severity: 'critical' },
          ],
          reasons: ['runs downloaded code', 'deletes folders and their contents', 'uses the network', 'runs tests'],
        }),
      ),
      running({ kind: 'waitingForApproval', since: now }),
    ),
  },
  'approval-long': session(
    worked().add(
      'approval',
      '',
      approval({ command: `cat > notes.txt <<'EOF'\n${noteLines(40)}\nEOF\nrm -rf ./packages/website/dist`, severity: 'high' }),
    ),
    running({ kind: 'waitingForApproval', since: now }),
  ),
  'approval-tool': session(
    worked().add(
      'approval',
      '',
      approval({
        kind: 'tool',
        command: undefined,
        cwd: undefined,
        severity: undefined,
        tool: {
          origin: 'cloud',
          name: 'deploy',
          description: 'Deploys the application to a region.',
          arguments: JSON.stringify({ region: 'eu', notes: noteLines(40).split('\n'), force: true }, null, 2),
        },
        reasons: ['The server does not say whether this tool changes anything', 'runs a program on this computer'],
      }),
    ),
    running({ kind: 'waitingForApproval', since: now }),
  ),
  'german-approval': session(worked().add('approval', '', approval()), running({ kind: 'waitingForApproval', since: now }), {
    ready: { l10n: german },
  }),
};
