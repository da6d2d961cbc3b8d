import { continuedCode, isContinuation, joinContinued } from './continuation';
import type { AnswerStats, Attachment, CommandChanges, Entry, EntryOf, ErrorAction } from './entries';
import type { LeftFile } from './restore';
import { countDone, type Todo } from './todos';

/**
 * entries → what is on screen. The only way to build it: the live view, a restored session, export and the APIs all call
 * `reduceTimeline`, so history equals live by construction. Pure: no clock, no I/O, no state between calls but the memo.
 */

export type ToolState = 'running' | 'done' | 'failed' | 'waiting for approval' | 'cancelled' | 'denied';

export interface ToolAction {
  kind: 'tool';
  seq: number;
  callId: string;
  name: string;
  label: string | null;
  input: Record<string, unknown>;
  state: ToolState;
  result: { content: string; summary: string | null; display: string | null; durationMs: number | null; details: Details } | null;
  edits: FileEdit[];
  /** What changed while this command ran; null where nothing did or it is not known. */
  changes: Omit<CommandChanges, 'callId'> | null;
  /** It would have been asked about, had a person not allowed it for the session. */
  isUnasked: boolean;
}

type Details = Record<string, string | number | boolean>;

export interface FileEdit {
  seq: number;
  path: string;
  newPath: string | null;
  operation: 'create' | 'modify' | 'delete' | 'rename';
  diff: string;
  additions: number;
  deletions: number;
}

export type Severity = 'low' | 'medium' | 'high' | 'critical';

export interface ApprovalRequest {
  kind: 'approval';
  seq: number;
  approvalId: string;
  callId: string;
  approvalKind: 'command' | 'edit' | 'read';
  command: string | null;
  cwd: string | null;
  path: string | null;
  newPath: string | null;
  operation: FileEdit['operation'] | null;
  diff: string | null;
  severity: Severity | null;
  /** The command's parts, each as written; null where they were not kept. */
  parts: { text: string; severity: Severity }[] | null;
  reasons: string[];
  canAllowAlways: boolean;
  /** It was allowed for the rest of the session with it. */
  isAlways: boolean;
  /** `waiting` only while the run lives. */
  state: 'waiting' | 'approved' | 'denied' | 'cancelled';
}

/** What the agent wants to know of a person. */
export interface Question {
  kind: 'question';
  seq: number;
  questionId: string;
  callId: string;
  text: string;
  options: string[];
  /** `waiting` only while the run lives. */
  state: 'waiting' | 'answered' | 'skipped' | 'cancelled';
  answer: string | null;
}

export type Block =
  | { kind: 'thinking'; seq: number; text: string; isOpen: boolean; durationMs: number | null }
  | { kind: 'text'; seq: number; text: string; isOpen: boolean; end: 'complete' | 'length' | 'incomplete' | 'stopped' | null }
  /** Consecutive calls of one kind of work, in the order they happened. */
  | { kind: 'toolGroup'; seq: number; family: ToolFamily; actions: ToolAction[]; state: ToolState }
  | ApprovalRequest
  | Question
  | { kind: 'notice'; seq: number; level: 'info' | 'warning'; code: string; text: string }
  /** A person's answer to what the agent has changed; `revert` takes an earlier answer back. */
  | ReviewNote
  | RestoreNote
  | { kind: 'error'; seq: number; code: string; text: string; detail: string | null; actions: ErrorAction[] };

export interface ReviewNote {
  kind: 'review';
  seq: number;
  action: 'keep' | 'undo' | 'revert' | 'approve';
  paths: string[];
  /** What was said to an approval. */
  message: string | null;
  isTakenBack: boolean;
}

/** The workspace was brought back to a checkpoint, or, with `undoes`, to what it was before a restore. */
export interface RestoreNote {
  kind: 'restore';
  seq: number;
  operationId: string | null;
  undoes: string | null;
  /** Of the checkpoint; empty where it was not kept. */
  title: string;
  paths: string[];
  left: LeftFile[];
  /** It went back to the approved state. */
  isReset: boolean;
  isUndone: boolean;
}

export type ToolFamily = 'read' | 'edit' | 'command' | 'search' | 'other';

/** One user message and everything that came of it: one `You` article and one `Assistant` article. */
export interface Turn {
  /** `seq` of the user input: the turn's identity. */
  seq: number;
  user: { text: string; mode: string; attachments: Attachment[]; timestamp: number; checkpointId: string | null } | null;
  blocks: Block[];
  model: string | null;
  stats: AnswerStats | null;
  /** The list as this turn has left it; null where it did not touch it. */
  todos: Todo[] | null;
  /** `running` while the session's run lives, `interrupted` when it ended without saying so. */
  outcome: 'running' | 'done' | 'stopped' | 'limit' | 'failed' | 'interrupted';
  timestamp: number;
}

export interface Timeline {
  turns: Turn[];
}

/** What the agent means to do now; empty where it has no list, or has done all of it before the last message. */
export function todosOf({ turns }: Timeline): Todo[] {
  const index = turns.findLastIndex(({ todos }) => todos !== null);
  const todos = turns[index]?.todos ?? [];
  const isOver = index < turns.length - 1 && countDone(todos) === todos.length;
  return isOver ? [] : todos;
}

export interface ReduceOptions {
  /** Whether a run of this session is alive somewhere; only the last turn can be running. */
  isLive: boolean;
  /** What waits in entries up to this `seq` was left by a run before the one that lives. Default 0. */
  settledThrough?: number;
}

/** Entries in order of `seq`; entries that a rewind has taken out of the conversation are passed over. */
export function reduceTimeline(entries: readonly Entry[], options: ReduceOptions): Timeline {
  const turns = splitTurns(conversationOf(entries));
  return { turns: turns.map((turn, index) => reduceTurn(turn, optionsOf(options, index === turns.length - 1))) };
}

export function optionsOf({ isLive, settledThrough = 0 }: ReduceOptions, isLast: boolean): Required<ReduceOptions> {
  return isLive && isLast ? { isLive, settledThrough } : { isLive: false, settledThrough: 0 };
}

/** The entries that are in the conversation: without those that a later rewind took out, and without the rewinds. */
export function conversationOf(entries: readonly Entry[]): Entry[] {
  const kept: Entry[] = [];
  for (const entry of entries) {
    if (entry.type !== 'rewind') {
      kept.push(entry);
      continue;
    }
    while (kept.length > 0 && (kept[kept.length - 1] as Entry).seq >= entry.data.fromSeq) kept.pop();
  }
  return kept;
}

/** One list of entries per turn, in order. */
export function splitTurns(entries: readonly Entry[]): Entry[][] {
  const turns: Entry[][] = [];
  for (const entry of entries) {
    const last = turns[turns.length - 1];
    // The checkpoint before the first message belongs to no turn.
    if (entry.type === 'checkpoint' && last === undefined) continue;
    if (entry.type === 'user_input' || last === undefined) turns.push([entry]);
    else last.push(entry);
  }
  return turns;
}

/** A turn from its own entries and nothing else. */
export function reduceTurn(entries: readonly Entry[], options: Required<ReduceOptions>): Turn {
  const { isLive } = options;
  const first = entries[0] as Entry;
  const answer = lastOf(entries, 'assistant_output');
  const started = entries.some((entry) => entry.type !== 'user_input');
  return {
    seq: first.seq,
    user:
      first.type === 'user_input'
        ? {
            text: first.content,
            mode: first.data.mode,
            attachments: first.data.attachments,
            timestamp: first.timestamp,
            checkpointId: first.checkpointId,
          }
        : null,
    blocks: reduceBlocks(entries, options),
    model: lastModel(entries),
    stats: answer?.data.stats ?? null,
    todos: lastTodos(entries),
    outcome: isLive ? 'running' : (lastOutcome(entries) ?? (first.type === 'user_input' || started ? 'interrupted' : 'done')),
    timestamp: first.timestamp,
  };
}

/** How the last run ended; null where it never said, though a run before it may have. */
function lastOutcome(entries: readonly Entry[]): Turn['outcome'] | null {
  const index = entries.findLastIndex(({ type }) => type === 'run_end');
  const end = entries[index];
  if (end?.type !== 'run_end') return null;
  return entries.slice(index + 1).some(isOfRun) ? null : end.data.outcome;
}

function isOfRun(entry: Entry): boolean {
  switch (entry.type) {
    case 'thinking':
    case 'assistant_output':
    case 'tool_call':
    case 'error':
      return true;
    default:
      return isContinuation(entry);
  }
}

function reduceBlocks(entries: readonly Entry[], { isLive, settledThrough }: Required<ReduceOptions>): Block[] {
  const blocks: Block[] = [];
  const actions = new Map<string, ToolAction>();
  const approvals = new Map<string, ApprovalRequest>();
  const questions = new Map<string, Question>();
  /** Whether the next answer goes on with the text above it. */
  let continues = false;

  for (const entry of entries) {
    switch (entry.type) {
      case 'thinking':
        blocks.push({
          kind: 'thinking',
          seq: entry.seq,
          text: entry.content,
          isOpen: entry.isOpen && isLive,
          durationMs: entry.data.durationMs ?? null,
        });
        break;
      case 'assistant_output': {
        const last = blocks.at(-1);
        if (entry.data.isThinking === true) {
          blocks.push(thoughtOf(entry));
          break;
        }
        const block = textOf(entry, isLive);
        if (continues && last?.kind === 'text')
          Object.assign(last, block, { seq: last.seq, text: joinContinued(last.text, entry.content) });
        else blocks.push(block);
        continues = false;
        break;
      }
      case 'tool_call': {
        const action = newAction(entry);
        actions.set(action.callId, action);
        addToGroup(blocks, action);
        break;
      }
      case 'tool_result': {
        const action = actions.get(entry.data.callId);
        if (action) settle(action, entry);
        for (const approval of approvals.values()) if (approval.callId === entry.data.callId) settleApproval(approval, entry);
        break;
      }
      case 'file_edit': {
        const action = entry.data.callId === undefined ? undefined : actions.get(entry.data.callId);
        action?.edits.push(editOf(entry));
        break;
      }
      case 'approval': {
        const waiting = approvals.get(entry.data.approvalId);
        const action = actions.get(entry.data.callId);
        if (entry.data.phase === 'requested') {
          const request = newApproval(entry);
          approvals.set(request.approvalId, request);
          blocks.push(request);
          if (action) action.state = 'waiting for approval';
        } else if (waiting) {
          waiting.state = entry.data.decision ?? 'cancelled';
          waiting.isAlways = entry.data.isAlways === true;
          if (action?.state === 'waiting for approval') action.state = 'running';
        } else if (action && entry.data.decidedBy === 'session') action.isUnasked = true;
        break;
      }
      case 'question': {
        const asked = questions.get(entry.data.questionId);
        if (entry.data.phase === 'asked') {
          const question = newQuestion(entry);
          questions.set(question.questionId, question);
          blocks.push(question);
        } else if (asked) {
          asked.state = entry.data.outcome ?? 'cancelled';
          asked.answer = asked.state === 'answered' ? entry.content : null;
        }
        break;
      }
      case 'system_message':
        if (entry.data.code === continuedCode) {
          // What the run before it left waiting is over, though another one lives.
          settleAbandoned([actions, approvals, questions], entry.seq);
          for (const block of blocks) if (block.kind === 'thinking') block.isOpen = false;
          dropEnd(blocks);
          continues = true;
          break;
        }
        blocks.push({ kind: 'notice', seq: entry.seq, level: entry.data.level, code: entry.data.code, text: entry.content });
        break;
      case 'error':
        blocks.push({
          kind: 'error',
          seq: entry.seq,
          code: entry.data.code,
          text: entry.content,
          detail: entry.data.detail ?? null,
          actions: entry.data.actions,
        });
        break;
      case 'review':
        addReview(blocks, entry);
        break;
      case 'restore':
        addRestore(blocks, entry);
        break;
      case 'checkpoint': {
        if (entry.data.command === undefined) break;
        const { callId, ...changes } = entry.data.command;
        const action = actions.get(callId);
        if (action) action.changes = changes;
        break;
      }
      case 'compact_marker':
        blocks.push({ kind: 'notice', seq: entry.seq, level: 'info', code: 'compacted', text: entry.data.summary });
        break;
      default:
        break;
    }
  }

  settleAbandoned([actions, approvals, questions], isLive ? settledThrough : Infinity);
  for (const block of blocks) if (block.kind === 'toolGroup') block.state = groupState(block.actions);
  return blocks;
}

/** An answer of the same turn that was taken back says so itself. */
function addReview(blocks: Block[], { seq, data }: EntryOf<'review'>): void {
  const target = blocks.find((block) => block.kind === 'review' && block.seq === data.targetSeq);
  if (data.action === 'revert' && target?.kind === 'review') target.isTakenBack = true;
  else
    blocks.push({
      kind: 'review',
      seq,
      action: data.action,
      paths: data.paths,
      message: data.message ?? null,
      isTakenBack: false,
    });
}

/** One of the same turn that was undone says so. */
function addRestore(blocks: Block[], { seq, data }: EntryOf<'restore'>): void {
  const { operationId = null, undoes = null, title = '', paths, left = [], isReset = false } = data;
  const undone = blocks.find((block) => block.kind === 'restore' && block.operationId !== null && block.operationId === undoes);
  if (undone?.kind === 'restore') undone.isUndone = true;
  blocks.push({ kind: 'restore', seq, operationId, undoes, title, paths, left, isReset, isUndone: false });
}

function textOf(entry: EntryOf<'assistant_output'>, isLive: boolean): Block {
  return {
    kind: 'text',
    seq: entry.seq,
    text: entry.content,
    isOpen: entry.isOpen && isLive,
    end: entry.data.end ?? (isLive ? null : 'incomplete'),
  };
}

function thoughtOf(entry: EntryOf<'assistant_output'>): Block {
  return { kind: 'thinking', seq: entry.seq, text: entry.content, isOpen: false, durationMs: entry.data.durationMs ?? null };
}

/** What said why the run had ended is no longer so: the next one goes on where it ended. */
function dropEnd(blocks: Block[]): void {
  for (let last = blocks.at(-1); last?.kind === 'notice' || last?.kind === 'error'; last = blocks.at(-1)) blocks.pop();
}

/** A call that has its result waits for nobody. */
function settleApproval(approval: ApprovalRequest, { data }: EntryOf<'tool_result'>): void {
  if (approval.state === 'waiting') approval.state = data.status === 'denied' ? 'denied' : 'cancelled';
}

/** A run that ended without an answer to a call or a question has cancelled both: those that came up to a `seq`. */
function settleAbandoned(open: Map<string, ToolAction | ApprovalRequest | Question>[], through: number): void {
  for (const asked of open.flatMap((items) => [...items.values()])) {
    if (asked.seq <= through && ['running', 'waiting for approval', 'waiting'].includes(asked.state)) asked.state = 'cancelled';
  }
}

function newAction(entry: EntryOf<'tool_call'>): ToolAction {
  return {
    kind: 'tool',
    seq: entry.seq,
    callId: entry.data.callId,
    name: entry.data.name,
    label: entry.data.label ?? null,
    input: entry.data.input,
    state: 'running',
    result: null,
    edits: [],
    changes: null,
    isUnasked: false,
  };
}

function settle(action: ToolAction, entry: EntryOf<'tool_result'>): void {
  const states = { success: 'done', error: 'failed', cancelled: 'cancelled', denied: 'denied' } as const;
  action.state = states[entry.data.status];
  action.result = {
    content: entry.content,
    summary: entry.data.summary ?? null,
    display: entry.data.display ?? null,
    durationMs: entry.data.durationMs ?? null,
    details: entry.data.details ?? {},
  };
}

function editOf(entry: EntryOf<'file_edit'>): FileEdit {
  const { path, newPath, operation, diff, additions, deletions } = entry.data;
  return { seq: entry.seq, path, newPath: newPath ?? null, operation, diff, additions, deletions };
}

function newApproval(entry: EntryOf<'approval'>): ApprovalRequest {
  const { approvalId, callId, kind, command, cwd, path, newPath, operation, diff, severity, parts, reasons, canAllowAlways } =
    entry.data;
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
    canAllowAlways: canAllowAlways === true,
    isAlways: false,
    state: 'waiting',
  };
}

function newQuestion({ seq, content, data }: EntryOf<'question'>): Question {
  const { questionId, callId, options = [] } = data;
  return { kind: 'question', seq, questionId, callId, text: content, options, state: 'waiting', answer: null };
}

function addToGroup(blocks: Block[], action: ToolAction): void {
  const family = toolFamily(action.name);
  const last = blocks[blocks.length - 1];
  if (last?.kind === 'toolGroup' && last.family === family && family !== 'command') last.actions.push(action);
  else blocks.push({ kind: 'toolGroup', seq: action.seq, family, actions: [action], state: 'running' });
}

function groupState(actions: readonly ToolAction[]): ToolState {
  const order: ToolState[] = ['waiting for approval', 'running', 'failed', 'denied', 'cancelled'];
  return order.find((state) => actions.some((action) => action.state === state)) ?? 'done';
}

export function toolFamily(name: string): ToolFamily {
  switch (name) {
    case 'read_file':
      return 'read';
    case 'create_file':
    case 'write_file':
    case 'replace_in_file':
    case 'delete_file':
    case 'rename_file':
      return 'edit';
    case 'run_terminal_command':
    case 'get_terminal_output':
      return 'command';
    case 'list_files':
    case 'find_files':
    case 'search_workspace':
    case 'search_codebase':
      return 'search';
    default:
      return 'other';
  }
}

function lastOf<T extends Entry['type']>(entries: readonly Entry[], type: T): EntryOf<T> | undefined {
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (entry?.type === type) return entry as EntryOf<T>;
  }
  return undefined;
}

function lastTodos(entries: readonly Entry[]): Todo[] | null {
  const last = entries.findLast((entry) => entry.type === 'tool_result' && entry.data.todos !== undefined);
  return last?.type === 'tool_result' ? (last.data.todos ?? null) : null;
}

function lastModel(entries: readonly Entry[]): string | null {
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const model = entries[index]?.model;
    if (model) return model;
  }
  return null;
}
