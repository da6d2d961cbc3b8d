import { z } from 'zod';
import { imageRefSchema } from './context/imageSchema';
import { approvalShape, fileOperation, questionShape } from './forms/userRequests';
import { planSchema } from './plan';
import { leftFileSchema, uncoveredSchema } from './restore';
import { todoSchema } from './todos';
import { commandChangesSchema, sandboxReportSchema, toolFactsSchema } from './toolFacts';

/**
 * Entries of the append-only log of a session (docs/storage/log.md). Everything that the user sees is an entry, and it is written before
 * it is displayed. Only an entry with `isOpen` may grow; all others are immutable.
 */

/**
 * Kinds of attachments: files, selections, images, and content that is read when the message is sent. `editor`: name of the open file.
 * `agent`: name of the custom agent to use.
 */
const attachmentKinds = [
  ...(['file', 'selection', 'folder', 'problems', 'changes', 'terminal', 'workspace', 'editor', 'image', 'agent'] as const),
];

/** Attachment of a message. Lines count from 1. */
export const attachmentRefSchema = z.object({
  kind: z.enum(attachmentKinds),
  /**
   * Path relative to the workspace, with the folder name first in a multi-root workspace; absolute outside of it. Otherwise the name of
   * the kind, such as `#problems`.
   */
  path: z.string(),
  startLine: z.number().int().optional(),
  endLine: z.number().int().optional(),
  /** Present on `image`. `path` is the name of the source file. */
  image: imageRefSchema.optional(),
});

/** Lines of a search result, from 1. */
const foundPlaceSchema = z.object({ path: z.string(), startLine: z.number().int(), endLine: z.number().int() });
export type FoundPlace = z.infer<typeof foundPlaceSchema>;

/** Attachment with its content at the time of sending. The content mentions omissions. */
export const attachmentSchema = attachmentRefSchema.extend({
  content: z.string().optional(),
  /** Present on `workspace` if the index found something; best match first. */
  places: z.array(foundPlaceSchema).optional(),
});

/** Statistics of an answer, measured by the server. Times are in milliseconds. */
const answerStats = z.object({
  promptTokens: z.number().optional(),
  /** Prompt tokens from the prompt cache. */
  cachedTokens: z.number().optional(),
  answerTokens: z.number().optional(),
  loadMs: z.number().optional(),
  promptMs: z.number().optional(),
  answerMs: z.number().optional(),
  contextWindow: z.number().optional(),
});

const errorAction = z.enum([
  'retry',
  /** Retries with twice the token limit. */
  'retryLarger',
  /** Accepts the result. */
  'stop',
  'openSettings',
  'startOllama',
  'selectModel',
  'pullModel',
  'newSession',
  'setToken',
  'showLog',
  'openFolder',
  'manageTrust',
]);

const entryBase = z.object({
  id: z.string(),
  sessionId: z.string(),
  /** Strictly increasing within the session. */
  seq: z.number().int().positive(),
  /** Session revision of the last change of this entry. */
  revision: z.number().int().positive(),
  /** Milliseconds since the epoch, strictly increasing within the session. */
  timestamp: z.number().int(),
  content: z.string(),
  isOpen: z.boolean(),
  model: z.string().nullable(),
  checkpointId: z.string().nullable(),
  planItemId: z.string().nullable(),
});

function entryOf<T extends string, D extends z.ZodRawShape>(type: T, data: D) {
  return entryBase.extend({ type: z.literal(type), data: z.object(data) });
}

export const entrySchema = z.discriminatedUnion('type', [
  /** `plan` is the plan that this message carries out. */
  entryOf('user_input', {
    mode: z.string(),
    attachments: z.array(attachmentSchema).default([]),
    plan: planSchema.optional(),
    /** Time of the message that it repeats, in milliseconds since the epoch. */
    repeats: z.number().int().optional(),
  }),
  /** Plan at the end of an answer. */
  entryOf('plan', planSchema.shape),
  entryOf('thinking', { durationMs: z.number().optional() }),
  /** `end` is absent while the entry is open. `incomplete`: the stream was interrupted. */
  entryOf('assistant_output', {
    end: z.enum(['complete', 'length', 'incomplete', 'stopped']).optional(),
    stats: answerStats.optional(),
    /** True if the text is thinking: a closing tag came without an opening tag. */
    isThinking: z.boolean().optional(),
    /** Duration of the thinking in milliseconds. */
    durationMs: z.number().optional(),
  }),
  /** `content` is empty. `input` has the arguments as the model wrote them. */
  entryOf('tool_call', {
    callId: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    /** Label of the row, such as `src/app.ts`. */
    label: z.string().optional(),
    /** Text of a printed tool call that cannot be parsed, without its middle if it is long. `input` is empty. */
    written: z.string().optional(),
    /** Facts that the tool declares. Absent in old entries and for unknown tools. Invalid facts are ignored. */
    facts: toolFactsSchema.optional().catch(undefined),
  }),
  /** `content` is what the model receives. */
  entryOf('tool_result', {
    callId: z.string(),
    name: z.string(),
    status: z.enum(['success', 'error', 'cancelled', 'denied']),
    /** Time that the call ran, without waiting for the user; absent if it did not run. */
    durationMs: z.number().optional(),
    /** Time that the call waited for the user; absent if it did not. */
    waitedMs: z.number().optional(),
    /** Summary for the row, such as lines read or the exit code. */
    summary: z.string().optional(),
    /** Text for the expanded row, if it differs from `content`. */
    display: z.string().optional(),
    /** Complete to-do list after this call. */
    todos: z.array(todoSchema).optional(),
    /** Id of the plan step that this call completes. */
    doneStep: z.string().optional(),
    /**
     * Values for the view: `path`, `startLine`, `endLine`, `exitCode`. `notRun`: the call was cancelled before it started. `corrected`:
     * mistakes that an edit fixed. `notFoundIn`: files in which an edit did not match, one per line.
     */
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    /** Call with the same result. `content` only refers to it. */
    sameAs: z.string().optional(),
    images: z.array(imageRefSchema).optional(),
    /** Present if the command ran in the sandbox. Invalid events are ignored. */
    sandbox: sandboxReportSchema.optional().catch(undefined),
  }),
  /** Step of a subagent that the call runs. It is not sent to the model. */
  entryOf('subagent_step', {
    callId: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    label: z.string().optional(),
    facts: toolFactsSchema.optional().catch(undefined),
    status: z.enum(['success', 'error', 'cancelled', 'denied']),
    summary: z.string().optional(),
  }),
  entryOf('file_edit', {
    callId: z.string().optional(),
    path: z.string(),
    newPath: z.string().optional(),
    operation: fileOperation,
    diff: z.string(),
    /** SHA-256 as 64 hex digits; null if the file does not exist on that side. */
    beforeHash: z.string().nullable(),
    afterHash: z.string().nullable(),
    additions: z.number().int(),
    deletions: z.number().int(),
  }),
  entryOf('approval', approvalShape),
  /** `content` is the question, or the user's answer once it is settled. */
  entryOf('question', questionShape),
  entryOf('review', {
    /** `approve`: all changes of the work session were approved. */
    action: z.enum(['keep', 'undo', 'revert', 'approve']),
    scope: z.enum(['hunk', 'file', 'all']),
    paths: z.array(z.string()),
    /** Hunks of scope `hunk`, each with its first informative line of text. `line` counts from 1. */
    hunks: z
      .array(
        z.object({
          path: z.string(),
          id: z.string(),
          line: z.number().int(),
          text: z.string(),
          additions: z.number().int(),
          deletions: z.number().int(),
        }),
      )
      .optional(),
    /** `seq` of the review entry that `revert` undoes. */
    targetSeq: z.number().int().optional(),
    /** Work session that `approve` closes. */
    workSession: z.string().optional(),
    message: z.string().optional(),
  }),
  /** `command` has the changes between the checkpoints before and after a command. */
  entryOf('checkpoint', { kind: z.string(), title: z.string(), command: commandChangesSchema.optional() }),
  entryOf('restore', {
    targetCheckpointId: z.string(),
    /** Files that it changed. `deleted` are those of them that it deleted; absent if there are none. */
    paths: z.array(z.string()),
    deleted: z.array(z.string()).optional(),
    /** Id to undo the restore. `undoes` is the id of the restore that this one undoes. */
    operationId: z.string().optional(),
    undoes: z.string().optional(),
    title: z.string().optional(),
    left: z.array(leftFileSchema).optional(),
    /** True if the restore reset the workspace to the approved state and started a new work session. */
    isReset: z.boolean().optional(),
    /** Data that the checkpoint does not contain. Absent if it contains everything. */
    uncovered: uncoveredSchema.optional(),
    /** `seq` of the message that all files were restored to. The conversation from there to this entry is undone and not sent. */
    fromSeq: z.number().int().positive().optional(),
  }),
  /** Turns that the restore `restoreSeq` has undone are sent again. */
  entryOf('turns_kept', { restoreSeq: z.number().int().positive() }),
  /** `content` is the summary that replaces the entries up to and including `throughSeq`. */
  entryOf('compact_marker', {
    compactedCount: z.number().int(),
    throughSeq: z.number().int(),
    summary: z.string(),
    /** `seq` of user messages that are still sent verbatim. */
    kept: z.array(z.number().int()).optional(),
    /** Part of the summary that a model wrote, for the conversation up to `throughSeq`. */
    words: z.object({ text: z.string(), throughSeq: z.number().int(), model: z.string() }).optional(),
    /** Marker of the same compaction that this one continues. Both are undone together. */
    continues: z.number().int().optional(),
    /** Approximate prompt tokens after the compaction. The next one waits until the prompt has grown. */
    tokensAfter: z.number().int().optional(),
  }),
  /** Undoes the marker `markerSeq`: the entries that it replaced are sent again. */
  entryOf('compact_undone', { markerSeq: z.number().int().positive() }),
  /** Entries with `fromSeq <= seq <` this entry's `seq` leave the conversation. They stay in the log and in search. */
  entryOf('rewind', { fromSeq: z.number().int().positive() }),
  /** End of the run that started with the previous user input. */
  entryOf('run_end', {
    outcome: z.enum(['done', 'stopped', 'limit', 'failed', 'interrupted']),
    iterations: z.number().int().optional(),
  }),
  entryOf('system_message', {
    level: z.enum(['info', 'warning']),
    code: z.string(),
    /** Limits of `shortened`: for entries up to `throughSeq`, a result or an argument is sent with at most this many characters. */
    limits: z
      .array(
        z.object({
          throughSeq: z.number().int(),
          characters: z.number().int(),
          isSupersededOnly: z.boolean().optional(),
          isMessage: z.boolean().optional(),
        }),
      )
      .optional(),
  }),
  /** `content` describes what happened and what to do. */
  entryOf('error', {
    code: z.string(),
    detail: z.string().optional(),
    actions: z.array(errorAction).default([]),
    model: z.string().optional(),
  }),
]);

export type Entry = z.infer<typeof entrySchema>;
export type EntryType = Entry['type'];
export type EntryOf<T extends EntryType> = Extract<Entry, { type: T }>;
export type EntryData<T extends EntryType> = EntryOf<T>['data'];
export type AttachmentRef = z.infer<typeof attachmentRefSchema>;
export type Attachment = z.infer<typeof attachmentSchema>;
export type AnswerStats = z.infer<typeof answerStats>;
export type ErrorAction = z.infer<typeof errorAction>;

/** Entry to write. The log adds id, order and time. */
export type EntryInput = {
  [T in EntryType]: {
    type: T;
    content?: string;
    data: EntryData<T>;
    model?: string | null;
    checkpointId?: string | null;
    planItemId?: string | null;
  };
}[EntryType];
