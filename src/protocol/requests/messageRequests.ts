import { z } from 'zod';
import { maxImageBytes } from '../context/imageRef';
import { attachmentRefSchema } from '../entries';
import { filePatternsSchema, grantsSchema, hostsSchema } from './grants';
import { backgroundCommandSchema, commandOutputSchema } from './runningCommands';
import { mode, name, none, sessionRef } from './shared';

/** Maximum number of files and selections per message. */
export const maxAttachments = 20;

/** Attachments, including those that the view adds: the agent and the items in the editor. */
const attachmentsToSend = z
  .array(attachmentRefSchema)
  .max(maxAttachments + 4)
  .optional();

/** Message that is queued until the session's run ends. */
export const queuedMessageSchema = z.object({
  id: z.string(),
  text: z.string(),
  mode: z.string(),
  attachments: z.array(attachmentRefSchema),
});
export type QueuedMessageItem = z.infer<typeof queuedMessageSchema>;

/** Session and selected model. If the model is null, the model from the settings or the session is used. */
const againRef = sessionRef.extend({ model: name.nullable().default(null) });
const mentionItemSchema = z.object({ label: z.string(), about: z.string(), item: attachmentRefSchema });
export type MentionItem = z.infer<typeof mentionItemSchema>;

/** Next step that an agent offers when it is done. */
const handoffSchema = z.object({ label: z.string(), agent: z.string(), prompt: z.string(), isSent: z.boolean() });
export type Handoff = z.infer<typeof handoffSchema>;
/** Custom agent of the workspace. */
const agentSchema = z.object({
  name: z.string(),
  description: z.string(),
  shown: z.string(),
  model: z.string().nullable(),
  handoffs: z.array(handoffSchema),
});
export type AgentOfWorkspace = z.infer<typeof agentSchema>;

/** Items that can be attached, and the problems with all others. */
const attached = z.object({ items: z.array(attachmentRefSchema), problems: z.array(z.string()) });
const queuedRef = sessionRef.extend({ id: z.string() });

export const messageRequests = {
  /** Starts a run. Without `sessionId`, creates a session. Returns the session ID. */
  send: {
    params: z.object({
      sessionId: name.nullable(),
      text: z.string().min(1),
      mode,
      model: name.nullable(),
      /** Attachments, which are read when the message is sent. If one cannot be read, the message is not sent. */
      attachments: attachmentsToSend,
      /** Permissions of a new session. An existing session keeps its permissions. */
      grants: grantsSchema
        .pick({ commands: true, sensitiveEdits: true })
        .extend({ sandbox: z.boolean().optional(), files: filePatternsSchema.optional() })
        .optional(),
    }),
    result: z.object({ sessionId: z.string() }),
  },
  /**
   * Prepares a request when the user returns to a draft or changes its attachments. The
   * server can then process the start of the request in advance, and the context meter counts
   * the attachments. `implicit` contains items in the editor that are sent with the message.
   */
  prepare: {
    params: z.object({ sessionId: name.nullable(), attachments: attachmentsToSend, implicit: attachmentsToSend }),
    result: none,
  },
  /**
   * Returns whether `text` was sent or queued after `since` (milliseconds since the epoch), as a whole or as the start of a
   * message. Checks the given session. If the session is null, checks the first messages of newer sessions. This is needed
   * because the editor may restore a view state from before the message was sent.
   */
  wasSent: {
    params: z.object({ sessionId: name.nullable(), text: z.string().min(1), since: z.number() }),
    result: z.object({ sent: z.enum(['whole', 'begun']).nullable() }),
  },
  /** Lets the user select items that a reference can name, or files. */
  addContext: { params: none, result: attached },
  /** Lists the prompts in the workspace. The user runs them with `/`. */
  listPrompts: {
    params: none,
    result: z.object({ prompts: z.array(z.object({ name: z.string(), description: z.string(), text: z.string() })) }),
  },
  listAgents: { params: none, result: z.object({ agents: z.array(agentSchema) }) },
  completeMention: {
    params: z.object({ kind: z.enum(['any', 'file', 'folder', 'symbol']), query: z.string().max(200) }),
    result: z.object({ items: z.array(mentionItemSchema) }),
  },
  /** Attaches a mentioned item after the same checks as for selected files. With null, attaches the selection in the editor. */
  attachMention: {
    params: z.object({ item: attachmentRefSchema.nullable() }),
    /** `isEmpty` is true if the item has no content now, for example if there are no problems. */
    result: attached.extend({ isEmpty: z.boolean().optional() }),
  },
  attachFiles: { params: z.object({ uris: z.array(name).max(100) }), result: attached },
  /** Stores a pasted or dropped image, given in base64. Rejects if the data is not an image or is too large. */
  keepImage: {
    params: z.object({ name: z.string().max(200), data: z.string().max(Math.ceil((maxImageBytes * 4) / 3) + 4) }),
    result: z.object({ item: attachmentRefSchema }),
  },
  /** Reads an image as base64. Null if it is no longer stored. */
  readImage: { params: z.object({ hash: name }), result: z.object({ data: z.string().nullable() }) },
  /** Inserts code at the cursor of the last text editor, as one undo step. */
  insertAtCursor: { params: z.object({ text: z.string() }), result: none },
  /** Shows code as a change to its file. Resolves after the user has applied or discarded the change. */
  applyToFile: { params: z.object({ text: z.string() }), result: none },
  /** Replaces the message `seq`. It and everything after it leave the conversation. An active run of the session is stopped first. */
  resend: {
    params: sessionRef.extend({ seq: z.number().int().positive(), text: z.string().min(1), mode, model: z.string().nullable() }),
    result: none,
  },
  /** Lists the queued messages of the session and subscribes to its `queue` events. */
  listQueued: { params: sessionRef, result: z.object({ messages: z.array(queuedMessageSchema) }) },
  /** Queues a message until the run ends. If no run is active, sends the message immediately. */
  enqueue: {
    params: sessionRef.extend({
      text: z.string().min(1),
      mode,
      model: z.string().nullable(),
      /** Attachments, which are read when the message is queued. */
      attachments: attachmentsToSend,
    }),
    result: none,
  },
  /** `isGone` is true if the message was no longer queued. */
  removeQueued: { params: queuedRef, result: z.object({ isGone: z.boolean() }) },
  /** Sends a queued message now. First stops the session's run. */
  sendQueued: { params: queuedRef, result: none },
  /** Lists the running and stopped background commands of the session and subscribes to its `background` events. */
  listBackground: { params: sessionRef, result: z.object({ commands: z.array(backgroundCommandSchema) }) },
  /** Lists the output of the session's running commands and subscribes to its `commandOutput` events. */
  listCommandOutput: { params: sessionRef, result: z.object({ outputs: z.array(commandOutputSchema) }) },
  /** Stops one running command. Its call returns, and the run continues. */
  stopCommand: { params: sessionRef.extend({ callId: name }), result: none },
  /** Moves one running command to the background without interrupting it. Its call returns. */
  continueInBackground: { params: sessionRef.extend({ callId: name }), result: none },
  stopBackground: { params: sessionRef.extend({ id: name }), result: none },
  stop: { params: sessionRef, result: none },
  /** Starts to implement the plan `seq` in Agent mode. */
  startPlan: { params: againRef.extend({ seq: z.number().int().positive() }), result: none },
  /** Switches the session's run to another model from the next step on. */
  changeModel: { params: sessionRef.extend({ model: name }), result: none },
  compact: { params: againRef, result: z.object({ isCompacted: z.boolean() }) },
  /** Undoes the compaction of entry `seq`. */
  undoCompaction: { params: sessionRef.extend({ seq: z.number().int().positive() }), result: none },
  /** Sends the last user input again, after the existing entries. `isLarger` doubles the token limit of the answer. */
  retry: { params: againRef.extend({ isLarger: z.boolean().optional() }), result: none },
  /** Continues the session's last run, including a partial answer. */
  continueRun: { params: againRef, result: none },
  decideApproval: {
    params: sessionRef.extend({
      approvalId: name,
      approve: z.boolean(),
      /** True to run the command without approval in this session from now on. */
      always: z.boolean().optional(),
      /** True to allow the requested host for this session and run the command in the sandbox again. */
      host: z.boolean().optional(),
    }),
    result: none,
  },
  /** Sends the user's reply to a question. With an empty reply, the agent decides. */
  answerQuestion: { params: sessionRef.extend({ questionId: name, answer: z.string().max(100_000) }), result: none },
  /** Reads the permissions of a session and subscribes to its `grants` events. */
  getGrants: { params: sessionRef, result: grantsSchema },
  changeGrants: {
    params: sessionRef.extend({
      commands: z.boolean().optional(),
      sandbox: z.boolean().optional(),
      /** Hosts that stay allowed. */
      hosts: hostsSchema.optional(),
      sensitiveEdits: z.boolean().optional(),
      forgetCommands: z.boolean().optional(),
      files: filePatternsSchema.optional(),
    }),
    result: none,
  },
  /** Returns whether commands can run in the sandbox on this computer. `fix` is a command that makes it available. */
  sandboxState: {
    params: none,
    result: z.discriminatedUnion('isAvailable', [
      z.object({ isAvailable: z.literal(true) }),
      z.object({ isAvailable: z.literal(false), reason: z.string(), fix: z.string().nullable() }),
    ]),
  },
} as const;
