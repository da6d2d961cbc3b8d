import { randomUUID } from 'node:crypto';
import type { EntryData, EntryInput } from '../../protocol/entries';
import type { AgentConfig } from '../../config/configTypes';
import { planInProgress } from '../../protocol/planProgress';
import { notFollowed } from '../../types/checkpoint';
import { AsyncMutex } from '../../utils/asyncMutex';
import type { Clock } from '../../utils/clock';
import { AppError, CancelledError, isCancelled, messageOf, throwIfAborted } from '../../utils/errors';
import { t, type Phrase } from '../../utils/l10n';
import type { ApprovalAnswer, ApprovalManager } from '../approvals/approvalManager';
import { CallPermissions } from '../approvals/callPermissions';
import { noGuard, type ChangeGuard, type ImageStore } from '../kernel/ports';
import type { Run } from '../kernel/run';
import { hasNotice, type RunLog } from '../kernel/runLog';
import { noGrants, type GrantCheck, type SessionGrants } from '../approvals/sessionGrants';
import { editHistory, lineEdits } from '../tools/edit/editHistory';
import { failure } from '../tools/kernel/toolFailure';
import type { PreparedCall, Tool, ToolContext, ToolResult } from '../tools/kernel/tool';
import type { ApprovalQuestion } from '../kernel/approvalQuestion';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import type { RequestedCall } from '../kernel/requestedCall';
import { ToolTimer } from '../tools/kernel/toolTimer';
import { duplicateCall, maybeWritten, notRun, stopped, unanswered, unknownTool, notReadable } from '../tools/kernel/callResults';

type GrantStore = Pick<SessionGrants, 'of' | 'check' | 'allow' | 'allowHost'>;
const nothingGranted: GrantStore = {
  of: async () => Promise.resolve(noGrants),
  check: async () => Promise.resolve({ state: 'none', files: {} }),
  allow: async () => Promise.resolve(),
  allowHost: async () => Promise.resolve(),
};

/** Scope in which the calls of one answer run. `tools` contains the tools offered to the model, and only these tools run. */
export interface CallScope {
  run: Run;
  log: RunLog;
  tools: ToolRegistry;
  /** Repeated calls of the same answer. They are not run, but each gets a result. */
  again: ReadonlySet<RequestedCall>;
}

/**
 * Scope with a lock, so that only one question is shown at a time. `asking` contains whether the call
 * waits for an approval, how long it waited for the user, and whether no user or client could answer.
 */
type AskingScope = CallScope & { questions: AsyncMutex; asking: { isOpen: boolean; waitedMs: number; isRefused: boolean } };
type ExecutionScope = AskingScope & Pick<ToolContext, 'beginCommand'>;

/** Times of a call in milliseconds. */
interface CallTimes {
  ranMs: number;
  /** Time that the call waited for the user. */
  waitedMs: number;
}

const stopGraceMs = 500;
/** Time in milliseconds to wait for a file write in progress, after Stop and after the time limit. Saving can be slow. */
const writingGraceMs = { stop: 3000, limit: 60_000 };
const maxTogether = 8;

type ValidCall = Extract<PreparedCall, { isValid: true }>;

/**
 * Runs calls. Every call gets exactly one result in the log. Failures become
 * results that the model can use. Throws only if the log cannot be written.
 */
export class ToolRunner {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly approvals: Pick<ApprovalManager, 'ask' | 'questions'>,
    private readonly settings: { getAgentConfig(): Pick<AgentConfig, 'toolTimeout'> },
    private readonly clock: Clock,
    private readonly guard: ChangeGuard = noGuard,
    private readonly grants: GrantStore = nothingGranted,
    private readonly images: ImageStore | null = null,
  ) {}

  /** Returns the facts of any tool, offered or not. `label` describes the call with its arguments. */
  describe(
    name: string,
    input: Record<string, unknown> | null,
    tools: ToolRegistry,
  ): Pick<EntryData<'tool_call'>, 'label' | 'facts'> {
    const tool = this.registry.get(name) ?? tools.get(name);
    const label = input === null ? undefined : tool?.label(input);
    return { ...(label !== undefined && { label }), ...(tool && { facts: tool.facts }) };
  }

  /** Groups calls that run in parallel. Calls that only read share a group. Every other call has its own group. */
  groups(calls: readonly RequestedCall[], tools: ToolRegistry): RequestedCall[][] {
    const groups: RequestedCall[][] = [];
    let isOpen = false;
    for (const call of calls) {
      const isReading = tools.get(call.name)?.isParallel === true;
      const last = groups.at(-1);
      if (isReading && isOpen && last && last.length < maxTogether) last.push(call);
      else groups.push([call]);
      isOpen = isReading;
    }
    return groups;
  }

  /** Runs the calls in parallel and appends their results in order. `amend` may extend each result. */
  async run(
    calls: readonly RequestedCall[],
    { run, log, tools, again }: CallScope,
    amend: (call: RequestedCall, result: ToolResult) => ToolResult,
  ): Promise<void> {
    const scope = { run, log, tools, again, questions: new AsyncMutex() };
    const running = calls.map(async (call) => {
      const startedAt = this.clock.now();
      run.report({ kind: 'tool', name: call.name, since: startedAt });
      const asking = { isOpen: false, waitedMs: 0, isRefused: false };
      const result = await this.runForResult(call, { ...scope, asking });
      const ranMs = Math.max(0, this.clock.now() - startedAt - asking.waitedMs);
      return { call, result, times: { ranMs, waitedMs: asking.waitedMs } };
    });
    for (const one of running) one.catch(() => undefined);
    for (const one of running) {
      const { call, result, times } = await one;
      await this.record(call, amend(call, result), log, times);
    }
  }

  /** Appends the result of a call that is not run. The text is the reason why the run was ended, otherwise `reason`. */
  async skip(call: RequestedCall, reason: string, { run, log }: Pick<CallScope, 'run' | 'log'>): Promise<void> {
    const skipped: ToolResult = { status: 'cancelled', content: reason, details: { notRun: true } };
    await this.record(call, run.signal.aborted ? notRun(run) : skipped, log, null);
  }

  private async runForResult(call: RequestedCall, scope: AskingScope): Promise<ToolResult> {
    const { run, log, tools, asking } = scope;
    if (run.signal.aborted) return notRun(run);
    if (scope.again.has(call)) return duplicateCall();
    if (call.problem !== undefined) return notReadable(call.problem, call.written);
    const tool = tools.get(call.name);
    if (!tool) return unknownTool(call.name, tools.names());
    const prepared = tool.prepare(call.input);
    if (!prepared.isValid)
      return { ...failure({ local: t('invalid arguments'), english: prepared.problem }), display: prepared.problem };
    const remarks: string[] = [];
    if (prepared.ignored.length > 0) remarks.push(t('ignored: {0}', prepared.ignored.join(', ')));
    if (call.repairs && call.repairs.length > 0) remarks.push(t('repaired: {0}', call.repairs.join(', ')));
    try {
      const execute = (begin = () => Promise.resolve(notFollowed)) =>
        this.execute(tool, prepared, call, { ...scope, beginCommand: begin });
      const { effect } = tool.facts;
      // Input for the labels of the checkpoints before and after the call.
      const input = effect === 'command' ? { command: tool.label(call.input) ?? call.name } : call.input;
      const changing = { sessionId: run.sessionId, callId: call.callId, effect, input, signal: run.signal };
      const result = await (effect === 'none' ? execute() : this.guard.around(changing, execute));
      return withRemarks(asking.isRefused && result.status === 'denied' ? unanswered() : result, remarks);
    } catch (error) {
      if (log.failure !== undefined) throw log.failure;
      if (run.signal.aborted || isCancelled(error)) return withRemarks(asking.isOpen ? notRun(run) : stopped(run), remarks);
      return withRemarks(thrown(call.name, error), remarks);
    }
  }

  private async execute(tool: Tool, prepared: ValidCall, call: RequestedCall, scope: ExecutionScope): Promise<ToolResult> {
    const { run, log, tools, questions, beginCommand, asking } = scope;
    const permissions = new CallPermissions(this.grants, run.sessionId, call.isUnannounced === true);
    const timer = new ToolTimer(tool.isTimed ? this.settings.getAgentConfig().toolTimeout : null, this.clock);
    const signal = AbortSignal.any([run.signal, timer.signal]);
    const over = new AbortController();
    let isWriting = false;
    /** Pauses the time limit while the user decides. */
    const pausing = <T>(question: () => Promise<T>): Promise<T> => {
      const since = this.clock.now();
      const answered = timer.pausedWhile(() => questions.runExclusive(question));
      return answered.finally(() => (asking.waitedMs += this.clock.now() - since));
    };
    const context: ToolContext = {
      sessionId: run.sessionId,
      callId: call.callId,
      model: run.model,
      signal,
      offers: (name) => tools.isDeclared(name),
      plan: () => planInProgress(log.entries),
      beginCommand,
      beginWriting: () => {
        throwIfAborted(signal);
        isWriting = true;
      },
      approve: (question, check) => pausing(() => this.ask(explained(question, permissions.reasonsAgainst), check, call, scope)),
      askAboutDenial: (question) => pausing(() => this.askAboutDenial(question, call, scope)),
      ask: (question) => pausing(() => this.approvals.questions.ask(question, call.callId, run, log)),
      edits: editHistory(() => log.entries, this.registry.get(lineEdits) !== undefined),
      callReasons: permissions.reasons,
      grants: () => permissions.of(),
      checkGrant: (what) => permissions.check(what),
      logAutoApproval: async (kind, isSandboxed = false) => {
        const data = { approvalId: randomUUID(), callId: call.callId, phase: 'decided', kind } as const;
        await log.append({
          type: 'approval',
          data: { ...data, decision: 'approved', decidedBy: 'session', ...(isSandboxed && { isSandboxed }) },
        });
      },
      keepImage: (bytes) => this.images?.keep(bytes) ?? Promise.reject(new CancelledError()),
      recordStep: async (step) => {
        await log.append({ type: 'subagent_step', data: { ...step, callId: call.callId } });
      },
      recordEdit: async (edit) => {
        await log.append({ type: 'file_edit', data: { ...edit, callId: call.callId } });
      },
    };
    /** Waits for a file write in progress, so that the model receives the actual outcome. */
    const unlessWriting = async (end: Promise<ToolResult>, graceMs: number): Promise<ToolResult> => {
      const [ended] = await Promise.allSettled([end]);
      if (!isWriting) {
        if (ended.status === 'rejected') throw ended.reason;
        return ended.value;
      }
      await this.clock.sleep(graceMs, over.signal);
      return maybeWritten();
    };
    const work = prepared.run(context).catch((error: unknown) => {
      if (isWriting && isCancelled(error)) return maybeWritten();
      throw error;
    });
    // A tool that ignores its signal must not block the run.
    work.catch(() => undefined);
    const ends = [unlessWriting(timer.timeUp, writingGraceMs.limit)];
    if (tool.isTimed) ends.push(unlessWriting(this.afterStopGrace(run.signal), writingGraceMs.stop));
    for (const end of ends) end.catch(() => undefined);
    try {
      return await Promise.race([work, ...ends]);
    } finally {
      over.abort();
      timer.dispose();
    }
  }

  private async ask(
    question: ApprovalQuestion,
    check: GrantCheck | undefined,
    { callId }: RequestedCall,
    { run, log, asking }: ExecutionScope,
  ): Promise<boolean> {
    asking.isOpen = true;
    const answer = await this.approvals.ask({ ...question, callId }, run, log);
    asking.isOpen = false;
    asking.isRefused ||= answer === 'unanswered';
    const { command, cwd } = question;
    const isLasting = answer === 'always' || (answer === 'approved' && check?.state === 'changed');
    if (isLasting && command !== undefined && cwd !== undefined)
      await this.grants.allow(run.sessionId, { command, cwd, files: check?.files });
    return answer === 'approved' || answer === 'always';
  }

  /** Asks about an access that the sandbox denied. The call has already run, so the decision does not change its result. */
  private async askAboutDenial(
    question: ApprovalQuestion,
    { callId }: RequestedCall,
    { run, log }: ExecutionScope,
  ): Promise<ApprovalAnswer> {
    const answer = await this.approvals.ask({ ...question, callId }, run, log);
    const host = question.sandbox?.host ?? null;
    if (answer === 'host' && host !== null) await this.grants.allowHost(run.sessionId, host);
    return answer;
  }

  /** Rejects shortly after Stop, so that a tool can still report its work. Not used for tools without a time limit. */
  private async afterStopGrace(signal: AbortSignal): Promise<never> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await this.clock.sleep(stopGraceMs);
    throw new CancelledError();
  }

  private async record(call: RequestedCall, result: ToolResult, log: RunLog, times: CallTimes | null): Promise<void> {
    const { content, notice, ...rest } = result;
    const data: Extract<EntryInput, { type: 'tool_result' }>['data'] = { callId: call.callId, name: call.name, ...rest };
    // A denied call did not run.
    const hasRun = result.status !== 'denied' && result.details?.['notRun'] !== true;
    if (times !== null && hasRun) data.durationMs = times.ranMs;
    if (times !== null && times.waitedMs > 0) data.waitedMs = times.waitedMs;
    await log.append({ type: 'tool_result', content, data });
    if (notice !== undefined && !hasNotice(notice.data.code, log)) await log.append(notice);
  }
}

function explained(question: ApprovalQuestion, reasons: readonly Phrase[]): ApprovalQuestion {
  return reasons.length === 0
    ? question
    : { ...question, reasons: [...reasons.map(({ local }) => local), ...(question.reasons ?? [])] };
}

/** Returns the result for a thrown error. The expanded row shows the text of an unexpected error. */
function thrown(name: string, error: unknown): ToolResult {
  if (error instanceof AppError) return failure({ local: error.userMessage, english: `${name} failed: ${error.modelMessage}` });
  const text = messageOf(error);
  return { ...failure({ local: t('unexpected error'), english: `${name} failed: ${text}` }), display: text };
}

function withRemarks(result: ToolResult, remarks: readonly string[]): ToolResult {
  if (remarks.length === 0) return result;
  const said = remarks.join('; ');
  return { ...result, summary: result.summary === undefined ? said : `${result.summary} (${said})` };
}
