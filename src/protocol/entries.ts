import { z } from 'zod';
import { imageRefSchema } from './context/imageSchema';
import { approvalShape, fileOperation, questionShape } from './forms/userRequests';
import { planSchema } from './plan';
import { restoreShape } from './restore';
import { todoSchema } from './todos';
import { commandChangesSchema, sandboxReportSchema, toolFactsSchema } from './toolFacts';

/**
 * Entries of the append-only log of a session (docs/storage/log.md). Everything that the user sees is an entry
 * and is written before it is shown. An entry can grow while `isOpen` is true. All other entries are immutable.
 */

/**
 * Kinds of attachments: files, selections, images, and content that is read when the message
 * is sent. `editor` only names the open file. `agent` names the custom agent to use.
 */
const attachmentKinds = [
  ...(['file', 'selection', 'folder', 'problems', 'changes', 'terminal', 'workspace', 'editor', 'image', 'agent'] as const),
];

/** Attachment of a message. Lines are 1-based. */
export const attachmentRefSchema = z.object({
  kind: z.enum(attachmentKinds),
  /**
   * Path relative to the workspace. In a multi-root workspace, it starts with the folder name. Absolute for files outside
   * the workspace. For other attachments, the name of the kind, such as `#problems`.
   */
  path: z.string(),
  startLine: z.number().int().optional(),
  endLine: z.number().int().optional(),
  /** Image data for the kind `image`. `path` is the name of the source file. */
  image: imageRefSchema.optional(),
});

/** Lines of a search result, 1-based. */
const foundPlaceSchema = z.object({ path: z.string(), startLine: z.number().int(), endLine: z.number().int() });
export type FoundPlace = z.infer<typeof foundPlaceSchema>;

/** Attachment with its content at the time of sending. If part of the content is omitted, the text says so. */
export const attachmentSchema = attachmentRefSchema.extend({
  content: z.string().optional(),
  /** Results for the kind `workspace` if the index found any, best match first. */
  places: z.array(foundPlaceSchema).optional(),
});

/** Statistics of an answer, measured by the server. Times are in milliseconds. */
const answerStats = z.object({
  promptTokens: z.number().optional(),
  /** Number of prompt tokens that came from the prompt cache. */
  cachedTokens: z.number().optional(),
  answerTokens: z.number().optional(),
  loadMs: z.number().optional(),
  promptMs: z.number().optional(),
  answerMs: z.number().optional(),
  contextWindow: z.number().optional(),
  /** Number of characters in the system message and the tools of the request. */
  fixedCharacters: z.number().optional(),
});

const errorAction = z.enum([
  'retry',
  /** Retries the answer with twice the token limit. */
  'retryLarger',
  /** Ends the run and accepts the result. */
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
  /** Sequence number, strictly increasing within the session. */
  seq: z.number().int().positive(),
  /** Revision of the session when this entry last changed. */
  revision: z.number().int().positive(),
  /** Milliseconds since the epoch, strictly increasing within the session. */
  timestamp: z.number().int(),
  content: z.string(),
  isOpen: z.boolean(),
  model: z.string().nullable(),
  checkpointId: z.string().nullable(),
  planItemId: z.string().nullable(),
});

function defineEntry<T extends string, D extends z.ZodRawShape>(type: T, data: D) {
  return entryBase.extend({ type: z.literal(type), data: z.object(data) });
}

export const entrySchema = z.discriminatedUnion('type', [
  /** `plan` is the plan that this message implements. */
  defineEntry('user_input', {
    mode: z.string(),
    attachments: z.array(attachmentSchema).default([]),
    plan: planSchema.optional(),
    /** Time of the message that this message repeats, in milliseconds since the epoch. */
    repeats: z.number().int().optional(),
  }),
  /** Plan at the end of an answer. */
  defineEntry('plan', planSchema.shape),
  defineEntry('thinking', { durationMs: z.number().optional() }),
  /** `end` is missing while the entry is open. `incomplete`: the stream was interrupted. */
  defineEntry('assistant_output', {
    end: z.enum(['complete', 'length', 'incomplete', 'stopped']).optional(),
    stats: answerStats.optional(),
    /** True if the text is reasoning that was closed by a tag without an opening tag. */
    isThinking: z.boolean().optional(),
    /** Duration of the reasoning in milliseconds. */
    durationMs: z.number().optional(),
  }),
  /** `content` is empty. `input` contains the arguments as the model wrote them. */
  defineEntry('tool_call', {
    callId: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    /** Label of the row, such as `src/app.ts`. */
    label: z.string().optional(),
    /** Text of a printed tool call that cannot be parsed. The middle of a long text is omitted. `input` is empty. */
    written: z.string().optional(),
    /** Facts that the tool declares. Missing in old entries and for unknown tools. Invalid facts are ignored. */
    facts: toolFactsSchema.optional().catch(undefined),
  }),
  /** `content` is the result that the model receives. */
  defineEntry('tool_result', {
    callId: z.string(),
    name: z.string(),
    status: z.enum(['success', 'error', 'cancelled', 'denied']),
    /** Run time of the call, without the time that it waited for the user. Missing if the call did not run. */
    durationMs: z.number().optional(),
    /** Time that the call waited for the user. Missing if it did not wait. */
    waitedMs: z.number().optional(),
    /** Summary for the row, such as the number of lines or the exit code. */
    summary: z.string().optional(),
    /** Text for the expanded row if it differs from `content`. */
    display: z.string().optional(),
    /** Complete to-do list after this call. */
    todos: z.array(todoSchema).optional(),
    /** ID of the plan step that this call completes. */
    doneStep: z.string().optional(),
    /**
     * Values for the view, such as `path`, `startLine`, `endLine` and `exitCode`. `notRun`: the call was cancelled before it
     * started. `corrected`: mistakes in an edit that were fixed. `notFoundIn`: files in which an edit did not match, one per line.
     */
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    /** ID of an earlier call with the same result. `content` only refers to that call. */
    sameAs: z.string().optional(),
    images: z.array(imageRefSchema).optional(),
    /** Report for a command that ran in the sandbox. Invalid reports are ignored. */
    sandbox: sandboxReportSchema.optional().catch(undefined),
  }),
  /** Step of the subagent that a call runs. The step is not sent to the model. */
  defineEntry('subagent_step', {
    callId: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    label: z.string().optional(),
    facts: toolFactsSchema.optional().catch(undefined),
    status: z.enum(['success', 'error', 'cancelled', 'denied']),
    summary: z.string().optional(),
  }),
  defineEntry('file_edit', {
    callId: z.string().optional(),
    path: z.string(),
    newPath: z.string().optional(),
    operation: fileOperation,
    diff: z.string(),
    /** SHA-256 as 64 hexadecimal digits. Null if the file does not exist on this side. */
    beforeHash: z.string().nullable(),
    afterHash: z.string().nullable(),
    additions: z.number().int(),
    deletions: z.number().int(),
  }),
  defineEntry('approval', approvalShape),
  /** `content` is the question. Once the question is settled, `content` is the reply of the user. */
  defineEntry('question', questionShape),
  defineEntry('review', {
    /** `approve`: the user approved all changes of the work session. */
    action: z.enum(['keep', 'undo', 'revert', 'approve']),
    scope: z.enum(['hunk', 'file', 'all']),
    paths: z.array(z.string()),
    /** Hunks for the scope `hunk`, each with its first meaningful line. `line` is 1-based. */
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
  /** `command` contains the changes between the checkpoints before and after a command. */
  defineEntry('checkpoint', { kind: z.string(), title: z.string(), command: commandChangesSchema.optional() }),
  defineEntry('restore', restoreShape),
  /** Makes the turns that the restore `restoreSeq` undid active again, so that they are sent to the model. */
  defineEntry('turns_kept', { restoreSeq: z.number().int().positive() }),
  /** `content` is the summary, which replaces the entries up to and including `throughSeq`. */
  defineEntry('compact_marker', {
    compactedCount: z.number().int(),
    throughSeq: z.number().int(),
    summary: z.string(),
    /** `seq` of user messages that are still sent word for word. */
    kept: z.array(z.number().int()).optional(),
    /** Part of the summary that a model wrote. It covers the conversation up to `throughSeq`. */
    words: z.object({ text: z.string(), throughSeq: z.number().int(), model: z.string() }).optional(),
    /** Previous marker of the same compaction. Both markers are undone together. */
    continues: z.number().int().optional(),
    /** Approximate number of prompt tokens after the compaction. There is no other compaction until the prompt has grown. */
    tokensAfter: z.number().int().optional(),
  }),
  /** Undoes the marker `markerSeq`. The entries that it replaced are sent again. */
  defineEntry('compact_undone', { markerSeq: z.number().int().positive() }),
  /** Removes the entries with `fromSeq <= seq <` this entry's `seq` from the conversation. They stay in the log and in search. */
  defineEntry('rewind', { fromSeq: z.number().int().positive() }),
  /** End of the run that the previous user input started. */
  defineEntry('run_end', {
    outcome: z.enum(['done', 'stopped', 'limit', 'failed', 'interrupted']),
    iterations: z.number().int().optional(),
  }),
  defineEntry('system_message', {
    level: z.enum(['info', 'warning']),
    code: z.string(),
    /**
     * Limits of the notice `shortened`. Up to the entry `throughSeq`, each result or argument
     * is sent with at most this many characters.
     */
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
  /** `content` describes what happened and what to do next. */
  defineEntry('error', {
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

/** Entry to write. The log adds the ID, the order and the time. */
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
