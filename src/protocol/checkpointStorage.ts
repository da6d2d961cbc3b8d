import { z } from 'zod';
import { leftOutSchema } from './restore';

/** Requests of the view about stored checkpoints. Sizes are in bytes on disk, except for the sizes of sessions. */

const none = z.object({});
const count = z.number().int().nonnegative();

const checkpointStorageSchema = z.object({
  bytes: count,
  limit: count,
  /** Number of distinct file contents. */
  objects: count,
  checkpoints: count,
  /** Sessions by the size of their file contents, largest first. */
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      title: z.string(),
      checkpoints: count,
      bytes: count,
      /** Bytes of contents that only this session references. */
      ownBytes: count,
    }),
  ),
  /** Checkpoints of approved work, which can be deleted to free space. */
  approved: z.object({ count, oldest: z.number().nullable() }),
  /** Number of stored originals of kept files. The user needs them to undo *Keep*, but can delete them. */
  originals: count,
  /** Estimated bytes that garbage collection would free. */
  freeable: count,
});
export type CheckpointStorage = z.infer<typeof checkpointStorageSchema>;

const storedCheckpointsSchema = z.object({
  /** Newest checkpoints first. */
  checkpoints: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      createdAt: z.number(),
      /** True if the checkpoint cannot be deleted. */
      isApproved: z.boolean(),
      leftOut: leftOutSchema,
    }),
  ),
  /** Number of older checkpoints that are not listed. */
  more: count,
});
export type StoredCheckpoints = z.infer<typeof storedCheckpointsSchema>;

/** Number of deleted items. Null if the user declined. */
const removed = count.nullable();

export const checkpointStorageRequests = {
  readCheckpointStorage: { params: none, result: checkpointStorageSchema },
  /**
   * Verifies all stored contents. Returns the number of damaged contents and the first affected files. The numbers are null
   * if the user cancelled. `hasFlaws` is true if a pack is damaged but no data is lost.
   */
  verifyStorage: {
    params: none,
    result: z
      .object({ objects: count, damaged: count, hasFlaws: z.boolean(), files: z.array(z.string()), moreFiles: count })
      .nullable(),
  },
  /** Repairs damaged contents from the files in the workspace. Returns the numbers of repaired and of still damaged contents. */
  healStorage: { params: none, result: z.object({ healed: count, left: count }) },
  collectGarbage: { params: none, result: z.object({ bytes: count }) },
  listStoredCheckpoints: { params: z.object({ sessionId: z.string() }), result: storedCheckpointsSchema },
  /** Deletes a checkpoint after a confirmation in the host. */
  removeCheckpoint: { params: z.object({ id: z.string() }), result: z.object({ removed, bytes: count }) },
  /** Deletes older checkpoints and originals of kept files after a confirmation in the host. */
  removeOldCheckpoints: {
    params: z.object({ days: z.number().int().min(1).max(3650) }),
    result: z.object({ removed, originals: count, bytes: count }),
  },
  /**
   * Deletes the oldest checkpoints of approved work until the storage is within the size limit. If
   * that is not enough, deletes the oldest originals of kept files. The host asks for confirmation.
   */
  makeRoom: { params: none, result: z.object({ removed, originals: count, bytes: count, isEnough: z.boolean() }) },
} as const;
