import { randomUUID } from 'node:crypto';
import type { EntryData, EntryInput } from '../../protocol/entries';
import type { AgentConfig } from '../../config/configTypes';
import { planUnderWay } from '../../protocol/planProgress';
import { notFollowed } from '../../types/checkpoint';
import { AsyncMutex } from '../../utils/asyncMutex';
import type { Clock } from '../../utils/clock';
import { AppError, CancelledError, isCancelled, messageOf, throwIfAborted } from '../../utils/errors';
import { t } from '../../utils/l10n';
import type { ApprovalManager } from '../approvals/approvalManager';
import { noGuard, type ChangeGuard, type ImageStore } from '../kernel/ports';
import type { Run } from '../kernel/run';
import { hasNotice, type RunLog } from '../kernel/runLog';
import type { GrantCheck, SessionGrants } from '../approvals/sessionGrants';
import { editHistory, lineEdits } from '../tools/edit/editHistory';
import type { PreparedCall, Tool, ToolContext, ToolResult } from '../tools/kernel/tool';
import type { ApprovalQuestion } from '../kernel/approvalQuestion';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import type { RequestedCall } from '../kernel/requestedCall';
import { ToolTimer } from '../tools/kernel/toolTimer';

const nothingGranted: Pick<SessionGrants, 'of' | 'check' | 'allow'> = {
  of: async () => Promise.resolve({ commands: false, sensitiveEdits: false, allowedCommands: [], files: [] }),
  check: async () => Promise.resolve({ state: 'none', files: {} }),
  allow: async () => Promise.resolve(),
};

/** Scope in which the calls of one answer run. `tools` are those that the model was offered: no others are run. */
export interface CallScope {
  run: Run;
  log: RunLog;
  tools: ToolRegistry;
  /** Calls that were made before in the same answer: they are answered, and not run again. */
  again: ReadonlySet<RequestedCall>;
}

/** A person is asked one thing at a time. `asking` tells whether the call waits for an approval, and how long its user took to answer. */
type AskingScope = CallScope & { questions: AsyncMutex; asking: { isUnanswered: boolean; waitedMs: number } };
type ExecutionScope = AskingScope & Pick<ToolContext, 'beginCommand'>;

const stopGraceMs = 500;
/** Milliseconds beyond the time limit of a call that a file being written is waited for. */
const writingGraceMs = 3000;
const maxTogether = 8;

type ValidCall = Extract<PreparedCall, { isValid: true }>;

/**
 * Runs calls: every call gets one result in the log, whatever happens, and a failure is a result that the model can use.
 * Only a failure to write the log is thrown on.
 */
export class ToolRunner {
  constructor(
    private readonly registry: ToolRegistry,
    private readonly approvals: Pick<ApprovalManager, 'ask' | 'questions'>,
    private readonly settings: { getAgentConfig(): Pick<AgentConfig, 'toolTimeout'> },
    private readonly clock: Clock,
    private readonly guard: ChangeGuard = noGuard,
    private readonly grants: Pick<SessionGrants, 'of' | 'check' | 'allow'> = nothingGranted,
    private readonly images: ImageStore | null = null,
  ) {}

  /** Returns what a tool says of itself and, in `label`, of a call with whatever arguments the model gave. */
  describe(name: string, input: Record<string, unknown> | null): Pick<EntryData<'tool_call'>, 'label' | 'facts'> {
    const tool = this.registry.get(name);
    const label = input === null ? undefined : tool?.label(input);
    return { ...(label !== undefined && { label }), ...(tool && { facts: tool.facts }) };
  }

  /** Calls that run side by side, one group after the other: those that only read together, every other by itself. */
  groups(calls: readonly RequestedCall[], tools: ToolRegistry): RequestedCall[][] {
    const groups: RequestedCall[][] = [];
    let isOpen = false;
    for (const call of calls) {
      const isReading = tools.get(call.name)?.isBeside === true;
      const last = groups.at(-1);
      if (isReading && isOpen && last && last.length < maxTogether) last.push(call);
      else groups.push([call]);
      isOpen = isReading;
    }
    return groups;
  }

  /** Runs the calls side by side and appends their results in order, to whose texts `amend` may add. */
  async run(
    calls: readonly RequestedCall[],
    { run, log, tools, again }: CallScope,
    amend: (call: RequestedCall, result: ToolResult) => ToolResult,
  ): Promise<void> {
    const scope = { run, log, tools, again, questions: new AsyncMutex() };
    const running = calls.map(async (call) => {
      const startedAt = this.clock.now();
      run.report({ kind: 'tool', name: call.name, since: startedAt });
      const asking = { isUnanswered: false, waitedMs: 0 };
      const result = await this.resultOf(call, { ...scope, asking });
      return { call, result, durationMs: Math.max(0, this.clock.now() - startedAt - asking.waitedMs) };
    });
    for (const one of running) one.catch(() => undefined);
    for (const one of running) {
      const { call, result, durationMs } = await one;
      await this.record(call, amend(call, result), log, durationMs);
    }
  }

  /** Appends the result of a call that will not be run: who ended the run, or, of one that nobody has ended, the `reason`. */
  async skip(call: RequestedCall, reason: string, { run, log }: Pick<CallScope, 'run' | 'log'>): Promise<void> {
    const skipped: ToolResult = { status: 'cancelled', content: reason, details: { notRun: true } };
    await this.record(call, run.signal.aborted ? notRun(run) : skipped, log, undefined);
  }

  private async resultOf(call: RequestedCall, scope: AskingScope): Promise<ToolResult> {
    const { run, log, tools, asking } = scope;
    if (run.signal.aborted) return notRun(run);
    if (scope.again.has(call)) return madeBefore();
    if (call.problem !== undefined) return unreadable(call.problem, call.written);
    const tool = tools.get(call.name);
    if (!tool) return unknownTool(call.name, tools.names());
    const prepared = tool.prepare(call.input);
    if (!prepared.isValid) return { status: 'error', content: prepared.problem, summary: t('wrong arguments') };
    const remarks: string[] = [];
    if (prepared.ignored.length > 0) remarks.push(t('ignored: {0}', prepared.ignored.join(', ')));
    if (call.repairs && call.repairs.length > 0) remarks.push(t('repaired: {0}', call.repairs.join(', ')));
    try {
      const execute = (begin = () => Promise.resolve(notFollowed)) =>
        this.execute(tool, prepared, call, { ...scope, beginCommand: begin });
      const { effect } = tool.facts;
      // The checkpoints around it say what it was.
      const input = effect === 'command' ? { command: tool.label(call.input) ?? call.name } : call.input;
      const changing = { sessionId: run.sessionId, callId: call.callId, effect, input, signal: run.signal };
      return withRemarks(await (effect === 'none' ? execute() : this.guard.around(changing, execute)), remarks);
    } catch (error) {
      if (log.failure !== undefined) throw log.failure;
      if (run.signal.aborted || isCancelled(error)) return withRemarks(asking.isUnanswered ? notRun(run) : stopped(run), remarks);
      const reason = error instanceof AppError ? error.modelMessage : messageOf(error);
      return withRemarks({ status: 'error', content: `${call.name} failed: ${reason}` }, remarks);
    }
  }

  private async execute(tool: Tool, prepared: ValidCall, call: RequestedCall, scope: ExecutionScope): Promise<ToolResult> {
    const { run, log, tools, questions, beginCommand, asking } = scope;
    const timer = new ToolTimer(tool.isTimed ? this.settings.getAgentConfig().toolTimeout : null, this.clock);
    const signal = AbortSignal.any([run.signal, timer.signal]);
    const over = new AbortController();
    let isWriting = false;
    /** A person may take as long as they like: the tool's time stands still. */
    const askedOf = <T>(question: () => Promise<T>): Promise<T> => {
      const since = this.clock.now();
      const answered = timer.pausedWhile(() => questions.runExclusive(question));
      return answered.finally(() => (asking.waitedMs += this.clock.now() - since));
    };
    const context: ToolContext = {
      sessionId: run.sessionId,
      callId: call.callId,
      model: run.model,
      signal,
      offers: (name) => tools.get(name) !== undefined,
      plan: () => planUnderWay(log.entries),
      beginCommand,
      beginWriting: () => {
        throwIfAborted(signal);
        isWriting = true;
      },
      approve: (question, check) => askedOf(() => this.ask(question, check, call, scope)),
      ask: (question) => askedOf(() => this.approvals.questions.ask(question, call.callId, run, log)),
      edits: editHistory(() => log.entries, this.registry.get(lineEdits) !== undefined),
      grants: () => this.grants.of(run.sessionId),
      checkGrant: (what) => this.grants.check(run.sessionId, what),
      noteUnasked: async (kind) => {
        const data = { approvalId: randomUUID(), callId: call.callId, phase: 'decided', kind } as const;
        await log.append({ type: 'approval', data: { ...data, decision: 'approved', decidedBy: 'session' } });
      },
      keepImage: (bytes) => this.images?.keep(bytes) ?? Promise.reject(new CancelledError()),
      recordStep: async (step) => {
        await log.append({ type: 'subagent_step', data: { ...step, callId: call.callId } });
      },
      recordEdit: async (edit) => {
        await log.append({ type: 'file_edit', data: { ...edit, callId: call.callId } });
      },
    };
    /** Waits for a file that is being written: what the model is told has to be what is there. */
    const unlessWriting = async (end: Promise<ToolResult>): Promise<ToolResult> => {
      const [ended] = await Promise.allSettled([end]);
      if (!isWriting) {
        if (ended.status === 'rejected') throw ended.reason;
        return ended.value;
      }
      await this.clock.sleep(writingGraceMs, over.signal);
      return maybeWritten();
    };
    const work = prepared.run(context).catch((error: unknown) => {
      if (isWriting && isCancelled(error)) return maybeWritten();
      throw error;
    });
    // A tool that does not heed its signal must not hold the run up.
    work.catch(() => undefined);
    const ends = [timer.timeUp, ...(tool.isTimed ? [this.leftBehind(run.signal)] : [])].map(unlessWriting);
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
    asking.isUnanswered = true;
    const answer = await this.approvals.ask({ ...question, callId }, run, log);
    asking.isUnanswered = false;
    const { command, cwd } = question;
    const isLasting = answer === 'always' || (answer === 'approved' && check?.state === 'changed');
    if (isLasting && command !== undefined && cwd !== undefined)
      await this.grants.allow(run.sessionId, { command, cwd, files: check?.files });
    return answer !== 'denied';
  }

  /** Rejects a moment after Stop, so that a tool may still tell what it has done. A tool without a limit ends by itself. */
  private async leftBehind(signal: AbortSignal): Promise<never> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await this.clock.sleep(stopGraceMs);
    throw new CancelledError();
  }

  private async record(call: RequestedCall, result: ToolResult, log: RunLog, durationMs: number | undefined): Promise<void> {
    const { content, notice, ...rest } = result;
    const data: Extract<EntryInput, { type: 'tool_result' }>['data'] = { callId: call.callId, name: call.name, ...rest };
    if (durationMs !== undefined) data.durationMs = durationMs;
    await log.append({ type: 'tool_result', content, data });
    if (notice !== undefined && !hasNotice(notice.data.code, log)) await log.append(notice);
  }
}

function stopped({ endReason }: Run): ToolResult {
  const content =
    endReason === 'interrupted' ? 'The window closed before it was finished.' : 'Stopped by the user before it was finished.';
  return { status: 'cancelled', content };
}

function notRun({ endReason }: Run): ToolResult {
  const content =
    endReason === 'interrupted' ? 'Not run: the window closed.' : 'Not run: the user stopped the run before it began.';
  const summary = endReason === 'interrupted' ? { summary: t('the window closed') } : {};
  return { status: 'cancelled', content, ...summary, details: { notRun: true } };
}

function madeBefore(): ToolResult {
  return {
    status: 'cancelled',
    content: 'Not run again: the same call stands before it in your answer. Its result is the one of that call.',
    summary: t('same call as before'),
    details: { notRun: true },
  };
}

function maybeWritten(): ToolResult {
  return {
    status: 'error',
    content: 'Stopped while the file was being written, so it may have been changed or not. Read it before you go on.',
    summary: t('may have been written'),
  };
}

function withRemarks(result: ToolResult, remarks: readonly string[]): ToolResult {
  if (remarks.length === 0) return result;
  const said = remarks.join('; ');
  return { ...result, summary: result.summary === undefined ? said : `${result.summary} (${said})` };
}

function unreadable(problem: string, written = ''): ToolResult {
  return {
    status: 'error',
    content: problem,
    summary: t('unreadable call'),
    ...(written !== '' && { display: `${problem}\n\n${written}` }),
  };
}

function unknownTool(name: string, known: readonly string[]): ToolResult {
  const tools = known.length === 0 ? 'You have no tools here.' : `The tools are: ${known.join(', ')}.`;
  return {
    status: 'error',
    content: `There is no tool named ${JSON.stringify(name)}. ${tools}`,
    summary: t('unknown tool'),
  };
}
