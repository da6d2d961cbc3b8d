import { stat } from 'node:fs/promises';
import { z } from 'zod';
import {
  maxRunning,
  type BackgroundCommand,
  type BackgroundCommands,
  type BackgroundReport,
} from '../../../services/terminal/run/backgroundCommands';
import { translatable } from '../../../types/texts';
import { defaultTimeoutMs, maxTimeoutMs, type TerminalManager } from '../../../services/terminal/run/terminalManager';
import { t } from '../../../utils/l10n';
import type { FileAccess } from '../../approvals/fileAccess';
import { defineTool, type Tool, type ToolResult } from '../kernel/tool';
import { commandQuestion, declinedCommand, describeOutcome, runApproved, type CommandFolder } from './approvedCommand';
import { describeReport, saidWith, withKeys } from './getTerminalOutput';
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

/** Runs a command after a person has approved it. The model's word on what is safe counts for nothing. */
export function runTerminalCommandTool(
  access: FileAccess,
  terminals: Pick<TerminalManager, 'run'>,
  background: Pick<BackgroundCommands, 'start' | 'running' | 'whenEnded'>,
): Tool {
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
    row: {
      family: 'command',
      titles: translatable({
        done: 'Ran {0}',
        running: 'Running {0}',
        planned: 'Run {0}',
        failed: 'Ran {0}',
        stopped: 'Stopped {0}',
        denied: 'Not run: {0}',
        started: 'Started {0}',
      }),
      details: 'output',
    },
    label: ({ command }) => command,
    run: async ({ command, cwd, timeoutMs, background: isInBackground = false }, context) => {
      const { sessionId, signal, approve } = context;
      const keyPress = controlCharacterIn(command);
      if (keyPress !== null) {
        return {
          status: 'error',
          content: `The command was not run: it contains the control character ${keyPress}. Write it without.`,
        };
      }
      const folder = await workingFolder(access.paths, cwd);
      if ('status' in folder) return folder;
      if (isInBackground && background.running(sessionId).length >= maxRunning) return tooMany(background.running(sessionId));
      const limit = Math.min(Math.max(timeoutMs ?? defaultTimeoutMs, minTimeoutMs), maxTimeoutMs);
      if (!isInBackground) {
        const outcome = await runApproved({ command, folder, limit }, context, access, terminals);
        return outcome === null ? declinedCommand() : describeOutcome(outcome, limit);
      }
      const { question } = await commandQuestion(command, folder, sessionId, access);
      const reasons = [...question.reasons, t('keeps running in the background')];
      if (!(await approve({ ...question, reasons, canAllowAlways: false }))) return declinedCommand();
      const guarded = await context.beginCommand(folder.real);
      const report = await background.start({ sessionId, command, cwd: folder.real, signal });
      if (report.state === 'running') guarded.goesOn(background.whenEnded(sessionId, report.id));
      return begun(report);
    },
  });
}

/** Returns a character that a terminal takes for a key, such as Ctrl+U, which wipes out what a person has read; null if there is none. */
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
  return isFolder ? folder : { status: 'error', content: `The command was not run: there is no folder ${folder.shown}.` };
}

function tooMany(running: readonly BackgroundCommand[]): ToolResult {
  const list = running.map(({ id, command }) => `${id}: ${command}`).join('\n');
  return {
    status: 'error',
    content: `The command was not run: ${running.length} run in the background already, which is the most there may be.\n${list}`,
    summary: t('too many in the background'),
  };
}

function begun(report: BackgroundReport): ToolResult {
  if (report.state !== 'running') return describeReport(report);
  const { id, pid } = report;
  const process = pid === undefined ? '' : ` (process ${pid})`;
  const content = `Running in the background as ${id}${process}. Read on with get_terminal_output. Output so far:\n${saidWith(report, {}, '(none yet)')}`;
  return { ...describeReport(report), content, summary: withKeys(t('in the background'), report) };
}
