import { chatModes } from '../types/modes';
import { z } from 'zod';
import { checkpointStorageRequests } from './checkpointStorage';
import { attachmentRefSchema, entrySchema } from './entries';
import { restorePlanSchema, restoreStepSchema, restoreTargetSchema, workSessionSchema } from './restore';
import {
  changedFileSchema,
  backgroundCommandSchema,
  connectionStateSchema,
  filePatternsSchema,
  grantsSchema,
  modelsStateSchema,
  pullStateSchema,
  queuedMessageSchema,
  runStateSchema,
  sessionSummarySchema,
  settingsStateSchema,
  storageActionSchema,
  storageStateSchema,
  workspaceStateSchema,
} from './webviewEvents';

/** What the view may ask of the host: every request once, with the schemas of its parameters and its result. */

/** Files and selections of one message at the most. */
export const maxAttachments = 20;

const mode = z.enum(chatModes);
const none = z.object({});
/** What is longer names nothing. */
const name = z.string().max(4096);
const line = z.number().int().positive();
const sessionRef = z.object({ sessionId: name });
/** With the model that is selected; null leaves it to the settings and the session. */
const againRef = sessionRef.extend({ model: name.nullable().default(null) });
/** What of a request could be attached, and in words what could not. */
const attached = z.object({ items: z.array(attachmentRefSchema), problems: z.array(z.string()) });

const changedFiles = sessionRef.extend({ paths: z.array(name).min(1).max(10_000).nullable() });
const problems = z.object({ problems: z.array(z.string()) });
const queuedRef = sessionRef.extend({ id: z.string() });

const sessionSnapshotSchema = z.object({
  session: sessionSummarySchema,
  /** Entries whose revision is greater than the one asked from, in order of `seq`. */
  entries: z.array(entrySchema),
  /** The session's revision that these entries bring the view to. */
  revision: z.number().int(),
  /** From revision 0: whether there are entries before these, see `earlierEntries`. */
  hasEarlier: z.boolean(),
  run: runStateSchema,
});
export type SessionSnapshot = z.infer<typeof sessionSnapshotSchema>;

const page = { offset: z.number().int().nonnegative(), limit: z.number().int().min(1).max(200) };

/** A text and its parts that matched: from the first UTF-16 code unit up to but without the second. */
const markedTextSchema = z.object({ text: z.string(), marks: z.array(z.tuple([z.number().int(), z.number().int()])) });
export type MarkedText = z.infer<typeof markedTextSchema>;

const foundSessionSchema = z.object({
  session: sessionSummarySchema,
  title: markedTextSchema,
  /** The line that matched best and the entry it is from; null where only the title matched. */
  line: markedTextSchema.extend({ seq: z.number().int() }).nullable(),
});
export type FoundSession = z.infer<typeof foundSessionSchema>;

export const hostRequests = {
  /** The view is up, or the storage has been opened since. `sessionId` is the session last shown, null also without storage. */
  ready: {
    params: none,
    result: z.object({
      sessionId: z.string().nullable(),
      mode,
      workspace: workspaceStateSchema,
      models: modelsStateSchema,
      pulls: z.array(pullStateSchema),
      /** Where the extension runs; the server is elsewhere when its address is. */
      system: z.enum(['linux', 'mac', 'windows', 'wsl', 'other']),
      /** In WSL, the address at which it finds Windows, where that is known. */
      windowsHost: z.string().nullable(),
      connection: connectionStateSchema,
      storage: storageStateSchema,
      /** What a new session may do without a question. */
      grants: grantsSchema,
      /** Translated texts by their English form; missing ones are shown in English. */
      l10n: z.record(z.string(), z.string()),
    }),
  },
  /** The log after `sinceRevision`, from 0 its last turns; from here on `log` events follow for this session. */
  openSession: { params: sessionRef.extend({ sinceRevision: z.number().int().nonnegative() }), result: sessionSnapshotSchema },
  /** Whole turns before the entry `beforeSeq`: about `limit` entries, in order of `seq`. */
  earlierEntries: {
    params: sessionRef.extend({ beforeSeq: z.number().int().positive(), limit: z.number().int().min(1).max(2000) }),
    result: z.object({ entries: z.array(entrySchema), hasEarlier: z.boolean() }),
  },
  /** The view shows an empty chat: no session is in front any more. */
  newChat: { params: none, result: none },
  listSessions: {
    params: z.object(page),
    result: z.object({ sessions: z.array(sessionSummarySchema), hasMore: z.boolean() }),
  },
  /** Sessions whose title or messages match (docs/storage-format.md, *Search*), the best match first. */
  searchSessions: {
    params: z.object({ query: z.string().max(1000), newestFirst: z.boolean().optional(), ...page }),
    result: z.object({
      found: z.array(foundSessionSchema),
      hasMore: z.boolean(),
      /** False while older messages are still being indexed. */
      isComplete: z.boolean(),
      /** False where there is no full-text search and every message was read. */
      isIndexed: z.boolean(),
    }),
  },
  renameSession: { params: sessionRef.extend({ title: z.string().trim().min(1).max(200) }), result: none },
  /** Deletes the session, with its run, after a person has said yes to it; false where they did not. */
  deleteSession: { params: sessionRef, result: z.object({ isDeleted: z.boolean() }) },
  /** Starts a run; without `sessionId` in a new session, whose id comes back. */
  send: {
    params: z.object({
      sessionId: name.nullable(),
      text: z.string().min(1),
      mode,
      model: name.nullable(),
      /** Read when the message is sent; one that cannot be read keeps the message from being sent. */
      attachments: z.array(attachmentRefSchema).max(maxAttachments).optional(),
      /** Of a new session; those of another stay as they are. */
      grants: grantsSchema
        .pick({ commands: true, sensitiveEdits: true })
        .extend({ files: filePatternsSchema.optional() })
        .optional(),
    }),
    result: z.object({ sessionId: z.string() }),
  },
  /**
   * Whether `text` was sent or queued since it was written (milliseconds since 1970), or is how a message begins that was sent soon after: in
   * the session, or, where it is null, as the first of a newer one. The editor may bring back a state of the view from before it was sent.
   */
  wasSent: {
    params: z.object({ sessionId: name.nullable(), text: z.string().min(1), since: z.number() }),
    result: z.object({ sent: z.enum(['whole', 'begun']).nullable() }),
  },
  /** Lets a person pick files of the workspace, or what is in the editor. */
  addContext: { params: none, result: attached },
  /** Files that were dropped on the view. */
  attachFiles: { params: z.object({ uris: z.array(name).max(100) }), result: attached },
  /** Puts code at the cursor of the last text editor, as one step to undo. */
  insertAtCursor: { params: z.object({ text: z.string() }), result: none },
  /** Says the message `seq` in other words: it and what came after it leave the conversation. Stops a run of the session first. */
  resend: {
    params: sessionRef.extend({ seq: z.number().int().positive(), text: z.string().min(1), mode, model: z.string().nullable() }),
    result: none,
  },
  /** The messages of the session that wait for its run to end; from here on `queue` events follow for this session. */
  listQueued: { params: sessionRef, result: z.object({ messages: z.array(queuedMessageSchema) }) },
  /** Keeps a message until the run has done its work; sends it at once when nothing runs. */
  enqueue: {
    params: sessionRef.extend({
      text: z.string().min(1),
      mode,
      model: z.string().nullable(),
      /** Read now, as they are when the message is written. */
      attachments: z.array(attachmentRefSchema).max(maxAttachments).optional(),
    }),
    result: none,
  },
  /** `isGone`: it was not waiting any more. */
  removeQueued: { params: queuedRef, result: z.object({ isGone: z.boolean() }) },
  /** Sends a waiting message now; stops the run of the session first. */
  sendQueued: { params: queuedRef, result: none },
  /** The commands of the session that run in the background; from here on `background` events follow for this session. */
  listBackground: { params: sessionRef, result: z.object({ commands: z.array(backgroundCommandSchema) }) },
  /** Resolves when the command has ended. */
  stopBackground: { params: sessionRef.extend({ id: name }), result: none },
  /** Resolves when the run is over. */
  stop: { params: sessionRef, result: none },
  /** Runs the last user input of the session again, after what there is. */
  retry: { params: againRef, result: none },
  /** Runs the session on from where it ended: a partial answer is gone on with. */
  continueRun: { params: againRef, result: none },
  decideApproval: {
    params: sessionRef.extend({
      approvalId: name,
      approve: z.boolean(),
      /** The command runs from now on without a question in this session. */
      always: z.boolean().optional(),
    }),
    result: none,
  },
  /** An empty answer leaves it to the agent. */
  answerQuestion: { params: sessionRef.extend({ questionId: name, answer: z.string().max(100_000) }), result: none },
  /** What the session may do without a question; from here on `grants` events follow for it. */
  getGrants: { params: sessionRef, result: grantsSchema },
  changeGrants: {
    params: sessionRef.extend({
      commands: z.boolean().optional(),
      sensitiveEdits: z.boolean().optional(),
      forgetCommands: z.boolean().optional(),
      /** All of them, in order. */
      files: filePatternsSchema.optional(),
    }),
    result: none,
  },
  /** What the agent has changed and nobody has answered for; from here on `changes` events follow for this session. */
  listChanges: { params: sessionRef, result: z.object({ files: z.array(changedFileSchema) }) },
  /** `paths` null: all that wait. */
  keepChanges: { params: changedFiles, result: none },
  /** Brings files back to what they were before the agent; `problems` says what could not be. */
  undoChanges: { params: changedFiles, result: problems },
  /** Undoes the answer that the `review` entry `seq` was. */
  takeBackReview: { params: sessionRef.extend({ seq: z.number().int().positive() }), result: problems },
  /** Opens the file before and now, beside each other. */
  reviewChange: { params: sessionRef.extend({ path: name, line: line.optional() }), result: none },
  /** What bringing the workspace back would do now; changes no file. */
  planRestore: {
    params: sessionRef.extend({
      target: restoreTargetSchema,
      /** Absolute paths; without it all files. */
      files: z.array(name).min(1).max(10_000).optional(),
    }),
    result: restorePlanSchema,
  },
  /** Brings these files back, in `overwrite` also those that others have changed; an entry of the log says what became of each. */
  restoreFiles: {
    params: sessionRef.extend({
      target: restoreTargetSchema,
      files: z.array(name).min(1).max(100_000),
      overwrite: z.array(name).max(100_000),
    }),
    result: none,
  },
  /** Opens a file as it is now and a stored state of it beside each other, the older one left: `isBase` says which that is. */
  compareFile: {
    params: restoreStepSchema.pick({ file: true, shown: true, exists: true, hash: true }).extend({ isBase: z.boolean() }),
    result: none,
  },
  /** The checkpoints before messages that were not taken or are there no more: there is nothing to go back to. */
  listMissingCheckpoints: { params: sessionRef, result: z.object({ ids: z.array(z.string()) }) },
  /** Opens everything that differs between a checkpoint and now. */
  compareWithCheckpoint: { params: sessionRef.extend({ checkpointId: name }), result: none },
  /** Opens what changed while a command ran: all of it, or one file, as the conversation names it. */
  compareCommand: {
    params: sessionRef.extend({ before: name, after: name, path: name.optional() }),
    result: none,
  },
  /**
   * What differs from the approved state, its files from number `from` on, as many as are told at a time; from here on `workSession` events
   * follow for this session.
   */
  getWorkSession: {
    params: sessionRef.extend({ from: z.number().int().nonnegative().optional() }),
    result: z.object({ workSession: workSessionSchema.nullable() }),
  },
  /** Takes the workspace as it is now as approved. */
  approveSession: { params: sessionRef, result: none },
  selectMode: { params: z.object({ mode }), result: none },
  selectModel: { params: z.object({ mode, model: name }), result: none },
  readSettings: { params: none, result: settingsStateSchema },
  /** Null takes back what was saved. Rejects with `settingUnknown`, `settingValue` or `settingNotSaved`, in words for beside the field. */
  saveSetting: {
    params: z.object({ key: name, value: z.union([name, z.number(), z.boolean(), z.null()]) }),
    result: none,
  },
  /** The editor's own settings, at this extension or at one of its keys. */
  openEditorSettings: { params: z.object({ key: name.nullable() }), result: none },
  /** Removes the bearer token of the configured server, after a question that the host asks. */
  removeToken: { params: none, result: none },
  /** How much room the stored conversations take. */
  measureStorage: { params: none, result: z.object({ bytes: z.number() }) },
  ...checkpointStorageRequests,
  refreshModels: { params: none, result: none },
  /** Models worth pulling, fitted to the memory at hand, the most able first. Sizes in bytes. */
  suggestModels: {
    params: none,
    result: z.object({ suggestions: z.array(z.object({ name: z.string(), size: z.number() })), memory: z.number().nullable() }),
  },
  /** Resolves when the pull has begun; `pulls` events tell how it goes on. */
  pullModel: { params: z.object({ name: z.string().min(1).max(300) }), result: none },
  /** Ends a pull, or takes a failed one off the list. */
  cancelPull: { params: z.object({ name: z.string() }), result: none },
  /** After a question that the host asks. */
  deleteModel: { params: z.object({ name: z.string() }), result: none },
  unloadModel: { params: z.object({ name: z.string() }), result: none },
  setModelEnabled: { params: z.object({ name: z.string(), enabled: z.boolean() }), result: none },
  testConnection: { params: none, result: none },
  openFile: {
    params: z.object({ path: name, startLine: line.optional(), endLine: line.optional() }),
    result: none,
  },
  /** Opens a link outside after asking; only http and https. */
  openLink: { params: z.object({ url: name }), result: none },
  runCommand: {
    params: z.object({
      command: z.enum([
        'openSettings',
        'openStorage',
        'setBearerToken',
        'showLog',
        'selectModel',
        'testConnection',
        'openFolder',
        'manageTrust',
      ]),
    }),
    result: none,
  },
  /** Does one of the actions that `storage` offers; resolves when it is done, however the storage stands then. */
  actOnStorage: { params: z.object({ action: storageActionSchema }), result: storageStateSchema },
  /** An error inside a component, for the log. */
  reportViewError: { params: z.object({ message: z.string(), stack: z.string().optional() }), result: none },
} as const;

type Requests = typeof hostRequests;
export type HostRequestName = keyof Requests;
type HostParams<K extends HostRequestName> = z.infer<Requests[K]['params']>;
export type HostResult<K extends HostRequestName> = z.infer<Requests[K]['result']>;
/** The host's side; the view's side is the same with every method asynchronous. */
export type HostApi = { [K in HostRequestName]: (params: HostParams<K>) => Promise<HostResult<K>> };
