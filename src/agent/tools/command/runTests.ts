import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { failuresFirst } from '../../../services/testing/failures';
import { findTestCommand, wantedLabel } from '../../../services/testing/testCommand';
import { maxTimeoutMs } from '../../../services/terminal/run/terminalManager';
import { plainOutput } from '../../../services/terminal/run/outputFormatter';
import type { FileAccess } from '../../approvals/fileAccess';
import { t } from '../../../utils/l10n';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool } from '../kernel/tool';
import { declinedCommand, outcomeResult, runApproved, type CommandFolder, type CommandRunners } from './approvedCommand';

/** Maximum characters of output to search for failures. */
const maxOutput = 4 * 1024 * 1024;

const schema = z.object({
  path: z.string().optional().describe('Test file, or folder of tests; all tests of the project by default'),
  name: z.string().optional().describe('Only tests whose name has these words'),
});

/** Runs the tests of a project with the project's own test runner, after approval of the command. */
export function runTestsTool(access: FileAccess, runners: CommandRunners): Tool {
  return defineTool({
    name: 'run_tests',
    otherNames: ['runtest', 'test', 'tests', 'executetests'],
    description:
      'To run tests after a change: finds the test runner of the project and answers with the failures first. The user is asked first.',
    schema,
    aliases: { file: 'path', filePath: 'path', testFile: 'path', testName: 'name', pattern: 'name', filter: 'name' },
    isOptional: true,
    isTimed: false,
    effect: 'command',
    row: {
      family: 'command',
      titles: translatable({
        done: 'Ran tests {0}',
        running: 'Running tests {0}',
        planned: 'Run tests {0}',
        failed: 'Ran tests {0}',
        stopped: 'Stopped tests {0}',
        denied: 'Tests not run: {0}',
        started: 'Started tests in background: {0}',
      }),
      details: 'output',
    },
    label: ({ path, name }) => wantedLabel(path, name),
    run: async ({ path, name }, context) => {
      const target = path === undefined ? null : await access.paths.resolve(path);
      if (target !== null && !target.exists)
        return failure({ local: t('{0} does not exist.', target.shown), english: `There is no ${target.shown}.` });
      const root = target?.root ?? (await access.paths.defaultFolder()).real;
      const found = await findTestCommand(root, { ...(target && { path: target.real }), ...(name && { name }) });
      if (found === null) {
        const english = 'No test runner was found. Run the tests with run_terminal_command, or say what they are run with.';
        return failure({ local: t('No test runner was found. Write in the chat which command runs the tests.'), english });
      }
      const folder: CommandFolder = { ...(await access.paths.resolve(found.folder)), isOutside: false };
      let raw = '';
      const onOutput = (text: string): void => {
        raw += text;
        if (raw.length > maxOutput) raw = raw.slice(raw.indexOf('\n', raw.length - maxOutput) + 1 || raw.length - maxOutput);
      };
      const run = { command: found.command, folder, limit: maxTimeoutMs, onOutput };
      const outcome = await runApproved(run, context, access, runners);
      if (outcome === null) return declinedCommand();
      const { text } = failuresFirst(plainOutput(raw));
      const said = `${found.runner}: ${found.command}\n${text === '' ? '(no output)' : text}`;
      return outcomeResult(outcome, maxTimeoutMs, context, said);
    },
  });
}
