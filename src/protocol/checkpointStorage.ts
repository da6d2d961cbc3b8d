import { z } from 'zod';
import { leftOutSchema } from './restore';

/** Requests of the view about stored checkpoints. Bytes are those on the disk, except for sessions. */

const none = z.object({});
const count = z.number().int().nonnegative();

const checkpointStorageSchema = z.object({
  bytes: count,
  /** Allowed bytes. */
  limit: count,
  /** Contents of files, each once. */
  objects: count,
  checkpoints: count,
  /** The one that keeps most first; of contents as they are in the files. */
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      title: z.string(),
      checkpoints: count,
      bytes: count,
      /** Bytes of contents that no other session refers to. */
      ownBytes: count,
    }),
  ),
  /** Checkpoints of approved work, which could go and take room. */
  approved: z.object({ count, oldest: z.number().nullable() }),
  /** Kept files whose originals are held so that *Keep* can be undone. They could go. */
  originals: count,
  /** About as much is free again after collecting garbage. */
  freeable: count,
});
export type CheckpointStorage = z.infer<typeof checkpointStorageSchema>;

const storedCheckpointsSchema = z.object({
  /** The newest first. */
  checkpoints: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      createdAt: z.number(),
      /** True if it cannot be deleted. */
      isApproved: z.boolean(),
      leftOut: leftOutSchema,
    }),
  ),
  /** Older ones, which are not named. */
  more: count,
});
export type StoredCheckpoints = z.infer<typeof storedCheckpointsSchema>;

/** Null: the person said no. */
const removed = count.nullable();

export const checkpointStorageRequests = {
  readCheckpointStorage: { params: none, result: checkpointStorageSchema },
  /**
   * Reads everything that is stored: how many contents are not as they were, and the first of the files that have them. Null: the person
   * ended it. `hasFlaws`: a pack is damaged where nothing is lost by it.
   */
  verifyStorage: {
    params: none,
    result: z
      .object({ objects: count, damaged: count, hasFlaws: z.boolean(), files: z.array(z.string()), moreFiles: count })
      .nullable(),
  },
  /** Stores damaged contents anew that the files of the workspace have: how many these are, and how many nobody has. */
  healStorage: { params: none, result: z.object({ healed: count, left: count }) },
  /** Frees what nothing refers to. */
  collectGarbage: { params: none, result: z.object({ bytes: count }) },
  /** Lists the stored checkpoints of a session. */
  listStoredCheckpoints: { params: z.object({ sessionId: z.string() }), result: storedCheckpointsSchema },
  /** Removes one, after a question that the host asks. */
  removeCheckpoint: { params: z.object({ id: z.string() }), result: z.object({ removed, bytes: count }) },
  /** Removes checkpoints and originals of kept files that are older, after a question that the host asks. */
  removeOldCheckpoints: {
    params: z.object({ days: z.number().int().min(1).max(3650) }),
    result: z.object({ removed, originals: count, bytes: count }),
  },
  /** Removes the oldest checkpoints of approved work, then the oldest originals of kept files, until the limit holds, after a question that the host asks. */
  makeRoom: { params: none, result: z.object({ removed, originals: count, bytes: count, isEnough: z.boolean() }) },
} as const;
