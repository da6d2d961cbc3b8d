import type { CommandChanges, DeniedAccess, ForeignTool, SandboxEvents } from './toolFacts';
import type { FormField } from './forms/formField';
import type { ImageRef } from './context/imageRef';
import type { AnswerStats, Attachment, ErrorAction } from './entries';
import type { LeftFile, Uncovered } from './restore';
import { countDone, type Todo } from './todos';
import type { ToolFacts, ToolFamily } from './toolFacts';

/** View model of a conversation, built from entries by `reduceTimeline`. */

/** State of a call. A `queued` call starts when the calls before it have ended. */
export type ToolState = 'queued' | 'running' | 'done' | 'failed' | 'waiting for approval' | 'cancelled' | 'denied';

export interface ToolAction {
  kind: 'tool';
  seq: number;
  callId: string;
  name: string;
  /** Facts of the entry. For old entries without facts, use `readFacts`. */
  facts?: ToolFacts;
  label: string | null;
  input: Record<string, unknown>;
  state: ToolState;
  result: {
    content: string;
    summary: string | null;
    display: string | null;
    durationMs: number | null;
    details: Details;
    images?: readonly ImageRef[];
    /** Present if the command ran in the sandbox. */
    sandbox?: SandboxEvents;
  } | null;
  edits: FileEdit[];
  /** Steps of the subagent that the call runs. */
  steps: ToolAction[];
  /** Changes made during this command, and whether a restore undid them. Null if there are none or they are unknown. */
  changes: (CommandChanges & { isUndone?: true }) | null;
  /** True if no approval was needed because of a permission of the session. */
  isUnasked: boolean;
  /** True if the call was cancelled before it started, for example while it waited for approval. */
  isNotRun?: true;
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
  approvalKind: 'command' | 'edit' | 'read' | 'tool';
  command: string | null;
  cwd: string | null;
  path: string | null;
  newPath: string | null;
  operation: FileEdit['operation'] | null;
  diff: string | null;
  severity: Severity | null;
  /** Parts of the command as written. Null if they were not stored. */
  parts: { text: string; severity: Severity }[] | null;
  reasons: string[];
  /** Call of an external tool. */
  tool?: ForeignTool;
  /** Projects whose conversations the agent wants to read. */
  projects?: string[];
  /**
   * Present if the command failed in the sandbox. Approval runs it outside the sandbox.
   * `host` is the host that the user can allow.
   */
  sandbox?: { denials: DeniedAccess[]; host: string | null };
  canAllowAlways: boolean;
  /** True if the user also allowed the command for the rest of the session. */
  isAlways: boolean;
  /** `waiting` only occurs during the run. */
  state: 'waiting' | 'approved' | 'denied' | 'cancelled';
}

export interface Question {
  kind: 'question';
  seq: number;
  questionId: string;
  callId: string;
  text: string;
  options: string[];
  fields?: readonly FormField[];
  /** `waiting` only occurs during the run. */
  state: 'waiting' | 'answered' | 'skipped' | 'cancelled';
  answer: string | null;
}

export type Block =
  | { kind: 'thinking'; seq: number; text: string; isOpen: boolean; durationMs: number | null }
  | { kind: 'text'; seq: number; text: string; isOpen: boolean; end: 'complete' | 'length' | 'incomplete' | 'stopped' | null }
  /** Consecutive calls of one family, in order. */
  | { kind: 'toolGroup'; seq: number; family: ToolFamily; actions: ToolAction[]; state: ToolState }
  | ApprovalRequest
  | Question
  | { kind: 'notice'; seq: number; level: 'info' | 'warning'; code: string; text: string }
  /** Review of the agent's changes by the user. `revert` undoes an earlier review. */
  | ReviewNote
  | RestoreNote
  /** Plan at the end of the turn. */
  | { kind: 'plan'; seq: number; planId: string; steps: string[] }
  | {
      kind: 'error';
      seq: number;
      code: string;
      text: string;
      detail: string | null;
      actions: ErrorAction[];
      model: string | null;
    };

export interface ReviewNote {
  kind: 'review';
  seq: number;
  action: 'keep' | 'undo' | 'revert' | 'approve';
  paths: string[];
  /** Number of reviewed hunks. Null if whole files were reviewed. */
  changes: number | null;
  message: string | null;
  isTakenBack: boolean;
}

/** Restore of the workspace to a checkpoint or, with `undoes`, to the state before a restore. */
export interface RestoreNote {
  kind: 'restore';
  seq: number;
  operationId: string | null;
  undoes: string | null;
  /** Title of the checkpoint. Empty if it was not stored. */
  title: string;
  paths: string[];
  /** Deleted files, which are also in `paths`. */
  deleted: string[];
  left: LeftFile[];
  /** Data that the checkpoint does not contain. Null if it contains everything. */
  uncovered: Uncovered | null;
  /** True if the workspace was reset to the approved state. */
  isReset: boolean;
  /** Files for which the restore was undone. `isUndone` is true if these are all files. */
  undonePaths: string[];
  isUndone: boolean;
  /** `seq` of the first message that the restore undid. */
  fromSeq?: number;
  /** ID of the call of a command whose changes the restore undid. */
  undoneCall?: string;
}

/** User message and its answer. The view shows them as one `You` article and one `Assistant` article. */
export interface Turn {
  /** `seq` of the user input. It identifies the turn. */
  seq: number;
  user: {
    text: string;
    mode: string;
    attachments: Attachment[];
    timestamp: number;
    /** Checkpoint before the first version of the message. */
    checkpointId: string | null;
    /** Files that still have changes of answers to earlier versions of the message. Missing if there are none. */
    leftPaths?: readonly string[];
  } | null;
  blocks: Block[];
  model: string | null;
  stats: AnswerStats | null;
  /** To-do list after this turn. Null if the turn did not change it. */
  todos: Todo[] | null;
  /** `running` during the run. `interrupted` if the run ended without a `run_end` entry. */
  outcome: 'running' | 'done' | 'stopped' | 'limit' | 'failed' | 'interrupted';
  timestamp: number;
  /** `seq` of the restore that undid the turn. Such a turn is not sent to the model. Missing if there is none. */
  undoneBy?: number;
}

export interface Timeline {
  turns: Turn[];
}

/**
 * Returns the agent's current to-do list. It is empty if there is none, if all items
 * were done before the last message, or if a complete later run did not change it.
 */
export function selectTodos({ turns }: Timeline): Todo[] {
  const index = turns.findLastIndex(({ todos, undoneBy }) => todos !== null && undoneBy === undefined);
  const todos = turns[index]?.todos ?? [];
  const later = turns.slice(index + 1).filter(({ undoneBy }) => undoneBy === undefined);
  const isOver = index < turns.length - 1 && countDone(todos) === todos.length;
  const isStale = later.some(({ outcome }) => outcome === 'done');
  return isOver || isStale ? [] : todos;
}

export interface ReduceOptions {
  /** True if a run of this session is active in any window. Only the last turn can be running. */
  isLive: boolean;
  /** Largest `seq` of pending entries that belong to earlier runs. Default: 0. */
  settledThrough?: number;
}
