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
  const { id, state, exitCode, runningFor } = report;
  const details: NonNullable<ToolResult['details']> = { background: id };
  if (exitCode !== null) details['exitCode'] = exitCode;
  const said = saidWith(report, details, '(no output)');
  const common = { display: report.output, details };
  switch (state) {
    case 'running':
      return {
        status: 'success',
        content: `${id} is running, for ${seconds(runningFor)} so far. Output so far:\n${said}`,
        summary: withKeys(t('still running'), report),
        ...common,
      };
    case 'stopped':
      return {
        status: 'success',
        content: `${id} was stopped. Output:\n${said}`,
        summary: withKeys(t('stopped'), report),
        ...common,
      };
    case 'exited': {
      const code = exitCode === null ? 'unknown' : String(exitCode);
      return {
        status: exitCode === null || exitCode === 0 ? 'success' : 'error',
        content: `${id} has ended after ${seconds(runningFor)}. Exit code: ${code}\n${said}`,
        summary: withKeys(exitText(exitCode), report),
        ...common,
      };
    }
  }
}

type Said = Pick<BackgroundReport, 'output' | 'truncatedLines' | 'keysLeftOut'>;

/** Returns what a command said, or `nothing`, with how to get at what is left out of it. Notes in `details` how much that is. */
export function saidWith(
  { output, truncatedLines, keysLeftOut = 0 }: Said,
  details: NonNullable<ToolResult['details']>,
  nothing: string,
): string {
  if (truncatedLines > 0) details['truncatedLines'] = truncatedLines;
  if (keysLeftOut > 0) details['keysLeftOut'] = keysLeftOut;
  const said = withLeftOut(output === '' ? nothing : output, truncatedLines);
  return keysLeftOut > 0 ? `${said}\n${keysNote}` : said;
}

/** Says to a model that an output had keys. */
export const keysNote =
  '[What looks like a key or a token was left out of this output. If you need one that is in a file, read_file asks the user for it.]';

/** Adds to the row of a command that keys were left out of its output. */
export function withKeys(summary: string, { keysLeftOut = 0 }: Pick<Said, 'keysLeftOut'>): string {
  return keysLeftOut > 0 ? t('{0}, secret keys removed', summary) : summary;
}

function withLeftOut(output: string, truncatedLines: number): string {
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
