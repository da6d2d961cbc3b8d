import type { CommandChanges, ForeignTool } from './toolFacts';
import type { FormField } from './forms/formField';
import type { ImageRef } from './context/imageRef';
import type { AnswerStats, Attachment, ErrorAction } from './entries';
import type { LeftFile, Uncovered } from './restore';
import { countDone, type Todo } from './todos';
import type { ToolFacts, ToolFamily } from './toolFacts';

/** Declares what is on screen, as `reduceTimeline` makes it of the entries. */

export type ToolState = 'running' | 'done' | 'failed' | 'waiting for approval' | 'cancelled' | 'denied';

export interface ToolAction {
  kind: 'tool';
  seq: number;
  callId: string;
  name: string;
  /** Facts of its entry; `factsOf` knows those of entries that have none. */
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
  } | null;
  edits: FileEdit[];
  /** Steps of the agent that it has at work. */
  steps: ToolAction[];
  /** Changes while this command ran; null if there were none or they are not known. */
  changes: Omit<CommandChanges, 'callId'> | null;
  /** True if it would have been asked about, had a person not allowed it for the session. */
  isUnasked: boolean;
  /** True if it was cancelled before it began, as while it waited for a person. */
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
  /** The command's parts, each as written; null where they were not kept. */
  parts: { text: string; severity: Severity }[] | null;
  reasons: string[];
  /** Call of a tool from elsewhere. */
  tool?: ForeignTool;
  /** Projects whose conversations are to be read. */
  projects?: string[];
  canAllowAlways: boolean;
  /** True if the answer allowed it for the rest of the session. */
  isAlways: boolean;
  /** `waiting` only while the run lives. */
  state: 'waiting' | 'approved' | 'denied' | 'cancelled';
}

/** Question of the agent to a person. */
export interface Question {
  kind: 'question';
  seq: number;
  questionId: string;
  callId: string;
  text: string;
  options: string[];
  /** Fields of a form. */
  fields?: readonly FormField[];
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
  /** Plan that the turn ends in. */
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
  /** Message that came with an approval. */
  message: string | null;
  isTakenBack: boolean;
}

/** The workspace was brought back to a checkpoint, or, with `undoes`, to what it was before a restore. */
export interface RestoreNote {
  kind: 'restore';
  seq: number;
  operationId: string | null;
  undoes: string | null;
  /** Title of the checkpoint; empty if it was not kept. */
  title: string;
  paths: string[];
  left: LeftFile[];
  /** Names that the checkpoint did not hold; null if that is nothing. */
  uncovered: Uncovered | null;
  /** True if it went back to the approved state. */
  isReset: boolean;
  isUndone: boolean;
  /** Message from which on it has undone the conversation, by `seq`. */
  fromSeq?: number;
}

/** User message and everything that came of it: one `You` article and one `Assistant` article. */
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
  /** `seq` of the restore that has undone it: the model is not told of it. Absent: none has. */
  undoneBy?: number;
}

export interface Timeline {
  turns: Turn[];
}

/** Returns the current to-do list of the agent; empty if it has none, or had done all of it before the last message. */
export function todosOf({ turns }: Timeline): Todo[] {
  const index = turns.findLastIndex(({ todos, undoneBy }) => todos !== null && undoneBy === undefined);
  const todos = turns[index]?.todos ?? [];
  const isOver = index < turns.length - 1 && countDone(todos) === todos.length;
  return isOver ? [] : todos;
}

export interface ReduceOptions {
  /** True if a run of this session is alive somewhere; only the last turn can be running. */
  isLive: boolean;
  /** Largest `seq` whose waiting entries were left by a run before the live one. Default 0. */
  settledThrough?: number;
}
