import { z } from 'zod';
import { maxImageBytes } from '../context/imageRef';
import { attachmentRefSchema } from '../entries';
import { backgroundCommandSchema, filePatternsSchema, grantsSchema, queuedMessageSchema } from '../webviewEvents';
import { mode, name, none, sessionRef } from './shared';

/** Files and selections of one message at the most. */
export const maxAttachments = 20;

/** Attachments with what the view adds by itself: the agent, and what is in the editor. */
const attachmentsToSend = z
  .array(attachmentRefSchema)
  .max(maxAttachments + 4)
  .optional();

/** Session with the selected model; null leaves the model to the settings and the session. */
const againRef = sessionRef.extend({ model: name.nullable().default(null) });
/** A thing that a mention may mean, as a list shows it. */
const mentionItemSchema = z.object({ label: z.string(), about: z.string(), item: attachmentRefSchema });
export type MentionItem = z.infer<typeof mentionItemSchema>;

/** Next step that an agent offers when it is done. */
const handoffSchema = z.object({ label: z.string(), agent: z.string(), prompt: z.string(), isSent: z.boolean() });
export type Handoff = z.infer<typeof handoffSchema>;
/** An agent that a file of the workspace describes. */
const agentSchema = z.object({
  name: z.string(),
  description: z.string(),
  shown: z.string(),
  model: z.string().nullable(),
  handoffs: z.array(handoffSchema),
});
export type AgentOfWorkspace = z.infer<typeof agentSchema>;

/** Items of a request that could be attached, and in words the problems with the others. */
const attached = z.object({ items: z.array(attachmentRefSchema), problems: z.array(z.string()) });
const queuedRef = sessionRef.extend({ id: z.string() });

/** Requests about what a person says, what goes with it, and the runs that answer. */
export const messageRequests = {
  /** Starts a run; without `sessionId` in a new session, whose id comes back. */
  send: {
    params: z.object({
      sessionId: name.nullable(),
      text: z.string().min(1),
      mode,
      model: name.nullable(),
      /** Read when the message is sent; one that cannot be read keeps the message from being sent. */
      attachments: attachmentsToSend,
      /** Permissions of a new session; those of an existing one stay as they are. */
      grants: grantsSchema
        .pick({ commands: true, sensitiveEdits: true })
        .extend({ files: filePatternsSchema.optional() })
        .optional(),
    }),
    result: z.object({ sessionId: z.string() }),
  },
  /**
   * Tells whether `text` was sent or queued since the given time (milliseconds since 1970), or begins a message sent
   * soon after: in the
   * session, or, if that is null, as the first of a newer one. The editor may bring back a state of the view from before
   * it was sent.
   */
  wasSent: {
    params: z.object({ sessionId: name.nullable(), text: z.string().min(1), since: z.number() }),
    result: z.object({ sent: z.enum(['whole', 'begun']).nullable() }),
  },
  /** Lets a person pick files of the workspace, or what is in the editor. */
  addContext: { params: none, result: attached },
  /** Lists the prompts of the workspace, which are run with `/`. */
  listPrompts: {
    params: none,
    result: z.object({ prompts: z.array(z.object({ name: z.string(), description: z.string(), text: z.string() })) }),
  },
  /** Lists the agents that the workspace describes. */
  listAgents: { params: none, result: z.object({ agents: z.array(agentSchema) }) },
  /** Lists what a mention that is being typed may mean. */
  completeMention: {
    params: z.object({ kind: z.enum(['any', 'file', 'folder', 'symbol']), query: z.string().max(200) }),
    result: z.object({ items: z.array(mentionItemSchema) }),
  },
  /** Attaches what a mention means: checked as what is picked. `selection`: the one in the editor. */
  attachMention: { params: z.object({ item: attachmentRefSchema.nullable() }), result: attached },
  /** Files that were dropped on the view. */
  attachFiles: { params: z.object({ uris: z.array(name).max(100) }), result: attached },
  /** Keeps an image that was pasted or dropped, in base64, to be attached. Rejects where it is none, or too large. */
  keepImage: {
    params: z.object({ name: z.string().max(200), data: z.string().max(Math.ceil((maxImageBytes * 4) / 3) + 4) }),
    result: z.object({ item: attachmentRefSchema }),
  },
  /** Reads an image in base64; null where it is not kept any more. */
  readImage: { params: z.object({ hash: name }), result: z.object({ data: z.string().nullable() }) },
  /** Puts code at the cursor of the last text editor, as one step to undo. */
  insertAtCursor: { params: z.object({ text: z.string() }), result: none },
  /** Shows code as a change of the file that it belongs to, which a person makes or leaves there. Resolves when that is settled. */
  applyToFile: { params: z.object({ text: z.string() }), result: none },
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
      attachments: attachmentsToSend,
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
  /** Begins to carry out the plan `seq` of the conversation, in Agent mode. */
  startPlan: { params: againRef.extend({ seq: z.number().int().positive() }), result: none },
  /** Lets a run of the session go on with another model from its next step. */
  changeModel: { params: sessionRef.extend({ model: name }), result: none },
  /** Lets a summary stand for what is old in the session now. */
  compact: { params: againRef, result: z.object({ isCompacted: z.boolean() }) },
  /** Takes back the summary of the entry `seq`: what it stood for is sent again. */
  undoCompaction: { params: sessionRef.extend({ seq: z.number().int().positive() }), result: none },
  /** Runs the last user input of the session again, after what there is. `isLarger`: with twice as many tokens for one answer. */
  retry: { params: againRef.extend({ isLarger: z.boolean().optional() }), result: none },
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
  /** Reads the permissions of a session; from then on `grants` events follow for it. */
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
} as const;
