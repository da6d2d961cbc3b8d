import { z } from 'zod';

/** Data for restoring the workspace, exchanged by view and host. */

/** Target of a restore: a checkpoint, the state before a restore, or the approved state of the session. */
export const restoreTargetSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('checkpoint'), id: z.string().max(200) }),
  z.object({ kind: z.literal('restore'), id: z.string().max(200) }),
  z.object({ kind: z.literal('approved') }),
]);
export type RestoreTarget = z.infer<typeof restoreTargetSchema>;

/**
 * Reason why a file is not restored automatically. `changedSince`: changed since this session · `unsaved`: unsaved changes in an editor ·
 * `notStored`: not in the checkpoint · `damaged`: stored content is unreadable · `leftOut`: excluded from the checkpoint, so it stays ·
 * `notSaved`: the current content could not be backed up · `notAFile`: a pipe, socket or device is in its place.
 */
const keepReason = z.enum(['changedSince', 'unsaved', 'notStored', 'damaged', 'leftOut', 'notSaved', 'notAFile']);
export type KeepReason = z.infer<typeof keepReason>;

/**
 * Data loss that undoing the step cannot repair. `links`: other hard links stay unchanged · `owner`: owner, group or special mode bits ·
 * `emptyFolder`: an empty folder in its place is removed.
 */
const stepLoss = z.enum(['links', 'owner', 'emptyFolder']);
export type StepLoss = z.infer<typeof stepLoss>;

/** File that was not restored, as logged. `changed`: it changed during the restore · `failed`: the system refused. */
export const leftFileSchema = z.object({ path: z.string(), reason: z.enum([...keepReason.options, 'changed', 'failed']) });
export type LeftFile = z.infer<typeof leftFileSchema>;

/** Planned action for one file. A `conflict` is skipped unless the user decides otherwise; `keep` needs no decision. */
export const restoreStepSchema = z.object({
  /** Absolute path. */
  file: z.string(),
  /** Path as displayed in the conversation. */
  shown: z.string(),
  action: z.enum(['create', 'write', 'delete', 'keep', 'conflict']),
  reason: keepReason.nullable(),
  /** True for a conflict with an edit of the user. */
  isByHand: z.literal(true).optional(),
  /** True if the file exists now. `hash` is the restored content; null if the file will not exist. */
  exists: z.boolean(),
  hash: z.string().nullable(),
  loses: z.array(stepLoss).optional(),
});
export type PlannedFile = z.infer<typeof restoreStepSchema>;

/**
 * Files that a checkpoint does not contain, or not reliably. `tooLarge`: over the size limit at that time · `name`: not valid UTF-8 ·
 * `storage`: storage folder of this product · `unstable`: it changed while it was read, so its content may be inconsistent.
 */
export const leftOutSchema = z.object({
  count: z.number().int().nonnegative(),
  unstableCount: z.number().int().nonnegative(),
  /** First files, as displayed in the conversation. */
  files: z.array(z.object({ path: z.string(), reason: z.enum(['tooLarge', 'unreadable', 'name', 'storage', 'unstable']) })),
});
export type LeftOut = z.infer<typeof leftOutSchema>;

/** Names of data that a checkpoint does not contain, as displayed in the conversation. */
export const uncoveredSchema = z.object({
  /** Folders with a current or deleted Git history. `.` is the workspace folder. */
  histories: z.array(z.object({ folder: z.string(), isGone: z.boolean() })),
  /** First files and folders that were excluded and have been deleted. `goneCount` is the total. */
  gone: z.array(z.string()),
  goneCount: z.number().int().nonnegative(),
});
export type Uncovered = z.infer<typeof uncoveredSchema>;

export const restorePlanSchema = z.object({
  /** Title of the checkpoint; empty to undo a restore. */
  title: z.string(),
  files: z.array(restoreStepSchema),
  /** Files that the target checkpoint excluded. */
  leftOut: leftOutSchema,
  /** Other data that the target checkpoint does not contain. */
  uncovered: uncoveredSchema,
  /** Absolute paths of folders that the target checkpoint covers and that are not open. Absent if there are none. */
  closedFolders: z.array(z.string()).optional(),
});
export type RestorePlan = z.infer<typeof restorePlanSchema>;

/** File that differs from the approved state. */
const unapprovedFileSchema = z.object({
  /** Absolute path. */
  path: z.string(),
  shown: z.string(),
  status: z.enum(['created', 'modified', 'deleted']),
  /** null if lines are not compared. */
  lines: z.object({ additions: z.number().int(), deletions: z.number().int() }).nullable(),
  /** Hash of the approved content; null if the file did not exist. */
  hash: z.string().nullable(),
  /**
   * Origin of the change since the approval. `agent`: an edit of this chat, pending or kept · `command`: a command of this chat · `chat`:
   * an edit of another chat. Absent for any other origin.
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
  /** Checkpoint of the approved state; null if there is none. */
  checkpointId: z.string().nullable(),
});
export type EarlierWorkSession = z.infer<typeof earlierWorkSessionSchema>;

/** All changes since the last approval, of any origin. */
export const workSessionSchema = z.object({
  /** Name such as `session_1`. */
  name: z.string(),
  approvedCheckpointId: z.string(),
  lastApprovedAt: z.number().nullable(),
  /** First files or the requested page. `count` is the total. */
  files: z.array(unapprovedFileSchema),
  count: z.number().int(),
  /** Most recent closed work sessions, newest first. */
  earlier: z.array(earlierWorkSessionSchema),
});
export type WorkSession = z.infer<typeof workSessionSchema>;
