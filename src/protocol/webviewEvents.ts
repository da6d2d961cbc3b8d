import { z } from 'zod';
import { changedFileSchema, reviewPositionSchema } from './changedFiles';
import { contextUseSchema } from './contextUse';
import { attachmentRefSchema, entrySchema } from './entries';
import { mcpStateSchema } from './requests/mcpRequests';
import { restoreTargetSchema, workSessionSchema } from './restore';
import { runStates } from '../types/runState';

/** Declares the events that the host sends to the view. */

/** A change of a session's log. Revisions advance by one; a view that misses one asks again from the last it saw. */
const logEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('entry'), sessionId: z.string(), revision: z.number().int(), entry: entrySchema }),
  /**
   * The open entry `seq` grows: `text` goes at `offset` (UTF-16 code units). With `revision` the growth up to here is durable;
   * without, it is on its way to the log (at most a second).
   */
  z.object({
    kind: z.literal('delta'),
    sessionId: z.string(),
    seq: z.number().int(),
    offset: z.number().int().nonnegative(),
    text: z.string(),
    revision: z.number().int().optional(),
  }),
]);
export type LogEvent = z.infer<typeof logEventSchema>;

/** An edit that a model is still writing, as far as it can be seen: the last of its lines, each with `+`, `-` or, where it stays, a space before it. */
const editDraftSchema = z.object({
  path: z.string().nullable(),
  lines: z.array(z.string()),
  additions: z.number().int(),
  deletions: z.number().int(),
});
export type EditDraft = z.infer<typeof editDraftSchema>;

/** Activity of a run right now; transient, never in the log. Counts are tokens, times milliseconds since the epoch. */
const activitySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('connecting'), since: z.number() }),
  z.object({ kind: z.literal('loading'), model: z.string(), since: z.number() }),
  /** Another answer of this window is being written by the same model, and the server has not begun with this one. */
  z.object({ kind: z.literal('behind'), model: z.string(), since: z.number() }),
  z.object({
    kind: z.literal('reading'),
    promptTokens: z.number(),
    since: z.number(),
    /** Call that it may be writing by now, of which nothing comes before it is whole. */
    orPreparing: z.enum(['call', 'editOrCall']).optional(),
  }),
  /** A model writes the summary that stands for what is old. */
  z.object({ kind: z.literal('summarising'), model: z.string(), since: z.number() }),
  z.object({ kind: z.literal('answering'), since: z.number() }),
  /** A call is being written, which shows when it is whole. */
  z.object({
    kind: z.literal('preparing'),
    /** `editOrCall`: of a call that the server sends whole nobody knows before which one it is. */
    work: z.enum(['edit', 'command', 'call', 'editOrCall']),
    since: z.number(),
    draft: editDraftSchema.nullable().optional(),
    /** Speed of the model, as measured before, and the tokens that the answer can take at most, for a call of which nothing comes. */
    writing: z.object({ tokensPerSecond: z.number(), limit: z.number().nullable() }).optional(),
  }),
  /** An answer has begun, and nothing has come for long. */
  z.object({ kind: z.literal('silent'), since: z.number() }),
  z.object({
    kind: z.literal('retrying'),
    attempt: z.number().int(),
    of: z.number().int(),
    until: z.number(),
    reason: z.string(),
  }),
  z.object({ kind: z.literal('tool'), name: z.string(), since: z.number() }),
  z.object({ kind: z.literal('waitingForApproval'), since: z.number() }),
  z.object({ kind: z.literal('queued'), position: z.number().int() }),
  z.object({ kind: z.literal('stopping') }),
]);
export type Activity = z.infer<typeof activitySchema>;

export const runStateSchema = z.object({
  sessionId: z.string(),
  state: z.enum(runStates),
  activity: activitySchema.nullable(),
});
export type RunState = z.infer<typeof runStateSchema>;

export const sessionSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  mode: z.string(),
  model: z.string().nullable(),
  /** `paused`: its last run came to a limit, and goes on when a person says so. */
  state: z.enum(['idle', 'running', 'waiting', 'paused', 'failed', 'queued', 'elsewhere', 'interrupted']),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Lines that the agent has changed and nobody has answered for; absent where there are none. */
  pending: z.object({ additions: z.number().int(), deletions: z.number().int() }).optional(),
  /** True if it was imported. */
  isImported: z.boolean().optional(),
});
export type SessionSummary = z.infer<typeof sessionSummarySchema>;

/** A message that waits for the run of its session to end. */
export const queuedMessageSchema = z.object({ id: z.string(), text: z.string(), attachments: z.array(attachmentRefSchema) });
export type QueuedMessage = z.infer<typeof queuedMessageSchema>;

/** Patterns of files that a person may choose for a session, and characters of one. */
export const maxFilePatterns = 50;
export const maxFilePattern = 200;
export const filePatternsSchema = z
  .array(z.object({ pattern: z.string().trim().min(1).max(maxFilePattern), isFree: z.boolean() }))
  .max(maxFilePatterns);

/** Permissions that a person gave a session to act without a question. */
export const grantsSchema = z.object({
  /** Commands that only read, see `services/terminal/judge/readOnlyCommands.ts`. */
  commands: z.boolean(),
  sensitiveEdits: z.boolean(),
  /** Exactly these, each in its folder. */
  allowedCommands: z.array(z.object({ command: z.string(), cwd: z.string() })),
  /** Patterns of files to ask about in this session: they come after those that hold everywhere, and the last match decides. */
  files: z.array(z.object({ pattern: z.string(), isFree: z.boolean() })),
});
export type Grants = z.infer<typeof grantsSchema>;

/** A command that goes on while the agent does other things. */
export const backgroundCommandSchema = z.object({ id: z.string(), command: z.string() });
export type BackgroundCommand = z.infer<typeof backgroundCommandSchema>;

const thinkSchema = z.union([z.boolean(), z.string()]);

const modelOptionSchema = z.object({
  name: z.string(),
  size: z.number(),
  contextLength: z.number().nullable(),
  parameterSize: z.string().nullable(),
  capabilities: z.object({
    chat: z.boolean(),
    fim: z.boolean(),
    tools: z.boolean(),
    vision: z.boolean(),
    embedding: z.boolean(),
    thinking: z.boolean(),
  }),
  enabled: z.boolean(),
  loaded: z.boolean(),
  /** Ollama's servers run it, not the one that is configured. */
  isCloud: z.boolean(),
  families: z.array(z.string()).optional(),
  /** Time of its last change on the server, as the server writes it. */
  modifiedAt: z.string().nullish(),
  /** Levels of thinking that the server offers, and the one that a person has chosen. */
  thinking: z
    .object({ values: z.array(thinkSchema), default: thinkSchema.nullable(), chosen: thinkSchema.nullable() })
    .optional(),
});
export type ModelOption = z.infer<typeof modelOptionSchema>;

export const modelsStateSchema = z.object({
  models: z.array(modelOptionSchema),
  /** True if it is not the server's present list: the server has not answered yet, or could not be asked. */
  stale: z.boolean(),
  /** Reason why the server's list could not be read. */
  problem: z.string().optional(),
  selected: z.record(z.string(), z.string().nullable()),
});
export type ModelsState = z.infer<typeof modelsStateSchema>;

/** A model that is being fetched, or could not be. Bytes, and bytes per second; null where it is not known (yet). */
export const pullStateSchema = z.object({
  name: z.string(),
  status: z.enum(['starting', 'pulling', 'finishing', 'done', 'failed', 'cancelled']),
  completed: z.number(),
  total: z.number().nullable(),
  bytesPerSecond: z.number().nullable(),
  /** Reason of the failure, for a person. */
  message: z.string().nullable(),
});
export type PullState = z.infer<typeof pullStateSchema>;

export const connectionStateSchema = z.object({
  state: z.enum(['unknown', 'connected', 'unreachable', 'unauthorized', 'error']),
  baseUrl: z.string(),
  version: z.string().nullable(),
  message: z.string().nullable(),
  /** The server is the bundled scripted demonstration, to be labelled as such. */
  demo: z.boolean(),
  /** A bearer token goes to this server over a network, unencrypted. */
  isTokenExposed: z.boolean().optional(),
  /** True if nothing listens at the address: `message` says no more than that. */
  isSilent: z.boolean().optional(),
});
export type ConnectionState = z.infer<typeof connectionStateSchema>;

/** Action of a person on a storage that does not open. */
export const storageActionSchema = z.enum(['retry', 'setAside', 'openFolder', 'chooseFolder', 'showLog']);
export type StorageAction = z.infer<typeof storageActionSchema>;

/** State of the storage. While it opens again, `problem` still tells why it did not before. */
export const storageStateSchema = z.object({
  state: z.enum(['opening', 'open', 'unavailable']),
  problem: z
    .object({
      code: z.string(),
      /** Description of what happened and what to do. */
      message: z.string(),
      folder: z.string(),
      /** The ways out, the best one first. */
      actions: z.array(storageActionSchema),
    })
    .nullable(),
});
export type StorageState = z.infer<typeof storageStateSchema>;

/** The open workspace, as far as it decides what the agent may do. `name` is null where no folder is open. */
export const workspaceStateSchema = z.object({ name: z.string().nullable(), hasFolder: z.boolean(), isTrusted: z.boolean() });
export type WorkspaceState = z.infer<typeof workspaceStateSchema>;

/** A setting by its key without the `ollamaCopilot.` prefix. */
const settingStateSchema = z.object({
  key: z.string(),
  /** Saved value, or the default. */
  value: z.unknown(),
  default: z.unknown(),
  isSet: z.boolean(),
  /** Place where it is saved. */
  scope: z.enum(['user', 'workspace']),
  /** Value of this workspace, where it is not saved there. */
  workspaceValue: z.unknown().optional(),
  /** Value in force here, where the workspace sets something else than the user. */
  inForce: z.unknown().optional(),
  /** Reason why the value cannot be used, so that the default is; null if it can. */
  problem: z.string().nullable(),
});
export type SettingState = z.infer<typeof settingStateSchema>;

export const settingsStateSchema = z.object({
  settings: z.array(settingStateSchema),
  /** Folder of the conversations. */
  folder: z.string(),
  hasToken: z.boolean(),
});
export type SettingsState = z.infer<typeof settingsStateSchema>;

/**
 * Items in the editor now. `isSent`: the item goes with a message as long as its chip is shown; else it is only offered. `mayBeSecret`: it is
 * not sent because it may hold secrets.
 */
export const inEditorSchema = z.array(
  z.object({ item: attachmentRefSchema, isSent: z.boolean(), mayBeSecret: z.boolean().optional() }),
);
export type ItemInEditor = z.infer<typeof inEditorSchema>[number];

/** Every event by name, with the schema of its one argument. */
export const viewEvents = {
  log: logEventSchema,
  runState: runStateSchema,
  /** All messages of the session that wait now, in order. */
  queue: z.object({ sessionId: z.string(), messages: z.array(queuedMessageSchema) }),
  /** All files of the session that wait for an answer now. */
  changes: z.object({ sessionId: z.string(), files: z.array(changedFileSchema) }),
  /** Tells where the cursor is among the changes; null where none wait. */
  reviewPosition: z.object({ sessionId: z.string(), position: reviewPositionSchema.nullable() }),
  /** Differences from the approved state of the session; null if nothing can be known of the workspace. */
  workSession: z.object({ sessionId: z.string(), workSession: workSessionSchema.nullable() }),
  /** A command asks to bring the workspace of the session in front back. */
  restore: z.object({ target: restoreTargetSchema }),
  grants: z.object({ sessionId: z.string(), grants: grantsSchema }),
  /** All commands of the session that run in the background now, in order. */
  background: z.object({ sessionId: z.string(), commands: z.array(backgroundCommandSchema) }),
  models: modelsStateSchema,
  pulls: z.array(pullStateSchema),
  connection: connectionStateSchema,
  workspace: workspaceStateSchema,
  /** Use of the context window of the shown chat; null without a model. */
  context: contextUseSchema.nullable(),
  storage: storageStateSchema,
  /** A failure that could not be put into the conversation, in words for a person. */
  problem: z.object({ message: z.string() }),
  settings: settingsStateSchema,
  mcp: mcpStateSchema,
  sessionsChanged: z.object({ sessionId: z.string().nullable() }),
  /** A command asks the view to show a page: a session, an empty chat or the history, there perhaps to search. */
  navigate: z.discriminatedUnion('page', [
    z.object({ page: z.literal('chat'), sessionId: z.string().nullable() }),
    z.object({ page: z.literal('history'), search: z.boolean().optional() }),
    z.object({ page: z.literal('settings') }),
    z.object({ page: z.literal('analytics') }),
  ]),
  focusComposer: z.object({}),
  /** A command adds these to the message that is being written. */
  attach: z.object({ items: z.array(attachmentRefSchema) }),
  /** A command asks about these in a new chat. */
  ask: z.object({ prompt: z.enum(['explain', 'fix']), items: z.array(attachmentRefSchema) }),
  inEditor: z.object({ items: inEditorSchema }),
} as const;
export type ViewEvents = { [K in keyof typeof viewEvents]: z.infer<(typeof viewEvents)[K]> };
export type ViewEventName = keyof ViewEvents;
