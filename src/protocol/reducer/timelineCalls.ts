import type { CommandChanges } from '../toolFacts';
import type { EntryOf } from '../entries';
import { readFacts } from '../legacyTools';
import type { ApprovalRequest, FileEdit, Question, ToolAction } from '../timeline';

/** Tracks the calls, approvals and questions of a turn and their state after each entry. */
export class TimelineCalls {
  private readonly actions = new Map<string, ToolAction>();
  private readonly approvals = new Map<string, ApprovalRequest>();
  private readonly questions = new Map<string, Question>();

  begin(entry: EntryOf<'tool_call'>): ToolAction {
    const action = newAction(entry);
    this.actions.set(action.callId, action);
    return action;
  }

  /** Ends a call. Its approvals are no longer pending. */
  end(entry: EntryOf<'tool_result'>): void {
    const { callId, status } = entry.data;
    const action = this.actions.get(callId);
    if (action) addResult(action, entry);
    for (const approval of this.approvals.values()) {
      if (approval.callId === callId && approval.state === 'waiting')
        approval.state = status === 'denied' ? 'denied' : 'cancelled';
    }
    if (action) this.markNotRun(action);
  }

  addEdit(entry: EntryOf<'file_edit'>): void {
    if (entry.data.callId !== undefined) this.actions.get(entry.data.callId)?.edits.push(toFileEdit(entry));
  }

  addStep({ seq, data }: EntryOf<'subagent_step'>): void {
    const { callId, name, input, label = null, facts, status, summary = null } = data;
    this.actions.get(callId)?.steps.push({
      kind: 'tool',
      seq,
      callId: `${callId}#${seq}`,
      name,
      ...(facts && { facts }),
      label,
      input,
      state: states[status],
      result: { content: '', summary, display: null, durationMs: null, details: {} },
      edits: [],
      steps: [],
      changes: null,
      isUnasked: false,
    });
  }

  /** Replaces the changes made during a command. The new list can be empty. */
  addChanges(changes: CommandChanges): void {
    const action = this.actions.get(changes.callId);
    const { count, uncovered, kept, unkept } = changes;
    const isAny = count > 0 || [uncovered, kept, unkept].some((part) => part !== undefined);
    if (action) action.changes = isAny ? { ...changes } : null;
  }

  /** Marks the changes of these commands as undone. */
  markUndone(callIds: readonly string[]): void {
    for (const { callId, changes } of this.actions.values())
      if (changes !== null && callIds.includes(callId)) changes.isUndone = true;
  }

  /** Adds an approval request. Returns null if the entry decides an earlier request, or if no approval by the user was needed. */
  addApproval(entry: EntryOf<'approval'>): ApprovalRequest | null {
    const { approvalId, callId, phase, decision, decidedBy, isAlways } = entry.data;
    const waiting = this.approvals.get(approvalId);
    const action = this.actions.get(callId);
    if (phase === 'requested') {
      const request = newApproval(entry);
      this.approvals.set(approvalId, request);
      if (action) action.state = 'waiting for approval';
      return request;
    }
    if (waiting) {
      waiting.state = decision ?? 'cancelled';
      waiting.isAlways = isAlways === true;
      if (action?.state === 'waiting for approval') action.state = 'running';
    } else if (action && decidedBy === 'session') action.isUnasked = true;
    return null;
  }

  /** Adds a question. Returns null if the entry settles an earlier question. */
  addQuestion(entry: EntryOf<'question'>): Question | null {
    const { questionId, phase, outcome } = entry.data;
    if (phase === 'asked') {
      const question = newQuestion(entry);
      this.questions.set(questionId, question);
      return question;
    }
    const asked = this.questions.get(questionId);
    if (asked) {
      asked.state = outcome ?? 'cancelled';
      asked.answer = asked.state === 'answered' ? entry.content : null;
    }
    return null;
  }

  /** Cancels calls, approvals and questions up to a `seq` that are still open. */
  settleAbandoned(through: number): void {
    for (const asked of [...this.actions.values(), ...this.approvals.values(), ...this.questions.values()]) {
      if (asked.seq <= through && ['running', 'waiting for approval', 'waiting'].includes(asked.state)) asked.state = 'cancelled';
    }
    for (const action of this.actions.values()) this.markNotRun(action);
  }

  /** Marks calls that have not started. Only calls without an effect run in parallel. Every other call waits for the calls before it. */
  markQueued(): void {
    const hasEffect = (action: ToolAction): boolean => readFacts(action).effect !== 'none';
    const unfinished: ToolAction[] = [];
    for (const action of this.actions.values()) {
      if (action.state !== 'running' && action.state !== 'waiting for approval') continue;
      const isBehind = unfinished.some((earlier) => hasEffect(earlier) || hasEffect(action));
      unfinished.push(action);
      if (isBehind && action.state === 'running') action.state = 'queued';
    }
  }

  /** Marks a call as not run if it was cancelled before it started, for example while it waited for approval. */
  private markNotRun(action: ToolAction): void {
    const approvals = [...this.approvals.values()].filter(({ callId }) => callId === action.callId);
    const isUnapproved = approvals.some(({ state }) => state === 'cancelled');
    if (action.state === 'cancelled' && (isUnapproved || action.result?.details['notRun'] === true)) action.isNotRun = true;
  }
}

function newAction(entry: EntryOf<'tool_call'>): ToolAction {
  return {
    kind: 'tool',
    seq: entry.seq,
    callId: entry.data.callId,
    name: entry.data.name,
    ...(entry.data.facts && { facts: entry.data.facts }),
    label: entry.data.label ?? null,
    input: entry.data.input,
    state: 'running',
    result: null,
    edits: [],
    steps: [],
    changes: null,
    isUnasked: false,
  };
}

const states = { success: 'done', error: 'failed', cancelled: 'cancelled', denied: 'denied' } as const;

function addResult(action: ToolAction, entry: EntryOf<'tool_result'>): void {
  action.state = states[entry.data.status];
  action.result = {
    content: entry.content,
    summary: entry.data.summary ?? null,
    display: entry.data.display ?? null,
    durationMs: entry.data.durationMs ?? null,
    details: entry.data.details ?? {},
    ...(entry.data.images !== undefined && { images: entry.data.images }),
    ...(entry.data.sandbox && { sandbox: entry.data.sandbox }),
  };
}

function toFileEdit(entry: EntryOf<'file_edit'>): FileEdit {
  const { path, newPath, operation, diff, additions, deletions } = entry.data;
  return { seq: entry.seq, path, newPath: newPath ?? null, operation, diff, additions, deletions };
}

function newApproval(entry: EntryOf<'approval'>): ApprovalRequest {
  const {
    approvalId,
    callId,
    kind,
    command,
    cwd,
    path,
    newPath,
    operation,
    diff,
    severity,
    parts,
    reasons,
    tool,
    projects,
    sandbox,
    canAllowAlways,
  } = entry.data;
  return {
    kind: 'approval',
    seq: entry.seq,
    approvalId,
    callId,
    approvalKind: kind,
    command: command ?? null,
    cwd: cwd ?? null,
    path: path ?? null,
    newPath: newPath ?? null,
    operation: operation ?? null,
    diff: diff ?? null,
    severity: severity ?? null,
    parts: parts ?? null,
    reasons: reasons ?? [],
    ...(tool && { tool }),
    ...(projects && { projects }),
    ...(sandbox && { sandbox }),
    canAllowAlways: canAllowAlways === true,
    isAlways: false,
    state: 'waiting',
  };
}

function newQuestion({ seq, content, data }: EntryOf<'question'>): Question {
  const { questionId, callId, options = [], fields } = data;
  const asked = { seq, questionId, callId, text: content, options, ...(fields !== undefined && { fields }) };
  return { kind: 'question', ...asked, state: 'waiting', answer: null };
}
