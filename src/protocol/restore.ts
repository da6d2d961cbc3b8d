import { z } from 'zod';

/** Declares what the view and the host exchange about restoring the workspace. */

/** Target of a restore: a checkpoint, the state before a restore, or the session's approved state. */
export const restoreTargetSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('checkpoint'), id: z.string().max(200) }),
  z.object({ kind: z.literal('restore'), id: z.string().max(200) }),
  z.object({ kind: z.literal('approved') }),
]);
export type RestoreTarget = z.infer<typeof restoreTargetSchema>;

/**
 * Reason why a file is not restored by itself. `changedSince`: not as this session left it · `unsaved`: an editor holds
 * unsaved text ·
 * `notStored`: the checkpoint does not hold it · `damaged`: its stored content cannot be read · `leftOut`: the rules of
 * that time left it
 * out, so it may have been there and stays · `notSaved`: its present content could not be brought back again · `notAFile`: a pipe,
 * a socket or a device is in its place.
 */
const keepReason = z.enum(['changedSince', 'unsaved', 'notStored', 'damaged', 'leftOut', 'notSaved', 'notAFile']);
export type KeepReason = z.infer<typeof keepReason>;

/**
 * Loss that neither a step nor its undo makes good. `links`: the file has other names, which stay as they are · `owner`: its owner, its group or its
 * special mode bits · `emptyFolder`: one in its place is removed.
 */
const stepLoss = z.enum(['links', 'owner', 'emptyFolder']);
export type StepLoss = z.infer<typeof stepLoss>;

/** File that was left, as an entry of the log tells it. `changed`: at that very moment · `failed`: the system refused. */
export const leftFileSchema = z.object({ path: z.string(), reason: z.enum([...keepReason.options, 'changed', 'failed']) });
export type LeftFile = z.infer<typeof leftFileSchema>;

/** Plan for one file. A `conflict` is left alone unless a person decides otherwise; `keep` leaves nothing to decide. */
export const restoreStepSchema = z.object({
  /** Absolute. */
  file: z.string(),
  /** Path as the conversation names it. */
  shown: z.string(),
  action: z.enum(['create', 'write', 'delete', 'keep', 'conflict']),
  reason: keepReason.nullable(),
  /** True if there is a file now; `hash` is the content that it is brought back to, null if there will be none. */
  exists: z.boolean(),
  hash: z.string().nullable(),
  loses: z.array(stepLoss).optional(),
});
export type PlannedFile = z.infer<typeof restoreStepSchema>;

/**
 * File that a checkpoint does not hold, or not for certain, with the reason. `tooLarge`: over the limit of that time ·
 * `name`: not valid
 * UTF-8 · `storage`: a folder that holds chats and checkpoints of this product · `unstable`: held, but it was changing while it was read, so perhaps not as it was at any one moment.
 */
export const leftOutSchema = z.object({
  /** All of them. */
  count: z.number().int().nonnegative(),
  unstableCount: z.number().int().nonnegative(),
  /** The first ones, as the conversation names files. */
  files: z.array(z.object({ path: z.string(), reason: z.enum(['tooLarge', 'unreadable', 'name', 'storage', 'unstable']) })),
});
export type LeftOut = z.infer<typeof leftOutSchema>;

/** Names of what a checkpoint does not hold. Paths as the conversation names them. */
export const uncoveredSchema = z.object({
  /** Folders that have a Git history, or had one that is gone; `.` is the workspace folder. */
  histories: z.array(z.object({ folder: z.string(), isGone: z.boolean() })),
  /** The first files and folders that were left out and are gone; `goneCount` has them all. */
  gone: z.array(z.string()),
  goneCount: z.number().int().nonnegative(),
});
export type Uncovered = z.infer<typeof uncoveredSchema>;

export const restorePlanSchema = z.object({
  /** Title of the checkpoint; empty when a restore is undone. */
  title: z.string(),
  files: z.array(restoreStepSchema),
  /** Files that the checkpoint to go back to has left out. */
  leftOut: leftOutSchema,
  /** By that checkpoint too. */
  uncovered: uncoveredSchema,
});
export type RestorePlan = z.infer<typeof restorePlanSchema>;

/** A file that differs from the approved state. */
const unapprovedFileSchema = z.object({
  /** Absolute. */
  path: z.string(),
  shown: z.string(),
  status: z.enum(['created', 'modified', 'deleted']),
  /** Null where lines are not compared. */
  lines: z.object({ additions: z.number().int(), deletions: z.number().int() }).nullable(),
  /** The approved content; null where there was no file. */
  hash: z.string().nullable(),
  /**
   * Origin of the change since the approval: `agent`: an edit of this chat, pending or kept · `command`: one that this chat ran · `chat`: an edit of
   * another chat. Absent: somebody or something else.
   */
  source: z.enum(['agent', 'command', 'chat']).optional(),
});
export type UnapprovedFile = z.infer<typeof unapprovedFileSchema>;

/** A work session that is over. */
const earlierWorkSessionSchema = z.object({
  /** `session_1`, … */
  name: z.string(),
  outcome: z.enum(['approved', 'reset']),
  /** Milliseconds since the epoch. */
  closedAt: z.number(),
  message: z.string().nullable(),
  /** The state that was approved; null where there is none. */
  checkpointId: z.string().nullable(),
});
export type EarlierWorkSession = z.infer<typeof earlierWorkSessionSchema>;

/** Changes since the last approval, whoever made them. */
export const workSessionSchema = z.object({
  /** `session_1`, … */
  name: z.string(),
  approvedCheckpointId: z.string(),
  lastApprovedAt: z.number().nullable(),
  /** The first ones, or those that were asked for; `count` has them all. */
  files: z.array(unapprovedFileSchema),
  count: z.number().int(),
  /** The last ones before it, the newest first. */
  earlier: z.array(earlierWorkSessionSchema),
});
export type WorkSession = z.infer<typeof workSessionSchema>;
