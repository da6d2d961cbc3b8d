import type { CommandOutcome, CommandRequest, TerminalManager } from '../../../services/terminal/run/terminalManager';
import type { Denial, SandboxedCommand, SandboxReport } from '../../../services/terminal/sandbox/sandboxPorts';
import { isCancelled } from '../../../utils/errors';
import { phrase, t, type Phrase } from '../../../utils/l10n';
import type { ApprovalAnswer } from '../../approvals/approvalManager';
import type { SandboxLevel } from '../../approvals/sandboxLevel';
import type { ApprovalQuestion } from '../../kernel/approvalQuestion';
import type { ToolContext, ToolResult } from '../kernel/tool';

/** Maximum number of denied accesses that a result or a question shows. */
const maxDenials = 20;

interface CommandToSandbox {
  question: ApprovalQuestion & { command: string; reasons: readonly string[] };
  isCritical: boolean;
  folder: { real: string; isOutside: boolean };
  level: SandboxLevel | undefined;
}

interface SandboxableRun<T> {
  /** Takes the checkpoint before the command. Must be called only once. */
  begin: () => Promise<unknown>;
  /** Runs the command in the sandbox, or outside the sandbox if `sandboxed` is undefined. */
  run: (sandboxed: SandboxedCommand | undefined) => Promise<T>;
  hasFailed: (result: T) => boolean;
}

/**
 * Outcome of an attempt. `result` is null if the user must be asked. `reason` explains
 * why the sandbox did not run the command, or is null if no sandbox applies.
 */
export type SandboxAttempt<T> = { result: T } | { result: null; reason: string | null };

/**
 * Runs a command in the sandbox without a question, if the session allows it. If the
 * command failed because the sandbox denied access, the user can allow the host, run the
 * command outside once, or keep the result. Never runs a command outside without approval.
 */
export async function runInSandbox<T extends { sandbox?: SandboxReport }>(
  { question, isCritical, folder, level }: CommandToSandbox,
  context: ToolContext,
  { begin, run, hasFailed }: SandboxableRun<T>,
): Promise<SandboxAttempt<T>> {
  const grants = await context.grants();
  if (!grants.sandbox || isCritical || folder.isOutside || level === undefined) return { result: null, reason: null };
  const { sessionId, callId, signal } = context;
  let { hosts } = grants;
  const prepare = () => level.prepare({ sessionId, callId, command: question.command, cwd: folder.real, hosts, signal });
  // The checkpoint comes first. Files that it does not contain are read-only in the sandbox.
  await begin();
  const first = await prepare();
  if ('reason' in first) return { result: null, reason: first.reason };
  try {
    await context.logAutoApproval('command', true);
  } catch (error) {
    await first.finish({ exitCode: null, output: '' });
    throw error;
  }
  let result = await run(first);
  for (;;) {
    const { sandbox } = result;
    if (sandbox === undefined || sandbox.denials.length === 0 || !hasFailed(result)) return { result };
    const host = level.hostToAsk(sandbox, hosts);
    const answer = await answerToDenial(question, sandbox, host, context);
    if (answer === 'host' && host !== null) {
      hosts = [...hosts, host];
      const again = await prepare();
      if ('reason' in again) return { result };
      result = await run(again);
    } else if (answer === 'approved') result = await run(undefined);
    else return { result: answer === 'unanswered' ? { ...result, sandbox: { ...sandbox, isUnanswered: true } } : result };
  }
}

/** Runs a prepared command until it ends or continues in the background. The sandbox report is complete when the command ends. */
export async function runSandboxed(
  sandboxed: SandboxedCommand,
  request: CommandRequest,
  terminals: Pick<TerminalManager, 'run'>,
): Promise<CommandOutcome & { sandbox?: SandboxReport }> {
  let outcome: CommandOutcome;
  try {
    outcome = await terminals.run({ ...request, program: sandboxed.program, sandboxed });
  } catch (error) {
    await sandboxed.finish({ exitCode: null, output: '' });
    throw error;
  }
  if (outcome.status === 'background') return outcome;
  const { exitCode, output } = outcome;
  return { ...outcome, sandbox: await sandboxed.finish({ exitCode, output }) };
}

/** Extends a question with the reason why the command does not run in the sandbox. */
export function withSandboxReason<Q extends { reasons: readonly string[] }>(
  question: Q,
  attempt: SandboxAttempt<unknown>,
): Q & { reasons: string[] } {
  const reason = 'reason' in attempt ? attempt.reason : null;
  const added = reason === null ? [] : [t('not in the sandbox: {0}', reason)];
  return { ...question, reasons: [...added, ...question.reasons] };
}

/** Adds the sandbox report to a result. Adds nothing if the command ran outside the sandbox. */
export function withSandboxEvents(result: ToolResult, report: SandboxReport | undefined): ToolResult {
  if (report === undefined) return result;
  const { denials, reverted, isUnanswered = false } = report;
  const notes: string[] = [];
  if (denials.length > 0) {
    const list = denialTexts(denials).map(({ english }) => english);
    notes.push(`[The command ran in a sandbox, which denied: ${list.join('; ')}. Do not try to get around the sandbox.]`);
  }
  if (isUnanswered) notes.push('[To allow more needs approval, and nobody could answer. Go on without it.]');
  if (reverted.length > 0)
    notes.push(`[The sandbox restored files that the command must not change: ${reverted.slice(0, maxDenials).join(', ')}.]`);
  const sandbox = { denials: denials.slice(0, maxDenials), reverted: reverted.slice(0, maxDenials) };
  return { ...result, content: [result.content, ...notes].join('\n'), sandbox };
}

/** Asks the user about denied access. If the run ends before the user answers, the result of the command stays the same. */
async function answerToDenial(
  question: CommandToSandbox['question'],
  { denials }: SandboxReport,
  host: string | null,
  context: ToolContext,
): Promise<ApprovalAnswer> {
  const denied = denialTexts(denials).map(({ local }) => local);
  const reasons = [
    t('the sandbox denied: {0}', denied.join('; ')),
    t('if you approve, it runs outside the sandbox'),
    ...question.reasons,
  ];
  const sandbox = { denials: denials.slice(0, maxDenials), host };
  try {
    return await context.askAboutDenial({ ...question, reasons, sandbox, canAllowAlways: false });
  } catch (error) {
    if (isCancelled(error)) return 'denied';
    throw error;
  }
}

function denialTexts(denials: readonly Denial[]): Phrase[] {
  return denials.slice(0, maxDenials).map(({ kind, target }) => {
    if (kind === 'network') return target === null ? phrase('network access') : phrase('network access to {0}', target);
    return target === null ? phrase('writing outside the workspace') : phrase('writing {0}', target);
  });
}
