import { z } from 'zod';
import { changesSchema, reviewPositionSchema } from './changedFiles';
import { contextUseSchema } from './contextUse';
import { attachmentRefSchema, entrySchema } from './entries';
import { examChangeNames } from '../types/modelDefaults';
import { modelFiguresSchema } from './requests/figureSchema';
import { examProgressSchema, examSchema } from './requests/examSchema';
import { modelTestedSchema } from './requests/completionRequests';
import { fitStateSchema } from './requests/fitRequests';
import { grantsSchema } from './requests/grants';
import { backgroundCommandSchema, commandOutputSchema } from './requests/runningCommands';
import { mcpStateSchema } from './requests/mcpRequests';
import { queuedMessageSchema } from './requests/messageRequests';
import { restoreTargetSchema, workSessionSchema } from './restore';
import { runStates } from '../types/runState';

/** Change in a session's log. Revisions increase by one. If a view misses a revision, it requests the log after its last revision. */
const logEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('entry'), sessionId: z.string(), revision: z.number().int(), entry: entrySchema }),
  /**
   * Text to add to the open entry `seq` at `offset` (UTF-16 code units). If `revision` is present,
   * the log already contains the text up to here. Otherwise, the text is logged within a second.
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

/** Visible part of an edit that a model is writing: its last lines, each with the prefix `+`, `-` or a space. */
const editDraftSchema = z.object({
  path: z.string().nullable(),
  lines: z.array(z.string()),
  additions: z.number().int(),
  deletions: z.number().int(),
});
export type EditDraft = z.infer<typeof editDraftSchema>;

/** Current activity of a run, which is never logged. Counts are in tokens, times in milliseconds since the epoch. */
const activitySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('connecting'), since: z.number() }),
  z.object({ kind: z.literal('loading'), model: z.string(), since: z.number() }),
  /** The model is still writing another answer for this window, so the server has not started this answer. */
  z.object({ kind: z.literal('behind'), model: z.string(), since: z.number() }),
  z.object({
    kind: z.literal('reading'),
    promptTokens: z.number(),
    since: z.number(),
    /** Estimated tokens that the server must process, and the expected time. Missing if not measured. */
    measured: z.object({ newTokens: z.number(), expectedMs: z.number() }).optional(),
    /** Call that the model may be writing meanwhile. The server sends nothing until the call is complete. */
    orPreparing: z.enum(['call', 'editOrCall']).optional(),
  }),
  /** A model is writing the summary of older entries. */
  z.object({ kind: z.literal('summarising'), model: z.string(), since: z.number() }),
  z.object({ kind: z.literal('answering'), since: z.number() }),
  /** The model is writing a call. The call is shown when it is complete. */
  z.object({
    kind: z.literal('preparing'),
    /** `editOrCall`: the kind is unknown until the server sends the complete call. */
    work: z.enum(['edit', 'command', 'call', 'editOrCall']),
    since: z.number(),
    draft: editDraftSchema.nullable().optional(),
    /** Measured speed of the model, and token limit of the answer. The model may be writing something other than a call. */
    writing: z.object({ tokensPerSecond: z.number(), limit: z.number().nullable() }).optional(),
  }),
  /** An answer has started, but nothing has arrived for a long time. */
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
  /** `behind` lists the sessions that run or wait ahead of this session. */
  z.object({ kind: z.literal('queued'), position: z.number().int(), behind: z.array(z.string()).optional() }),
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
  /** `paused`: the last run reached a limit and waits for the user. */
  state: z.enum(['idle', 'running', 'waiting', 'paused', 'failed', 'queued', 'elsewhere', 'interrupted']),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Changed lines in pending changes of the agent. Missing if there are none. */
  pending: z.object({ additions: z.number().int(), deletions: z.number().int() }).optional(),
  isImported: z.boolean().optional(),
  /** True if the inline chat created the session. */
  isInline: z.boolean().optional(),
});
export type SessionSummary = z.infer<typeof sessionSummarySchema>;

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
  /** True if the model runs on ollama.com, not on the configured server. */
  isCloud: z.boolean(),
  families: z.array(z.string()).optional(),
  /** Modification time in the format of the server. */
  modifiedAt: z.string().nullish(),
  /** Figures measured for the model on this computer. Missing if there are none. */
  figures: modelFiguresSchema.optional(),
  /** Thinking levels that the server offers, and the level that the user selected. */
  thinking: z
    .object({ values: z.array(thinkSchema), default: thinkSchema.nullable(), chosen: thinkSchema.nullable() })
    .optional(),
  /** Exam of the model, complete or not. Missing if there is none. */
  exam: examSchema.optional(),
  /** Defaults that the exam has changed. */
  examChanges: z.array(z.enum(examChangeNames)).optional(),
});
export type ModelOption = z.infer<typeof modelOptionSchema>;

export const modelsStateSchema = z.object({
  models: z.array(modelOptionSchema),
  /** True if the list is outdated because the server has not responded yet or is unreachable. */
  stale: z.boolean(),
  /** Reason why the list could not be read. */
  problem: z.string().optional(),
  selected: z.record(z.string(), z.string().nullable()),
  /** Modes whose model is set in the settings. They do not use the model that the user selected last. */
  ownModes: z.array(z.string()).optional(),
  /** Model that the user selected in the chat, and the modes that use it. Their model is not set in the settings. */
  picked: z.object({ model: z.string(), modes: z.array(z.string()) }).optional(),
  /** Running exam, or the last one in this window. */
  exam: examProgressSchema.optional(),
});
export type ModelsState = z.infer<typeof modelsStateSchema>;

/** Model that is being downloaded, or a failed download. Sizes in bytes, speed in bytes per second. Null while unknown. */
export const pullStateSchema = z.object({
  name: z.string(),
  status: z.enum(['starting', 'pulling', 'finishing', 'done', 'failed', 'cancelled']),
  completed: z.number(),
  total: z.number().nullable(),
  bytesPerSecond: z.number().nullable(),
  message: z.string().nullable(),
});
export type PullState = z.infer<typeof pullStateSchema>;

export const connectionStateSchema = z.object({
  state: z.enum(['unknown', 'connected', 'unreachable', 'unauthorized', 'error']),
  baseUrl: z.string(),
  version: z.string().nullable(),
  message: z.string().nullable(),
  /** True if the server is the bundled demo with scripted answers. The view labels it as a demo. */
  demo: z.boolean(),
  /** True if a bearer token is sent to this server over an unencrypted network. */
  isTokenExposed: z.boolean().optional(),
  /** True if no server listens at the address. `message` then contains no other information. */
  isSilent: z.boolean().optional(),
});
export type ConnectionState = z.infer<typeof connectionStateSchema>;

/** Action for a storage that cannot be opened. */
export const storageActionSchema = z.enum(['retry', 'setAside', 'openFolder', 'chooseFolder', 'showLog']);
export type StorageAction = z.infer<typeof storageActionSchema>;

/** State of the storage. While opening is being retried, `problem` is the last error. */
export const storageStateSchema = z.object({
  state: z.enum(['opening', 'open', 'unavailable']),
  problem: z
    .object({
      code: z.string(),
      /** Message that contains the problem and the next step. */
      message: z.string(),
      folder: z.string(),
      /** Available actions, best one first. */
      actions: z.array(storageActionSchema),
    })
    .nullable(),
});
export type StorageState = z.infer<typeof storageStateSchema>;

/** State of the workspace, including its trust. `name` is null if no folder is open. */
export const workspaceStateSchema = z.object({ name: z.string().nullable(), hasFolder: z.boolean(), isTrusted: z.boolean() });
export type WorkspaceState = z.infer<typeof workspaceStateSchema>;

/** Setting. The key has no `ollamaCopilot.` prefix. */
const settingStateSchema = z.object({
  key: z.string(),
  /** Saved value, or the default. */
  value: z.unknown(),
  default: z.unknown(),
  isSet: z.boolean(),
  scope: z.enum(['user', 'workspace']),
  /** Value in the workspace, if the setting is saved in another scope. */
  workspaceValue: z.unknown().optional(),
  /** Effective value, if the workspace overrides the user's value. */
  inForce: z.unknown().optional(),
  /** Reason why the value is invalid and the default is used. Null if the value is valid. */
  problem: z.string().nullable(),
});
export type SettingState = z.infer<typeof settingStateSchema>;

export const settingsStateSchema = z.object({
  settings: z.array(settingStateSchema),
  folder: z.string(),
  hasToken: z.boolean(),
});
export type SettingsState = z.infer<typeof settingsStateSchema>;

/**
 * Items in the editor. `isSent` is true if the item is sent with a message while its chip is shown. Otherwise, the item is
 * only suggested. `mayBeSecret` is true if the item is not sent because it may contain secrets.
 */
export const inEditorSchema = z.array(
  z.object({ item: attachmentRefSchema, isSent: z.boolean(), mayBeSecret: z.boolean().optional() }),
);
export type ItemInEditor = z.infer<typeof inEditorSchema>[number];

/** Events by name, with the schemas of their arguments. */
export const viewEvents = {
  log: logEventSchema,
  runState: runStateSchema,
  /** All queued messages of the session, in order. */
  queue: z.object({ sessionId: z.string(), messages: z.array(queuedMessageSchema) }),
  changes: changesSchema.extend({ sessionId: z.string() }),
  /** Position of the cursor among the changes. Null if there are none. */
  reviewPosition: z.object({ sessionId: z.string(), position: reviewPositionSchema.nullable() }),
  /** Differences between the session and its approved state. Null if the state of the workspace is unknown. */
  workSession: z.object({ sessionId: z.string(), workSession: workSessionSchema.nullable() }),
  /** A command requests a restore in the shown session. */
  restore: z.object({ target: restoreTargetSchema }),
  grants: z.object({ sessionId: z.string(), grants: grantsSchema }),
  /** All running and stopped background commands of the session, in order. */
  background: z.object({ sessionId: z.string(), commands: z.array(backgroundCommandSchema) }),
  /** Output of all running commands of the session that have written output. */
  commandOutput: z.object({ sessionId: z.string(), outputs: z.array(commandOutputSchema) }),
  models: modelsStateSchema,
  /** Measurement in progress. Null if there is none. */
  fit: fitStateSchema.nullable(),
  pulls: z.array(pullStateSchema),
  /** Result of the self-test of a model for inline suggestions. */
  modelTested: modelTestedSchema,
  connection: connectionStateSchema,
  workspace: workspaceStateSchema,
  /** Use of the context window in the shown chat. Null without a model. */
  context: contextUseSchema.nullable(),
  storage: storageStateSchema,
  /** Error to show to the user that could not be added to the conversation. */
  problem: z.object({ message: z.string() }),
  settings: settingsStateSchema,
  mcp: mcpStateSchema,
  sessionsChanged: z.object({ sessionId: z.string().nullable() }),
  /** A command opens a page: a session, an empty chat or the history, optionally with its search. */
  navigate: z.discriminatedUnion('page', [
    z.object({ page: z.literal('chat'), sessionId: z.string().nullable() }),
    z.object({ page: z.literal('history'), search: z.boolean().optional() }),
    z.object({ page: z.literal('settings'), tab: z.enum(['privacy', 'autocomplete']).optional() }),
    z.object({ page: z.literal('analytics') }),
  ]),
  focusComposer: z.object({}),
  /** A command adds attachments to the current message. */
  attach: z.object({ items: z.array(attachmentRefSchema) }),
  /** A command asks about attachments in a new chat. */
  ask: z.object({ prompt: z.enum(['explain', 'fix']), items: z.array(attachmentRefSchema) }),
  inEditor: z.object({ items: inEditorSchema }),
} as const;
export type ViewEvents = { [K in keyof typeof viewEvents]: z.infer<(typeof viewEvents)[K]> };
export type ViewEventName = keyof ViewEvents;
