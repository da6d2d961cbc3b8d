/** Interface of the snapshot store, which `services/checkpoint` implements. */

/**
 * Kind of a checkpoint. `initial`: at the start of a session. `message`: before a user message. `imported`: imported, with
 * only some of the files. `manual`: created on request or for an approval. The others are created before or after a command
 * or a restore.
 */
export type CheckpointKind =
  'initial' | 'message' | 'command_before' | 'command_after' | 'restore_before' | 'restore_after' | 'manual' | 'imported';

export function isAroundCommand(kind: CheckpointKind): boolean {
  return kind === 'command_before' || kind === 'command_after';
}

/** Running command whose checkpoint was created before it started. */
export interface BegunCommand {
  /**
   * Keeps tracking the command after its tool call ends, until `ended` settles. Its changes are reported at that time and
   * when the run ends.
   */
  goesOn(ended: Promise<unknown>): void;
}

/**
 * Creates a checkpoint of the workspace before a command that runs in `folder`, an absolute path. A sandboxed command runs
 * without approval, so all Git histories are saved.
 */
export type BeginCommand = (folder?: string, isSandboxed?: boolean) => Promise<BegunCommand>;

export const notFollowed: BegunCommand = { goesOn: () => undefined };

/** Contents by SHA-256 (64 lower-case hexadecimal digits). Each content is stored once for all sessions. */
export interface SnapshotObjects {
  /**
   * Stores contents durably and returns their hashes in the same order. A content is not garbage-collected for an hour. To
   * keep it longer, reference it from a row within that time (docs/storage/snapshots.md, *References*). Throws `AppError`.
   */
  put(contents: readonly Uint8Array[]): Promise<string[]>;
  /** Returns the verified content. Throws a `SnapshotError` with the code `missing` or `damaged`. */
  get(hash: string): Promise<Uint8Array>;
}
