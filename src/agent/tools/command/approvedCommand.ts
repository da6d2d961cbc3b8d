import { commandFiles } from '../../../services/terminal/judge/commandFiles';
import { assessCommand } from '../../../services/terminal/judge/commandSafety';
import type { CommandOutcome, TerminalManager } from '../../../services/terminal/run/terminalManager';
import type { ResolvedPath } from '../../../services/files/workspacePaths';
import { FileSensitivity } from '../../../utils/sensitivity/fileSensitivity';
import { t } from '../../../utils/l10n';
import type { FileAccess } from '../../approvals/fileAccess';
import { withChanges } from '../../approvals/changedGrant';
import { unaskedCommand } from '../../approvals/unaskedCommand';
import type { ToolContext, ToolResult } from '../kernel/tool';
import type { ApprovalQuestion } from '../../kernel/approvalQuestion';
import { exitText, keysNote, saidWith, withKeys } from './getTerminalOutput';

export type CommandFolder = ResolvedPath & { isOutside: boolean };

export interface CommandToRun {
  command: string;
  folder: CommandFolder;
  /** Milliseconds. */
  limit: number;
  /** Raw output as it comes. */
  onOutput?: (text: string) => void;
}

/**
 * Runs a command after a person has approved it, unless the session allows it: what was allowed was allowed to end, and in the workspace.
 * Resolves with null where they declined.
 */
export async function runApproved(
  { command, folder, limit, onOutput }: CommandToRun,
  context: ToolContext,
  access: FileAccess,
  terminals: Pick<TerminalManager, 'run'>,
): Promise<CommandOutcome | null> {
  const { sessionId, signal } = context;
  const request = { sessionId, command, cwd: folder.real, timeoutMs: limit, signal, ...(onOutput && { onOutput }) };
  const files = folder.isOutside ? [] : await commandFiles(command, folder.real);
  const check = await context.checkGrant({ command, cwd: folder.shown, files });
  const place = { folder, sessionId, isAllowed: check.state === 'holds' };
  const unasked = folder.isOutside ? null : await unaskedCommand(command, place, await context.grants(), access, signal);
  if (unasked) {
    await context.noteUnasked('command');
    await context.beginCommand(folder.real);
    return terminals.run({ ...request, ...unasked });
  }
  const { question, isCritical } = await commandQuestion(command, folder, sessionId, access);
  const canAllowAlways = !isCritical && !folder.isOutside;
  if (!(await context.approve(withChanges({ ...question, canAllowAlways }, check), check))) return null;
  await context.beginCommand(folder.real);
  return terminals.run(request);
}

/** Resolves with what a person is asked about a command. */
export async function commandQuestion(command: string, folder: CommandFolder, sessionId: string, access: FileAccess) {
  const roots = (await access.paths.roots()).map(({ real }) => real);
  const secrets = new FileSensitivity(...(await access.patterns(sessionId)));
  const { severity, reasons, parts } = await assessCommand(command, { roots, secrets });
  const why = [...(folder.isOutside ? [t('outside the workspace')] : []), ...reasons];
  const question = { kind: 'command', command, cwd: folder.shown, severity, reasons: why, parts } satisfies ApprovalQuestion;
  return { question, isCritical: severity === 'critical' };
}

/** Returns what the model is told of a command that its user declined. */
export function declinedCommand(): ToolResult {
  return {
    status: 'denied',
    content:
      'The user declined this command. It was not run. Do not try it again in another form; go on without it or ask what to do instead.',
    summary: t('declined'),
  };
}

/** Tells a model how a command ended and what it said; `said` in place of its output where that is told otherwise. */
export function describeOutcome(outcome: CommandOutcome, limitMs: number, given?: string): ToolResult {
  const { output, exitCode, status, via, shell } = outcome;
  const details: NonNullable<ToolResult['details']> = { via, ...(shell !== undefined && { shell }) };
  if (exitCode !== null) details['exitCode'] = exitCode;
  const own = saidWith(outcome, details, '(no output)');
  const said = given === undefined ? own : [given, ...(outcome.keysLeftOut === undefined ? [] : [keysNote])].join('\n');
  switch (status) {
    case 'cancelled':
      return {
        status: 'cancelled',
        content: `The user stopped the command. Output so far:\n${said}`,
        summary: withKeys(t('stopped'), outcome),
        display: output,
        details,
      };
    case 'timedOut': {
      const content = [
        `The command had not ended after ${limitMs / 1000} s and was stopped. Output so far:`,
        said,
        '[It gets no input: if it waits for an answer, give it in the command. If it is a server or a watcher, set background to true. If it only takes long, give a larger timeoutMs.]',
      ].join('\n');
      return {
        status: 'error',
        content,
        summary: withKeys(t('stopped after {0} s', limitMs / 1000), outcome),
        display: output,
        details,
      };
    }
    case 'closed':
      return {
        status: 'error',
        content: `The terminal was closed before the command had ended. Output so far:\n${said}`,
        summary: withKeys(t('terminal closed'), outcome),
        display: output,
        details,
      };
    case 'exited': {
      const code = exitCode === null ? 'unknown' : String(exitCode);
      const content = `Exit code: ${code}\n${said}`;
      return {
        status: exitCode === null || exitCode === 0 ? 'success' : 'error',
        content,
        summary: withKeys(exitText(exitCode), outcome),
        display: output,
        details,
      };
    }
  }
}
