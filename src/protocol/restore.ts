import { z } from 'zod';

/** Data for restoring the workspace, which the view and the host exchange. */

/** Target of a restore: a checkpoint, the state before a restore, or the approved state of the session. */
export const restoreTargetSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('checkpoint'), id: z.string().max(200) }),
  z.object({ kind: z.literal('restore'), id: z.string().max(200) }),
  z.object({ kind: z.literal('approved') }),
]);
export type RestoreTarget = z.infer<typeof restoreTargetSchema>;

/**
 * Reason why a file is not restored automatically. `changedSince`: the file changed after this session.
 * `unsaved`: an editor has unsaved changes. `notStored`: the file is not in the checkpoint. `damaged`: the
 * stored content cannot be read. `leftOut`: the checkpoint excludes the file, so it is not deleted.
 * `notSaved`: the current content could not be backed up. `notAFile`: the path is a pipe, socket or device.
 */
const keepReason = z.enum(['changedSince', 'unsaved', 'notStored', 'damaged', 'leftOut', 'notSaved', 'notAFile']);
export type KeepReason = z.infer<typeof keepReason>;

/**
 * Data loss that undoing the step cannot reverse. `links`: other hard links of the file keep their content.
 * `owner`: owner, group or special mode bits are lost. `emptyFolder`: an empty folder at the path is removed.
 */
const stepLoss = z.enum(['links', 'owner', 'emptyFolder']);
export type StepLoss = z.infer<typeof stepLoss>;

/**
 * File that was not restored, as logged. `changed`: the file changed during the restore.
 * `failed`: the operating system returned an error.
 */
export const leftFileSchema = z.object({ path: z.string(), reason: z.enum([...keepReason.options, 'changed', 'failed']) });
export type LeftFile = z.infer<typeof leftFileSchema>;

/** Planned action for one file. A `conflict` is skipped unless the user decides otherwise. `keep` requires no decision. */
export const restoreStepSchema = z.object({
  /** Absolute path. */
  file: z.string(),
  /** Path as shown in the conversation. */
  shown: z.string(),
  action: z.enum(['create', 'write', 'delete', 'keep', 'conflict']),
  reason: keepReason.nullable(),
  /** True if the conflict is with an edit that the user made. */
  isByHand: z.literal(true).optional(),
  /** True if the file exists now. `hash` is the content to restore, or null if the restore removes the file. */
  exists: z.boolean(),
  hash: z.string().nullable(),
  loses: z.array(stepLoss).optional(),
});
export type PlannedFile = z.infer<typeof restoreStepSchema>;

/**
 * Files that a checkpoint does not contain, or not reliably. `tooLarge`: the file exceeded the size
 * limit at that time. `name`: the name is not valid UTF-8. `storage`: the file is in a storage folder
 * of this product. `unstable`: the file changed while it was read, so its content may be inconsistent.
 */
export const leftOutSchema = z.object({
  count: z.number().int().nonnegative(),
  unstableCount: z.number().int().nonnegative(),
  /** First files, with paths as shown in the conversation. */
  files: z.array(z.object({ path: z.string(), reason: z.enum(['tooLarge', 'unreadable', 'name', 'storage', 'unstable']) })),
});
export type LeftOut = z.infer<typeof leftOutSchema>;

/** Data that a checkpoint does not contain. Names are written as in the conversation. */
export const uncoveredSchema = z.object({
  /** Folders with a Git history, which exists or was deleted. `.` is the workspace folder. */
  histories: z.array(z.object({ folder: z.string(), isGone: z.boolean() })),
  /** First deleted files and folders that checkpoints exclude. `goneCount` is the total number. */
  gone: z.array(z.string()),
  goneCount: z.number().int().nonnegative(),
});
export type Uncovered = z.infer<typeof uncoveredSchema>;

/** Fields of the log entry of a restore. */
export const restoreShape = {
  targetCheckpointId: z.string(),
  /** Files that the restore changed. `deleted` lists the files that it deleted. Missing if there are none. */
  paths: z.array(z.string()),
  deleted: z.array(z.string()).optional(),
  /** ID for undoing the restore. `undoes` is the ID of the restore that this restore undoes. `isWhole`: it undoes all remaining files. */
  operationId: z.string().optional(),
  undoes: z.string().optional(),
  isWhole: z.literal(true).optional(),
  title: z.string().optional(),
  left: z.array(leftFileSchema).optional(),
  /** True if the restore reset the workspace to the approved state and started a new work session. */
  isReset: z.boolean().optional(),
  /** Data that the checkpoint does not contain. Missing if it contains everything. */
  uncovered: uncoveredSchema.optional(),
  /** `seq` of the message to which all files were restored. The conversation from that message to this entry is undone and not sent. */
  fromSeq: z.number().int().positive().optional(),
  /** Call ID of a command. Present if the restore undid all changes of that command. */
  undoneCall: z.string().optional(),
};

export const restorePlanSchema = z.object({
  /** Title of the checkpoint. Empty when undoing a restore. */
  title: z.string(),
  files: z.array(restoreStepSchema),
  /** Files that the target checkpoint does not contain, or not reliably. */
  leftOut: leftOutSchema,
  /** Other data that the target checkpoint does not contain. */
  uncovered: uncoveredSchema,
  /** Absolute paths of folders that the target checkpoint contains but that are not open. Missing if there are none. */
  closedFolders: z.array(z.string()).optional(),
});
export type RestorePlan = z.infer<typeof restorePlanSchema>;

/** File that differs from the approved state. */
const unapprovedFileSchema = z.object({
  /** Absolute path. */
  path: z.string(),
  shown: z.string(),
  status: z.enum(['created', 'modified', 'deleted']),
  /** Changed lines. Null if lines are not compared. */
  lines: z.object({ additions: z.number().int(), deletions: z.number().int() }).nullable(),
  /** Hash of the approved content. Null if the file did not exist. */
  hash: z.string().nullable(),
  /**
   * Origin of the change since the last approval. `agent`: an edit of this chat, pending or kept. `command`: a command of
   * this chat. `chat`: an edit of another chat. Missing for any other origin.
   */
  source: z.enum(['agent', 'command', 'chat']).optional(),
});
export type UnapprovedFile = z.infer<typeof unapprovedFileSchema>;

const earlierWorkSessionSchema = z.object({
  /** Name such as `session_1`. */
  name: z.string(),
  outcome: z.enum(['approved', 'reset']),
  /** Milliseconds since the epoch. */
  closedAt: z.number(),
  message: z.string().nullable(),
  /** Checkpoint of the approved state. Null if there is none. */
  checkpointId: z.string().nullable(),
});
export type EarlierWorkSession = z.infer<typeof earlierWorkSessionSchema>;

/** All changes since the last approval, regardless of their origin. */
export const workSessionSchema = z.object({
  /** Name such as `session_1`. */
  name: z.string(),
  approvedCheckpointId: z.string(),
  lastApprovedAt: z.number().nullable(),
  /** First files, or the requested page. `count` is the total number. */
  files: z.array(unapprovedFileSchema),
  count: z.number().int(),
  /** Last closed work sessions, newest first. */
  earlier: z.array(earlierWorkSessionSchema),
});
export type WorkSession = z.infer<typeof workSessionSchema>;
