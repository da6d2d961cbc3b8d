import { z } from 'zod';
import { callTool } from '../../../types/loadedTools';
import { translatable } from '../../../types/texts';
import type { BackgroundCommands, BackgroundReport } from '../../../services/terminal/run/backgroundCommands';
import { t } from '../../../utils/l10n';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool, type ToolContext, type ToolResult } from '../kernel/tool';
import { withSandboxEvents } from './sandboxedRun';

/** Matches the note that `outputFormatter` adds to a shortened line. */
const cutLine = /… \[\d+ characters cut\]$/m;

const schema = z.object({
  id: z.string().min(1).describe('The id that run_terminal_command gave, such as terminal-1a2b'),
});

export function getTerminalOutputTool(background: Pick<BackgroundCommands, 'readOutput' | 'ids' | 'findCommand'>): Tool {
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
        planned: 'Asks to read the output of {0}',
        failed: 'Could not read the output of {0}',
        stopped: 'Did not read the output of {0}',
      }),
      details: 'output',
    },
    isPolling: true,
    label: ({ id }) => background.findCommand(id) ?? id,
    run: async ({ id }, { sessionId, signal }) => {
      const report = await background.readOutput(sessionId, id.trim(), signal);
      return report ? describeReport(report) : unknown(id, background.ids(sessionId));
    },
  });
}

/** Formats a report about a background command for the model and the view. */
export function describeReport(report: BackgroundReport): ToolResult {
  return withSandboxEvents(plainReport(report), report.sandbox);
}

/** Formats a command that continues in the background. `isByUser` is true if the user moved it there during the call. */
export function backgroundResult(report: BackgroundReport, offers: ToolContext['offers'], isByUser: boolean): ToolResult {
  const { id, pid } = report;
  const process = pid === undefined ? '' : ` (process ${pid})`;
  const begun = isByUser
    ? `The user let the command continue in the background as ${id}${process}. It has not ended: do not run it again.`
    : `Running in the background as ${id}${process}.`;
  const reader = offers('get_terminal_output')
    ? 'get_terminal_output'
    : `${callTool} {"name": "get_terminal_output", "arguments": {"id": "${id}"}}`;
  const content = `${begun} Read on with ${reader}. Output so far:\n${outputText(report, {}, '(none yet)')}`;
  return { ...describeReport(report), content, summary: withKeyNote(t('in the background'), report) };
}

function plainReport(report: BackgroundReport): ToolResult {
  const { id, state, exitCode, runningFor } = report;
  const details: NonNullable<ToolResult['details']> = { background: id };
  if (exitCode !== null) details['exitCode'] = exitCode;
  const said = outputText(report, details, '(no output)');
  const common = { display: report.output, details };
  switch (state) {
    case 'running':
      return {
        status: 'success',
        content: `${id} is running, for ${seconds(runningFor)} so far. Output so far:\n${said}`,
        summary: withKeyNote(t('still running'), report),
        ...common,
      };
    case 'stopped':
      return {
        status: 'success',
        content: `${id} was stopped. Output:\n${said}`,
        summary: withKeyNote(t('stopped'), report),
        ...common,
      };
    case 'exited': {
      const code = exitCode === null ? 'unknown' : String(exitCode);
      return {
        status: exitCode === null || exitCode === 0 ? 'success' : 'error',
        content: `${id} has ended after ${seconds(runningFor)}. Exit code: ${code}\n${said}`,
        summary: withKeyNote(exitText(exitCode), report),
        ...common,
      };
    }
  }
}

type Said = Pick<BackgroundReport, 'output' | 'truncatedLines' | 'keysLeftOut'>;

/**
 * Returns the output of a command, or `nothing`, with a note on how to read
 * the omitted parts. Stores the number of omitted lines and keys in `details`.
 */
export function outputText(
  { output, truncatedLines, keysLeftOut = 0 }: Said,
  details: NonNullable<ToolResult['details']>,
  nothing: string,
): string {
  if (truncatedLines > 0) details['truncatedLines'] = truncatedLines;
  if (keysLeftOut > 0) details['keysLeftOut'] = keysLeftOut;
  const said = withLeftOut(output === '' ? nothing : output, truncatedLines);
  return keysLeftOut > 0 ? `${said}\n${keysNote}` : said;
}

export const keysNote =
  '[What looks like a key or a token was left out of this output. If you need one that is in a file, read_file asks the user for it.]';

/** Adds a note to the row text if keys were removed from the output. */
export function withKeyNote(summary: string, { keysLeftOut = 0 }: Pick<Said, 'keysLeftOut'>): string {
  return keysLeftOut > 0 ? t('{0}, secrets removed', summary) : summary;
}

function withLeftOut(output: string, truncatedLines: number): string {
  const others = 'run it again with a filter such as grep, or into a file and read that.]';
  if (truncatedLines > 0) return `${output}\n[Only the first and last lines are shown. For the others, ${others}`;
  return cutLine.test(output) ? `${output}\n[Only the beginnings of very long lines are shown. For the rest, ${others}` : output;
}

export function exitText(exitCode: number | null): string {
  return exitCode === null ? t('exit code unknown') : t('exit code {0}', String(exitCode));
}

function unknown(id: string, known: readonly string[]): ToolResult {
  const there = known.length === 0 ? 'No command of this chat runs in the background.' : `There are: ${known.join(', ')}.`;
  const english = `There is no background command ${JSON.stringify(id)}. ${there}`;
  return failure({ local: t('There is no background command {0}.', id), english });
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
