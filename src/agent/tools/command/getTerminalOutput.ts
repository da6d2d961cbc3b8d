import { z } from 'zod';
import { translatable } from '../../../types/texts';
import type { BackgroundCommands, BackgroundReport } from '../../../services/terminal/run/backgroundCommands';
import { t } from '../../../utils/l10n';
import { defineTool, type Tool, type ToolResult } from '../kernel/tool';

/** Matches the end that `outputFormatter` gives a line that it cut. */
const cutLine = /… \[\d+ characters cut\]$/m;

const schema = z.object({
  id: z.string().min(1).describe('The id that run_terminal_command gave, such as terminal-1a2b'),
});

/** Returns what a command in the background has said so far, and whether it still runs. */
export function getTerminalOutputTool(background: Pick<BackgroundCommands, 'look' | 'ids' | 'commandOf'>): Tool {
  return defineTool({
    name: 'get_terminal_output',
    description:
      'Read what a command that was started in the background has written so far, and whether it still runs. Waits a few seconds if there is nothing new.',
    schema,
    aliases: { terminalId: 'id', terminal: 'id', commandId: 'id', processId: 'id', name: 'id' },
    effect: 'none',
    row: {
      family: 'command',
      titles: translatable({
        done: 'Read the output of {0}',
        running: 'Reading the output of {0}',
        planned: 'Read the output of {0}',
        failed: 'Could not read the output of {0}',
        stopped: 'Did not read the output of {0}',
      }),
      details: 'output',
    },
    isWaiting: true,
    label: ({ id }) => background.commandOf(id) ?? id,
    run: async ({ id }, { sessionId, signal }) => {
      const report = await background.look(sessionId, id.trim(), signal);
      return report ? describeReport(report) : unknown(id, background.ids(sessionId));
    },
  });
}

/** A command in the background as the model and the person are told of it. */
export function describeReport(report: BackgroundReport): ToolResult {
  const { id, state, exitCode, runningFor, output, truncatedLines } = report;
  const details: NonNullable<ToolResult['details']> = { background: id };
  if (exitCode !== null) details['exitCode'] = exitCode;
  if (truncatedLines > 0) details['truncatedLines'] = truncatedLines;
  const said = withLeftOut(output === '' ? '(no output)' : output, truncatedLines);
  const common = { display: output, details };
  switch (state) {
    case 'running':
      return {
        status: 'success',
        content: `${id} is running, for ${seconds(runningFor)} so far. Output so far:\n${said}`,
        summary: t('still running'),
        ...common,
      };
    case 'stopped':
      return { status: 'success', content: `${id} was stopped. Output:\n${said}`, summary: t('stopped'), ...common };
    case 'exited': {
      const code = exitCode === null ? 'unknown' : String(exitCode);
      return {
        status: exitCode === null || exitCode === 0 ? 'success' : 'error',
        content: `${id} has ended after ${seconds(runningFor)}. Exit code: ${code}\n${said}`,
        summary: exitText(exitCode),
        ...common,
      };
    }
  }
}

/** Returns what a command said, with how to get at what is left out of it. */
export function withLeftOut(output: string, truncatedLines: number): string {
  const others = 'run it again with a filter such as grep, or into a file and read that.]';
  if (truncatedLines > 0) return `${output}\n[Only the first and last lines are shown. For the others, ${others}`;
  return cutLine.test(output) ? `${output}\n[Only the beginnings of very long lines are shown. For the rest, ${others}` : output;
}

/** Tells how a command ended, for its row. */
export function exitText(exitCode: number | null): string {
  return exitCode === null ? t('exit code unknown') : t('exit code {0}', String(exitCode));
}

function unknown(id: string, known: readonly string[]): ToolResult {
  const there = known.length === 0 ? 'No command of this chat runs in the background.' : `There are: ${known.join(', ')}.`;
  return { status: 'error', content: `There is no background command ${JSON.stringify(id)}. ${there}`, summary: t('not there') };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
