import { stat } from 'node:fs/promises';
import { z } from 'zod';
import type { BackgroundCommand } from '../../../protocol/requests/runningCommands';
import { maxRunning, type BackgroundCommands, type BackgroundReport } from '../../../services/terminal/run/backgroundCommands';
import { translatable } from '../../../types/texts';
import { readOnlyCommand } from '../../../services/terminal/judge/readOnlyCommands';
import { defaultTimeoutMs, maxTimeoutMs } from '../../../services/terminal/run/terminalManager';
import { t } from '../../../utils/l10n';
import type { FileAccess } from '../../approvals/fileAccess';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool, type ToolResult } from '../kernel/tool';
import {
  commandQuestion,
  declinedCommand,
  outcomeResult,
  runApproved,
  type CommandFolder,
  type CommandRunners,
} from './approvedCommand';
import { runInSandbox, withSandboxReason } from './sandboxedRun';
import { backgroundResult, describeReport } from './getTerminalOutput';
import { notFollowed, type BegunCommand } from '../../../types/checkpoint';
import type { WorkspacePaths } from '../../../services/files/workspacePaths';

const minTimeoutMs = 1000;

const schema = z.object({
  command: z.string().min(1).describe('The command line to run in the shell of the user'),
  cwd: z.string().optional().describe('Folder to run it in, relative to the workspace; the workspace folder by default'),
  background: z
    .boolean()
    .optional()
    .describe('True for what does not end by itself, such as a server or a watcher: it goes on while you do other things'),
  timeoutMs: z
    .number()
    .optional()
    .describe(`Milliseconds to wait for it at most; ${defaultTimeoutMs} by default, up to ${maxTimeoutMs}`),
});

/** Runs a command after the user's approval. The model's arguments cannot skip the approval. */
export function runTerminalCommandTool(
  access: FileAccess,
  runners: CommandRunners & { background: Pick<BackgroundCommands, 'start' | 'running' | 'whenEnded'> },
): Tool {
  const { background } = runners;
  return defineTool({
    name: 'run_terminal_command',
    otherNames: ['runcommand', 'runinterminal', 'runterminalcmd', 'executecommand', 'terminal', 'shell', 'bash'],
    description:
      'Run a command in the terminal and read its output. The user is asked first. It gets no input, so avoid commands that ask questions.',
    schema,
    aliases: {
      cmd: 'command',
      commandLine: 'command',
      shellCommand: 'command',
      script: 'command',
      workingDirectory: 'cwd',
      workdir: 'cwd',
      dir: 'cwd',
      directory: 'cwd',
      timeout: 'timeoutMs',
      isBackground: 'background',
      runInBackground: 'background',
      detached: 'background',
      detach: 'background',
    },
    isTimed: false,
    effect: 'command',
    destroys: ({ command }) => readOnlyCommand(command) === null,
    row: {
      family: 'command',
      titles: translatable({
        done: 'Ran {0}',
        running: 'Running {0}',
        planned: 'Run {0}',
        failed: 'Ran {0}',
        stopped: 'Stopped {0}',
        denied: 'Not run: {0}',
        started: 'Started in background: {0}',
      }),
      details: 'output',
    },
    label: ({ command }) => command,
    run: async ({ command, cwd, timeoutMs, background: isInBackground = false }, context) => {
      const { sessionId, signal, approve } = context;
      const keyPress = controlCharacterIn(command);
      if (keyPress !== null) {
        return failure({
          local: t('The command contains the control character {0}, so it was not run.', keyPress),
          english: `The command was not run: it contains the control character ${keyPress}. Write it without.`,
        });
      }
      const folder = await workingFolder(access.paths, cwd);
      if ('status' in folder) return folder;
      if (isInBackground && background.running(sessionId).length >= maxRunning) return tooMany(background.running(sessionId));
      const limit = Math.min(Math.max(timeoutMs ?? defaultTimeoutMs, minTimeoutMs), maxTimeoutMs);
      if (!isInBackground) {
        const outcome = await runApproved({ command, folder, limit }, context, access, runners);
        return outcome === null ? declinedCommand() : outcomeResult(outcome, limit, context);
      }
      const { question: assessed, isCritical } = await commandQuestion(command, folder, context, access);
      const question = { ...assessed, reasons: [...assessed.reasons, t('keeps running in the background')] };
      const request = { sessionId, command, cwd: folder.real, signal };
      let guarded: BegunCommand = notFollowed;
      const begin = async (isSandboxed: boolean) => void (guarded = await context.beginCommand(folder.real, isSandboxed));
      const attempt = await runInSandbox<BackgroundReport>({ question, isCritical, folder, level: runners.sandbox }, context, {
        begin: () => begin(true),
        run: (sandboxed) => background.start({ ...request, sandboxed }),
        hasFailed: ({ state, exitCode }) => state === 'exited' && exitCode !== 0,
      });
      let report = attempt.result;
      if (report === null) {
        if (!(await approve({ ...withSandboxReason(question, attempt), canAllowAlways: false }))) return declinedCommand();
        await begin(false);
        report = await background.start(request);
      }
      if (report.state === 'running') guarded.goesOn(background.whenEnded(sessionId, report.id));
      return report.state === 'running' ? backgroundResult(report, context.offers, false) : describeReport(report);
    },
  });
}

/**
 * Returns a control character that a terminal would handle as a key, or null if
 * there is none. For example, Ctrl+U deletes the line that the user approved.
 */
function controlCharacterIn(command: string): string | null {
  const found = /(?![\t\n])\p{Cc}/u.exec(command)?.[0];
  return found === undefined ? null : `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

async function workingFolder(paths: WorkspacePaths, cwd: string | undefined): Promise<CommandFolder | ToolResult> {
  if (cwd === undefined || cwd.trim() === '' || cwd.trim() === '.') return { ...(await paths.defaultFolder()), isOutside: false };
  const folder = await paths.locate(cwd);
  const isFolder = await stat(folder.real).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (isFolder) return folder;
  const english = `The command was not run: there is no folder ${folder.shown}.`;
  return failure({ local: t('There is no folder {0}.', folder.shown), english });
}

function tooMany(running: readonly BackgroundCommand[]): ToolResult {
  const list = running.map(({ id, command }) => `${id}: ${command}`).join('\n');
  return failure({
    local: t('{0} commands already run in the background. Stop one, then try again.', running.length),
    english: `The command was not run: ${running.length} run in the background already, which is the most there may be.\n${list}`,
  });
}
