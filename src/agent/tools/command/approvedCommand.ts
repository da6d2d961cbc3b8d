import { removedByClean } from '../../../services/terminal/judge/cleanTrial';
import { commandFiles } from '../../../services/terminal/judge/commandFiles';
import { assessCommand } from '../../../services/terminal/judge/commandSafety';
import type { BackgroundCommands } from '../../../services/terminal/run/backgroundCommands';
import type { CommandOutcome, EndedCommand, TerminalManager } from '../../../services/terminal/run/terminalManager';
import type { SandboxReport } from '../../../services/terminal/sandbox/sandboxPorts';
import type { ResolvedPath } from '../../../services/files/workspacePaths';
import { FileSensitivity } from '../../../utils/sensitivity/fileSensitivity';
import { t } from '../../../utils/l10n';
import type { FileAccess } from '../../approvals/fileAccess';
import { withChanges } from '../../approvals/changedGrant';
import type { SandboxLevel } from '../../approvals/sandboxLevel';
import { autoApprovedCommand } from '../../approvals/autoApprovedCommand';
import type { ToolContext, ToolResult } from '../kernel/tool';
import type { ApprovalQuestion } from '../../kernel/approvalQuestion';
import { notFollowed, type BegunCommand } from '../../../types/checkpoint';
import { runInSandbox, runSandboxed, withSandboxEvents, withSandboxReason } from './sandboxedRun';
import { backgroundResult, exitText, keysNote, outputText, withKeyNote } from './getTerminalOutput';

/** Maximum number of deleted files and folders that a question names. */
const maxRemoved = 5;

/** Services that run a command. Without `sandbox`, every command runs outside the sandbox. */
export interface CommandRunners {
  terminals: Pick<TerminalManager, 'run'>;
  background: Pick<BackgroundCommands, 'whenEnded'>;
  sandbox?: SandboxLevel | undefined;
}

/** Outcome of a command that has ended or continues in the background. Includes the sandbox report after a sandboxed run. */
export type CommandEnd = CommandOutcome & { sandbox?: SandboxReport };

export type CommandFolder = ResolvedPath & { isOutside: boolean };

export interface CommandToRun {
  command: string;
  folder: CommandFolder;
  /** Time limit in milliseconds. */
  limit: number;
  /** Receives raw output as it arrives. */
  onOutput?: (text: string) => void;
}

/**
 * Runs a command after approval, or without approval if the session allows it. Session permissions cover only
 * commands in the workspace. At the level *Run in the sandbox*, all commands except critical ones run there.
 * If a command cannot run there, the question contains the reason. Resolves with null if the user declines.
 */
export async function runApproved(
  { command, folder, limit, onOutput }: CommandToRun,
  context: ToolContext,
  access: FileAccess,
  { terminals, background, sandbox: level }: CommandRunners,
): Promise<CommandEnd | null> {
  const { sessionId, callId, signal } = context;
  const request = { sessionId, callId, command, cwd: folder.real, timeoutMs: limit, signal, ...(onOutput && { onOutput }) };
  let guarded: BegunCommand = notFollowed;
  const begin = async (isSandboxed = false) => void (guarded = await context.beginCommand(folder.real, isSandboxed));
  const followed = (end: CommandEnd): CommandEnd => {
    if (end.status === 'background') guarded.goesOn(background.whenEnded(sessionId, end.background.id));
    return end;
  };
  const files = folder.isOutside ? [] : await commandFiles(command, folder.real);
  const check = await context.checkGrant({ command, cwd: folder.shown, files });
  const place = { folder, sessionId, isAllowed: check.state === 'holds' };
  const unasked = folder.isOutside ? null : await autoApprovedCommand(command, place, await context.grants(), access, signal);
  if (unasked) {
    await context.logAutoApproval('command');
    await begin();
    return followed(await terminals.run({ ...request, ...unasked }));
  }
  const assessed = await commandQuestion(command, folder, context, access);
  const attempt = await runInSandbox<CommandEnd>({ ...assessed, folder, level }, context, {
    begin: () => begin(true),
    run: (sandboxed) => (sandboxed ? runSandboxed(sandboxed, request, terminals) : terminals.run(request)),
    hasFailed: ({ status, exitCode }) => status === 'timedOut' || (status === 'exited' && exitCode !== 0),
  });
  if (attempt.result !== null) return followed(attempt.result);
  const canAllowAlways = !assessed.isCritical && !assessed.deletesIgnored && !folder.isOutside;
  const question = withChanges({ ...withSandboxReason(assessed.question, attempt), canAllowAlways }, check);
  if (!(await context.approve(question, check))) return null;
  await begin();
  return followed(await terminals.run(request));
}

/** Returns the question about a command. Rejects with `CancelledError` if the run is stopped. */
export async function commandQuestion(
  command: string,
  folder: CommandFolder,
  { sessionId, signal }: Pick<ToolContext, 'sessionId' | 'signal'>,
  access: FileAccess,
) {
  const roots = (await access.paths.roots()).map(({ real }) => real);
  const secrets = new FileSensitivity(...(await access.patterns(sessionId)));
  const { severity, deletesIgnored, reasons, parts } = await assessCommand(command, { roots, secrets });
  const removed = await removedByClean(command, { folder: folder.real, roots }, signal);
  const why = [...(folder.isOutside ? [t('starts outside the workspace')] : []), ...reasons, ...removedText(removed)];
  const question = { kind: 'command', command, cwd: folder.shown, severity, reasons: why, parts } satisfies ApprovalQuestion;
  return { question, isCritical: severity === 'critical', deletesIgnored };
}

function removedText(removed: readonly string[]): string[] {
  if (removed.length === 0) return [];
  const named = removed.slice(0, maxRemoved).join(', ');
  const others = removed.length - maxRemoved;
  return [others > 0 ? t('removes {0}, and {1} more', named, others) : t('removes {0}', named)];
}

export function declinedCommand(): ToolResult {
  return {
    status: 'denied',
    content:
      'The user declined this command. It was not run. Do not try it again in another form; go on without it or ask what to do instead.',
    summary: t('skipped'),
  };
}

/** Returns the result of a command. `given` replaces the output of a finished command in the text for the model. */
export function outcomeResult(
  outcome: CommandEnd,
  limitMs: number,
  { offers }: Pick<ToolContext, 'offers'>,
  given?: string,
): ToolResult {
  if (outcome.status === 'background') return backgroundResult(outcome.background, offers, true);
  return withSandboxEvents(plainResult(outcome, limitMs, given), outcome.sandbox);
}

function plainResult(outcome: EndedCommand, limitMs: number, given: string | undefined): ToolResult {
  const { output, exitCode, status, via, shell, isFirstEval } = outcome;
  const details: NonNullable<ToolResult['details']> = {
    via,
    ...(shell !== undefined && { shell }),
    ...(isFirstEval && { isFirstEval }),
  };
  if (exitCode !== null) details['exitCode'] = exitCode;
  const own = outputText(outcome, details, '(no output)');
  const said = given === undefined ? own : [given, ...(outcome.keysLeftOut === undefined ? [] : [keysNote])].join('\n');
  switch (status) {
    case 'cancelled':
      return {
        status: 'cancelled',
        content: `The user stopped the command. Output so far:\n${said}`,
        summary: withKeyNote(t('stopped'), outcome),
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
        summary: withKeyNote(t('stopped after {0} s', limitMs / 1000), outcome),
        display: output,
        details,
      };
    }
    case 'closed':
      return {
        status: 'error',
        content: `The terminal was closed before the command had ended. Output so far:\n${said}`,
        summary: withKeyNote(t('terminal closed'), outcome),
        display: output,
        details,
      };
    case 'exited': {
      const code = exitCode === null ? 'unknown' : String(exitCode);
      const content = `Exit code: ${code}\n${said}`;
      return {
        status: exitCode === null || exitCode === 0 ? 'success' : 'error',
        content,
        summary: withKeyNote(exitText(exitCode), outcome),
        display: output,
        details,
      };
    }
  }
}
