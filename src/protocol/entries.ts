import { z } from 'zod';
import { imageRefSchema } from './context/imageSchema';
import { approvalShape, fileOperation, questionShape } from './forms/askedOfPerson';
import { planSchema } from './plan';
import { leftFileSchema, uncoveredSchema } from './restore';
import { todoSchema } from './todos';
import { commandChangesSchema, toolFactsSchema } from './toolFacts';

/**
 * Entries: the append-only log of a session (docs/storage-format.md). Everything a person can see is one of these,
 * written before it is shown. Only an entry with `isOpen` may still grow; every other entry is immutable.
 */

/** Kinds of what is sent with a message: a file, lines of one, an image, and what is looked up when the message is sent. `editor`: which file is open. `agent`: the one that is to
 * answer, by its name. */
const attachmentKinds = [
  ...(['file', 'selection', 'folder', 'problems', 'changes', 'terminal', 'workspace', 'editor', 'image', 'agent'] as const),
];

/** Something to be sent with a message. Lines count from 1. */
export const attachmentRefSchema = z.object({
  kind: z.enum(attachmentKinds),
  /** Name of the kind (`#problems`) where it is no file and no folder. Workspace-relative, with the folder's name first where the workspace has several; absolute outside the workspace. */
  path: z.string(),
  startLine: z.number().int().optional(),
  endLine: z.number().int().optional(),
  /** Present on `image`, whose `path` is the name of the file it came from. */
  image: imageRefSchema.optional(),
});

/** Lines of a file that were found. Lines count from 1. */
const foundPlaceSchema = z.object({ path: z.string(), startLine: z.number().int(), endLine: z.number().int() });
export type FoundPlace = z.infer<typeof foundPlaceSchema>;

/** `content` is the text as it was when the message was sent; it says itself what was left out. */
export const attachmentSchema = attachmentRefSchema.extend({
  content: z.string().optional(),
  /** Present on `workspace`, where something was found by the index: the best first. */
  places: z.array(foundPlaceSchema).optional(),
});

/** Figures of one answer, as the server measured them. Tokens are counts, times milliseconds. */
const answerStats = z.object({
  promptTokens: z.number().optional(),
  /** Tokens of the prompt that came from the server's cache. */
  cachedTokens: z.number().optional(),
  answerTokens: z.number().optional(),
  loadMs: z.number().optional(),
  promptMs: z.number().optional(),
  answerMs: z.number().optional(),
  contextWindow: z.number().optional(),
});

const errorAction = z.enum([
  'retry',
  /** Retries with twice as many tokens for one answer. */
  'retryLarger',
  /** Leaves it at that. */
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
  /** The session's revision at which this entry last changed. */
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
  /** `plan`: the one that this message has carried out. */
  entryOf('user_input', {
    mode: z.string(),
    attachments: z.array(attachmentSchema).default([]),
    plan: planSchema.optional(),
  }),
  /** Plan that the answer before it ends in. */
  entryOf('plan', planSchema.shape),
  entryOf('thinking', { durationMs: z.number().optional() }),
  /** `end` says how the answer ended; absent while it is open. `incomplete`: the stream broke off or was cut. */
  entryOf('assistant_output', {
    end: z.enum(['complete', 'length', 'incomplete', 'stopped']).optional(),
    stats: answerStats.optional(),
    /** The text turned out to be thinking, when the tag that ends it came without one that begins it. */
    isThinking: z.boolean().optional(),
    /** Duration of the thinking. */
    durationMs: z.number().optional(),
  }),
  /** `content` is empty; `input` is what the model asked for, as it asked for it. */
  entryOf('tool_call', {
    callId: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    /** Text of the row, e.g. `src/app.ts`. */
    label: z.string().optional(),
    /** Text that the model wrote for a printed call that cannot be read; a long one without its middle. `input` is empty then. */
    written: z.string().optional(),
    /** Facts that the tool states of itself. Absent in old entries and if no tool has the name; facts that do not fit count as absent. */
    facts: toolFactsSchema.optional().catch(undefined),
  }),
  /** `content` is what the model reads. */
  entryOf('tool_result', {
    callId: z.string(),
    name: z.string(),
    status: z.enum(['success', 'error', 'cancelled', 'denied']),
    durationMs: z.number().optional(),
    /** Lines read, exit code and the like, for the row. */
    summary: z.string().optional(),
    /** Text of the opened row if it differs from what the model reads. */
    display: z.string().optional(),
    /** The whole list, of a call that has set it. */
    todos: z.array(todoSchema).optional(),
    /** Id of the step of the plan that is done with it. */
    doneStep: z.string().optional(),
    /** Named values a view can act on: `path`, `startLine`, `endLine`, `exitCode`; `notRun` of a cancelled call that was not begun; `corrected`, the slips that an edit undid; `notFoundIn`, the files, a line each, in which an edit found no place. */
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    /** Call whose result says the same: `content` only tells so. */
    sameAs: z.string().optional(),
    /** Images that came with it, in order. */
    images: z.array(imageRefSchema).optional(),
  }),
  /** Step of another agent that the call has at work; nothing of it is sent to the model. */
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
    /** Unified diff. */
    diff: z.string(),
    /** SHA-256, 64 hex digits; null where there is no such side. */
    beforeHash: z.string().nullable(),
    afterHash: z.string().nullable(),
    additions: z.number().int(),
    deletions: z.number().int(),
  }),
  entryOf('approval', approvalShape),
  /** `content` is the question or, of a settled one, what the person said. */
  entryOf('question', questionShape),
  entryOf('review', {
    /** `approve`: all that has changed in the work session was approved. */
    action: z.enum(['keep', 'undo', 'revert', 'approve']),
    scope: z.enum(['hunk', 'file', 'all']),
    paths: z.array(z.string()),
    /** Answered hunks of scope `hunk`, each with the first line of its text that says something. `line` counts from 1. */
    hunks: z
      .array(
        z.object({
          ...{ path: z.string(), id: z.string(), line: z.number().int(), text: z.string() },
          ...{ additions: z.number().int(), deletions: z.number().int() },
        }),
      )
      .optional(),
    /** The review entry this one takes back, for `revert`. */
    targetSeq: z.number().int().optional(),
    /** Work session of `approve`. */
    workSession: z.string().optional(),
    message: z.string().optional(),
  }),
  /** `command`: what changed while a command ran, between the checkpoints around it. */
  entryOf('checkpoint', { kind: z.string(), title: z.string(), command: commandChangesSchema.optional() }),
  entryOf('restore', {
    targetCheckpointId: z.string(),
    /** Files that were brought back. */
    paths: z.array(z.string()),
    /** Id for undoing it; `undoes` is the id of the restore that this one has undone. */
    operationId: z.string().optional(),
    undoes: z.string().optional(),
    /** Title of the checkpoint. */
    title: z.string().optional(),
    left: z.array(leftFileSchema).optional(),
    /** True if it went back to the approved state and began a new work session. */
    isReset: z.boolean().optional(),
    /** Names of what the checkpoint did not hold. Absent where there are none. */
    uncovered: uncoveredSchema.optional(),
    /** `seq` of the message that all files were brought back to: the conversation from there to this entry is undone, and not sent. */
    fromSeq: z.number().int().positive().optional(),
  }),
  /** The turns that the restore `restoreSeq` has undone are sent nevertheless. */
  entryOf('turns_kept', { restoreSeq: z.number().int().positive() }),
  /** `content` is the summary that stands for the entries up to and including `throughSeq`. */
  entryOf('compact_marker', {
    compactedCount: z.number().int(),
    throughSeq: z.number().int(),
    summary: z.string(),
    /** Messages of the person among them that are sent word for word nevertheless, by `seq`. */
    kept: z.array(z.number().int()).optional(),
    /** Part of the summary that a model wrote, which stands for what was said up to `throughSeq`. */
    words: z.object({ text: z.string(), throughSeq: z.number().int(), model: z.string() }).optional(),
    /** Marker of the same compaction whose summary this one carries on: they are taken back together. */
    continues: z.number().int().optional(),
    /** Tokens of the prompt after it, about. The next compaction waits until the prompt has grown from there. */
    tokensAfter: z.number().int().optional(),
  }),
  /** The marker `markerSeq` stands for nothing any more: what it stood for is sent again. */
  entryOf('compact_undone', { markerSeq: z.number().int().positive() }),
  /** Entries with `fromSeq <= seq <` this one's `seq` leave the conversation; they stay in the log and in search. */
  entryOf('rewind', { fromSeq: z.number().int().positive() }),
  /** The run that began with the user input before it is over. */
  entryOf('run_end', {
    outcome: z.enum(['done', 'stopped', 'limit', 'failed', 'interrupted']),
    iterations: z.number().int().optional(),
  }),
  entryOf('system_message', {
    level: z.enum(['info', 'warning']),
    code: z.string(),
    /** Limits of `shortened`: entries up to `throughSeq` are sent with at most so many characters of a result or an argument. */
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
  /** `content` says what happened and what to do. */
  entryOf('error', {
    code: z.string(),
    detail: z.string().optional(),
    actions: z.array(errorAction).default([]),
    /** The one that `pullModel` is about. */
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

/** Entry as a writer supplies it; the log adds identity, order and time. */
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
